"""Files as they are written."""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, final

from hurray._stubs.arguments import _Bytes, _Dtype, _Kv, _Path
from typing_extensions import Self

def save(
    path: _Path,
    tensors: Mapping[str, Any],
    *,
    kv: Mapping[str, _Kv] | None = None,
    durable: bool = False,
    check: bool = True,
) -> None: ...

@final
class FileWriter:
    def __new__(
        cls,
        path: _Path,
        *,
        kv: Mapping[str, _Kv] | None = None,
        durable: bool = False,
        check: bool = True,
    ) -> Self: ...
    def write(self, name: str, tensor: Any, *, check: bool | None = None) -> None: ...
    def write_buffer(self, name: str, buffer: _Bytes, dtype: _Dtype, shape: Sequence[int]) -> None:
        """Write a row-major tensor from bytes of any alignment, by reference."""
    def tell(self) -> int:
        """Bytes of the file that are written. Waits for nobody, not even for another thread that writes."""
    def close(self) -> None:
        """Finish the file and put it in place. Idempotent."""
    def abort(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
    def write_pieces(
        self, name: str, pieces: Iterable[_Bytes], dtype: _Dtype, shape: Sequence[int]
    ) -> None: ...

def write_all(file: Any, buffer: _Bytes) -> int: ...
