//! CSR and CSC pointers and indices (layouts.md §8, L-32).

use super::words::Words;
use super::Stop;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::DYNAMIC;

const FIRST: &str = "the first pointer is not 0";
const FALLING: &str = "a pointer is below the one before it";
const BEYOND: &str = "a pointer is above nnz";
const LAST: &str = "the last pointer is not nnz";
const OUTSIDE: &str = "an index lies outside the shape";
const UNORDERED: &str = "an index does not come after the one before it in its slice";

/// `major` slices of indices below `minor`.
pub(super) fn check(nnz: u64, major: u64, minor: u64, indices: &dyn ReadAt, pointers: &dyn ReadAt) -> Result<(), Stop> {
    // How many pointers there are is not known before the size is.
    if major == DYNAMIC {
        return Ok(());
    }
    let mut pointers = Words::indices(pointers, major.saturating_add(1));
    let mut indices = Words::indices(indices, nnz);
    let mut start = pointers.take()?;
    if start != 0 {
        return Err(fault(0, FIRST));
    }
    for slice in 1..=major {
        let end = pointers.take()?;
        if end < start {
            return Err(fault(slice, FALLING));
        }
        if end > nnz {
            return Err(fault(slice, BEYOND));
        }
        ascending(&mut indices, start..end, minor)?;
        start = end;
    }
    match start == nnz {
        true => Ok(()),
        false => Err(fault(major, LAST)),
    }
}

fn ascending(indices: &mut Words<'_>, slice: std::ops::Range<u64>, bound: u64) -> Result<(), Stop> {
    let mut previous = None;
    for at in slice {
        let index = indices.take()?;
        if index >= bound {
            return Err(fault(at, OUTSIDE));
        }
        if previous.is_some_and(|before| before >= index) {
            return Err(fault(at, UNORDERED));
        }
        previous = Some(index);
    }
    Ok(())
}

fn fault(at: u64, why: &'static str) -> Stop {
    Fault::CompressedEntries { at, why }.into()
}
