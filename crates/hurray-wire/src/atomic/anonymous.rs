//! Files without a name, which vanish with the process (Linux).

use super::target::Target;
use rustix::fs::{linkat, open, AtFlags, Mode, OFlags, CWD};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

/// What a new file may be, before the umask takes its share.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);

/// An unnamed file in the target's directory, or `None` where there is no such thing.
pub(super) fn create(target: &Target) -> io::Result<Option<File>> {
    if !can_link() {
        return Ok(None);
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match open(&target.directory, flags, NEW_FILE) {
        Ok(fd) => Ok(Some(File::from(fd))),
        // Old kernels see a directory to be written; others name what they lack.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Gives the file a hidden name; `None` where the system will not.
pub(super) fn link(file: &File, target: &Target) -> io::Result<Option<PathBuf>> {
    let unnamed = format!("{DESCRIPTORS}/{}", file.as_fd().as_raw_fd());
    loop {
        let name = target.temporary();
        match linkat(CWD, &unnamed, CWD, &name, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => return Ok(Some(name)),
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT | Errno::XDEV | Errno::PERM | Errno::OPNOTSUPP) => return Ok(None),
            Err(e) => return Err(e.into()),
        }
    }
}

const DESCRIPTORS: &str = "/proc/self/fd";

fn can_link() -> bool {
    std::fs::symlink_metadata(DESCRIPTORS).is_ok()
}
