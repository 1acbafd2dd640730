//! The bytes of one descriptor, framed by its own length (stream.md §2).

use super::Limits;
use crate::check::prefix;
use crate::format::{DESCRIPTOR_PREFIX, SMALLEST_DESCRIPTOR};
use crate::{Error, Fault, Problem};
use hurray_core::MAGIC;
use std::io::{self, ErrorKind, Read};

/// An input that knows how far it has been read.
pub(super) struct Input<R> {
    from: R,
    pub(super) position: u64,
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(out)?;
        self.position += count as u64;
        Ok(count)
    }
}

/// Descriptor bytes asked for at a time once their number is only a claim.
const STEP: usize = 64 << 10;

impl<R: Read> Input<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, position: 0 }
    }

    pub(super) fn into_inner(self) -> R {
        self.from
    }

    /// A broken rule of the item that begins at `start`.
    pub(super) fn bad(start: u64, fault: Fault) -> Error {
        Problem::new(fault, None, Some(start)).into()
    }

    /// The next descriptor's bytes, into `bytes`; false at a clean end, before the first of them.
    ///
    /// Magic, version and length are looked at as soon as they are there, and no more is asked for
    /// than any descriptor has.
    pub(super) fn frame(&mut self, limits: &Limits, bytes: &mut Vec<u8>) -> Result<bool, Error> {
        let start = self.position;
        bytes.clear();
        let truncated = |needed: usize, bytes: &[u8]| {
            let (needed, available) = (needed as u64, bytes.len() as u64);
            Self::bad(start, Fault::StreamTruncated { what: "a descriptor", needed, available })
        };
        let smallest = SMALLEST_DESCRIPTOR as usize;
        while bytes.len() < smallest {
            if self.more(bytes, smallest)? == 0 {
                return match bytes.len() {
                    0 => Ok(false),
                    _ => Err(truncated(smallest, bytes)),
                };
            }
            begins(bytes, limits).map_err(|fault| Self::bad(start, fault))?;
        }
        let length = prefix(bytes).map_err(|fault| Self::bad(start, fault))? as usize;
        // A length below any descriptor's is for the decoder to refuse, in the bytes that it claims.
        bytes.truncate(length.max(DESCRIPTOR_PREFIX));
        while bytes.len() < length {
            let next = bytes.len().saturating_add(STEP).min(length);
            if self.more(bytes, next)? == 0 {
                return Err(truncated(length, bytes));
            }
        }
        Ok(true)
    }

    /// One successful read, up to `end` bytes in all.
    fn more(&mut self, bytes: &mut Vec<u8>, end: usize) -> Result<usize, Error> {
        let filled = bytes.len();
        bytes.resize(end, 0);
        loop {
            match self.read(&mut bytes[filled..]) {
                Ok(count) => {
                    bytes.truncate(filled + count);
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What can be said of the first bytes, however few there are.
fn begins(bytes: &[u8], limits: &Limits) -> Result<(), Fault> {
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] {
        let mut found = [0; 4];
        found[..common].copy_from_slice(&bytes[..common]);
        return Err(Fault::StreamMagic { found });
    }
    match bytes.len() < DESCRIPTOR_PREFIX {
        true => Ok(()),
        false => within(prefix(bytes)?, limits),
    }
}

/// S-5, as soon as the length is there.
fn within(length: u32, limits: &Limits) -> Result<(), Fault> {
    let limit = limits.descriptor_bytes;
    if u64::from(length) > limit {
        return Err(Fault::StreamDescriptorLimit { length, limit });
    }
    Ok(())
}
