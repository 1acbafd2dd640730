//! What no part of the file owns must be zeros (F-45, F-46).

use crate::bytes::u32_at;
use crate::container::Container;
use crate::format::{DESCRIPTOR_PREFIX, PART_ALIGNMENT, SMALLEST_DESCRIPTOR};
use crate::read_at::ReadAt;
use crate::sink::{Every, Sink};
use crate::{Error, Fault};
use hurray_core::MAGIC;
use std::ops::Range;

/// Bytes read at a time.
const PIECE: u64 = 1 << 16;
static ZEROS: [u8; PIECE as usize] = [0; PIECE as usize];

/// Reports the first stray byte of each gap between the owned ranges.
pub(super) fn check<S: ReadAt + ?Sized>(
    source: &S,
    container: &Container,
    mut owned: Vec<Range<u64>>,
    sink: &mut Every,
) -> Result<(), Error> {
    owned.retain(|range| !range.is_empty() && range.end <= container.size());
    owned.sort_unstable_by_key(|range| range.start);
    let mut piece = vec![0; PIECE as usize];
    let mut end = 0;
    for range in owned {
        if range.start > end {
            if let Some((at, found)) = stray(source, end..range.start, &mut piece)? {
                let fault = match unindexed(source, at, range.start)? {
                    Some(length) => Fault::Unindexed { length },
                    None => Fault::Padding { found },
                };
                sink.fault(fault, at)?;
            }
        }
        end = end.max(range.end);
    }
    Ok(())
}

/// The first byte of a gap that is not 0.
fn stray<S: ReadAt + ?Sized>(source: &S, gap: Range<u64>, piece: &mut [u8]) -> Result<Option<(u64, u8)>, Error> {
    let mut at = gap.start;
    while at < gap.end {
        let size = (gap.end - at).min(PIECE);
        let bytes = &mut piece[..size as usize];
        source.read_exact_at(bytes, at)?;
        // Comparing whole pieces is far quicker than looking at bytes, and almost all are zeros.
        if *bytes != ZEROS[..bytes.len()] {
            let found = bytes.iter().position(|&b| b != 0).unwrap_or(0);
            return Ok(Some((at + found as u64, bytes[found])));
        }
        at += size;
    }
    Ok(None)
}

/// The length of a descriptor that begins at `at` and ends in the gap.
fn unindexed<S: ReadAt + ?Sized>(source: &S, at: u64, end: u64) -> Result<Option<u32>, Error> {
    if !at.is_multiple_of(PART_ALIGNMENT) || end - at < u64::from(SMALLEST_DESCRIPTOR) {
        return Ok(None);
    }
    let mut prefix = [0; DESCRIPTOR_PREFIX];
    source.read_exact_at(&mut prefix, at)?;
    let length = u32_at(&prefix, 6);
    let fits = length >= SMALLEST_DESCRIPTOR && u64::from(length) <= end - at;
    Ok((prefix.starts_with(&MAGIC) && fits).then_some(length))
}
