//! The space of layout tags: names, classes, ranges (format: layouts.md §1).

use hurray_core::layout::{is_invalid_tag, is_named_tag, is_private_tag};
use pyo3::prelude::*;

use super::args;

/// Tag, the format's name, the class. Error texts and `Layout.name` come from here.
const NAMED: [(u8, &str, &str); 12] = [
    (0x01, "row_major", "RowMajorLayout"),
    (0x02, "col_major", "ColMajorLayout"),
    (0x03, "strided", "StridedLayout"),
    (0x04, "tiled", "TiledLayout"),
    (0x05, "morton", "MortonLayout"),
    (0x06, "coo", "CooLayout"),
    (0x07, "csr", "CsrLayout"),
    (0x08, "csc", "CscLayout"),
    (0x09, "csf", "CsfLayout"),
    (0x0A, "block_paged", "BlockPagedLayout"),
    (0x0B, "composite", "CompositeLayout"),
    (0x40, "hilbert", "HilbertLayout"),
];

/// The name and the class of a tag that has them.
pub(super) fn named(tag: u8) -> Option<(&'static str, &'static str)> {
    NAMED.iter().find(|row| row.0 == tag).map(|&(_, name, class)| (name, class))
}

/// What the format says of a layout tag: ``"named"``, ``"reserved"``, ``"private"`` or ``"invalid"``.
///
/// ``tag`` is a byte, 0 to 255; the four answers divide all of them (requirements: Tag classification;
/// format: layouts.md §1). A reserved tag points to a newer producer: relay, do not interpret. A private one
/// means what its two sides agreed on. An invalid one stands in no descriptor.
///
/// Raises ``TypeError`` for what is no int and ``OverflowError`` for what is no byte.
#[pyfunction]
pub(crate) fn layout_tag_kind(tag: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    Ok(match args::int::<u8>(tag, "tag")? {
        tag if is_named_tag(tag) => "named",
        tag if is_private_tag(tag) => "private",
        tag if is_invalid_tag(tag) => "invalid",
        _ => "reserved",
    })
}
