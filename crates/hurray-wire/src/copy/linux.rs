//! `copy_file_range`, as `cp` does it.

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

const PAGE: u64 = 4096;
/// How much is copied inside the system between two looks at what else there is to do.
const STEP: u64 = 16 << 20;
/// How long what else there is may wait.
const PATIENCE: Duration = Duration::from_millis(50);

type Between<'a> = &'a mut dyn FnMut() -> io::Result<()>;

pub(super) fn copy(
    from: &File,
    offset: u64,
    to: BorrowedFd<'_>,
    length: u64,
    between: Between<'_>,
) -> io::Result<bool> {
    let end = offset.checked_add(length).ok_or(ErrorKind::InvalidInput)?;
    between()?;
    // Where pages lie apart, the system copies each one in two halves, which is the slower way.
    if !rustix::fs::seek(to, SeekFrom::Current(0)).is_ok_and(|at| at % PAGE == offset % PAGE) {
        return Ok(false);
    }
    let (mut at, mut looked) = (offset, Instant::now());
    while at < end {
        let step = (end - at).min(STEP) as usize;
        match rustix::fs::copy_file_range(from, Some(&mut at), to, None, step) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) if looked.elapsed() < PATIENCE => {}
            Ok(_) | Err(Errno::INTR) => {
                between()?;
                looked = Instant::now();
            }
            // Another file system, an old kernel, a file opened to append.
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
