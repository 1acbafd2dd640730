//! csf (format: layouts.md §9).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{args, holds, sound, Layout, Reduced};

/// Sparse, rank 3 or more, a tree of compressed levels (format: layouts.md §9).
///
/// ``nnz`` counts the stored elements; it is never inferred. ``mode_order[L]`` is the dimension at level ``L``,
/// the outermost first: a permutation of ``0 .. rank - 1``. ``2 * rank + 1`` buffers: values; then for each
/// level its pos and its crd, uint64.
///
/// Raises ``InvalidDescriptorError`` for what breaks L-26 or L-27, ``OverflowError`` for a number that its
/// field cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct CsfLayout;

holds!(CsfLayout: Csf(layout::CsfLayout));

/// What keeps the order from being a permutation, if anything does.
fn flaw(order: &[u32]) -> Option<String> {
    let rank = order.len();
    for (level, &dim) in order.iter().enumerate() {
        if dim as usize >= rank {
            return Some(format!(
                "mode_order[{level}] is {dim}, but {rank} levels order the dimensions 0 to {}",
                rank - 1
            ));
        }
        if let Some(first) = order[..level].iter().position(|&earlier| earlier == dim) {
            return Some(format!(
                "mode_order[{level}] is {dim}, as mode_order[{first}] is; each dimension stands once"
            ));
        }
    }
    None
}

#[pymethods]
impl CsfLayout {
    #[new]
    fn new(nnz: &Bound<'_, PyAny>, mode_order: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let py = nnz.py();
        let nnz = args::int(nnz, "nnz")?;
        let order = args::ints::<u32>(mode_order, "mode_order")?;
        if order.len() < 3 {
            let text =
                format!("mode_order has {} levels; CSF has rank 3 or more, CooLayout takes any rank", order.len());
            return Err(args::refused(py, "L-26", text));
        }
        if let Some(text) = flaw(&order) {
            return Err(args::refused(py, "L-27", text));
        }
        Ok(sound(py, LayoutDescriptor::Csf(layout::CsfLayout::new(nnz, order)))?.add_subclass(Self))
    }

    /// Number of stored elements.
    #[getter]
    fn nnz(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::held(slf)?.nnz)
    }

    /// The dimension at each level, the outermost first.
    #[getter]
    fn mode_order<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(slf.py(), &Self::held(slf)?.mode_order)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let held = Self::held(slf)?;
        Ok(format!("CsfLayout(nnz={}, mode_order={})", held.nnz, args::tuple(&held.mode_order)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u64, Bound<'py, PyTuple>)> {
        Ok((slf.get_type().into_any(), (Self::held(slf)?.nnz, Self::mode_order(slf)?)))
    }
}
