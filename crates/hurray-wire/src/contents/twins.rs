//! Entries of a COO tensor that have the same coordinates (layouts.md §7).

use super::coo::Tuples;
use super::findings::LISTED;
use crate::check::product;
use crate::read_at::ReadAt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Items sorted between two looks at whether to go on.
const BLOCK: usize = 1 << 20;

/// Entries whose coordinates another entry before them has.
#[derive(Default)]
pub(super) struct Twins {
    pub count: u64,
    /// The first of them, each with the first entry that is like it.
    pub first: Vec<(u64, u64)>,
}

/// Sorts the entries inside the shape; what lies outside was reported. Takes 16 bytes of memory for
/// each entry; where the shape has more elements than 64 bits count, 24 and the coordinates besides.
pub(super) fn find(mut tuples: Tuples<'_>, dims: &[u64], pause: &dyn ReadAt) -> io::Result<Twins> {
    if u64::try_from(product(dims.iter().copied())).is_ok() {
        let mut keys = room(tuples.left())?;
        while let Some((entry, tuple)) = tuples.next()? {
            keys.extend(linear(tuple, dims).map(|key| (key, entry)));
        }
        return among(keys, pause);
    }
    let rank = dims.len();
    let (mut keys, mut all) = (room(tuples.left())?, room(tuples.left().saturating_mul(rank as u64))?);
    while let Some((_, tuple)) = tuples.next()? {
        all.extend_from_slice(tuple);
    }
    keys.extend(all.chunks_exact(rank.max(1)).enumerate().map(|(entry, tuple)| (tuple, entry as u64)));
    among(keys, pause)
}

/// The place in row-major order; `None` outside the shape.
fn linear(tuple: &[u64], dims: &[u64]) -> Option<u64> {
    let mut key = 0u64;
    for (&place, &dim) in tuple.iter().zip(dims) {
        if place >= dim {
            return None;
        }
        // An empty dimension may come behind ones whose product is past 64 bits.
        key = key.checked_mul(dim)?.checked_add(place)?;
    }
    Some(key)
}

/// Asked for at once: what cannot be had is an error before memory is used up.
fn room<T>(count: u64) -> io::Result<Vec<T>> {
    let mut items = Vec::new();
    let count = usize::try_from(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
    items.try_reserve_exact(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Ok(items)
}

/// Sorts in blocks and merges them, so that neither step is long without a look at the caller.
fn among<K: Ord + Copy>(mut keys: Vec<(K, u64)>, pause: &dyn ReadAt) -> io::Result<Twins> {
    for block in keys.chunks_mut(BLOCK) {
        block.sort_unstable();
        pause.pause()?;
    }
    let mut blocks: Vec<_> = keys.chunks(BLOCK).map(|block| block.iter().copied()).collect();
    let mut heads = BinaryHeap::new();
    for (at, block) in blocks.iter_mut().enumerate() {
        heads.extend(block.next().map(|item| Reverse((item, at))));
    }
    let (mut twins, mut run, mut since) = (Twins::default(), None, 0);
    let mut first = BinaryHeap::new();
    while let Some(Reverse(((key, entry), at))) = heads.pop() {
        heads.extend(blocks[at].next().map(|item| Reverse((item, at))));
        match run {
            Some((same, other)) if same == key => {
                twins.count += 1;
                first.push((entry, other));
                if first.len() > LISTED {
                    first.pop();
                }
            }
            _ => run = Some((key, entry)),
        }
        since += 1;
        if since == BLOCK {
            since = 0;
            pause.pause()?;
        }
    }
    twins.first = first.into_sorted_vec();
    Ok(twins)
}
