//! A range of a source as a source of its own.

use crate::read_at::ReadAt;
use std::io;
use std::ops::Range;

pub(super) struct Part<'a, S: ?Sized> {
    pub source: &'a S,
    pub range: Range<u64>,
}

impl<S: ReadAt + ?Sized> ReadAt for Part<'_, S> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.range.end - self.range.start)
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let start = self.range.start.checked_add(offset);
        let end = start.and_then(|s| s.checked_add(buf.len() as u64));
        match (start, end) {
            (Some(start), Some(end)) if end <= self.range.end => self.source.read_exact_at(buf, start),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn pause(&self) -> io::Result<()> {
        self.source.pause()
    }
}
