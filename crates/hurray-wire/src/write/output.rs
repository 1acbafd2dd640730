//! What a writer writes to.

use std::fs::File;
use std::io::{self, Write};

/// A forward-only output, which may know a shorter way for bytes that lie in a file.
pub trait Output: Write {
    /// Takes `length` bytes of `file` from `offset` on without bringing them through memory, or
    /// returns false having taken none. `between` is called between steps; its error ends the copy.
    ///
    /// # Errors
    /// The transport's own; `UnexpectedEof` if the file ends before.
    fn copy_from(
        &mut self,
        file: &File,
        offset: u64,
        length: u64,
        between: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<bool> {
        let _ = (file, offset, length, between);
        Ok(false)
    }
}

impl Output for Vec<u8> {}

impl Output for io::Sink {}

impl<W: Output + ?Sized> Output for &mut W {
    fn copy_from(
        &mut self,
        file: &File,
        offset: u64,
        length: u64,
        between: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<bool> {
        (**self).copy_from(file, offset, length, between)
    }
}
