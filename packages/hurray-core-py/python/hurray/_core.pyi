"""The compiled module. Import from :mod:`hurray`, never from here.

What each name does, its units, errors and clauses stand in the docstrings of the module itself; the types of most
names stand in ``_stubs``, in the file of their idea.
"""

from collections.abc import Callable
from typing import TypeVar

from hurray._stubs.arguments import _Dtype as _Dtype
from hurray._stubs.composite import Composite, _composite
from hurray._stubs.create import (
    _listed,
    arange,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    sparse_coo,
    zeros,
    zeros_like,
)
from hurray._stubs.dense import (
    ColMajorLayout,
    HilbertLayout,
    MortonLayout,
    RowMajorLayout,
    StridedLayout,
    TiledLayout,
)
from hurray._stubs.descriptor import BufferHandle, Descriptor, _descriptor, _handle
from hurray._stubs.device import Device
from hurray._stubs.dtype import Dtype, buffer_size_bytes
from hurray._stubs.exchange import from_dlpack, from_hurray, from_numpy
from hurray._stubs.file import Entry, File, FileMap, _entry, load, load_kv, open
from hurray._stubs.layout import (
    CompositeLayout,
    Layout,
    PrivateExtensionLayout,
    UnknownLayout,
    _bare,
    layout_tag_kind,
)
from hurray._stubs.paged import BlockPagedLayout
from hurray._stubs.problem import Problem, _problem, verify
from hurray._stubs.quantization import (
    MXFP,
    NF4,
    PerBlockAffine,
    PerChannelAffine,
    PerTensorAffine,
    decode_quantization,
)
from hurray._stubs.sections import ExtensionType, Shard, Statistics
from hurray._stubs.sparse import CooLayout, CscLayout, CsfLayout, CsrLayout
from hurray._stubs.stream import StreamReader, StreamWriter
from hurray._stubs.tensor import Tensor
from hurray._stubs.writer import FileWriter, save, write_all

__all__ = [
    "MIN_BUFFER_ALIGNMENT",
    "MXFP",
    "NF4",
    "PAGE_ALIGNMENT",
    "BlockPagedLayout",
    "BufferHandle",
    "ColMajorLayout",
    "Composite",
    "CompositeLayout",
    "CooLayout",
    "CscLayout",
    "CsfLayout",
    "CsrLayout",
    "Descriptor",
    "Device",
    "Dtype",
    "Entry",
    "ExtensionType",
    "File",
    "FileMap",
    "FileWriter",
    "HilbertLayout",
    "Layout",
    "MortonLayout",
    "PerBlockAffine",
    "PerChannelAffine",
    "PerTensorAffine",
    "PrivateExtensionLayout",
    "Problem",
    "RowMajorLayout",
    "Shard",
    "Statistics",
    "StreamReader",
    "StreamWriter",
    "StridedLayout",
    "Tensor",
    "TiledLayout",
    "UnknownLayout",
    "__version__",
    "_bare",
    "_composite",
    "_descriptor",
    "_entry",
    "_handle",
    "_listed",
    "_panic",
    "_problem",
    "_ticking",
    "_trust",
    "aligned_functions",
    "arange",
    "buffer_size_bytes",
    "decode_quantization",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "from_hurray",
    "from_numpy",
    "full",
    "full_like",
    "layout_tag_kind",
    "linspace",
    "load",
    "load_kv",
    "ones",
    "ones_like",
    "open",
    "save",
    "sparse_coo",
    "verify",
    "write_all",
    "zeros",
    "zeros_like",
]

_T = TypeVar("_T")

__version__: str
MIN_BUFFER_ALIGNMENT: int  # 64
PAGE_ALIGNMENT: int  # 4096

def _panic(text: str) -> None: ...
def _ticking(tick: Callable[[], object], work: Callable[[], _T]) -> _T: ...
def _trust(class_: type, /) -> None: ...
def aligned_functions() -> tuple[int, int, int, int]: ...
