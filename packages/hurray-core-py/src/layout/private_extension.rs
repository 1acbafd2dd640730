//! Private layouts (format: layouts.md §12).

use hurray_core::layout::{self, is_private_tag};
use hurray_core::LayoutDescriptor;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{args, holds, kind, sound, Layout, Reduced};
use crate::tensor;

/// A layout that a producer and a consumer have agreed on, tag 0xF0 to 0xFE (format: layouts.md §12).
///
/// ``extension_layout_id`` says which one, ``extension_data`` is what it carries, opaque here. ``name`` is
/// ``"extension"``, ``buffer_count`` is ``None``: how many buffers there are and how large they must be follows
/// no public rule, so a tensor with such a layout is checked for neither.
///
/// Raises ``InvalidDescriptorError`` for a tag outside the range, ``OverflowError`` for a number that its field
/// cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct PrivateExtensionLayout;

holds!(PrivateExtensionLayout: PrivateExtension(layout::PrivateExtensionLayout));

#[pymethods]
impl PrivateExtensionLayout {
    #[new]
    #[pyo3(signature = (tag, extension_layout_id, extension_data=None))]
    fn new(
        tag: &Bound<'_, PyAny>,
        extension_layout_id: &Bound<'_, PyAny>,
        extension_data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = tag.py();
        let tag = args::int::<u8>(tag, "tag")?;
        if !is_private_tag(tag) {
            let text = match kind::named(tag) {
                Some((name, class)) => format!("tag 0x{tag:02X} is the {name} layout; use hurray.{class} instead"),
                None => format!("tag 0x{tag:02X} is not in the private range, 0xF0 to 0xFE"),
            };
            return Err(args::refused(py, "L-2", text));
        }
        let id = args::int::<u64>(extension_layout_id, "extension_layout_id")?;
        let data = args::bytes(extension_data, "extension_data")?;
        let layout = layout::PrivateExtensionLayout::new(tag, id, data).map_err(tensor::invalid)?;
        Ok(sound(py, LayoutDescriptor::PrivateExtension(layout))?.add_subclass(Self))
    }

    /// Which private layout it is.
    #[getter]
    fn extension_layout_id(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::held(slf)?.extension_layout_id)
    }

    /// What the layout carries, opaque.
    #[getter]
    fn extension_data<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(slf.py(), &Self::held(slf)?.extension_data))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let held = Self::held(slf)?;
        Ok(format!(
            "PrivateExtensionLayout(tag=0x{:02X}, extension_layout_id={}, extension_data={})",
            held.tag,
            held.extension_layout_id,
            Self::extension_data(slf)?.repr()?
        ))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u8, u64, Bound<'py, PyBytes>)> {
        let held = Self::held(slf)?;
        let arguments = (held.tag, held.extension_layout_id, Self::extension_data(slf)?);
        Ok((slf.get_type().into_any(), arguments))
    }
}
