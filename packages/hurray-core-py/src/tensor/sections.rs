//! The optional sections of a tensor's descriptor, as the objects that its constructor takes.

use pyo3::prelude::*;

use super::Tensor;
use crate::{extension, quantization, shard, statistics};

/// Each getter returns an object that the constructor accepts again, or `None`
/// (requirements: Multi-buffer tensors; ADR-032 § 4, the round-trip obligation).
#[pymethods]
impl Tensor {
    /// How stored codes map to values, or ``None`` for a tensor that is not quantised.
    #[getter]
    fn quantization(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let scheme = quantization::section(py, &self.descriptor)?;
        scheme.map(|scheme| quantization::to_python(py, &scheme)).transpose()
    }

    /// What the writer found out about the values, or ``None``. Advisory.
    #[getter]
    fn statistics(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.descriptor.statistics.as_ref().map(|section| statistics::to_python(py, section)).transpose()
    }

    /// Where the tensor lies in the one that it is a part of, or ``None``.
    #[getter]
    fn shard(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.descriptor.shard.as_ref().map(|section| shard::to_python(py, section)).transpose()
    }

    /// How the elements of a private type are stored; ``None`` for every other type.
    #[getter]
    fn extension_type(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.descriptor.extension_type.as_ref().map(|section| extension::to_python(py, section)).transpose()
    }

    /// Bytes from the start of buffer 0 to element [0, …, 0].
    #[getter]
    fn byte_offset(&self) -> u64 {
        self.descriptor.byte_offset
    }
}
