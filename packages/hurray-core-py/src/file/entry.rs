//! Where one tensor lies in a file (format: file.md §5).

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Where one tensor lies in the file; every offset is absolute, in bytes (format: file.md §5).
#[pyclass(frozen, eq, hash, module = "hurray")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    /// The tensor's name.
    #[pyo3(get)]
    pub(crate) name: String,
    /// Where its descriptor starts.
    #[pyo3(get)]
    pub(crate) descriptor_offset: u64,
    /// Length of the descriptor in bytes.
    #[pyo3(get)]
    pub(crate) descriptor_length: u32,
    /// Where its first buffer starts.
    #[pyo3(get)]
    pub(crate) data_offset: u64,
    /// From the start of the first buffer to the end of the last.
    #[pyo3(get)]
    pub(crate) data_length: u64,
    pub(crate) buffer_offsets: Vec<u64>,
}

#[pymethods]
impl Entry {
    /// Where each buffer starts; empty when the descriptor cannot be read.
    #[getter]
    fn buffer_offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.buffer_offsets)
    }

    fn __repr__(&self) -> String {
        format!(
            "Entry(name={:?}, descriptor_offset={}, descriptor_length={}, data_offset={}, data_length={}, \
             buffer_offsets={:?})",
            self.name,
            self.descriptor_offset,
            self.descriptor_length,
            self.data_offset,
            self.data_length,
            self.buffer_offsets
        )
    }
}
