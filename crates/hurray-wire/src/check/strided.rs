//! What strides reach (layouts.md §3).

use super::packing::Packing;
use crate::Fault;

/// The lowest and highest element offset that strides reach over a shape without a 0.
/// Saturates far past any buffer.
pub(super) fn span(dims: &[u64], strides: &[i64]) -> (i128, i128) {
    let (mut low, mut high) = (0i128, 0i128);
    for (&dim, &stride) in dims.iter().zip(strides) {
        let steps = i128::from(dim.saturating_sub(1));
        let reach = i128::from(stride).saturating_mul(steps);
        low = low.saturating_add(reach.min(0));
        high = high.saturating_add(reach.max(0));
    }
    (low, high)
}

/// L-13: every element from offset `low` to `high` lies inside the buffer's bytes.
pub(super) fn reach(
    (low, high): (i128, i128),
    packing: Packing,
    byte_offset: u64,
    byte_size: u64,
) -> Result<(), Fault> {
    let (per, bytes) = (i128::from(packing.elements), i128::from(packing.bytes));
    // Offsets fall into whole units, floored even when negative, and a unit is reached whole.
    let unit = |o: i128| o.div_euclid(per).saturating_mul(bytes);
    let low = i128::from(byte_offset).saturating_add(unit(low));
    let high = i128::from(byte_offset).saturating_add(unit(high)).saturating_add(bytes);
    if low < 0 || high > i128::from(byte_size) {
        return Err(Fault::StridedReach { low, high, byte_size });
    }
    Ok(())
}
