//! Layouts of a newer format (format: layouts.md §12).

use hurray_core::layout::{self, is_invalid_tag, is_private_tag};
use hurray_core::LayoutDescriptor;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{args, holds, kind, sound, Layout, Reduced};
use crate::tensor;

/// A layout under a tag that this release does not know, kept as it was read (format: layouts.md §12).
///
/// ``tag`` is one that the format reserves (``layout_tag_kind(tag) == "reserved"``); ``raw_bytes`` are those of
/// the layout in the descriptor, opaque. It is for relays, which write back what they have read. ``name`` is
/// ``"extension"``, ``buffer_count`` is ``None``: neither the number of buffers nor their sizes can be checked.
///
/// Raises ``InvalidDescriptorError`` for a tag that has a class of its own, which checks more, and for one that
/// no version of the format has; ``OverflowError`` for what is no byte.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct UnknownLayout;

holds!(UnknownLayout: Unknown(layout::UnknownLayout));

/// Why a tag is not unknown, if it is not.
fn known(tag: u8) -> Option<(&'static str, String)> {
    if let Some((name, class)) = kind::named(tag) {
        return Some((
            "L-2",
            format!("tag 0x{tag:02X} is the {name} layout, not an unknown one; use hurray.{class} instead"),
        ));
    }
    if is_private_tag(tag) {
        let text = "private extension layout, not an unknown one; use hurray.PrivateExtensionLayout instead";
        return Some(("L-2", format!("tag 0x{tag:02X} is the {text}")));
    }
    let text =
        "invalid in every version of the format; an unknown layout has a reserved tag, 0x0C to 0x3F or 0x41 to 0xEF";
    is_invalid_tag(tag).then(|| ("L-1", format!("tag 0x{tag:02X} is {text}")))
}

#[pymethods]
impl UnknownLayout {
    #[new]
    #[pyo3(signature = (tag, raw_bytes=None))]
    fn new(tag: &Bound<'_, PyAny>, raw_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        let py = tag.py();
        let tag = args::int::<u8>(tag, "tag")?;
        if let Some((code, text)) = known(tag) {
            return Err(args::refused(py, code, text));
        }
        let raw = args::bytes(raw_bytes, "raw_bytes")?;
        let layout = layout::UnknownLayout::new(tag, raw).map_err(tensor::invalid)?;
        Ok(sound(py, LayoutDescriptor::Unknown(layout))?.add_subclass(Self))
    }

    /// The layout's part of the descriptor, opaque.
    #[getter]
    fn raw_bytes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(slf.py(), &Self::held(slf)?.raw_bytes))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (tag, raw) = (Self::held(slf)?.tag, Self::raw_bytes(slf)?);
        Ok(format!("UnknownLayout(tag=0x{tag:02X}, raw_bytes={})", raw.repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u8, Bound<'py, PyBytes>)> {
        Ok((slf.get_type().into_any(), (Self::held(slf)?.tag, Self::raw_bytes(slf)?)))
    }
}
