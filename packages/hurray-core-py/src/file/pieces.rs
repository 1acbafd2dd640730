//! A tensor whose bytes a Python iterable makes piece by piece.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use hurray_wire::Source;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::mapped;
use crate::buffer;

pub(crate) struct Pieces {
    iterator: Mutex<Py<PyIterator>>,
    len: u64,
}

impl Pieces {
    pub(crate) fn new(pieces: &Bound<'_, PyAny>, len: u64) -> PyResult<Self> {
        Ok(Self { iterator: Mutex::new(pieces.try_iter()?.unbind()), len })
    }

    fn next(&self) -> PyResult<Option<buffer::Buffer>> {
        Python::attach(|py| {
            py.check_signals()?;
            let iterator = self.iterator.lock().unwrap_or_else(PoisonError::into_inner).clone_ref(py);
            let piece = iterator.into_bound(py).next().transpose()?;
            piece.map(|piece| Ok(mapped(&piece, buffer::contiguous(&piece)?))).transpose()
        })
    }
}

impl Source for Pieces {
    fn len(&self) -> u64 {
        self.len
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut written = 0;
        while let Some(piece) = self.next().map_err(io::Error::other)? {
            written += piece.len() as u64;
            if written > self.len {
                break;
            }
            piece.write_to(out)?;
        }
        if written == self.len {
            return Ok(());
        }
        let text = format!("the pieces hold {written} bytes or more and the tensor takes {}", self.len);
        Err(io::Error::other(PyValueError::new_err(text)))
    }
}
