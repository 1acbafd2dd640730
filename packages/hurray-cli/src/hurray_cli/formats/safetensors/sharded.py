"""A checkpoint in several safetensors files, by its index: ``{"metadata": …, "weight_map": {name: file}}``."""

from __future__ import annotations

from hurray.formats import FormatError, Item, PlanError, Problem, Reader

from hurray_cli.formats.safetensors import MAX_HEADER_BYTES
from hurray_cli.formats.safetensors.reader import OpenFile
from hurray_cli.formats.safetensors.scan import Pairs, ScanError, Scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self

MAX_METADATA = 1 << 20  # characters of the index's own metadata


class Index:
    """What the index file says, and what is wrong with it by itself."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.weight_map: dict[str, str] = {}
        self.metadata: dict[str, Any] = {}
        self.problems: list[Problem] = []
        scanner = Scanner(_text(path))
        try:
            self._read(scanner)
        except ScanError as error:
            message = f"the index is not the JSON of a sharded checkpoint: {error} (character {error.at})"
            self.problems.append(Problem(message))

    def _read(self, scanner: Scanner) -> None:
        seen: set[str] = set()
        for key in scanner.members():
            if key in seen:
                self.problems.append(Problem("the index has this key twice", key=key))
            seen.add(key)
            if key == "weight_map":
                self._read_weight_map(scanner)
            elif key == "metadata":
                self._read_metadata(scanner.small(MAX_METADATA))
            else:
                scanner.small(MAX_METADATA)
                self.problems.append(Problem("the index has a key that is not known", key=key))
        scanner.end()
        if "weight_map" not in seen:
            self.problems.append(Problem("the index has no weight_map"))

    def _read_weight_map(self, scanner: Scanner) -> None:
        for name in scanner.members():
            shard = scanner.string() if scanner.at_string() else scanner.small(MAX_METADATA)
            if name in self.weight_map:
                self.problems.append(Problem("the weight_map has this name twice", name=name))
            elif not isinstance(shard, str):
                self.problems.append(Problem("the weight_map gives no file name for it", name=name))
            else:
                self.weight_map[name] = shard

    def _read_metadata(self, value: Any) -> None:
        if not isinstance(value, Pairs):
            self.problems.append(Problem("the metadata of the index is no object"))
            return
        self.metadata = dict(value)
        if len(self.metadata) < len(value):
            self.problems.append(Problem("the metadata of the index has a key twice"))


class ShardedReader(Reader):
    """All shards of a checkpoint as one file, each mapped."""

    def __init__(self, path: str) -> None:
        index = Index(path)
        if index.problems:
            raise FormatError(path, index.problems)
        self._shards, problems, unsupported = _open(index)
        try:
            problems += _disagreements(index, self._shards)
            self.kv, clashes = _merged(self._shards.values())
            problems += clashes
            if problems:
                raise FormatError(path, problems + unsupported)
            if unsupported:
                raise PlanError(path, unsupported)
            self.notes = (f"{len(self._shards)} shards become one file",)
            self._items = [item for shard in self._shards.values() for item in shard.items()]
        except BaseException:
            self._close()
            raise

    def _close(self) -> None:
        for shard in self._shards.values():
            shard.close()

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items.clear()
        self._close()


def _text(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(MAX_HEADER_BYTES + 1)
    if len(data) > MAX_HEADER_BYTES:
        raise FormatError(path, [Problem(f"the index is larger than {MAX_HEADER_BYTES} bytes")])
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        problem = Problem(f"the index is no UTF-8: {error.reason} at byte {error.start}", offset=error.start)
        raise FormatError(path, [problem]) from None


def _open(index: Index) -> tuple[dict[str, OpenFile], list[Problem], list[Problem]]:
    """Every shard that can be opened, by its name in the index, and what is wrong with the others."""
    import os

    from hurray.formats import regular_file

    folder = os.path.dirname(index.path)
    shards: dict[str, OpenFile] = {}
    problems: list[Problem] = []
    unsupported: list[Problem] = []
    for name in sorted(set(index.weight_map.values())):
        if not name or name in (".", "..") or "\0" in name or os.path.basename(name) != name:
            problems.append(Problem(f"shard {name!r} is no plain file name; shards lie beside their index"))
            continue
        try:
            shards[name] = OpenFile(regular_file(os.path.join(folder, name)))
        except FormatError as error:
            problems += _of_shard(name, error.problems)
        except PlanError as error:
            unsupported += _of_shard(name, error.problems)
        except OSError as error:
            problems.append(Problem(f"shard {name!r} cannot be read: {error.strerror or error}"))
    return shards, problems, unsupported


def _of_shard(shard: str, problems: Iterable[Problem]) -> list[Problem]:
    return [
        Problem(f"in shard {shard!r}: {p.message}", name=p.name, key=p.key, offset=p.offset) for p in problems
    ]


def _disagreements(index: Index, shards: dict[str, OpenFile]) -> Iterator[Problem]:
    """What the index says against what the shards hold; only where the shards could be read."""
    places: dict[str, list[str]] = {}
    for shard, file in shards.items():
        for entry in file.header.entries:
            places.setdefault(entry.name, []).append(shard)
    for name, shard in index.weight_map.items():
        if shard in shards and shard not in places.get(name, ()):
            where = f"it is in {places[name][0]!r}" if name in places else "no shard has it"
            yield Problem(f"the index says it is in {shard!r}, which does not hold it; {where}", name=name)
    for name, found in places.items():
        if len(found) > 1:
            yield Problem(f"it is in several shards: {', '.join(map(repr, found))}", name=name)
        if name not in index.weight_map:
            yield Problem(f"it is in shard {found[0]!r}; the index does not know it", name=name)
    if len(shards) == len(set(index.weight_map.values())):
        yield from _size_disagreement(index.metadata.get("total_size"), shards)


def _size_disagreement(claim: Any, shards: dict[str, OpenFile]) -> Iterator[Problem]:
    if claim is None:
        return
    total = sum(entry.stop - entry.start for file in shards.values() for entry in file.header.entries)
    # Some writers put a whole number down as 123.0.
    if isinstance(claim, bool) or not isinstance(claim, int | float) or claim != total:
        yield Problem(f"metadata.total_size is {claim!r}; the tensors of the shards have {total} bytes")


def _merged(shards: Iterable[OpenFile]) -> tuple[dict[str, str], list[Problem]]:
    """The metadata of all shards as one; a key with two values is a problem."""
    merged: dict[str, str] = {}
    problems = []
    for shard in shards:
        for key, value in shard.header.metadata.items():
            if merged.setdefault(key, value) != value:
                problems.append(Problem(f"the shards disagree: {merged[key]!r} and {value!r}", key=key))
    return merged, problems
