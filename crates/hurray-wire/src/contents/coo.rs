//! COO coordinates (layouts.md §7, L-31).

use super::words::Words;
use super::Stop;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::layout::CooLayout;
use std::io;

const OUTSIDE: &str = "lies outside the shape";
const TWICE: &str = "has the coordinates of another entry";
const UNORDERED: &str = "does not come after the one before it, although the tensor claims to be sorted";

pub(super) fn check(l: &CooLayout, dims: &[u64], indices: &dyn ReadAt) -> Result<(), Stop> {
    let rank = dims.len();
    let numbers = l.nnz.saturating_mul(rank as u64);
    let mut words = Words::indices(indices, numbers);
    let mut all = Vec::new();
    let mut previous: Option<Vec<u64>> = None;
    let mut tuple = vec![0; rank];
    for entry in 0..l.nnz {
        for (place, &dim) in tuple.iter_mut().zip(dims) {
            *place = words.take()?;
            if *place >= dim {
                return Err(fault(entry, OUTSIDE));
            }
        }
        if !l.is_sorted {
            all.try_reserve(rank).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            all.extend_from_slice(&tuple);
            continue;
        }
        match &mut previous {
            Some(before) if *before == tuple => return Err(fault(entry, TWICE)),
            Some(before) if *before > tuple => return Err(fault(entry, UNORDERED)),
            Some(before) => before.copy_from_slice(&tuple),
            None => previous = Some(tuple.clone()),
        }
    }
    distinct(&all, rank)
}

/// No tuple twice, in any order.
fn distinct(all: &[u64], rank: usize) -> Result<(), Stop> {
    if rank == 0 {
        return Ok(());
    }
    let mut tuples: Vec<&[u64]> = all.chunks_exact(rank).collect();
    tuples.sort_unstable();
    let twice = tuples.windows(2).find(|pair| pair[0] == pair[1]);
    let Some(pair) = twice else {
        return Ok(());
    };
    let is_twice = |&(_, tuple): &(usize, &[u64])| tuple == pair[0];
    let second = all.chunks_exact(rank).enumerate().filter(is_twice).nth(1);
    Err(fault(second.map_or(0, |(entry, _)| entry as u64), TWICE))
}

fn fault(entry: u64, why: &'static str) -> Stop {
    Fault::CooEntries { entry, why }.into()
}
