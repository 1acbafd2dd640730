//! morton (format: layouts.md §5): the bits of the indices interleaved, dimension 0 lowest in each group.

use hurray_core::layout::MortonLayout;

use super::Axis;

/// `Σ over b < bits of ((i >> b) & 1) << (b·r + d)`, for one dimension `d` of rank `r`.
pub(super) struct Spread {
    bits: u32,
    rank: u32,
    dim: u32,
}

impl Spread {
    pub(super) fn at(&self, index: usize) -> isize {
        // The highest position is below 64 (L-19), whatever the bits say by themselves.
        let bit = |b: u32| ((index >> b & 1) as u64).checked_shl(b * self.rank + self.dim).unwrap_or(0);
        (0..self.bits.min(usize::BITS)).fold(0, |code, b| code | bit(b)) as isize
    }
}

pub(super) fn axes(layout: &MortonLayout) -> Vec<Axis> {
    let rank = layout.morton_bits.len() as u32;
    let axis = |(dim, &bits): (usize, &u32)| Axis::Bits(Spread { bits, rank, dim: dim as u32 });
    layout.morton_bits.iter().enumerate().map(axis).collect()
}
