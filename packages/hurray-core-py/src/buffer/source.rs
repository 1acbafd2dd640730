//! Buffers as what the file writer reads from.

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use hurray_wire::Source;
use pyo3::prelude::*;

use super::Buffer;

/// How much is written between two looks at pending signals, and before mapped pages are given back.
const STEP: usize = 8 << 20;

impl Source for Buffer {
    fn len(&self) -> u64 {
        self.len as u64
    }

    fn file_range(&self) -> Option<(&File, u64)> {
        self.map()?.origin(self.start())
    }

    fn pause(&self) -> io::Result<()> {
        interrupted()
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut watch = Watch::default();
        for bytes in self.bytes().chunks(STEP) {
            watch.look()?;
            out.write_all(bytes)?;
            if let Some(map) = self.map() {
                map.give_back(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(())
    }
}

/// How long a signal may wait. Looking takes the GIL, which others then have to do without.
const PATIENCE: Duration = Duration::from_millis(50);

/// Looks at pending signals now and then.
pub(crate) struct Watch(Instant);

impl Default for Watch {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Watch {
    pub(crate) fn look(&mut self) -> io::Result<()> {
        if self.0.elapsed() < PATIENCE {
            return Ok(());
        }
        self.0 = Instant::now();
        interrupted()
    }
}

/// Lets Ctrl-C end a long write: the pending exception travels inside the error.
pub(crate) fn interrupted() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::other)
}
