//! What a writer takes bytes from.

use std::fs::File;
use std::io::{self, Write};

/// The bytes of one buffer, whatever holds them.
pub trait Source: Sync {
    /// Bytes there are.
    fn len(&self) -> u64;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file that holds the very bytes, and where, so that they can be copied inside the system.
    fn file_range(&self) -> Option<(&File, u64)> {
        None
    }

    /// Called now and then while a long source is written; an error ends the writing.
    ///
    /// # Errors
    /// The caller's own, such as an interrupt.
    fn pause(&self) -> io::Result<()> {
        Ok(())
    }

    /// Writes exactly [`len`](Self::len) bytes; any other number makes the writer fail.
    ///
    /// # Errors
    /// Those of `out`, and the source's own.
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl Source for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self)
    }
}

impl Source for Vec<u8> {
    fn len(&self) -> u64 {
        Source::len(self.as_slice())
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self)
    }
}

impl<T: Source + ?Sized> Source for &T {
    fn len(&self) -> u64 {
        Source::len(*self)
    }

    fn file_range(&self) -> Option<(&File, u64)> {
        (**self).file_range()
    }

    fn pause(&self) -> io::Result<()> {
        (**self).pause()
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        (**self).write_to(out)
    }
}
