//! From one file into another inside the system, as `cp` does it.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;

/// How much is copied between two looks at what else there is to do.
#[cfg(target_os = "linux")]
const STEP: u64 = 16 << 20;

/// Copies `length` bytes of `from`, starting at `offset`, to the position of `to`; false, with
/// nothing copied, where the system cannot do so between these two.
///
/// # Errors
/// The system's own, that of `between`, and `UnexpectedEof` if `from` ends before.
#[cfg(target_os = "linux")]
pub fn copy_range(
    from: &File,
    offset: u64,
    to: impl AsFd,
    length: u64,
    between: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<bool> {
    use rustix::io::Errno;
    let (mut at, end) = (offset, offset.checked_add(length).ok_or(io::ErrorKind::InvalidInput)?);
    while at < end {
        let step = (end - at).min(STEP) as usize;
        match rustix::fs::copy_file_range(from, Some(&mut at), &to, None, step) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => between()?,
            Err(Errno::INTR) => between()?,
            // Other file systems, old kernels, files opened to append: the plain way works there.
            Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::BADF | Errno::PERM)
                if at == offset =>
            {
                return Ok(false)
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Elsewhere there is no such way.
#[cfg(not(target_os = "linux"))]
pub fn copy_range<T>(_: &File, _: u64, _: T, _: u64, _: &mut dyn FnMut() -> io::Result<()>) -> io::Result<bool> {
    Ok(false)
}
