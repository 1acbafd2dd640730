//! A file's header, trailer, index and metadata, all checked (file.md §8).

pub(crate) mod header;
mod located;
mod open;
mod regions;
pub(crate) mod trailer;

pub use located::Located;
pub(crate) use located::{own_length, place};

pub(crate) use open::open;

use crate::index::Index;
use crate::kv::KvValue;
use crate::read_at::{read_vec, ReadAt};
use crate::sink::First;
use crate::{Error, Fault, Problem};
use header::Header;
use trailer::Trailer;

/// Everything of a file but its tensors. Holds no source: every call that reads is given one.
#[derive(Debug)]
pub struct Container {
    header: Header,
    trailer: Trailer,
    index: Index,
    kv: Vec<(String, KvValue)>,
    /// Entries by ascending descriptor_offset, where that differs from the index order.
    by_offset: Option<Vec<usize>>,
    size: u64,
}

/// One index entry (file.md §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The tensor's name, unique in the file.
    pub name: &'a str,
    /// Where the descriptor begins.
    pub descriptor_offset: u64,
    /// Bytes of the descriptor.
    pub descriptor_length: u32,
    /// Where buffer 0 begins; says nothing for a composite head.
    pub data_offset: u64,
    /// Bytes from the first buffer's begin to the last one's end.
    pub data_length: u64,
}

impl Container {
    /// Reads header, trailer, index and metadata, and nothing else of the file.
    ///
    /// # Errors
    /// [`Error::Io`] from the source, [`Error::Bad`] with the first broken rule (file.md §10).
    pub fn open<S: ReadAt + ?Sized>(source: &S) -> Result<Self, Error> {
        match open::open(source, &mut First)? {
            Some(container) => Ok(container),
            // The sink stops at the first fault, so none means a fault went unreported.
            None => Err(std::io::Error::from(std::io::ErrorKind::InvalidData).into()),
        }
    }

    /// The number of tensors, composite heads and members included.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no tensor.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at a position, in the order of the index.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len), as slices do.
    pub fn entry(&self, i: usize) -> Entry<'_> {
        let slot = self.index.slot(i);
        Entry {
            name: self.index.name(i),
            descriptor_offset: slot.descriptor_offset,
            descriptor_length: slot.descriptor_length,
            data_offset: slot.data_offset,
            data_length: slot.data_length,
        }
    }

    /// The position of a name, by a seeded table or, in a sorted index, by binary search.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.find(name)
    }

    /// The metadata in the file's order (file.md §4).
    pub fn kv(&self) -> &[(String, KvValue)] {
        &self.kv
    }

    /// Major and minor version of the container (file.md §2).
    pub fn version(&self) -> (u8, u8) {
        self.header.version
    }

    /// The header's flags (file.md §2).
    pub fn flags(&self) -> u32 {
        self.header.flags
    }

    /// The file's alignment of data (file.md §2).
    pub fn alignment(&self) -> u32 {
        self.header.alignment
    }

    /// Bytes of the file when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// F-48: whether the file still has the bytes it had; for before and after it is mapped.
    ///
    /// # Errors
    /// [`Error::Bad`] if it shrank.
    pub fn recheck<S: ReadAt + ?Sized>(&self, source: &S) -> Result<(), Error> {
        let (opened, now) = (self.size, source.size()?);
        match now < opened {
            true => Err(Problem::new(Fault::Shrunk { opened, now }, None, None).into()),
            false => Ok(()),
        }
    }

    /// The bytes of one descriptor, unchecked.
    ///
    /// # Errors
    /// [`Error::Io`] from the source.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len).
    pub fn descriptor_bytes<S: ReadAt + ?Sized>(&self, source: &S, i: usize) -> Result<Vec<u8>, Error> {
        let slot = self.index.slot(i);
        let length = u64::from(slot.descriptor_length);
        Ok(read_vec(source, slot.descriptor_offset, length)?)
    }

    /// Positions by ascending descriptor_offset: the order in which composites claim members.
    pub(crate) fn by_offset(&self, k: usize) -> usize {
        self.by_offset.as_ref().map_or(k, |order| order[k])
    }

    /// The inverse of [`by_offset`](Self::by_offset).
    pub(crate) fn place_of(&self, i: usize) -> usize {
        let Some(order) = &self.by_offset else { return i };
        let offset = self.index.slot(i).descriptor_offset;
        order.partition_point(|&other| self.index.slot(other).descriptor_offset < offset)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn trailer(&self) -> &Trailer {
        &self.trailer
    }
}
