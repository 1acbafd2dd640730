//! Where bytes are read from.

use std::fs::File;
use std::io;

/// A source of bytes at offsets: a file, a mapping, a slice.
pub trait ReadAt {
    /// Bytes there are.
    ///
    /// # Errors
    /// The transport's own.
    fn size(&self) -> io::Result<u64>;

    /// Fills `buf` from `offset` on, without moving any shared position.
    ///
    /// # Errors
    /// The transport's own; `UnexpectedEof` if the source ends before the buffer is full.
    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()>;

    /// Called now and then during long work on the bytes; an error ends it.
    ///
    /// # Errors
    /// The caller's own, such as an interrupt.
    fn pause(&self) -> io::Result<()> {
        Ok(())
    }
}

impl ReadAt for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let part = start.and_then(|s| self.get(s..s.checked_add(buf.len())?));
        match part {
            Some(part) => buf.copy_from_slice(part),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        (**self).read_exact_at(buf, offset)
    }

    fn pause(&self) -> io::Result<()> {
        (**self).pause()
    }
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buf, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut buf: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buf.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buf, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    buf = &mut buf[n..];
                    offset += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// From here on an allocation may fail for lack of memory.
const LARGE: usize = 1 << 20;

/// `length` bytes at `offset`. The caller has checked that the source has them; memory that
/// cannot be had is an error, not an abort.
pub(crate) fn read_vec<S: ReadAt + ?Sized>(source: &S, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    if length >= LARGE {
        // Asked for first, then taken as fresh zero pages, which cost nothing until they are read into.
        let mut probe = Vec::<u8>::new();
        probe.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    }
    let mut bytes = vec![0; length];
    source.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
