"""The Hurray tensor format: read and write tensors of every kind, and hand them over without a copy.

``hurray.save(path, tensors)`` writes a file of named tensors, ``hurray.load(path)`` maps it, and
``hurray.open(path)`` reads of it what is asked for. ``hurray.asarray(obj)`` takes the arrays of every framework
whose bridge is installed, ``hurray.from_numpy``, ``hurray.from_torch``, ``hurray.from_scipy`` and
``hurray.from_dlpack`` those of one; ``numpy.asarray(t)``, ``t.to_torch()``, ``t.to(name)`` and DLPack hand them
over. ``hurray.Tensor`` describes bytes that one has, with a dtype of ``hurray.dtype``, a layout such as
``hurray.StridedLayout``, and sections. ``hurray.print_options`` sets how tensors are shown, and every exception is
one of ``hurray.FileError``, ``hurray.InvalidDescriptorError`` and their kin.

>>> import hurray
>>> t = hurray.asarray(bytearray(b"abc"))
>>> t
hurray.Tensor([97, 98, 99], shape=(3,), dtype=uint8)
>>> t.dtype is hurray.uint8, t.shape, t.tobytes()
(True, (3,), b'abc')
"""

from _collections_abc import Mapping as _Mapping

from . import device, dtype
from ._allocator import aligned_allocator
from ._core import (
    MIN_BUFFER_ALIGNMENT,
    MXFP,
    NF4,
    PAGE_ALIGNMENT,
    BlockPagedLayout,
    BufferHandle,
    ColMajorLayout,
    Composite,
    CompositeLayout,
    CooLayout,
    CscLayout,
    CsfLayout,
    CsrLayout,
    Descriptor,
    Device,
    Dtype,
    Entry,
    ExtensionType,
    File,
    FileMap,
    FileWriter,
    HilbertLayout,
    Layout,
    MortonLayout,
    PerBlockAffine,
    PerChannelAffine,
    PerTensorAffine,
    PrivateExtensionLayout,
    Problem,
    RowMajorLayout,
    Shard,
    Statistics,
    StreamReader,
    StreamWriter,
    StridedLayout,
    Tensor,
    TiledLayout,
    UnknownLayout,
    __version__,
    aligned_functions,
    arange,
    buffer_size_bytes,
    decode_quantization,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_hurray,
    from_numpy,
    full,
    full_like,
    layout_tag_kind,
    linspace,
    load,
    load_kv,
    ones,
    ones_like,
    open,
    save,
    sparse_coo,
    verify,
    write_all,
    zeros,
    zeros_like,
)
from ._exceptions import (
    BufferError,
    CopyRequiredError,
    FileError,
    InternalError,
    InvalidDescriptorError,
    RankError,
    StreamError,
    UnsupportedError,
    ViewError,
)
from ._ingest import asarray, from_scipy, from_torch
from .dtype import (
    bfloat16,
    bool,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import bridges, formats, native
    from ._convert import convert
    from ._print_options import get_print_options, print_options, set_print_options

__all__ = [
    "MIN_BUFFER_ALIGNMENT",
    "MXFP",
    "NF4",
    "PAGE_ALIGNMENT",
    "BlockPagedLayout",
    "BufferError",
    "BufferHandle",
    "ColMajorLayout",
    "Composite",
    "CompositeLayout",
    "CooLayout",
    "CopyRequiredError",
    "CscLayout",
    "CsfLayout",
    "CsrLayout",
    "Descriptor",
    "Device",
    "Dtype",
    "Entry",
    "ExtensionType",
    "File",
    "FileError",
    "FileMap",
    "FileWriter",
    "HilbertLayout",
    "InternalError",
    "InvalidDescriptorError",
    "Layout",
    "MortonLayout",
    "PerBlockAffine",
    "PerChannelAffine",
    "PerTensorAffine",
    "PrivateExtensionLayout",
    "Problem",
    "RankError",
    "RowMajorLayout",
    "Shard",
    "Statistics",
    "StreamError",
    "StreamReader",
    "StreamWriter",
    "StridedLayout",
    "Tensor",
    "TiledLayout",
    "UnknownLayout",
    "UnsupportedError",
    "ViewError",
    "__version__",
    "aligned_allocator",
    "aligned_functions",
    "arange",
    "asarray",
    "bfloat16",
    "bool",
    "bridges",
    "buffer_size_bytes",
    "convert",
    "decode_quantization",
    "device",
    "dtype",
    "empty",
    "empty_like",
    "eye",
    "float16",
    "float32",
    "float64",
    "formats",
    "from_dlpack",
    "from_hurray",
    "from_numpy",
    "from_scipy",
    "from_torch",
    "full",
    "full_like",
    "get_print_options",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout_tag_kind",
    "linspace",
    "load",
    "load_kv",
    "native",
    "ones",
    "ones_like",
    "open",
    "print_options",
    "save",
    "set_print_options",
    "sparse_coo",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "verify",
    "write_all",
    "zeros",
    "zeros_like",
]


def __getattr__(name: str) -> object:
    # What only some programs need is imported when it is asked for.
    if name in ("bridges", "formats", "native", "testing"):
        import importlib

        return importlib.import_module(f"hurray.{name}")
    if name == "convert":
        from ._convert import convert

        return convert
    if name in ("get_print_options", "print_options", "set_print_options"):
        from . import _print_options

        return getattr(_print_options, name)
    raise AttributeError(f"module 'hurray' has no attribute {name!r}")


def __dir__() -> "list[str]":
    return __all__


# Where collections.abc has it from: every interpreter has this module loaded, and not that one.
_Mapping.register(File)
