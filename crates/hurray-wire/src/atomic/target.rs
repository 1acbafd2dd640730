//! The file that is to be replaced: where it really is, and what must stay of it.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Links in a row before they count as a loop, as in the kernel.
const MAX_LINKS: usize = 40;
/// Bytes of the target's name that a temporary name repeats; the rest of 255 is for its own parts.
const NAME_PART: usize = 200;

/// A path that may be written.
#[derive(Debug)]
pub(super) struct Target {
    /// Absolute, so that a change of directory in between does no harm.
    pub path: PathBuf,
    pub directory: PathBuf,
    name: OsString,
    /// What is there now.
    pub existing: Option<Metadata>,
}

impl Target {
    /// Follows symbolic links to the file itself. Refuses what is no regular file.
    pub(super) fn resolve(path: &Path) -> io::Result<Self> {
        let mut path = std::path::absolute(path)?;
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(ErrorKind::IsADirectory.into());
        }
        let mut existing = look(&path)?;
        let mut links = 0;
        while existing.as_ref().is_some_and(Metadata::is_symlink) {
            links += 1;
            if links > MAX_LINKS {
                return Err(too_many_links());
            }
            let link = fs::read_link(&path)?;
            path = path.parent().unwrap_or(Path::new("/")).join(link);
            existing = look(&path)?;
        }
        if let Some(found) = &existing {
            regular(found)?;
        }
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ErrorKind::IsADirectory.into());
        };
        Ok(Self { directory: directory.to_owned(), name: name.to_owned(), existing, path })
    }

    /// A hidden name beside the target that nobody has; `None` in the unlikely case that it exists.
    pub(super) fn temporary(&self) -> PathBuf {
        let name = self.name.to_string_lossy();
        let mut cut = name.len().min(NAME_PART);
        while !name.is_char_boundary(cut) {
            cut -= 1;
        }
        let random = super::random();
        self.directory.join(format!(".{}.{random:016x}.tmp", &name[..cut]))
    }
}

fn look(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

fn regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let message = "not a regular file: a FIFO, socket or device cannot be replaced";
    Err(io::Error::new(ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
fn too_many_links() -> io::Error {
    rustix::io::Errno::LOOP.into()
}

#[cfg(not(unix))]
fn too_many_links() -> io::Error {
    ErrorKind::InvalidInput.into()
}
