//! COO coordinates (layouts.md §7, L-31).

use super::findings::Findings;
use super::twins;
use super::words::Words;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::layout::CooLayout;
use std::fmt::Write;
use std::io;

/// The buffer of coordinates.
const INDICES: usize = 1;
/// The ways in which an entry can be wrong.
const OUTSIDE: &str = "outside";
const UNORDERED: &str = "unordered";
const TWICE: &str = "twice";

pub(super) fn check(l: &CooLayout, dims: &[u64], indices: &dyn ReadAt, findings: &mut Findings) -> io::Result<()> {
    let buffer = INDICES;
    let mut tuples = Tuples::new(indices, l.nnz, dims.len());
    let mut previous = Vec::new();
    // While each entry comes after the one before it, none can be there twice.
    let mut ascending = true;
    while let Some((entry, tuple)) = tuples.next()? {
        if tuple.iter().zip(dims).any(|(place, dim)| place >= dim) {
            findings.add(buffer, OUTSIDE, || Fault::CooOutside { buffer, entry, found: shown(tuple) });
        }
        if entry > 0 && previous.as_slice() >= tuple {
            ascending = false;
            if l.is_sorted && previous.as_slice() > tuple {
                findings.add(buffer, UNORDERED, || Fault::CooOrder { buffer, entry, found: shown(tuple) });
            }
        }
        previous.clear();
        previous.extend_from_slice(tuple);
    }
    if ascending {
        return Ok(());
    }
    let twins = twins::find(Tuples::new(indices, l.nnz, dims.len()), dims, indices)?;
    for &(entry, other) in &twins.first {
        let mut again = Tuples::one(indices, entry, dims.len());
        let found = again.next()?.map(|(_, tuple)| shown(tuple)).unwrap_or_default();
        findings.add(buffer, TWICE, || Fault::CooTwin { buffer, entry, found, other });
    }
    findings.more(buffer, TWICE, twins.count - twins.first.len() as u64);
    Ok(())
}

fn shown(tuple: &[u64]) -> String {
    let mut text = String::from("(");
    for (at, place) in tuple.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{place}");
    }
    text + ")"
}

/// The entries' coordinates, one tuple after another.
pub(super) struct Tuples<'a> {
    words: Words<'a>,
    tuple: Vec<u64>,
    entry: u64,
    end: u64,
}

impl<'a> Tuples<'a> {
    pub(super) fn new(indices: &'a dyn ReadAt, nnz: u64, rank: usize) -> Self {
        let words = Words::indices(indices, nnz.saturating_mul(rank as u64));
        Self { words, tuple: vec![0; rank], entry: 0, end: nnz }
    }

    /// One entry alone.
    fn one(indices: &'a dyn ReadAt, entry: u64, rank: usize) -> Self {
        let bytes = crate::check::INDEX_BYTES;
        let start = entry.saturating_mul(rank as u64).saturating_mul(bytes);
        let words = Words::new(indices, start, rank as u64, bytes);
        Self { words, tuple: vec![0; rank], entry, end: entry.saturating_add(1) }
    }

    /// Entries to come.
    pub(super) fn left(&self) -> u64 {
        self.end - self.entry
    }

    pub(super) fn next(&mut self) -> io::Result<Option<(u64, &[u64])>> {
        if self.entry >= self.end {
            return Ok(None);
        }
        for place in &mut self.tuple {
            *place = self.words.take()?;
        }
        self.entry += 1;
        Ok(Some((self.entry - 1, &self.tuple)))
    }
}
