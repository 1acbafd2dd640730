//! The 40-byte trailer and the sections it places (file.md §6).

use super::header::Header;
use crate::bytes::{bytes4, u32_at, u64_at};
use crate::format::{FLAG_HAS_KV, FLAG_INDEX_CRC, HEADER_LEN, INDEX_FIXED, PART_ALIGNMENT, TRAILER_MAGIC};
use crate::sink::Sink;
use crate::{Error, Fault};
use std::ops::Range;

/// What the trailer says, its bounds checked.
#[derive(Debug, Clone)]
pub(crate) struct Trailer {
    pub index: Range<u64>,
    /// Empty at 0 when there is none.
    pub kv: Range<u64>,
    pub crc: u32,
}

/// Offsets of the fields.
pub(crate) const INDEX_LENGTH_AT: u64 = 8;
pub(crate) const KV_OFFSET_AT: u64 = 16;
const KV_LENGTH_AT: usize = 24;
pub(crate) const CRC_AT: u64 = 28;
const RESERVED_AT: usize = 32;
const MAGIC_AT: usize = 36;

impl Trailer {
    /// F-9 to F-12, F-14, F-31, F-32; `None` when the index cannot be read. `at` is where the
    /// trailer begins, and so where every section must have ended.
    pub(crate) fn parse(b: &[u8], at: u64, header: &Header, sink: &mut dyn Sink) -> Result<Option<Self>, Error> {
        let found = bytes4(b, MAGIC_AT);
        if found != TRAILER_MAGIC {
            sink.fault(Fault::TrailerMagic { found }, at + MAGIC_AT as u64)?;
            return Ok(None);
        }
        let found = u32_at(b, RESERVED_AT);
        if found != 0 && !header.is_newer() {
            sink.fault(Fault::TrailerReserved { found }, at + RESERVED_AT as u64)?;
        }
        let Some(index) = index(b, at, sink)? else {
            return Ok(None);
        };
        let crc = u32_at(b, CRC_AT as usize);
        if !header.has(FLAG_INDEX_CRC) && crc != 0 {
            sink.fault(Fault::StrayChecksum { stored: crc }, at + CRC_AT)?;
        }
        let kv = kv(b, at, &index, header, sink)?;
        Ok(Some(Self { index, kv, crc }))
    }

    /// Where the last tensor must have ended (F-23).
    pub(crate) fn region_end(&self) -> u64 {
        match self.kv.is_empty() {
            true => self.index.start,
            false => self.index.start.min(self.kv.start),
        }
    }
}

fn index(b: &[u8], at: u64, sink: &mut dyn Sink) -> Result<Option<Range<u64>>, Error> {
    let (offset, length) = (u64_at(b, 0), u64_at(b, INDEX_LENGTH_AT as usize));
    let Some(end) = offset.checked_add(length).filter(|&end| end <= at) else {
        let end = at;
        sink.fault(Fault::IndexBounds { offset, length, end }, at)?;
        return Ok(None);
    };
    let placed = offset >= HEADER_LEN && offset % PART_ALIGNMENT == 0;
    if !placed || length < INDEX_FIXED {
        sink.fault(Fault::IndexPlace { offset, length }, at)?;
    }
    Ok((length >= INDEX_FIXED).then_some(offset..end))
}

fn kv(b: &[u8], at: u64, index: &Range<u64>, header: &Header, sink: &mut dyn Sink) -> Result<Range<u64>, Error> {
    let (offset, length) = (u64_at(b, KV_OFFSET_AT as usize), u32_at(b, KV_LENGTH_AT));
    let flag = header.has(FLAG_HAS_KV);
    let none = offset == 0 && length == 0;
    // The flag may be clear although there is metadata: hurray-io never sets it (file.md §11.1).
    let contradicts = (offset == 0) != (length == 0) || (flag && none);
    if contradicts || offset % PART_ALIGNMENT != 0 {
        let fault = Fault::KvPlace { offset, length, flag };
        sink.fault(fault, at + KV_OFFSET_AT)?;
        return Ok(0..0);
    }
    if none {
        return Ok(0..0);
    }
    let end = offset.checked_add(u64::from(length)).filter(|&e| e <= at);
    match end {
        Some(end) if offset >= HEADER_LEN && (end <= index.start || offset >= index.end) => Ok(offset..end),
        _ => {
            let fault = Fault::KvBounds { offset, length, end: at };
            sink.fault(fault, at + KV_OFFSET_AT)?;
            Ok(0..0)
        }
    }
}
