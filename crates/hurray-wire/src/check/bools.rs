//! Boolean bytes: the core reads any non-zero byte as true (descriptor.md §11.11).

use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor};

/// Where a COO payload keeps is_sorted, behind fixed header, shape and byte_offset (layouts.md §7).
const fn is_sorted_at(rank: usize) -> usize {
    20 + 8 * rank + 8 + 8
}

/// L-24, D-47, D-48: such a byte is 0 or 1. Everything else the core accepts it also writes back
/// as it was, so the first byte that differs is one of these.
pub(super) fn bools(d: &TensorDescriptor, bytes: &[u8]) -> Result<(), Fault> {
    if let LayoutDescriptor::Coo(_) = d.layout {
        match bytes.get(is_sorted_at(d.shape.rank())) {
            Some(0 | 1) | None => {}
            Some(&found) => return Err(Fault::IsSorted { found }),
        }
    }
    if d.statistics.is_none() && d.extension_type.is_none() {
        return Ok(());
    }
    let Ok(again) = d.encode() else {
        return Ok(());
    };
    let differs = |part: std::ops::Range<usize>| again.get(part.clone()) != bytes.get(part);
    let tail = |len: usize, end: usize| end.saturating_sub(len)..end;
    let member = d.composite_member.map_or(0, |_| MEMBER_LEN);
    let extension = tail(d.extension_type.as_ref().map_or(0, |_| EXTENSION_LEN), again.len().saturating_sub(member));
    let statistics = tail(d.statistics.as_ref().map_or(0, |_| STATISTICS_LEN), extension.start);
    if differs(statistics) {
        return Err(Fault::StatisticsBytes);
    }
    match differs(extension) {
        true => Err(Fault::ExtensionBytes),
        false => Ok(()),
    }
}

/// Bytes of the trailing sections (descriptor.md §6).
const STATISTICS_LEN: usize = 72;
const EXTENSION_LEN: usize = 20;
const MEMBER_LEN: usize = 16;
