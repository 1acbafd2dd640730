//! A forward-only output that knows where it is.

use super::{Output, Source};
use crate::atomic::BULK;
use crate::format::up;
use std::io::{self, Write};

/// Zeros to pad with; one data alignment of them at a time.
static ZEROS: [u8; 4096] = [0; 4096];

pub(super) struct Out<W> {
    inner: W,
    position: u64,
}

impl<W: Output> Out<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, position: 0 }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Zeros up to a multiple of the power of two `alignment`.
    pub(super) fn pad(&mut self, alignment: u64) -> io::Result<()> {
        let end = up(self.position, alignment).ok_or(io::ErrorKind::FileTooLarge)?;
        while self.position < end {
            let step = (end - self.position).min(ZEROS.len() as u64);
            self.put(&ZEROS[..step as usize])?;
        }
        Ok(())
    }

    /// A source, held to the length it gave.
    pub(super) fn source(&mut self, source: &dyn Source, length: u64) -> io::Result<()> {
        if self.copied(source, length)? {
            self.position += length;
            return Ok(());
        }
        let mut exact = Exact::new(&mut self.inner, length);
        source.write_to(&mut exact)?;
        exact.finished(length)?;
        self.position += length;
        Ok(())
    }

    /// Whether the bytes went from file to file.
    fn copied(&mut self, source: &dyn Source, length: u64) -> io::Result<bool> {
        match source.file_range().filter(|_| length >= BULK as u64) {
            Some((file, offset)) => self.inner.copy_from(file, offset, length, &mut || source.pause()),
            None => Ok(false),
        }
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.inner.flush()?;
        Ok(self.inner)
    }
}

/// Passes on no more than what was promised.
pub(crate) struct Exact<'a, W: ?Sized> {
    inner: &'a mut W,
    left: u64,
}

impl<'a, W: Write + ?Sized> Exact<'a, W> {
    pub(crate) fn new(inner: &'a mut W, length: u64) -> Self {
        Self { inner, left: length }
    }

    /// Whether all of `length` bytes came.
    pub(crate) fn finished(self, length: u64) -> io::Result<()> {
        match self.left {
            0 => Ok(()),
            left => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("a buffer gave {} of its {length} bytes", length - left),
            )),
        }
    }
}

impl<W: Write + ?Sized> Write for Exact<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            let message = "a buffer gave more bytes than it said";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let written = self.inner.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
