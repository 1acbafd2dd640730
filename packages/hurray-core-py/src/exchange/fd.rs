//! File descriptors that Python hands over as numbers.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

/// A descriptor of our own for the same open file, so that closing ours leaves the caller's open.
pub(crate) fn duplicate(number: i32) -> io::Result<OwnedFd> {
    if number < 0 {
        return Err(Errno::BADF.into());
    }
    // SAFETY: borrowed for this one call, which fails with EBADF when the number is not open; -1,
    // the one number that is forbidden here, was refused above.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    Ok(rustix::io::fcntl_dupfd_cloexec(borrowed, 0)?)
}

/// Writes all of `bytes` at the descriptor's position.
pub(crate) fn write_fd(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(fd.as_fd(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                // A signal that arrives in the middle of a write shows as a short one.
                if !bytes.is_empty() {
                    crate::buffer::interrupted()?;
                }
            }
            Err(Errno::INTR) => crate::buffer::interrupted()?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
