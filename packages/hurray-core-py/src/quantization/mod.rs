//! Quantization schemes (format: quantization.md): what a section says, as value objects.

use hurray_core::QuantizationDescriptor;
use pyo3::prelude::*;

use crate::error::UnsupportedError;

/// The scheme that one of the classes holds; `TypeError` for anything else.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<QuantizationDescriptor> {
    let _ = object;
    Err(UnsupportedError::new_err("bones"))
}

/// The object of a section's scheme, of the class that the constructor accepts.
pub(crate) fn to_python(py: Python<'_>, scheme: &QuantizationDescriptor) -> PyResult<Py<PyAny>> {
    let _ = (py, scheme);
    Err(UnsupportedError::new_err("bones"))
}
