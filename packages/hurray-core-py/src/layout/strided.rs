//! strided (format: layouts.md §3).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Layout;
use crate::error::InvalidDescriptorError;

/// Dense, an explicit stride for each dimension (format: layouts.md §3).
///
/// ``strides`` are in elements, not in bytes as NumPy's are; signed; 0 repeats an element.
/// Raises ``OverflowError`` for a stride that 64 bits cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct StridedLayout;

fn strides(base: &Layout) -> &[i64] {
    match &base.inner {
        LayoutDescriptor::Strided(layout) => &layout.strides,
        _ => &[],
    }
}

fn parsed(given: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let mut strides = Vec::new();
    for (index, item) in given.try_iter()?.enumerate() {
        if index >= hurray_core::MAX_RANK {
            return Err(InvalidDescriptorError::new_err("more strides than the format has dimensions, 64"));
        }
        let item = item?;
        strides.push(item.extract::<i64>().map_err(|error| {
            let text = format!("strides[{index}] is {item}; a stride is an int of 64 bits, in elements");
            if error.is_instance_of::<PyOverflowError>(given.py()) {
                PyOverflowError::new_err(text)
            } else {
                PyTypeError::new_err(text)
            }
        })?);
    }
    Ok(strides)
}

#[pymethods]
impl StridedLayout {
    #[new]
    fn new(strides: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let inner = LayoutDescriptor::Strided(layout::StridedLayout::new(parsed(strides)?));
        Ok(PyClassInitializer::from(Layout { inner }).add_subclass(Self))
    }

    /// One stride per dimension, in elements.
    #[getter]
    fn strides(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(slf.py(), strides(slf.as_super()))
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let strides: Vec<String> = strides(slf.as_super()).iter().map(i64::to_string).collect();
        let comma = if strides.len() == 1 { "," } else { "" };
        format!("StridedLayout(strides=({}{comma}))", strides.join(", "))
    }

    fn __reduce__<'py>(slf: PyRef<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Vec<i64>,))> {
        let strides = strides(slf.as_super()).to_vec();
        Ok((slf.py().get_type::<Self>().into_any(), (strides,)))
    }
}
