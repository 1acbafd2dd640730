//! coo (format: layouts.md §7).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::{args, holds, sound, Layout, Reduced};

/// Sparse, a coordinate tuple for each stored element (format: layouts.md §7).
///
/// ``nnz`` counts the stored elements; it is never inferred. ``is_sorted`` promises coordinates in strictly
/// increasing order, dimension 0 first. Two buffers: values; indices, uint64, element ``j`` and dimension ``d``
/// at ``j * rank + d``.
///
/// Raises ``OverflowError`` for an nnz that 64 bits cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct CooLayout;

holds!(CooLayout: Coo(layout::CooLayout));

#[pymethods]
impl CooLayout {
    #[new]
    #[pyo3(signature = (nnz, is_sorted=None), text_signature = "(nnz, is_sorted=False)")]
    fn new(nnz: &Bound<'_, PyAny>, is_sorted: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        let sorted = is_sorted.map_or(Ok(false), |given| crate::argument::flag(given, "is_sorted"))?;
        let layout = layout::CooLayout::new(args::int(nnz, "nnz")?, sorted);
        Ok(sound(nnz.py(), LayoutDescriptor::Coo(layout))?.add_subclass(Self))
    }

    /// Number of stored elements.
    #[getter]
    fn nnz(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::held(slf)?.nnz)
    }

    /// Whether the coordinates are promised to increase strictly.
    #[getter]
    fn is_sorted(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(Self::held(slf)?.is_sorted)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let held = Self::held(slf)?;
        Ok(format!("CooLayout(nnz={}, is_sorted={})", held.nnz, args::boolean(held.is_sorted)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u64, Bound<'py, PyBool>)> {
        let held = Self::held(slf)?;
        let sorted = PyBool::new(slf.py(), held.is_sorted).to_owned();
        Ok((slf.get_type().into_any(), (held.nnz, sorted)))
    }
}
