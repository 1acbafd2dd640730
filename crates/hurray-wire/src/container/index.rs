//! The index (file.md §5): one text of names, one slot of numbers per entry.

use super::header::Header;
use crate::bytes::{u16_at, u32_at, u64_at};
use crate::format::{ENTRY_FIXED, FLAG_SORTED_INDEX, INDEX_FIXED, SMALLEST_ENTRY};
use crate::names::Names;
use crate::sink::Sink;
use crate::{Error, Fault};

/// The numbers of one entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub descriptor_offset: u64,
    pub data_offset: u64,
    pub data_length: u64,
    pub descriptor_length: u32,
}

/// The entries in the file's order.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub names: Names,
    pub slots: Vec<Slot>,
    /// Names are known to ascend strictly, so they are searched instead of hashed.
    pub sorted: bool,
}

impl Index {
    /// F-15 to F-20. `b` is the section at `at`.
    pub(crate) fn parse(b: &[u8], at: u64, header: &Header, sink: &mut dyn Sink) -> Result<Self, Error> {
        let claimed = u64_at(b, 0);
        let room = b.len() as u64 - INDEX_FIXED;
        let most = room / SMALLEST_ENTRY;
        if claimed > most {
            sink.fault(Fault::EntryCount { claimed, most }, at)?;
            return Ok(Self::default());
        }
        let text = room - claimed * (SMALLEST_ENTRY - 1);
        let mut index = Self {
            names: Names::with_capacity(claimed as usize, text as usize),
            slots: Vec::with_capacity(claimed as usize),
            sorted: false,
        };
        index.entries(b, at, claimed, header, sink)?;
        index.order(at, header, sink)?;
        Ok(index)
    }

    fn entries(&mut self, b: &[u8], at: u64, claimed: u64, header: &Header, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut rest = &b[INDEX_FIXED as usize..];
        let place = |rest: &[u8]| at + (b.len() - rest.len()) as u64;
        for entry in 0..claimed {
            let left = rest.len() as u64;
            let length = if left < 2 { 0 } else { u16_at(rest, 0) };
            let needed = 2 + u64::from(length) + ENTRY_FIXED;
            if left < needed {
                let fault = Fault::IndexExtent { entry, needed, left };
                return sink.fault(fault, place(rest));
            }
            let (raw, after) = rest.split_at(needed as usize);
            self.entry(&raw[2..], usize::from(length), place(rest), sink)?;
            rest = after;
        }
        // A newer minor may append fields behind the entries (file.md §11.8).
        if rest.is_empty() || header.is_newer() {
            return Ok(());
        }
        let left = rest.len() as u64;
        let fault = Fault::IndexExtent { entry: claimed, needed: 0, left };
        sink.fault(fault, place(rest))
    }

    /// `raw` is the name and the fixed part behind it.
    fn entry(&mut self, raw: &[u8], length: usize, at: u64, sink: &mut dyn Sink) -> Result<(), Error> {
        let (name, fixed) = raw.split_at(length);
        let entry = self.slots.len();
        let name = match std::str::from_utf8(name) {
            Ok(name) => name,
            Err(_) => {
                sink.fault(Fault::NameUtf8 { entry }, at)?;
                "\u{FFFD}"
            }
        };
        if length == 0 {
            sink.fault(Fault::EmptyName { entry }, at)?;
        }
        let flags = u32_at(fixed, 28);
        if flags != 0 {
            sink.tensor(Fault::EntryFlags { flags }, name, at)?;
        }
        self.names.push(name);
        self.slots.push(Slot {
            descriptor_offset: u64_at(fixed, 0),
            descriptor_length: u32_at(fixed, 8),
            data_offset: u64_at(fixed, 12),
            data_length: u64_at(fixed, 20),
        });
        Ok(())
    }

    /// F-18 and F-20: strictly ascending names are distinct; all others go through the table.
    fn order(&mut self, at: u64, header: &Header, sink: &mut dyn Sink) -> Result<(), Error> {
        if header.has(FLAG_SORTED_INDEX) {
            let ascends = |i: usize| self.names.get(i - 1).as_bytes() < self.names.get(i).as_bytes();
            match (1..self.slots.len()).find(|&i| !ascends(i)) {
                None => {
                    self.sorted = true;
                    return Ok(());
                }
                Some(entry) => {
                    sink.tensor(Fault::NotSorted { entry }, self.names.get(entry), at)?;
                }
            }
        }
        let mut repeats = Vec::new();
        let _ = self.names.index(|first, second| {
            repeats.push((first, second));
            // Reading stops at the first anyway; verification wants them all.
            Ok::<(), ()>(())
        });
        for (first, second) in repeats {
            let name = self.names.get(second);
            sink.tensor(Fault::DuplicateName { first, second }, name, at)?;
        }
        Ok(())
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        match self.sorted {
            true => self.names.search(name),
            false => self.names.find(name),
        }
    }
}
