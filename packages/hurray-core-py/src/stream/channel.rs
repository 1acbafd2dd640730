//! A descriptor of our own that never blocks for long, whatever mode its owner left it in.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use rustix::event::PollFlags;
use rustix::fs::{fcntl_getfl, fstat, FileType, OFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use super::wait::Patience;
use crate::buffer::{interrupted, Watch};

/// What a blocking pipe or device takes at once when it is ready at all (PIPE_BUF).
const ATOMIC: usize = 4096;
/// Bytes of a regular file between two looks at pending signals.
const STEP: usize = 8 << 20;

pub(super) struct Channel {
    fd: OwnedFd,
    kind: Kind,
    patience: Patience,
    watch: Watch,
    /// A named pipe that may have no writer yet, which reads as its end would.
    early: bool,
}

enum Kind {
    Regular,
    Socket,
    /// A pipe or device in non-blocking mode.
    Prompt,
    /// A pipe or device that blocks: asked first, and given little at a time.
    Slow,
}

/// Which way the bytes go.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    In,
    Out,
}

impl Channel {
    /// A channel over a descriptor that is ours to close.
    pub(super) fn new(fd: OwnedFd, way: Way, patience: Patience, early: bool) -> io::Result<Self> {
        let kind = FileType::from_raw_mode(fstat(&fd)?.st_mode);
        let flags = fcntl_getfl(&fd)?;
        allowed(flags, way)?;
        let (fd, kind) = match kind {
            FileType::Directory => return Err(Errno::ISDIR.into()),
            FileType::RegularFile => (fd, Kind::Regular),
            FileType::Socket => (fd, Kind::Socket),
            _ if flags.contains(OFlags::NONBLOCK) => (fd, Kind::Prompt),
            FileType::Fifo => prompt(fd, way),
            _ => (fd, Kind::Slow),
        };
        Ok(Self { fd, kind, patience, watch: Watch::default(), early })
    }

    /// One attempt, `WouldBlock` where there is nothing to take.
    fn attempt(&self, out: &mut [u8]) -> Result<usize, Errno> {
        match self.kind {
            Kind::Socket => rustix::net::recv(&self.fd, out, RecvFlags::DONTWAIT).map(|(count, _)| count),
            _ => rustix::io::read(&self.fd, out),
        }
    }

    fn offer(&self, bytes: &[u8]) -> Result<usize, Errno> {
        match self.kind {
            Kind::Socket => rustix::net::send(&self.fd, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL),
            Kind::Slow => rustix::io::write(&self.fd, &bytes[..bytes.len().min(ATOMIC)]),
            _ => rustix::io::write(&self.fd, &bytes[..bytes.len().min(STEP)]),
        }
    }

    /// Repeats `attempt` until it gets somewhere.
    fn until<T>(&mut self, flags: PollFlags, mut attempt: impl FnMut(&Self) -> Result<T, Errno>) -> io::Result<T> {
        self.patience.open()?;
        self.watch.look()?;
        if matches!(self.kind, Kind::Slow) || std::mem::take(&mut self.early) {
            self.patience.ready(&self.fd, flags)?;
        }
        loop {
            match attempt(self) {
                Ok(value) => return Ok(value),
                Err(Errno::INTR) => interrupted()?,
                Err(Errno::AGAIN) => self.patience.ready(&self.fd, flags)?,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// A descriptor that is open the wrong way round says so now, not at the first tensor.
fn allowed(flags: OFlags, way: Way) -> io::Result<()> {
    let mode = flags & OFlags::RWMODE;
    let wrong = match way {
        Way::In => mode == OFlags::WRONLY,
        Way::Out => mode == OFlags::RDONLY,
    };
    if wrong {
        return Err(Errno::BADF.into());
    }
    Ok(())
}

/// The same pipe opened once more, non-blocking for us alone; the caller's own mode is shared by others.
fn prompt(fd: OwnedFd, way: Way) -> (OwnedFd, Kind) {
    use std::os::fd::AsRawFd;
    let access = if way == Way::In { OFlags::RDONLY } else { OFlags::WRONLY };
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    match rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, rustix::fs::Mode::empty()) {
        Ok(own) => (own, Kind::Prompt),
        // No such folder on this system, or the other end is gone: the first transfer will tell.
        Err(_) => (fd, Kind::Slow),
    }
}

impl Read for Channel {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let step = out.len().min(STEP);
        self.until(PollFlags::IN, |channel| channel.attempt(&mut out[..step]))
    }
}

impl Write for Channel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until(PollFlags::OUT, |channel| channel.offer(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
