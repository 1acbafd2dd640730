//! row_major (format: layouts.md §2).

use hurray_core::LayoutDescriptor;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Layout;

/// Dense, last dimension contiguous (format: layouts.md §2).
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct RowMajorLayout;

#[pymethods]
impl RowMajorLayout {
    #[new]
    fn new() -> PyClassInitializer<Self> {
        PyClassInitializer::from(Layout { inner: LayoutDescriptor::RowMajor }).add_subclass(Self)
    }

    fn __repr__(&self) -> &'static str {
        "RowMajorLayout()"
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyAny>, Bound<'_, PyTuple>) {
        (slf.get_type().into_any(), PyTuple::empty(slf.py()))
    }
}
