//! csc (format: layouts.md §8).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::prelude::*;

use super::{args, holds, sound, Layout, Reduced};

/// Sparse, rank 2, stored column by column (format: layouts.md §8).
///
/// ``nnz`` counts the stored elements; it is never inferred. Three buffers: values, column by column; row_indices, uint64; col_ptr, uint64, one more than columns.
///
/// Raises ``OverflowError`` for an nnz that 64 bits cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct CscLayout;

holds!(CscLayout: Csc(layout::CscLayout));

#[pymethods]
impl CscLayout {
    #[new]
    fn new(nnz: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let layout = layout::CscLayout::new(args::int(nnz, "nnz")?);
        Ok(sound(nnz.py(), LayoutDescriptor::Csc(layout))?.add_subclass(Self))
    }

    /// Number of stored elements.
    #[getter]
    fn nnz(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::held(slf)?.nnz)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("CscLayout(nnz={})", Self::held(slf)?.nnz))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u64,)> {
        Ok((slf.get_type().into_any(), (Self::held(slf)?.nnz,)))
    }
}
