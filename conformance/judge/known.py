"""Where ``hurray`` and the reference differ, and why that stays: each reason quotes what the format says.

A test fails when a vector differs and is not here, and when one that is here no longer differs.
"""

from __future__ import annotations

BOOLEAN = (
    "stricter: descriptor.md §8 counts boolean bytes 0/1 among the rules that readers do not enforce; the core would"
    " write another byte back (§11.11), so the binding refuses rather than lose it"
)
LONGER = "accepted: byte_size is a minimum for dense layouts, and layouts.md §16.18 names no reaction; {} says equal"
STRIDED = "refused as L-13, whose text speaks of strided alone; outer strides are what leaves the buffer"
MINOR = (
    "accepted at a newer container minor, which may use the bytes (versioning.md §4: a trailing header or trailer field"
    " is a minor change); file.md §10 makes no exception"
)
KNOWN: dict[str, str] = {
    "valid/descriptors/statistics-clear.bin": BOOLEAN,
    "valid/descriptors/statistics-odd.bin": BOOLEAN,
    "invalid/descriptors/d-12-private-layout.bin": (
        "accepted: a private layout is kept as it is for those who agreed on it; its data is never touched"
    ),
    "invalid/descriptors/d-14-scalar-composite.bin": (
        "accepted: existing writers emit group heads of rank 0 (layouts.md §16.13)"
    ),
    "invalid/descriptors/l-12-tiled-outer-strides-before-the-buffer.bin": STRIDED,
    "invalid/descriptors/l-12-tiled-outer-strides-past-the-end.bin": STRIDED,
    "invalid/descriptors/l-29-coo-values-too-long.bin": LONGER.format("L-29"),
    "invalid/descriptors/l-29-coo-dynamic-and-too-long.bin": LONGER.format("L-29"),
    "invalid/files/f-5-reserved-at-36-of-minor-1.hrry": MINOR,
    "invalid/files/f-10-trailer-reserved-of-minor-1.hrry": MINOR,
    "invalid/quantization/q-25-scales-of-68-bytes.bin": LONGER.format("Q-25"),
    "invalid/quantization/q-25-mxfp-scales-of-3-bytes.bin": LONGER.format("Q-25"),
    "invalid/contents/l-29-csr-one-pointer-more.hrrystream": LONGER.format("L-29"),
    "invalid/contents/l-29-csf-crd-longer-than-its-pointers.hrrystream": (
        "accepted, though layouts.md §9 has byte_size(crd_L)/8 equal to the last pos_L entry: what follows is unused"
    ),
    "invalid/contents/l-38-paged-seq-ptr-before-the-end.hrrystream": (
        "accepted, though layouts.md §10 has seq_ptr[num_seqs] = length of block_table: the pages after it are unused"
    ),
}
