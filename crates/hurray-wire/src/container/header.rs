//! The 64-byte header (file.md §2).

use crate::bytes::{bytes8, u32_at, u64_at};
use crate::format::{
    CONTAINER_VERSION, FILE_MAGIC, HEADER_LEN, KNOWN_FLAGS, MAX_DATA_ALIGNMENT, MIN_DATA_ALIGNMENT, PART_ALIGNMENT,
};
use crate::sink::Sink;
use crate::{Error, Fault};

/// What the header says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub version: (u8, u8),
    pub flags: u32,
    pub alignment: u32,
    pub first_descriptor: u64,
}

/// Offsets of the fields.
const MAJOR_AT: usize = 8;
const MINOR_AT: usize = 9;
const RESERVED_AT: usize = 10;
pub(crate) const FLAGS_AT: usize = 12;
pub(crate) const ALIGNMENT_AT: usize = 16;
pub(crate) const FIRST_AT: usize = 20;
pub(crate) const HINT_AT: usize = 28;
const TAIL_AT: usize = 36;

impl Header {
    /// F-1 to F-7; `None` when what follows cannot be read. `end` is where the trailer begins.
    pub(crate) fn parse(b: &[u8], end: u64, sink: &mut dyn Sink) -> Result<Option<Self>, Error> {
        let found = bytes8(b, 0);
        if found != FILE_MAGIC {
            sink.fault(Fault::FileMagic { found }, 0)?;
            return Ok(None);
        }
        let header = Self {
            version: (b[MAJOR_AT], b[MINOR_AT]),
            flags: u32_at(b, FLAGS_AT),
            alignment: u32_at(b, ALIGNMENT_AT),
            first_descriptor: u64_at(b, FIRST_AT),
        };
        let (major, minor) = header.version;
        if major != CONTAINER_VERSION.0 {
            let fault = match major {
                0 => Fault::ContainerTooOld { minor },
                _ => Fault::ContainerTooNew { major, minor },
            };
            sink.fault(fault, MAJOR_AT as u64)?;
            return Ok(None);
        }
        header.fields(end, sink)?;
        header.reserved(b, sink)?;
        Ok(header.usable().then_some(header))
    }

    fn fields(&self, end: u64, sink: &mut dyn Sink) -> Result<(), Error> {
        let (flags, alignment, offset) = (self.flags, self.alignment, self.first_descriptor);
        if flags & !KNOWN_FLAGS != 0 {
            sink.fault(Fault::FileFlags { flags }, FLAGS_AT as u64)?;
        }
        if !self.usable() {
            sink.fault(Fault::DataAlignment { alignment }, ALIGNMENT_AT as u64)?;
        }
        if !(HEADER_LEN..=end).contains(&offset) || offset % PART_ALIGNMENT != 0 {
            sink.fault(Fault::FirstDescriptor { offset, end }, FIRST_AT as u64)?;
        }
        Ok(())
    }

    /// A newer minor may have given these bytes a meaning (versioning.md §4).
    fn reserved(&self, b: &[u8], sink: &mut dyn Sink) -> Result<(), Error> {
        if self.version.1 > CONTAINER_VERSION.1 {
            return Ok(());
        }
        let reserved = (RESERVED_AT..FLAGS_AT).chain(TAIL_AT..HEADER_LEN as usize);
        match reserved.into_iter().find(|&at| b[at] != 0) {
            Some(at) => sink.fault(Fault::HeaderReserved { found: b[at] }, at as u64),
            None => Ok(()),
        }
    }

    /// Nothing can be placed without a sound alignment.
    fn usable(&self) -> bool {
        self.alignment.is_power_of_two() && (MIN_DATA_ALIGNMENT..=MAX_DATA_ALIGNMENT).contains(&self.alignment)
    }

    pub(crate) fn is_newer(&self) -> bool {
        self.version.1 > CONTAINER_VERSION.1
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}
