//! From one file into another inside the system.

use std::fs::File;
use std::io;

#[cfg(target_os = "linux")]
mod linux;

/// Copies `length` bytes of `from`, starting at `offset`, to the position of `to`; false, with
/// nothing copied, where plain writes are the better way, as between files whose pages lie apart.
/// `between` is called between steps, and after every interrupted one; its error ends the copy.
///
/// # Errors
/// The system's own, that of `between`, and `UnexpectedEof` if `from` ends before.
#[cfg(target_os = "linux")]
pub fn copy_range(
    from: &File,
    offset: u64,
    to: impl std::os::fd::AsFd,
    length: u64,
    between: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<bool> {
    linux::copy(from, offset, to.as_fd(), length, between)
}

/// Elsewhere there is no such way.
#[cfg(not(target_os = "linux"))]
pub fn copy_range<T>(_: &File, _: u64, _: T, _: u64, _: &mut dyn FnMut() -> io::Result<()>) -> io::Result<bool> {
    Ok(false)
}
