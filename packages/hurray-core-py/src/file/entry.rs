//! Where one tensor lies in a file (format: file.md §5).

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Where one tensor lies in the file; every offset is absolute, in bytes.
#[pyclass(frozen, get_all, module = "hurray")]
pub(crate) struct Entry {
    /// The tensor's name.
    pub(crate) name: String,
    /// Where its descriptor starts.
    pub(crate) descriptor_offset: u64,
    /// Length of the descriptor in bytes.
    pub(crate) descriptor_length: u32,
    /// Where its first buffer starts.
    pub(crate) data_offset: u64,
    /// From the start of the first buffer to the end of the last.
    pub(crate) data_length: u64,
    /// Where each buffer starts; empty when the descriptor cannot be read.
    pub(crate) buffer_offsets: Py<PyTuple>,
}

#[pymethods]
impl Entry {
    fn __repr__(&self) -> String {
        format!(
            "Entry(name={:?}, descriptor_offset={}, descriptor_length={}, data_offset={}, data_length={})",
            self.name, self.descriptor_offset, self.descriptor_length, self.data_offset, self.data_length
        )
    }
}
