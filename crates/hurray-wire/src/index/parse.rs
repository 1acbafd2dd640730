//! Reading the index, entry by entry.

use super::table::{Table, MAX_POSITIONS};
use super::{Index, FLAGS_AT, LENGTH};
use crate::bytes::{u16_at, u32_at, u64_at};
use crate::container::header::Header;
use crate::format::{ENTRY_FIXED, FLAG_SORTED_INDEX, INDEX_FIXED, SMALLEST_ENTRY};
use crate::sink::Sink;
use crate::{Error, Fault};
use std::io::ErrorKind;

impl Index {
    /// F-15 to F-20. `wire` is the section at `at`, and has at least its count.
    pub(crate) fn parse(wire: Vec<u8>, at: u64, header: &Header, sink: &mut dyn Sink) -> Result<Self, Error> {
        let claimed = u64_at(&wire, 0);
        let most = (wire.len() as u64 - INDEX_FIXED) / SMALLEST_ENTRY;
        if claimed > most {
            sink.fault(Fault::EntryCount { claimed, most }, at)?;
            return Ok(Self::default());
        }
        // Such an index has more than 150 GB.
        if claimed > MAX_POSITIONS as u64 {
            return Err(std::io::Error::from(ErrorKind::OutOfMemory).into());
        }
        let mut index = Self { wire, starts: Vec::with_capacity(claimed as usize), ..Self::default() };
        index.entries(at, claimed, header, sink)?;
        index.order(at, header, sink)?;
        Ok(index)
    }

    fn entries(&mut self, at: u64, claimed: u64, header: &Header, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut start = INDEX_FIXED as usize;
        for entry in 0..claimed {
            let rest = &self.wire[start..];
            let left = rest.len() as u64;
            let length = if left < 2 { 0 } else { u16_at(rest, 0) };
            let needed = LENGTH as u64 + u64::from(length) + ENTRY_FIXED;
            let place = at + start as u64;
            if left < needed {
                let fault = Fault::IndexExtent { entry, needed, left };
                return sink.fault(fault, place);
            }
            let (name, fixed) = rest[LENGTH..].split_at(usize::from(length));
            check_entry(self.starts.len(), name, fixed, place, sink)?;
            self.starts.push(start);
            start += needed as usize;
        }
        let left = (self.wire.len() - start) as u64;
        // A newer minor may append fields behind the entries (file.md §11.8).
        if left == 0 || header.is_newer() {
            return Ok(());
        }
        let fault = Fault::IndexExtent { entry: claimed, needed: 0, left };
        sink.fault(fault, at + start as u64)
    }

    /// F-18 and F-20: strictly ascending names are distinct; all others go through the table.
    fn order(&mut self, at: u64, header: &Header, sink: &mut dyn Sink) -> Result<(), Error> {
        let falls = |i: &usize| self.raw_name(i - 1) >= self.raw_name(*i);
        match (1..self.len()).find(falls) {
            None => {
                // Whether the flag says so or not.
                self.sorted = true;
                return Ok(());
            }
            Some(entry) if header.has(FLAG_SORTED_INDEX) => {
                let place = at + self.starts[entry] as u64;
                sink.tensor(Fault::NotSorted { entry }, self.name(entry), place)?;
            }
            Some(_) => {}
        }
        let mut table = Table::for_count(self.len());
        for (first, second) in table.fill(self.len(), |i| self.raw_name(i)) {
            let fault = Fault::DuplicateName { first, second };
            let place = at + self.starts[second] as u64;
            sink.tensor(fault, self.name(second), place)?;
        }
        self.table = table;
        Ok(())
    }
}

/// F-17 and F-19.
fn check_entry(entry: usize, name: &[u8], fixed: &[u8], at: u64, sink: &mut dyn Sink) -> Result<(), Error> {
    let flags = u32_at(fixed, FLAGS_AT);
    let text = std::str::from_utf8(name);
    if !name.is_empty() && text.is_ok() && flags == 0 {
        return Ok(());
    }
    if name.is_empty() {
        sink.fault(Fault::EmptyName { entry }, at)?;
    }
    if text.is_err() {
        sink.fault(Fault::NameUtf8 { entry }, at)?;
    }
    match flags {
        0 => Ok(()),
        flags => sink.tensor(Fault::EntryFlags { flags }, text.unwrap_or_default(), at),
    }
}
