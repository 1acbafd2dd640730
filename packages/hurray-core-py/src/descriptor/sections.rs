//! The optional sections of a descriptor (format: descriptor.md §6).

use pyo3::prelude::*;

use super::Descriptor;
use crate::{extension, quantization, shard, statistics};

#[pymethods]
impl Descriptor {
    /// The quantization scheme, of the class that the constructor accepts; ``None`` where elements are
    /// stored as they are (requirements: Multi-buffer tensors).
    #[getter]
    fn quantization(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let scheme = quantization::section(py, self.whole()?)?;
        scheme.map(|scheme| quantization::to_python(py, &scheme)).transpose()
    }

    /// Where the tensor lies in a larger one, or ``None``.
    #[getter]
    fn shard(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.whole()?.shard.as_ref().map(|section| shard::to_python(py, section)).transpose()
    }

    /// What the writer found out about the values, or ``None``.
    #[getter]
    fn statistics(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.whole()?.statistics.as_ref().map(|section| statistics::to_python(py, section)).transpose()
    }

    /// How a private element type is stored; ``None`` for the format's own types.
    #[getter]
    fn extension_type(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.whole()?.extension_type.as_ref().map(|section| extension::to_python(py, section)).transpose()
    }
}
