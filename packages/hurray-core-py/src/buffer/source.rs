//! Buffers as what the file writer reads from.

use std::fs::File;
use std::io::{self, Write};

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
        for (step, bytes) in self.bytes().chunks(STEP).enumerate() {
            if step > 0 {
                interrupted()?;
            }
            out.write_all(bytes)?;
            if let Some(map) = self.map() {
                map.give_back(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(())
    }
}

/// Lets Ctrl-C end a long write: the pending exception travels inside the error.
pub(crate) fn interrupted() -> io::Result<()> {
    Python::attach(|py| py.check_signals()).map_err(io::Error::other)
}
