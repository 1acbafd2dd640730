//! What the parts of a tiling must be to each other (format: layouts.md §4), and how a tiling reads.

use hurray_core::layout::{TiledLayout, MAX_TILED_DEPTH, TAG_COL_MAJOR, TAG_ROW_MAJOR, TAG_STRIDED, TAG_TILED};

use super::args;

pub(super) const OUTER: [(&str, u8); 3] =
    [("row_major", TAG_ROW_MAJOR), ("col_major", TAG_COL_MAJOR), ("strided", TAG_STRIDED)];
pub(super) const INNER: [(&str, u8); 4] = [OUTER[0], OUTER[1], OUTER[2], ("tiled", TAG_TILED)];

/// A broken rule: its code and a sentence about the arguments.
type Flaw = (&'static str, String);

/// What each tiling states.
pub(super) struct Parts<'a> {
    pub(super) tile_shape: &'a [u64],
    pub(super) outer: u8,
    pub(super) inner: u8,
}

impl Parts<'_> {
    pub(super) fn check(
        &self,
        outer_strides: Option<&[i64]>,
        inner_strides: Option<&[i64]>,
        inner_tiled: Option<&TiledLayout>,
    ) -> Result<(), Flaw> {
        self.tile()?;
        goes_with("outer_strides", outer_strides.is_some(), "outer_layout='strided'", self.outer == TAG_STRIDED)?;
        goes_with("inner_strides", inner_strides.is_some(), "inner_layout='strided'", self.inner == TAG_STRIDED)?;
        goes_with("inner_tiled", inner_tiled.is_some(), "inner_layout='tiled'", self.inner == TAG_TILED)?;
        self.one_each("outer_strides", outer_strides.map(<[i64]>::len))?;
        self.one_each("inner_strides", inner_strides.map(<[i64]>::len))?;
        self.one_each("inner_tiled.tile_shape", inner_tiled.map(|nested| nested.tile_shape.len()))?;
        inner_strides.map_or(Ok(()), |strides| self.inside(strides))?;
        inner_tiled.map_or(Ok(()), |nested| self.divided(nested))
    }

    fn tile(&self) -> Result<(), Flaw> {
        if self.tile_shape.is_empty() {
            return Err(("L-6", String::from("tile_shape is empty; a tiled tensor has at least one dimension")));
        }
        match self.tile_shape.iter().position(|&extent| extent == 0) {
            Some(dim) => Err(("L-14", format!("tile_shape[{dim}] is 0; a tile has at least one element"))),
            None => Ok(()),
        }
    }

    fn one_each(&self, what: &str, found: Option<usize>) -> Result<(), Flaw> {
        let rank = self.tile_shape.len();
        match found {
            Some(found) if found != rank => {
                Err(("D-1", format!("{what} has {found} values, tile_shape {rank}; both have one per dimension")))
            }
            _ => Ok(()),
        }
    }

    /// Strides inside a tile may not leave it, or they would reach into the next one.
    fn inside(&self, strides: &[i64]) -> Result<(), Flaw> {
        let mut elements = 1u128;
        let (mut low, mut high) = (0i128, 0i128);
        for (&extent, &stride) in self.tile_shape.iter().zip(strides) {
            let reach = i128::from(extent.saturating_sub(1)).saturating_mul(stride.into());
            (low, high) = (low.saturating_add(reach.min(0)), high.saturating_add(reach.max(0)));
            elements = elements.saturating_mul(extent.into());
        }
        if low >= 0 && high.unsigned_abs() < elements {
            return Ok(());
        }
        let text = format!("inner_strides reach the elements {low} to {high}; a tile has {elements}, counted from 0");
        Err(("L-16", text))
    }

    fn divided(&self, nested: &TiledLayout) -> Result<(), Flaw> {
        if levels(nested).count() >= MAX_TILED_DEPTH {
            let text = format!("inner_tiled has {MAX_TILED_DEPTH} levels, which are all that a tiling may have");
            return Err(("L-15", text));
        }
        let pairs = || self.tile_shape.iter().zip(&nested.tile_shape);
        match pairs().position(|(around, &tile)| tile == 0 || around % tile != 0) {
            Some(dim) => {
                let (tile, around) = (nested.tile_shape[dim], self.tile_shape[dim]);
                let text = format!(
                    "inner_tiled.tile_shape[{dim}] is {tile}, which does not divide tile_shape[{dim}], {around}"
                );
                Err(("L-16", text))
            }
            None => Ok(()),
        }
    }
}

/// An argument that one order needs and no other takes.
fn goes_with(what: &str, given: bool, order: &str, wanted: bool) -> Result<(), Flaw> {
    match (given, wanted) {
        (false, true) => Err(("L-14", format!("{order} needs {what}, which is None"))),
        (true, false) => Err(("L-14", format!("{what} is given without {order}, which it goes with"))),
        _ => Ok(()),
    }
}

/// The levels from the outside in; one more than the format allows at most.
fn levels(outer: &TiledLayout) -> impl Iterator<Item = &TiledLayout> {
    std::iter::successors(Some(outer), |level| level.inner_tiled.as_deref()).take(MAX_TILED_DEPTH + 1)
}

/// Level after level, not by recursion: as deep as the format goes and no deeper.
pub(super) fn text(outer: &TiledLayout) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for level in levels(outer).take(MAX_TILED_DEPTH) {
        let order = |tag, all| args::name_of(tag, all).unwrap_or_default();
        let strides = |name, strides: Option<&Vec<i64>>| {
            strides.map_or_else(String::new, |s| format!(", {name}={}", args::tuple(s)))
        };
        out += if depth == 0 { "" } else { ", inner_tiled=" };
        out += &format!(
            "TiledLayout(tile_shape={}, outer_layout='{}', inner_layout='{}'{}{}",
            args::tuple(&level.tile_shape),
            order(level.outer_layout, &OUTER),
            order(level.inner_layout, &INNER),
            strides("outer_strides", level.outer_strides.as_ref().map(|s| &s.strides)),
            strides("inner_strides", level.inner_strides.as_ref().map(|s| &s.strides)),
        );
        depth += 1;
    }
    out + &")".repeat(depth)
}
