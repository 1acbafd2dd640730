//! hilbert, the Hilbert curve (format: layouts.md §6).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::prelude::*;

use super::{args, holds, sound, Layout, Reduced};
use crate::tensor;

/// Dense, along the Hilbert curve (format: layouts.md §6).
///
/// ``hilbert_order`` is the number of index bits per dimension, 1 or more: every extent is exactly
/// ``2 ** hilbert_order``. ``hilbert_rank`` is the tensor's rank, 2 or more. Their product is 64 at most.
///
/// Raises ``InvalidDescriptorError`` for what breaks L-20 or L-22, ``OverflowError`` for a number that 32 bits
/// cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct HilbertLayout;

holds!(HilbertLayout: Hilbert(layout::HilbertLayout));

#[pymethods]
impl HilbertLayout {
    #[new]
    fn new(hilbert_order: &Bound<'_, PyAny>, hilbert_rank: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let py = hilbert_order.py();
        let order = args::int::<u32>(hilbert_order, "hilbert_order")?;
        let rank = args::int::<u32>(hilbert_rank, "hilbert_rank")?;
        if order == 0 {
            return Err(args::refused(py, "L-20", "hilbert_order is 0; it is 1 or more, log2 of every extent"));
        }
        if rank < 2 {
            let text =
                format!("hilbert_rank is {rank}; it is the tensor's rank, and the curve needs 2 dimensions or more");
            return Err(args::refused(py, "L-20", text));
        }
        // Before the rank makes a shape of it.
        if u64::from(order) * u64::from(rank) > u64::from(u64::BITS) {
            let text =
                format!("hilbert_order {order} times hilbert_rank {rank} is more than the 64 bits that a code has");
            return Err(args::refused(py, "L-22", text));
        }
        let layout = layout::HilbertLayout::new(order, rank).map_err(tensor::invalid)?;
        Ok(sound(py, LayoutDescriptor::Hilbert(layout))?.add_subclass(Self))
    }

    /// log2 of every extent.
    #[getter]
    fn hilbert_order(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::held(slf)?.hilbert_order)
    }

    /// The rank of the tensor.
    #[getter]
    fn hilbert_rank(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::held(slf)?.hilbert_rank)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let held = Self::held(slf)?;
        Ok(format!("HilbertLayout(hilbert_order={}, hilbert_rank={})", held.hilbert_order, held.hilbert_rank))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u32, u32)> {
        let held = Self::held(slf)?;
        Ok((slf.get_type().into_any(), (held.hilbert_order, held.hilbert_rank)))
    }
}
