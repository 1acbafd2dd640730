//! What is found in a file: entries of its index, and problems.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::described::function;
use super::Reduced;
use crate::file::{Entry, Problem};

type Fields = (String, u64, u32, u64, u64, Vec<u64>);

/// An index entry of these fields.
#[pyfunction]
pub(crate) fn _entry(
    name: String,
    descriptor_offset: u64,
    descriptor_length: u32,
    data_offset: u64,
    data_length: u64,
    buffer_offsets: Vec<u64>,
) -> Entry {
    Entry { name, descriptor_offset, descriptor_length, data_offset, data_length, buffer_offsets }
}

/// A problem of these fields; its code is one of the format's.
#[pyfunction]
pub(crate) fn _problem(
    code: &str,
    message: String,
    offset: Option<u64>,
    name: Option<String>,
    more: u64,
) -> PyResult<Problem> {
    let known = hurray_wire::ALL_CODES.iter().find(|known| **known == code);
    let code = known.ok_or_else(|| PyValueError::new_err(format!("{code:?} is no code of the format")))?;
    Ok(Problem { code, message, offset, name, more })
}

#[pymethods]
impl Entry {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Fields> {
        let (py, this) = (slf.py(), slf.get());
        let offsets = this.buffer_offsets.clone();
        let fields = (this.name.clone(), this.descriptor_offset, this.descriptor_length, this.data_offset);
        Ok((function(py, "_entry")?, (fields.0, fields.1, fields.2, fields.3, this.data_length, offsets)))
    }
}

/// A problem's fields.
type Listed = (&'static str, String, Option<u64>, Option<String>, u64);

#[pymethods]
impl Problem {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Listed> {
        let (py, this) = (slf.py(), slf.get());
        let fields = (this.code, this.message.clone(), this.offset, this.name.clone(), this.more);
        Ok((function(py, "_problem")?, fields))
    }
}
