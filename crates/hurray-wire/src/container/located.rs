//! One tensor of the file: its descriptor, checked, and where its buffers lie (file.md §3).

use super::Container;
use crate::bytes::u32_at;
use crate::format::{up, DESCRIPTOR_PREFIX};
use crate::index::Slot;
use crate::read_at::{read_into, ReadAt};
use crate::{check, Error, Fault};
use hurray_core::TensorDescriptor;
use std::ops::Range;

/// A descriptor and the absolute ranges of its buffers.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The tensor's descriptor, all tiers checked.
    pub descriptor: TensorDescriptor,
    /// One absolute range per buffer, in the order of the buffer table.
    pub ranges: Vec<Range<u64>>,
}

/// Where a descriptor keeps its length (descriptor.md §2).
const LENGTH_AT: usize = 6;

impl Container {
    /// Reads one descriptor and locates its buffers, with a single read.
    ///
    /// # Errors
    /// [`Error::Io`] from the source; [`Error::Bad`] for F-21, F-24 to F-27 and every rule of the
    /// descriptor.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len).
    pub fn tensor<S: ReadAt + ?Sized>(&self, source: &S, i: usize) -> Result<Located, Error> {
        self.tensor_through(source, i, &mut Vec::new())
    }

    /// As [`tensor`](Self::tensor), reading through memory that the next call uses again.
    ///
    /// # Errors
    /// As `tensor`.
    ///
    /// # Panics
    /// As `tensor`.
    pub fn tensor_through<S: ReadAt + ?Sized>(
        &self,
        source: &S,
        i: usize,
        scratch: &mut Vec<u8>,
    ) -> Result<Located, Error> {
        let slot = self.index.slot(i);
        read_into(source, slot.descriptor_offset, u64::from(slot.descriptor_length), scratch)?;
        let bad = |fault| self.bad(i, fault);
        own_length(&slot, scratch).map_err(bad)?;
        let descriptor = check::decode(scratch).map_err(bad)?;
        check::all(&descriptor).map_err(bad)?;
        let ranges = place(&descriptor, &slot, self.alignment(), self.trailer.region_end()).map_err(bad)?;
        Ok(Located { descriptor, ranges })
    }

    /// A fault of entry `i` as an error.
    pub(crate) fn bad(&self, i: usize, fault: Fault) -> Error {
        let entry = self.entry(i);
        let (name, at) = (Some(entry.name), Some(entry.descriptor_offset));
        crate::Problem::new(fault, name, at).into()
    }
}

/// F-21.
pub(crate) fn own_length(slot: &Slot, bytes: &[u8]) -> Result<(), Fault> {
    if bytes.len() < DESCRIPTOR_PREFIX {
        return Ok(());
    }
    // Without the magic there is no length field; decoding says so.
    let own = u32_at(bytes, LENGTH_AT);
    let descriptor = bytes.starts_with(&hurray_core::MAGIC);
    match descriptor && own != slot.descriptor_length {
        true => Err(Fault::DescriptorLength { entry: slot.descriptor_length, own }),
        false => Ok(()),
    }
}

/// F-24 to F-27 and the recurrence of §3. `end` is the tensor region's.
pub(crate) fn place(d: &TensorDescriptor, slot: &Slot, alignment: u32, end: u64) -> Result<Vec<Range<u64>>, Fault> {
    let (offset, claimed) = (slot.data_offset, slot.data_length);
    let past = Fault::DataBounds { offset, length: claimed, end };
    // A head has no data wherever its entry points (§11.2).
    if d.buffers.is_empty() {
        let computed = 0;
        return match claimed {
            0 => Ok(Vec::new()),
            _ => Err(Fault::DataLength { claimed, computed }),
        };
    }
    if offset % u64::from(alignment) != 0 {
        return Err(Fault::DataOffset { offset, alignment });
    }
    let data_end = match offset.checked_add(claimed) {
        Some(data_end) if data_end <= end => data_end,
        _ => return Err(past),
    };
    let mut ranges = Vec::with_capacity(d.buffers.len());
    let mut next = Some(offset);
    for (buffer, handle) in d.buffers.iter().enumerate() {
        let size = handle.byte_size();
        let start = next.unwrap_or(u64::MAX);
        let Some(stop) = start.checked_add(size).filter(|&stop| stop <= data_end) else {
            let left = data_end.saturating_sub(start);
            return Err(Fault::BufferBounds { buffer, size, left });
        };
        ranges.push(start..stop);
        next = up(stop, u64::from(alignment));
    }
    let computed = ranges.last().map_or(0, |last| last.end - offset);
    match computed == claimed {
        true => Ok(ranges),
        false => Err(Fault::DataLength { claimed, computed }),
    }
}
