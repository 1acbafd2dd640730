//! Views that share a tensor's memory.

use hurray_core::layout::StridedLayout;
use hurray_core::{LayoutDescriptor, Shape};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::{invalid, Tensor};
use crate::error::UnsupportedError;
use crate::layout;

/// `t.T`.
pub(super) fn transposed(py: Python<'_>, tensor: &Tensor) -> PyResult<Tensor> {
    let from = &*tensor.descriptor;
    if from.shape.rank() != 2 {
        return Err(rank_error(py, from.shape.rank()));
    }
    let swapped = match &from.layout {
        LayoutDescriptor::RowMajor => LayoutDescriptor::ColMajor,
        LayoutDescriptor::ColMajor => LayoutDescriptor::RowMajor,
        LayoutDescriptor::Strided(strided) => {
            LayoutDescriptor::Strided(StridedLayout::new(strided.strides.iter().rev().copied().collect()))
        }
        other => return Err(UnsupportedError::new_err(layout::not_dense("T", other))),
    };
    if from.quantization.is_some() {
        return Err(UnsupportedError::new_err("T of a quantised tensor would move the axis that its scales follow"));
    }
    let mut to = from.clone();
    let dims: Vec<u64> = from.shape.dims().iter().rev().copied().collect();
    to.shape = Shape::new(dims).map_err(invalid)?;
    to.layout = swapped;
    if let Some(shard) = &mut to.shard {
        shard.parent_shape.reverse();
        shard.shard_offset.reverse();
    }
    Tensor::over(to, tensor.buffers.clone(), tensor.device.clone_ref(py))
}

/// Ruling 10: a `ValueError`, and an `AttributeError` so that `hasattr` and `getmembers` work.
fn rank_error(py: Python<'_>, rank: usize) -> PyErr {
    let text = format!("T needs a tensor of rank 2; this one has rank {rank}");
    let class = py.import("hurray._exceptions").and_then(|module| module.getattr("RankError"));
    match class.and_then(|class| class.call1((text,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// `t.buffer(index)`: the bytes of one buffer as a 1-D uint8 tensor.
pub(super) fn bytes_of(py: Python<'_>, tensor: &Tensor, index: isize) -> PyResult<Tensor> {
    let count = tensor.buffers.len();
    let buffer = usize::try_from(index).ok().and_then(|index| tensor.buffers.get(index));
    let Some(buffer) = buffer else {
        return Err(PyIndexError::new_err(format!("no buffer at index {index}; this tensor has {count}")));
    };
    if let Some(reason) = tensor.unreadable() {
        return Err(UnsupportedError::new_err(format!("buffer({index}) {reason}")));
    }
    Tensor::bytes_over(py, buffer.clone())
}
