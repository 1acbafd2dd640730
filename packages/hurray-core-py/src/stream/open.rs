//! Paths and open files as channels.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use pyo3::prelude::*;
use rustix::fs::{fstat, open, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::channel::{Channel, Way};
use super::wait::Patience;
use crate::buffer::Buffer;
use crate::error::{self, FileName};
use crate::exchange::fd::duplicate;

/// What a caller named, told apart by `hurray._transports`.
pub(super) enum Opened {
    Channel(Channel),
    Memory(Buffer),
}

/// The seconds of a Python timeout; zero and `None` wait as long as it takes.
fn seconds(timeout: Option<f64>) -> Option<Duration> {
    timeout.filter(|&seconds| seconds > 0.0).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// A channel, or the memory, that an argument names.
pub(super) fn opened(
    argument: &Bound<'_, PyAny>,
    way: Way,
    mut patience: Patience,
) -> PyResult<(Opened, FileName, Vec<u8>)> {
    let py = argument.py();
    let function = if way == Way::In { "source" } else { "destination" };
    type Told<'py> = (String, Bound<'py, PyAny>, Option<Py<PyAny>>, Option<f64>, Vec<u8>);
    let told: Told<'_> = py.import("hurray._transports")?.call_method1(function, (argument,))?.extract()?;
    let (kind, target, name, timeout, ahead) = told;
    patience.timeout = seconds(timeout);
    let channel = match kind.as_str() {
        "path" => {
            let path: Vec<u8> = target.extract()?;
            py.detach(|| by_path(Path::new(OsStr::from_bytes(&path)), way, patience))
        }
        "descriptor" => duplicate(target.extract()?).and_then(|fd| Channel::new(fd, way, patience, false)),
        _ => return Ok((Opened::Memory(crate::buffer::contiguous(&target)?), name, ahead)),
    };
    let channel = channel.map_err(|failed| error::os(py, failed, &name))?;
    Ok((Opened::Channel(channel), name, ahead))
}

fn by_path(path: &Path, way: Way, patience: Patience) -> io::Result<Channel> {
    let fd = match way {
        Way::In => open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?,
        Way::Out => created(path, &patience)?,
    };
    let early = way == Way::In && FileType::from_raw_mode(fstat(&fd)?.st_mode) == FileType::Fifo;
    Channel::new(fd, way, patience, early)
}

/// Opens for writing; a named pipe waits for its reader, as a plain open does, but can be interrupted.
fn created(path: &Path, patience: &Patience) -> io::Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NONBLOCK | OFlags::CLOEXEC;
    loop {
        match open(path, flags, Mode::from_bits_truncate(0o666)) {
            Err(Errno::NXIO) => patience.moment()?,
            Err(Errno::INTR) => crate::buffer::interrupted()?,
            opened => return Ok(opened?),
        }
    }
}
