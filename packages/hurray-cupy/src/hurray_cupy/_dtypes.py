"""Which element types CuPy and the format share in the memory of a device."""

from __future__ import annotations

__all__ = ["NAMES", "way_out"]

# Same name, same bits. CuPy has none of the small types, and the format packs bool.
NAMES = frozenset(
    {
        *("float16", "float32", "float64", "complex64", "complex128"),
        *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    }
)


def way_out(name: str) -> str:
    """Why an array of this dtype cannot be shared, and what to do instead."""
    if name == "bool":
        return (
            "has a byte for each element, and the format packs bool, which takes the host: "
            "hurray.asarray(x.get()) copies it there and packs it, x.view('uint8') stays on the device"
        )
    return "cannot be expressed: the format has no such element type, cast the values first"
