//! A set of names in insertion order, looked up in constant time.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Names back to back in one text, and a seeded table over them: no allocation per name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
    table: Table,
}

impl Names {
    pub(crate) fn with_capacity(names: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ends: Vec::with_capacity(names), table: Table::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name at a position; empty past the end.
    pub(crate) fn get(&self, i: usize) -> &str {
        let start = match i {
            0 => 0,
            _ => self.ends.get(i - 1).copied().unwrap_or(0),
        };
        let end = self.ends.get(i).copied().unwrap_or(start);
        &self.text[start..end]
    }

    /// Appends without a look at the table; for names that are to be indexed or searched later.
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// Builds the table over all names; for each repeated name, calls back with both positions.
    pub(crate) fn index<E>(&mut self, mut repeated: impl FnMut(usize, usize) -> Result<(), E>) -> Result<(), E> {
        let mut table = Table::for_count(self.len());
        for i in 0..self.len() {
            if let Some(first) = table.insert(i, |i| self.get(i)) {
                repeated(first, i)?;
            }
        }
        self.table = table;
        Ok(())
    }

    /// Appends and indexes; `false` if the name is there already.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        if self.find(name).is_some() {
            return false;
        }
        self.push(name);
        if self.len() * MIN_SPARSENESS > self.table.buckets.len() {
            let (mut table, names) = (Table::for_count(self.len() * 2), &*self);
            for i in 0..names.len() {
                table.insert(i, |i| names.get(i));
            }
            self.table = table;
        } else {
            let mut table = std::mem::take(&mut self.table);
            table.insert(self.len() - 1, |i| self.get(i));
            self.table = table;
        }
        true
    }

    /// Where a name is, by the table.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.table.find(name, |i| self.get(i))
    }

    /// Where a name is, when the names are known to ascend.
    pub(crate) fn search(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let mid = low + (high - low) / 2;
            match self.get(mid).as_bytes().cmp(name.as_bytes()) {
                std::cmp::Ordering::Less => low = mid + 1,
                std::cmp::Ordering::Equal => return Some(mid),
                std::cmp::Ordering::Greater => high = mid,
            }
        }
        None
    }
}

/// Buckets per name, at least: probing stays short.
const MIN_SPARSENESS: usize = 2;
/// A bucket holds a position in its low bits and the top of the hash above them.
const POSITION_BITS: u32 = 40;
const POSITION: u64 = (1 << POSITION_BITS) - 1;
const VACANT: u64 = u64::MAX;

/// Open addressing with linear probing, seeded so that no file can choose its collisions.
#[derive(Debug, Default)]
struct Table {
    seed: RandomState,
    /// A power of two of them, or none.
    buckets: Vec<u64>,
}

impl Table {
    fn for_count(count: usize) -> Self {
        let buckets = (count.max(1) * MIN_SPARSENESS).next_power_of_two();
        Self { seed: RandomState::new(), buckets: vec![VACANT; buckets] }
    }

    /// Enters position `i`, or returns the position of an equal name.
    fn insert<'a>(&mut self, i: usize, get: impl Fn(usize) -> &'a str) -> Option<usize> {
        let name = get(i);
        let hash = self.seed.hash_one(name);
        match self.probe(hash, |j| get(j) == name) {
            Ok(found) => Some(found),
            Err(bucket) => {
                self.buckets[bucket] = (hash & !POSITION) | (i as u64 & POSITION);
                None
            }
        }
    }

    fn find<'a>(&self, name: &str, get: impl Fn(usize) -> &'a str) -> Option<usize> {
        if self.buckets.is_empty() {
            return None;
        }
        let hash = self.seed.hash_one(name);
        self.probe(hash, |j| get(j) == name).ok()
    }

    /// The position that `same` accepts, or the vacant bucket where it would be.
    fn probe(&self, hash: u64, same: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let mask = self.buckets.len() - 1;
        let mut bucket = hash as usize & mask;
        loop {
            let held = self.buckets[bucket];
            if held == VACANT {
                return Err(bucket);
            }
            let position = (held & POSITION) as usize;
            if held & !POSITION == hash & !POSITION && same(position) {
                return Ok(position);
            }
            bucket = (bucket + 1) & mask;
        }
    }
}
