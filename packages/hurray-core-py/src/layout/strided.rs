//! strided (format: layouts.md §3).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{args, holds, Layout, Reduced};

/// Dense, an explicit stride for each dimension (format: layouts.md §3).
///
/// ``strides`` are in elements, not in bytes as NumPy's are; signed; 0 repeats an element.
/// Raises ``OverflowError`` for a stride that 64 bits cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct StridedLayout;

holds!(StridedLayout: Strided(layout::StridedLayout));

#[pymethods]
impl StridedLayout {
    #[new]
    fn new(strides: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let inner = LayoutDescriptor::Strided(layout::StridedLayout::new(args::ints(strides, "strides")?));
        Ok(PyClassInitializer::from(Layout { inner }).add_subclass(Self))
    }

    /// One stride per dimension, in elements.
    #[getter]
    fn strides<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(slf.py(), &Self::held(slf)?.strides)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("StridedLayout(strides={})", args::tuple(&Self::held(slf)?.strides)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyTuple>,)> {
        Ok((slf.get_type().into_any(), (Self::strides(slf)?,)))
    }
}
