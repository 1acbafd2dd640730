//! `t.T`: the axes of a tensor of rank 2 swapped, over the same memory.

use hurray_core::layout::{CscLayout, CsrLayout, StridedLayout, TiledLayout, TAG_COL_MAJOR, TAG_ROW_MAJOR};
use hurray_core::{LayoutDescriptor, QuantizationDescriptor, Shape, StatisticsMask};
use hurray_wire::layout_name;
use pyo3::prelude::*;

use super::{invalid, Tensor};
use crate::error::{guarded, RankError, ViewError};

#[pymethods]
impl Tensor {
    /// The transposed view of a tensor of rank 2, without a copy (04-tables.md §2 and ruling 10).
    ///
    /// Every layout of rank 2 has one but coo, morton and hilbert, and private ones: csr becomes csc,
    /// tilings swap the axes at every level, and the axis of a quantization moves along.
    ///
    /// Raises an exception that is a ``ValueError`` and an ``AttributeError`` for another rank, a
    /// ``ViewError`` for a layout that cannot say the transposed tensor.
    #[getter]
    #[pyo3(name = "T")]
    fn t(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| transposed(py, self))
    }
}

fn transposed(py: Python<'_>, tensor: &Tensor) -> PyResult<Tensor> {
    let from = &*tensor.descriptor;
    let rank = from.shape.rank();
    if rank != 2 {
        return Err(RankError::new_err(format!("T needs a tensor of rank 2; this one has rank {rank}")));
    }
    let layout = swapped(&from.layout).ok_or_else(|| {
        let name = layout_name(&from.layout);
        ViewError::new_err(format!(
            "T of a tensor with the layout {name} would have to move its elements, and a view moves none"
        ))
    })?;
    let mut to = from.clone();
    to.layout = layout;
    to.shape = Shape::new(reversed(from.shape.dims())).map_err(invalid)?;
    if let Some(shard) = &mut to.shard {
        shard.parent_shape.reverse();
        shard.shard_offset.reverse();
    }
    if let Some(section) = &mut to.quantization {
        move_axis(section);
    }
    if let Some(statistics) = &mut to.statistics {
        // N of M along the rows says nothing of the columns.
        statistics.computed_mask.0 &= !StatisticsMask::NM_SPARSITY_VALID;
    }
    Tensor::over(to, tensor.buffers.clone(), tensor.device.clone_ref(py))
}

fn reversed<T: Copy>(values: &[T]) -> Vec<T> {
    values.iter().rev().copied().collect()
}

/// The layout that finds every element where it is, under swapped indices.
fn swapped(layout: &LayoutDescriptor) -> Option<LayoutDescriptor> {
    use LayoutDescriptor as L;
    Some(match layout {
        L::RowMajor => L::ColMajor,
        L::ColMajor => L::RowMajor,
        L::Strided(strided) => L::Strided(StridedLayout::new(reversed(&strided.strides))),
        L::Tiled(tiled) => {
            let mut tiled = tiled.clone();
            swap_tiles(&mut tiled);
            L::Tiled(tiled)
        }
        // The csc form of a matrix is the csr form of its transpose (format: layouts.md §8).
        L::Csr(csr) => L::Csc(CscLayout::new(csr.nnz)),
        L::Csc(csc) => L::Csr(CsrLayout::new(csc.nnz)),
        _ => return None,
    })
}

/// Level by level; a tiling is nested at most 8 deep.
fn swap_tiles(tiled: &mut TiledLayout) {
    let swap = |tag: &mut u8| match *tag {
        TAG_ROW_MAJOR => *tag = TAG_COL_MAJOR,
        TAG_COL_MAJOR => *tag = TAG_ROW_MAJOR,
        _ => {}
    };
    tiled.tile_shape.reverse();
    swap(&mut tiled.outer_layout);
    swap(&mut tiled.inner_layout);
    if let Some(outer) = &mut tiled.outer_strides {
        outer.strides.reverse();
    }
    if let Some(inner) = &mut tiled.inner_strides {
        inner.strides.reverse();
    }
    if let Some(nested) = &mut tiled.inner_tiled {
        swap_tiles(nested);
    }
}

/// Where every scheme with an axis keeps it (format: quantization.md §5–§7). Blocks are counted by the
/// other coordinate and then along the axis, so that at rank 2 their order stays.
const AXIS: std::ops::Range<usize> = 4..8;

fn move_axis(section: &mut [u8]) {
    if let Ok((QuantizationDescriptor::PerTensorAffine(_), _)) | Err(_) = QuantizationDescriptor::decode(section) {
        return;
    }
    let axis = if section[AXIS] == [0; 4] { 1u32 } else { 0 };
    section[AXIS].copy_from_slice(&axis.to_le_bytes());
}
