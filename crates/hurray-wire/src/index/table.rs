//! Names to positions in constant time, without a copy of any name.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Open addressing with linear probing, seeded so that no file can choose its collisions. A bucket
/// holds a position in its low bits and, above them, as much of the hash as there is room for.
#[derive(Debug, Default)]
pub(super) struct Table {
    seed: RandomState,
    /// A power of two of them, or none.
    buckets: Vec<u32>,
    /// The bits of a bucket that are a position.
    position: u32,
}

const VACANT: u32 = u32::MAX;
/// Parts of a table that are filled one after the other.
const PARTS: usize = 256;
/// Buckets per name, at least: probing stays short.
const SPARSENESS: usize = 2;
/// A position must fit a bucket and differ from a vacant one.
pub(super) const MAX_POSITIONS: usize = u32::MAX as usize - 1;

impl Table {
    /// For up to so many names, at most [`MAX_POSITIONS`].
    pub(super) fn for_count(count: usize) -> Self {
        let buckets = (count.max(1) * SPARSENESS).next_power_of_two();
        // One more than fits, so that no position has all its bits set and looks vacant.
        let bits = usize::BITS - (count + 1).leading_zeros();
        let position = ((1u64 << bits.min(u32::BITS)) - 1) as u32;
        Self { seed: RandomState::new(), buckets: vec![VACANT; buckets], position }
    }

    /// Whether one more name than `count` needs a larger table.
    pub(super) fn is_full(&self, count: usize) -> bool {
        count * SPARSENESS >= self.buckets.len()
    }

    /// Enters position `i`, or returns the position of an equal name.
    pub(super) fn insert<'a>(&mut self, i: usize, get: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        self.insert_hashed(i, self.seed.hash_one(get(i)), get)
    }

    fn insert_hashed<'a>(&mut self, i: usize, hash: u64, get: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        match self.probe(hash, |j| get(j) == get(i)) {
            Ok(found) => Some(found),
            Err(bucket) => {
                self.buckets[bucket] = self.tag(hash) | i as u32;
                None
            }
        }
    }

    /// Enters positions 0 to `count` into the empty table. Returns those that repeat a name, each
    /// behind the first of its kind.
    ///
    /// Goes through the table part by part, so that each part stays in the processor's cache.
    pub(super) fn fill<'a>(&mut self, count: usize, get: impl Fn(usize) -> &'a [u8]) -> Vec<(usize, usize)> {
        let part = |hash: u64| (hash as usize & (self.buckets.len() - 1)) * PARTS / self.buckets.len();
        let hashes: Vec<u64> = (0..count).map(|i| self.seed.hash_one(get(i))).collect();
        let mut next = [0usize; PARTS];
        hashes.iter().for_each(|&hash| next[part(hash)] += 1);
        let mut total = 0;
        for place in &mut next {
            total += std::mem::replace(place, total);
        }
        let mut parted = vec![(0u64, 0u32); count];
        for (i, &hash) in hashes.iter().enumerate() {
            let place = &mut next[part(hash)];
            parted[*place] = (hash, i as u32);
            *place += 1;
        }
        let mut repeats = Vec::new();
        for (hash, i) in parted {
            let i = i as usize;
            repeats.extend(self.insert_hashed(i, hash, &get).map(|first| (first, i)));
        }
        repeats.sort_unstable_by_key(|&(_, second)| second);
        repeats
    }

    pub(super) fn find<'a>(&self, name: &[u8], get: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        if self.buckets.is_empty() {
            return None;
        }
        let hash = self.seed.hash_one(name);
        self.probe(hash, |j| get(j) == name).ok()
    }

    /// The part of a hash that a bucket keeps; its low half chose the bucket.
    fn tag(&self, hash: u64) -> u32 {
        (hash >> u32::BITS) as u32 & !self.position
    }

    /// The position that `same` accepts, or the vacant bucket where it would be.
    fn probe(&self, hash: u64, same: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let mask = self.buckets.len() - 1;
        let tag = self.tag(hash);
        let mut bucket = hash as usize & mask;
        loop {
            let held = self.buckets[bucket];
            if held == VACANT {
                return Err(bucket);
            }
            let position = (held & self.position) as usize;
            if held & !self.position == tag && same(position) {
                return Ok(position);
            }
            bucket = (bucket + 1) & mask;
        }
    }
}
