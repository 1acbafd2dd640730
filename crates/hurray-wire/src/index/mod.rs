//! The index section in wire form (file.md §5): read whole, or grown entry by entry.

mod parse;
mod table;

use crate::bytes::{u16_at, u32_at, u64_at};
use crate::format::{ENTRY_FIXED, INDEX_FIXED};
use table::Table;

/// The numbers of one entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub descriptor_offset: u64,
    pub descriptor_length: u32,
    pub data_offset: u64,
    pub data_length: u64,
}

/// Bytes of a name's length.
const LENGTH: usize = 2;
/// Offsets of the fields behind the name.
const DESCRIPTOR_LENGTH_AT: usize = 8;
const DATA_OFFSET_AT: usize = 12;
const DATA_LENGTH_AT: usize = 20;
const FLAGS_AT: usize = 28;

/// The section as one run of bytes, where each entry begins in it, and how a name is found.
#[derive(Debug)]
pub(crate) struct Index {
    wire: Vec<u8>,
    starts: Vec<usize>,
    table: Table,
    /// Names ascend strictly, so they are searched instead of hashed.
    sorted: bool,
}

impl Default for Index {
    /// An index without entries, to grow.
    fn default() -> Self {
        Self { wire: vec![0; INDEX_FIXED as usize], starts: Vec::new(), table: Table::default(), sorted: false }
    }
}

impl Index {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    fn raw_name(&self, i: usize) -> &[u8] {
        let start = self.starts[i];
        let length = usize::from(u16_at(&self.wire, start));
        &self.wire[start + LENGTH..start + LENGTH + length]
    }

    /// The name at a position. All names of an index that was accepted are UTF-8.
    pub(crate) fn name(&self, i: usize) -> &str {
        std::str::from_utf8(self.raw_name(i)).unwrap_or("\u{FFFD}")
    }

    /// The numbers at a position.
    pub(crate) fn slot(&self, i: usize) -> Slot {
        let start = self.starts[i];
        let fixed = start + LENGTH + usize::from(u16_at(&self.wire, start));
        let b = &self.wire[fixed..fixed + ENTRY_FIXED as usize];
        Slot {
            descriptor_offset: u64_at(b, 0),
            descriptor_length: u32_at(b, DESCRIPTOR_LENGTH_AT),
            data_offset: u64_at(b, DATA_OFFSET_AT),
            data_length: u64_at(b, DATA_LENGTH_AT),
        }
    }

    /// Where a name is.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let name = name.as_bytes();
        match self.sorted {
            true => self.search(name),
            false => self.table.find(name, |i| self.raw_name(i)),
        }
    }

    fn search(&self, name: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let mid = low + (high - low) / 2;
            match self.raw_name(mid).cmp(name) {
                std::cmp::Ordering::Less => low = mid + 1,
                std::cmp::Ordering::Equal => return Some(mid),
                std::cmp::Ordering::Greater => high = mid,
            }
        }
        None
    }

    /// Appends an entry whose name is not there yet and fits its length field.
    pub(crate) fn push(&mut self, name: &str, slot: &Slot) {
        let out = &mut self.wire;
        self.starts.push(out.len());
        out.extend((name.len() as u16).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend(slot.descriptor_offset.to_le_bytes());
        out.extend(slot.descriptor_length.to_le_bytes());
        out.extend(slot.data_offset.to_le_bytes());
        out.extend(slot.data_length.to_le_bytes());
        // Entry flags: none is defined.
        out.extend(0u32.to_le_bytes());
        self.enter_last();
    }

    fn enter_last(&mut self) {
        let count = self.len();
        let mut table = std::mem::take(&mut self.table);
        if table.is_full(count) {
            table = Table::for_count(count * 2);
            for i in 0..count - 1 {
                table.insert(i, |i| self.raw_name(i));
            }
        }
        table.insert(count - 1, |i| self.raw_name(i));
        self.table = table;
    }

    /// The finished section of a grown index.
    pub(crate) fn finish(&mut self) -> &[u8] {
        let count = (self.starts.len() as u64).to_le_bytes();
        self.wire[..count.len()].copy_from_slice(&count);
        &self.wire
    }
}
