//! Real-number arguments: refused with the argument's name, the value and what would be right.

use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::error::kind;
use pyo3::types::{PyFloat, PyString};

/// The float64 nearest to a real number; text is none, a bool counts as 0 or 1.
pub(crate) fn nearest(given: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    let refused = || PyTypeError::new_err(format!("{name} is a real number, got {}", kind(given)));
    if given.is_instance_of::<PyString>() {
        return Err(refused());
    }
    given.extract::<f64>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(given.py()) {
            return PyOverflowError::new_err(format!("{name} is larger than a float64 can be"));
        }
        refused()
    })
}

/// The float64 that is the number: one that would have to be rounded is refused.
pub(crate) fn exact(given: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    let value = nearest(given, name)?;
    if given.is_instance_of::<PyFloat>() || value.is_nan() {
        return Ok(value);
    }
    if given.rich_compare(PyFloat::new(given.py(), value), CompareOp::Eq)?.is_truthy()? {
        return Ok(value);
    }
    Err(crate::error::InvalidDescriptorError::new_err(format!(
        "{name} is {given}, which the float64 that the format stores does not hold exactly; float({name}) rounds it"
    )))
}
