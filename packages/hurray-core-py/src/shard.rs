//! Shard (format: descriptor.md).

use hurray_core::ShardDescriptor as Section;
use pyo3::prelude::*;

use crate::error::UnsupportedError;

/// The section that a `Shard` holds; `TypeError` for anything else.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Section> {
    let _ = object;
    Err(UnsupportedError::new_err("bones"))
}

/// The object of a section.
pub(crate) fn to_python(py: Python<'_>, section: &Section) -> PyResult<Py<PyAny>> {
    let _ = (py, section);
    Err(UnsupportedError::new_err("bones"))
}
