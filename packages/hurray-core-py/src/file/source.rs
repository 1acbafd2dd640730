//! Where a container is read from: a regular file, or bytes in memory.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use hurray_wire::ReadAt;
use pyo3::prelude::*;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::duplicate;
use crate::buffer::{self, Buffer};
use crate::error::{self, FileName};

pub(crate) enum Source {
    File(File),
    Memory(Buffer),
}

/// A source and what the user called it.
pub(crate) struct Named {
    pub(crate) source: Source,
    pub(crate) name: FileName,
}

impl ReadAt for Source {
    fn size(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(buffer) => Ok(buffer.len() as u64),
        }
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Self::File(file) => ReadAt::read_exact_at(file, out, offset),
            Self::Memory(buffer) => buffer.bytes().read_exact_at(out, offset),
        }
    }
}

impl Named {
    /// The source that a `file` argument names.
    pub(crate) fn of(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = file.py();
        let (kind, target, name): (String, Bound<'_, PyAny>, Option<Py<PyAny>>) =
            py.import("hurray._sources")?.call_method1("source", (file,))?.extract()?;
        let source = match kind.as_str() {
            "path" => open(target.extract()?).map(Source::File),
            "descriptor" => Ok(Source::File(File::from(duplicate(py, target.extract()?)?))),
            _ => return Ok(Self { source: Source::Memory(buffer::contiguous(&target)?), name }),
        };
        let regular = source.and_then(|source| match source {
            Source::File(file) => file.metadata().and_then(|metadata| regular(&metadata)).map(|()| Source::File(file)),
            memory @ Source::Memory(_) => Ok(memory),
        });
        match regular {
            Ok(source) => Ok(Self { source, name }),
            Err(failed) => Err(error::os(py, failed, &name)),
        }
    }
}

fn open(path: &[u8]) -> io::Result<File> {
    // A FIFO without a writer would hold a plain open() for ever.
    let flags = OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().read(true).custom_flags(flags).open(Path::new(OsStr::from_bytes(path)))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(io::Error::other(format!("{what}, not a regular file; a file of tensors needs random access")))
}
