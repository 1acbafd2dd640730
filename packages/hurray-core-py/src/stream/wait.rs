//! Waiting for a peer in short slices, so that Ctrl-C and `close` are noticed between them.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::buffer::interrupted;

/// How long a wait may go unobserved.
pub(super) const SLICE: Duration = Duration::from_millis(40);

/// What ends a wait besides the peer.
#[derive(Clone)]
pub(super) struct Patience {
    /// Set by `close`, from whatever thread.
    pub(super) closing: Arc<AtomicBool>,
    /// The longest wait for a peer that gives or takes nothing.
    pub(super) timeout: Option<Duration>,
}

impl Patience {
    /// Fails when the stream is being closed; the caller knows what to say.
    pub(super) fn open(&self) -> io::Result<()> {
        match self.closing.load(Ordering::Acquire) {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }

    /// Waits until the descriptor is ready.
    pub(super) fn ready(&self, fd: &impl AsFd, flags: PollFlags) -> io::Result<()> {
        let started = Instant::now();
        loop {
            self.open()?;
            let left = self.timeout.map(|timeout| timeout.saturating_sub(started.elapsed()));
            if left == Some(Duration::ZERO) {
                return Err(Errno::TIMEDOUT.into());
            }
            let slice = left.map_or(SLICE, |left| left.min(SLICE));
            let slice = Timespec { tv_sec: 0, tv_nsec: slice.subsec_nanos().into() };
            match poll(&mut [PollFd::new(fd, flags)], Some(&slice)) {
                Ok(0) | Err(Errno::INTR) => interrupted()?,
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits a moment for what cannot be polled.
    pub(super) fn moment(&self) -> io::Result<()> {
        self.open()?;
        std::thread::sleep(SLICE / 4);
        interrupted()
    }
}
