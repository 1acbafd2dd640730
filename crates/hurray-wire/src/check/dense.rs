//! Buffer 0 of a dense layout (layouts.md §2–§6).

use super::packing::{product, Packing};
use super::strided::{reach, span};
use super::tiled::tile_elements;
use crate::{layout_name, Fault};
use hurray_core::layout::{LayoutDescriptor, TiledLayout};
use hurray_core::{TensorDescriptor, DYNAMIC};

/// L-12, L-13, L-19. Nothing to say of an empty tensor, nor before dynamic sizes are known.
pub(super) fn dense(d: &TensorDescriptor) -> Result<(), Fault> {
    let dims = d.shape.dims();
    if dims.contains(&0) || dims.contains(&DYNAMIC) {
        return Ok(());
    }
    let Some(packing) = Packing::of(d.element_type, d.extension_type.as_ref()) else {
        return Ok(());
    };
    let Some(byte_size) = d.buffers.first().map(|h| h.byte_size()) else {
        return Ok(());
    };
    let elements = match &d.layout {
        LayoutDescriptor::RowMajor | LayoutDescriptor::ColMajor => product(dims.iter().copied()),
        LayoutDescriptor::Strided(s) => {
            let offsets = span(dims, &s.strides);
            return reach(offsets, packing, d.byte_offset, byte_size);
        }
        LayoutDescriptor::Tiled(t) => match grid(t, dims) {
            Some(grid) if t.outer_strides.is_some() => {
                let offsets = tile_span(t, &grid);
                return reach(offsets, packing, d.byte_offset, byte_size);
            }
            Some(grid) => tile_elements(t).saturating_mul(product(grid.into_iter())),
            None => return Ok(()),
        },
        LayoutDescriptor::Morton(m) => morton(&m.morton_bits),
        LayoutDescriptor::Hilbert(h) => {
            1u128.checked_shl(h.hilbert_order.saturating_mul(h.hilbert_rank)).unwrap_or(u128::MAX)
        }
        _ => return Ok(()),
    };
    let needed = packing.storage(elements).saturating_add(u128::from(d.byte_offset));
    if needed <= u128::from(byte_size) {
        return Ok(());
    }
    Err(match &d.layout {
        LayoutDescriptor::Morton(m) if !equal(&m.morton_bits) => Fault::MortonHoles { needed, byte_size },
        layout => Fault::DenseBuffer { layout: layout_name(layout), needed, byte_size },
    })
}

fn grid(t: &TiledLayout, dims: &[u64]) -> Option<Vec<u64>> {
    let pairs = dims.iter().zip(&t.tile_shape);
    pairs.map(|(&dim, &tile)| (tile > 0).then(|| dim.div_ceil(tile))).collect()
}

/// Element offsets from the lowest tile's first to the highest tile's last element.
fn tile_span(t: &TiledLayout, grid: &[u64]) -> (i128, i128) {
    let Some(outer) = &t.outer_strides else {
        return (0, 0);
    };
    let (low, high) = span(grid, &outer.strides);
    let tile = i128::try_from(tile_elements(t)).unwrap_or(i128::MAX);
    let end = high.saturating_add(1).saturating_mul(tile);
    (low.saturating_mul(tile), end.saturating_sub(1))
}

/// One more than the highest code: 2 to the sum of the bits when they are equal, and the bound of
/// layouts.md §5 when they are not. The width was checked before (L-19).
fn morton(bits: &[u32]) -> u128 {
    let rank = bits.len();
    let mut top = 0u128;
    for (d, &n) in bits.iter().enumerate() {
        // No more than the width, in case nobody checked it.
        for b in 0..n.min(u64::BITS) as usize {
            let place = u32::try_from(b * rank + d).unwrap_or(u32::MAX);
            top |= 1u128.checked_shl(place).unwrap_or(0);
        }
    }
    top.saturating_add(1)
}

fn equal(bits: &[u32]) -> bool {
    bits.windows(2).all(|w| w[0] == w[1])
}
