"""Which NumPy element type is which of the format's (04-tables.md: Tier 1 ↔ NumPy; element-types.md §2)."""

from __future__ import annotations

from typing import Any

import hurray
import numpy as np

__all__ = ["ML_NAMES", "NATIVE", "NATIVE_OF", "from_ml", "ml_dtype", "ml_name", "native_order", "way_out"]

# NumPy's own, in native byte order: same name, same bits. bool is the exception (a byte there, a bit here).
_NATIVE_NAMES = (
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
NATIVE: dict[np.dtype[Any], hurray.Dtype] = {
    np.dtype(name): hurray.Dtype.from_name(name) for name in _NATIVE_NAMES
}
NATIVE_OF: dict[hurray.Dtype, np.dtype[Any]] = {ours: theirs for theirs, ours in NATIVE.items()}

# ml_dtypes' by the format's name. Its other float8 types are encodings that the format does not have.
ML_NAMES = {
    "bfloat16": "bfloat16",
    "float8_e4m3": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float8_e8m0": "float8_e8m0fnu",
    "float4_e2m1": "float4_e2m1fn",
    "float6_e2m3": "float6_e2m3fn",
    "float6_e3m2": "float6_e3m2fn",
    "int4": "int4",
    "uint4": "uint4",
    "int2": "int2",
    "uint2": "uint2",
}
_FROM_ML = {theirs: hurray.Dtype.from_name(ours) for ours, theirs in ML_NAMES.items()}


def native_order(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """``dtype`` in native byte order; the kinds that NumPy cannot reorder have none, and come back as they are."""
    return dtype.newbyteorder("=") if dtype.byteorder in "<>" else dtype


def ml_name(dtype: np.dtype[Any]) -> str | None:
    """The name that ml_dtypes gives ``dtype``, or None where it is not one of its own."""
    return dtype.type.__name__ if dtype.type.__module__.partition(".")[0] == "ml_dtypes" else None


def from_ml(name: str) -> hurray.Dtype | None:
    """The format's element type for ml_dtypes' ``name``, or None where the format has no such encoding."""
    return _FROM_ML.get(name)


def ml_dtype(dtype: hurray.Dtype) -> np.dtype[Any]:
    """ml_dtypes' type for one of the format's.

    :raises UnsupportedError: ml_dtypes is not installed, too old, or has no such type.
    """
    theirs = ML_NAMES.get(dtype.name)
    if theirs is None:
        raise hurray.UnsupportedError(f"{dtype} has no NumPy dtype, and none in ml_dtypes")
    try:
        import ml_dtypes
    except ImportError:
        raise hurray.UnsupportedError(
            f"{dtype.name} has no NumPy dtype without ml_dtypes: pip install ml-dtypes"
        ) from None
    scalar = getattr(ml_dtypes, theirs, None)
    if scalar is None:
        raise hurray.UnsupportedError(
            f"ml_dtypes {ml_dtypes.__version__} has no {theirs} for {dtype.name}: "
            "pip install --upgrade ml-dtypes"
        )
    found: np.dtype[Any] = np.dtype(scalar)
    return found


# Why a kind of NumPy dtype is refused, and the way out.
_REASONS = {
    "O": "Python objects are not numbers; convert them with array.astype(...)",
    "S": "text has no element type in the format; store its codes as integers",
    "U": "text has no element type in the format; store its codes as integers",
    "T": "text has no element type in the format; store its codes as integers",
    "M": "dates have no element type in the format; store array.view('int64') and its unit as metadata",
    "m": "time spans have no element type in the format; store array.view('int64') and its unit as metadata",
    "f": "long double is no IEEE binary128 on every machine; array.astype('float64') rounds it",
    "c": "long double is no IEEE binary128 on every machine; array.astype('complex128') rounds it",
}


def way_out(dtype: np.dtype[Any]) -> str:
    """Why ``dtype`` cannot be expressed, and what to do instead."""
    theirs = ml_name(dtype)
    if theirs is not None:
        return f"the format has no element type encoded as ml_dtypes.{theirs}; cast the values first"
    if dtype.names is not None:
        return f"the format has no structured elements; pass each field by itself, array[{dtype.names[0]!r}]"
    if dtype.kind == "V":
        return (
            "its bytes are opaque (np.save writes bfloat16 so); "
            "say what they are with array.view(...), ml_dtypes.bfloat16 for instance"
        )
    return _REASONS.get(dtype.kind, "the format has no such element type; cast the values first")
