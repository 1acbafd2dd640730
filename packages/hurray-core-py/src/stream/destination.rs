//! Where a writer hands bytes over.

use std::io::{self, Write};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::channel::Channel;

/// How much is copied into memory while other threads have to wait.
const PIECE: usize = 1 << 20;

pub(super) enum Destination {
    Channel(Channel),
    /// An `io.BytesIO`: it grows in place, and `getvalue()` of it shares its memory.
    Memory(Py<PyAny>),
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Channel(channel) => channel.write(bytes),
            Self::Memory(memory) => {
                let piece = &bytes[..bytes.len().min(PIECE)];
                let appended = Python::attach(|py| {
                    let bytes = PyBytes::new(py, piece);
                    memory.bind(py).call_method1(pyo3::intern!(py, "write"), (bytes,)).map(|_| ())
                });
                appended.map_err(io::Error::other)?;
                Ok(piece.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
