//! A file that appears whole or not at all (04-tables.md, ruling 4).

#[cfg(target_os = "linux")]
mod anonymous;
mod target;

use crate::copy::copy_range;
use crate::Output;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use target::Target;

/// Small writes gather here before they go out.
const STAGE: usize = 1 << 20;
/// From here on a write goes straight through, uncopied.
pub(crate) const BULK: usize = 1 << 17;

/// A new content for a path. Until [`commit`](Self::commit) a reader of the path sees the old file,
/// after it the new one; without it, or when the process dies, nothing has happened.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// The temporary name, where the file has one.
    named: Option<PathBuf>,
    target: Target,
    staged: Vec<u8>,
    durable: bool,
    /// A write did not go through, so no whole file can come of this one.
    failed: bool,
}

impl AtomicFile {
    /// Begins a new content for `path`. A symbolic link is followed and stays; the new file gets
    /// the mode of the one it replaces, or what the umask leaves of 0666. `durable` makes
    /// [`commit`](Self::commit) wait for the disk.
    ///
    /// # Errors
    /// The system's own; `IsADirectory` and `InvalidInput` for what is no regular file.
    pub fn create(path: &Path, durable: bool) -> io::Result<Self> {
        let target = Target::resolve(path)?;
        let (file, named) = begin(&target)?;
        Ok(Self { file, named, target, staged: Vec::new(), durable, failed: false })
    }

    /// The file itself once more, for who wants to see how it grows. Nothing is to be written to it.
    ///
    /// # Errors
    /// The system's own.
    pub fn watched(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Puts the new content in the old one's place.
    ///
    /// # Errors
    /// The system's own, or that a write failed before; the old file is then as it was, and nothing
    /// lies beside it.
    pub fn commit(mut self) -> io::Result<()> {
        self.flush()?;
        if self.failed {
            return Err(io::Error::other("an earlier write failed"));
        }
        if let Some(existing) = &self.target.existing {
            self.file.set_permissions(existing.permissions())?;
        }
        if self.durable {
            self.file.sync_all()?;
        }
        if self.named.is_none() {
            self.named = Some(self.name()?);
        }
        if let Some(named) = &self.named {
            fs::rename(named, &self.target.path)?;
        }
        // From here on the name is the target's; dropping must leave it alone.
        self.named = None;
        if self.durable {
            sync_directory(&self.target.directory)?;
        }
        Ok(())
    }

    /// A name for the file that has none.
    #[cfg(target_os = "linux")]
    fn name(&mut self) -> io::Result<PathBuf> {
        if let Some(name) = anonymous::link(&self.file, &self.target)? {
            return Ok(name);
        }
        self.move_to_named()
    }

    /// The file cannot be linked after all: its bytes move to one with a name.
    #[cfg(target_os = "linux")]
    fn move_to_named(&mut self) -> io::Result<PathBuf> {
        let (mut file, name) = create_named(&self.target)?;
        self.named = Some(name.clone());
        io::Seek::rewind(&mut self.file)?;
        io::copy(&mut self.file, &mut file)?;
        if let Some(existing) = &self.target.existing {
            file.set_permissions(existing.permissions())?;
        }
        if self.durable {
            file.sync_all()?;
        }
        self.file = file;
        Ok(name)
    }

    #[cfg(not(target_os = "linux"))]
    fn name(&mut self) -> io::Result<PathBuf> {
        Err(ErrorKind::Unsupported.into())
    }

    fn drain(&mut self) -> io::Result<()> {
        let outcome = self.file.write_all(&self.staged);
        self.failed |= outcome.is_err();
        self.staged.clear();
        outcome
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() >= BULK {
            self.drain()?;
            let outcome = self.file.write(bytes);
            self.failed |= matches!(&outcome, Err(e) if e.kind() != ErrorKind::Interrupted);
            return outcome;
        }
        if self.staged.len() + bytes.len() > STAGE {
            self.drain()?;
        }
        if self.staged.capacity() == 0 {
            self.staged.reserve_exact(STAGE);
        }
        self.staged.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drain()
    }
}

impl Output for AtomicFile {
    fn copy_from(
        &mut self,
        file: &File,
        offset: u64,
        length: u64,
        between: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<bool> {
        self.drain()?;
        let outcome = copy_range(file, offset, &self.file, length, between);
        self.failed |= outcome.is_err();
        outcome
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(named) = self.named.take() {
            // Nobody is left to tell, and the target is untouched either way.
            let _ = fs::remove_file(named);
        }
    }
}

fn begin(target: &Target) -> io::Result<(File, Option<PathBuf>)> {
    #[cfg(target_os = "linux")]
    if let Some(file) = anonymous::create(target)? {
        return Ok((file, None));
    }
    let (file, name) = create_named(target)?;
    Ok((file, Some(name)))
}

fn create_named(target: &Target) -> io::Result<(File, PathBuf)> {
    loop {
        let name = target.temporary();
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(file) => return Ok((file, name)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

/// Different in every call and every process.
fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

// Elsewhere a directory cannot be opened; the rename is as durable as the system makes it.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
