//! Tilings: payload values, depth and nesting (layouts.md §4).

use super::rank::levels;
use super::strided::span;
use crate::Fault;
use hurray_core::layout::{LayoutDescriptor, TiledLayout, MAX_TILED_DEPTH, TAG_ROW_MAJOR, TAG_STRIDED, TAG_TILED};
use hurray_core::TensorDescriptor;

/// L-14, L-15, L-16: every level's values, and that each stays inside the tile around it.
pub(super) fn nesting(d: &TensorDescriptor) -> Result<(), Fault> {
    let LayoutDescriptor::Tiled(outer) = &d.layout else {
        return Ok(());
    };
    if levels(outer).count() > MAX_TILED_DEPTH {
        return Err(Fault::TileDepth);
    }
    for (level, tiling) in levels(outer).enumerate() {
        if tiling.tile_shape.contains(&0) || !orders_hold(tiling) {
            return Err(Fault::TilePayload);
        }
        let stays = inner_stays(tiling)
            && match &tiling.inner_tiled {
                Some(inner) => nested_stays(tiling, inner),
                None => true,
            };
        if !stays {
            return Err(Fault::TileNesting { level });
        }
    }
    Ok(())
}

/// The orders exist and bring exactly the fields that go with them.
fn orders_hold(t: &TiledLayout) -> bool {
    let (outer, inner) = (t.outer_layout, t.inner_layout);
    (TAG_ROW_MAJOR..=TAG_STRIDED).contains(&outer)
        && (TAG_ROW_MAJOR..=TAG_TILED).contains(&inner)
        && t.outer_strides.is_some() == (outer == TAG_STRIDED)
        && t.inner_strides.is_some() == (inner == TAG_STRIDED)
        && t.inner_tiled.is_some() == (inner == TAG_TILED)
}

/// Elements of one tile, saturating.
pub(super) fn tile_elements(t: &TiledLayout) -> u128 {
    super::packing::product(t.tile_shape.iter().copied())
}

// Strides inside a tile may not leave [0, T), or they would reach into the next tile.
fn inner_stays(t: &TiledLayout) -> bool {
    let Some(inner) = &t.inner_strides else {
        return true;
    };
    let (low, high) = span(&t.tile_shape, &inner.strides);
    low >= 0 && u128::try_from(high).is_ok_and(|h| h < tile_elements(t))
}

fn nested_stays(t: &TiledLayout, inner: &TiledLayout) -> bool {
    let pairs = || t.tile_shape.iter().zip(&inner.tile_shape);
    if !pairs().all(|(&around, &tile)| tile != 0 && around % tile == 0) {
        return false;
    }
    let Some(outer) = &inner.outer_strides else {
        return true;
    };
    let grid: Vec<u64> = pairs().map(|(&around, &tile)| around / tile).collect();
    let (low, high) = span(&grid, &outer.strides);
    let tiles = u128::try_from(high).unwrap_or(0).saturating_add(1);
    low >= 0 && tiles.saturating_mul(tile_elements(inner)) <= tile_elements(t)
}
