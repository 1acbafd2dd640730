//! tiled, recursive (format: layouts.md §4).
//!
//! `o = T · outer(t over grid g) + inner(e over tile_shape)`, where outer and inner are sums over the
//! dimensions: so is the whole, level by level.

use hurray_core::layout::{TiledLayout, TAG_COL_MAJOR, TAG_ROW_MAJOR, TAG_STRIDED, TAG_TILED};

use super::Axis;

/// One dimension of a tiling: what is left of the index is divided by the extent of a tile, the quotient
/// taken times the step, level by level; the last remainder times the last step.
pub(super) struct Steps {
    levels: Vec<Step>,
    last: isize,
}

struct Step {
    tile: usize,
    step: isize,
}

impl Steps {
    pub(super) fn at(&self, index: usize) -> isize {
        let (mut rest, mut offset) = (index, 0);
        for level in &self.levels {
            offset += (rest / level.tile) as isize * level.step;
            rest %= level.tile;
        }
        offset + rest as isize * self.last
    }
}

/// One axis a dimension; `None` for what no checked descriptor says.
pub(super) fn axes(layout: &TiledLayout, shape: &[usize]) -> Option<Vec<Axis>> {
    let mut axes: Vec<Steps> = shape.iter().map(|_| Steps { levels: Vec::new(), last: 0 }).collect();
    let mut around: Vec<u128> = shape.iter().map(|&dim| dim as u128).collect();
    let mut tiling = Some(layout);
    while let Some(level) = tiling {
        let tile: Vec<u128> = level.tile_shape.iter().map(|&dim| u128::from(dim)).collect();
        if tile.len() != shape.len() || tile.contains(&0) {
            return None;
        }
        let grid: Vec<u128> = around.iter().zip(&tile).map(|(around, tile)| around.div_ceil(*tile)).collect();
        let elements = tile.iter().try_fold(1i128, |product, &dim| product.checked_mul(i128::try_from(dim).ok()?));
        let steps = order(level.outer_layout, level.outer_strides.as_ref().map(|s| &*s.strides), &grid, elements)?;
        for ((axis, &tile), step) in axes.iter_mut().zip(&tile).zip(steps) {
            // A tile of more than the address space is one that no index leaves.
            axis.levels.push(Step { tile: usize::try_from(tile).unwrap_or(usize::MAX), step });
        }
        if level.inner_layout != TAG_TILED {
            let steps = order(level.inner_layout, level.inner_strides.as_ref().map(|s| &*s.strides), &tile, Some(1))?;
            axes.iter_mut().zip(steps).for_each(|(axis, step)| axis.last = step);
            return Some(axes.into_iter().map(Axis::Tiles).collect());
        }
        around = tile;
        tiling = level.inner_tiled.as_deref();
    }
    None
}

/// The step along each dimension of `extents`, in elements; `unit` elements to a step of 1.
fn order(tag: u8, strides: Option<&[i64]>, extents: &[u128], unit: Option<i128>) -> Option<Vec<isize>> {
    match tag {
        TAG_ROW_MAJOR => {
            let mut steps = run(extents.iter().rev(), unit)?;
            steps.reverse();
            Some(steps)
        }
        TAG_COL_MAJOR => run(extents.iter(), unit),
        TAG_STRIDED => {
            let strides = strides.filter(|given| given.len() == extents.len())?;
            let step = |&stride: &i64| unit.and_then(|unit| unit.checked_mul(i128::from(stride)));
            strides.iter().zip(extents).map(|(stride, &extent)| used(step(stride), extent)).collect()
        }
        _ => None,
    }
}

fn run<'a>(inner_first: impl Iterator<Item = &'a u128>, unit: Option<i128>) -> Option<Vec<isize>> {
    let mut next = unit;
    inner_first
        .map(|&extent| {
            let step = next;
            next = step.and_then(|step| step.checked_mul(i128::try_from(extent).ok()?));
            used(step, extent)
        })
        .collect()
}

/// A step that no index takes may be as large as it likes.
fn used(step: Option<i128>, extent: u128) -> Option<isize> {
    match extent {
        1 => Some(0),
        _ => isize::try_from(step?).ok(),
    }
}
