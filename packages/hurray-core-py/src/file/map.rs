//! `FileMap`: a foreign file's bytes, read-only, in memory that a writer gives back.

use std::ffi::c_int;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use super::source::{Named, Source};
use crate::buffer::{Buffer, Map};
use crate::error::{self, guarded};
use crate::tensor::Tensor;

/// A read-only mapping of a whole file that exports the buffer protocol (``memoryview(m)``).
///
/// A writer that is handed a slice of it gives the pages back as it passes them, so that a file of
/// any size goes through in little memory. Whoever truncates the file meanwhile takes its pages
/// away: touching one is a bus error (format: file.md §8). Raises ``FileError`` for what is no regular file.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct FileMap {
    buffer: Buffer,
}

#[pymethods]
impl FileMap {
    #[new]
    fn new(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        guarded(|| {
            let py = file.py();
            let Named { source, name } = Named::of(file)?;
            let Source::File(file) = source else {
                return Err(PyTypeError::new_err("a FileMap maps a path, an open file or a descriptor"));
            };
            let map = Map::shared(&file).map_err(|failed| error::os(py, failed, &name))?;
            Ok(Self { buffer: Buffer::mapped(map) })
        })
    }

    fn __len__(&self) -> usize {
        self.buffer.len()
    }

    /// Give the whole pages between two offsets, in bytes, back to the system; a later read brings them again.
    ///
    /// Offsets past the end are the end. Raises ``OverflowError`` for a negative one.
    #[pyo3(signature = (start=0, stop=None))]
    fn discard(&self, start: usize, stop: Option<usize>) {
        let stop = stop.unwrap_or(usize::MAX).min(self.buffer.len());
        if let Some(map) = self.buffer.map().filter(|_| start < stop) {
            map.give_back(self.buffer.start().wrapping_add(start), stop - start);
        }
    }

    #[allow(unsafe_code, reason = "CPython's slot is unsafe; the work is in exchange/")]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        // SAFETY: CPython's own view, not null.
        unsafe { crate::exchange::pybuffer::fill_bytes(slf.as_any(), &slf.get().buffer, view, flags) }
    }
}

/// The same bytes as parts of a map whose pages can be given back, where that is what they are.
pub(crate) fn mapped(object: &Bound<'_, PyAny>, bytes: Buffer) -> Buffer {
    let root = match object.cast::<PyMemoryView>() {
        Ok(view) => view.getattr(intern!(view.py(), "obj")).ok(),
        Err(_) => Some(object.clone()),
    };
    let Some(root) = root else { return bytes };
    let inside = |whole: &Buffer| {
        let offset = (bytes.start() as usize).checked_sub(whole.start() as usize)?;
        (whole.map().is_some() && offset + bytes.len() <= whole.len()).then(|| whole.part(offset, bytes.len()))
    };
    let part = if let Ok(map) = root.cast::<FileMap>() {
        inside(&map.get().buffer)
    } else if let Ok(tensor) = root.cast::<Tensor>() {
        tensor.get().buffers.iter().find_map(inside)
    } else {
        None
    };
    match part {
        // What was handed over to be read only stays so, whatever the map allows.
        Some(part) => part.with_readonly(bytes.readonly()),
        None => bytes,
    }
}
