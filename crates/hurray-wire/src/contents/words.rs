//! A buffer as a sequence of numbers, read in pieces.

use crate::read_at::ReadAt;
use std::io;

/// Bytes read at a time.
const PIECE: usize = 1 << 16;

/// Little-endian integers of one width, one after the other.
pub(super) struct Words<'a> {
    source: &'a dyn ReadAt,
    next: u64,
    end: u64,
    width: usize,
    piece: Vec<u8>,
    at: usize,
}

impl<'a> Words<'a> {
    /// `count` numbers of `width` bytes (1, 2, 4 or 8) from byte `start` on. What the source lacks
    /// shows as `UnexpectedEof`; sizes were checked before.
    pub(super) fn new(source: &'a dyn ReadAt, start: u64, count: u64, width: u64) -> Self {
        Self {
            source,
            next: start,
            end: start.saturating_add(count.saturating_mul(width)),
            width: width as usize,
            piece: Vec::new(),
            at: 0,
        }
    }

    /// u64 numbers from the beginning.
    pub(super) fn indices(source: &'a dyn ReadAt, count: u64) -> Self {
        Self::new(source, 0, count, crate::check::INDEX_BYTES)
    }

    /// The next number; `None` behind the last.
    pub(super) fn next(&mut self) -> io::Result<Option<u64>> {
        if self.at == self.piece.len() && !self.refill()? {
            return Ok(None);
        }
        let mut bytes = [0; 8];
        let raw = &self.piece[self.at..self.at + self.width];
        bytes[..self.width].copy_from_slice(raw);
        self.at += self.width;
        Ok(Some(u64::from_le_bytes(bytes)))
    }

    /// The next number, which the count says is there.
    pub(super) fn take(&mut self) -> io::Result<u64> {
        self.next()?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn refill(&mut self) -> io::Result<bool> {
        let size = (self.end - self.next).min(PIECE as u64);
        self.piece.resize(size as usize, 0);
        self.at = 0;
        self.source.read_exact_at(&mut self.piece, self.next)?;
        self.next += size;
        Ok(size > 0)
    }
}
