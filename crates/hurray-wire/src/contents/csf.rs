//! CSF levels (layouts.md §9, L-33).

use super::words::Words;
use super::Stop;
use crate::check::INDEX_BYTES;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::CsfLayout;

const SHORT_POINTERS: &str = "the pointer buffer is too small for the nodes above";
const SHORT_COORDINATES: &str = "the coordinate buffer is too small for the last pointer";
const FIRST: &str = "the first pointer is not 0";
const FALLING: &str = "a pointer is below the one before it";
const OUTSIDE: &str = "a coordinate lies outside the shape";
const UNORDERED: &str = "a coordinate does not come after its sibling";
const LEAVES: &str = "the last pointer is not nnz";

/// `trees` are pos_0, crd_0, pos_1, crd_1 and so on.
pub(super) fn check(l: &CsfLayout, dims: &[u64], trees: &[&dyn ReadAt]) -> Result<(), Stop> {
    let mut parents = 1;
    for (level, pair) in trees.chunks_exact(2).take(l.mode_order.len()).enumerate() {
        let mode = l.mode_order[level] as usize;
        let bound = dims.get(mode).copied().unwrap_or(0);
        parents = self::level(level, parents, bound, pair[0], pair[1])?;
    }
    match parents == l.nnz {
        true => Ok(()),
        false => Err(fault(l.mode_order.len().saturating_sub(1), parents, LEAVES)),
    }
}

/// One level; the number of its nodes.
fn level(level: usize, parents: u64, bound: u64, pos: &dyn ReadAt, crd: &dyn ReadAt) -> Result<u64, Stop> {
    if pos.size()? / INDEX_BYTES <= parents {
        return Err(fault(level, parents, SHORT_POINTERS));
    }
    let room = crd.size()? / INDEX_BYTES;
    let mut pointers = Words::indices(pos, parents.saturating_add(1));
    let mut coordinates = Words::indices(crd, room);
    let mut start = pointers.take()?;
    if start != 0 {
        return Err(fault(level, 0, FIRST));
    }
    for node in 1..=parents {
        let end = pointers.take()?;
        if end < start {
            return Err(fault(level, node, FALLING));
        }
        if end > room {
            return Err(fault(level, node, SHORT_COORDINATES));
        }
        siblings(level, &mut coordinates, start..end, bound)?;
        start = end;
    }
    Ok(start)
}

fn siblings(level: usize, coordinates: &mut Words<'_>, slice: std::ops::Range<u64>, bound: u64) -> Result<(), Stop> {
    let mut previous = None;
    for at in slice {
        let coordinate = coordinates.take()?;
        if coordinate >= bound {
            return Err(fault(level, at, OUTSIDE));
        }
        if previous.is_some_and(|before| before >= coordinate) {
            return Err(fault(level, at, UNORDERED));
        }
        previous = Some(coordinate);
    }
    Ok(())
}

fn fault(level: usize, at: u64, why: &'static str) -> Stop {
    Fault::CsfEntries { level, at, why }.into()
}
