//! The space of layout tags: names, classes, ranges (format: layouts.md §1).

use hurray_core::layout::{is_invalid_tag, is_named_tag, is_private_tag};
use pyo3::prelude::*;

use super::args;

/// The name of a tag that has one, and the class that goes by it: `block_paged` is `BlockPagedLayout`.
pub(super) fn named(tag: u8) -> Option<(&'static str, String)> {
    let name = hurray_wire::tag_name(tag)?;
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    Some((name, name.split('_').map(capital).collect::<String>() + "Layout"))
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
