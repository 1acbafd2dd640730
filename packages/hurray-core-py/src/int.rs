//! Integer arguments: refused with the argument's name, the value and what would be right.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::error::kind;
use pyo3::types::PyInt;

/// An integer argument that `low..=high` bounds; a bool counts as 0 or 1, as everywhere in Python.
///
/// `TypeError` for what is no integer, `OverflowError` for one that the format cannot store.
pub(crate) fn within<T: TryFrom<i128> + Into<i128> + Copy>(
    given: &Bound<'_, PyAny>,
    name: &str,
    low: T,
    high: T,
) -> PyResult<T> {
    let (low, high): (i128, i128) = (low.into(), high.into());
    let refused = || PyTypeError::new_err(format!("{name} is an int of {low} to {high}, got {}", kind(given)));
    let number = given.call_method0("__index__").map_err(|_| refused())?;
    let inside = number.extract::<i128>().ok().filter(|number| (low..=high).contains(number));
    let inside = inside.and_then(|number| T::try_from(number).ok());
    inside.ok_or_else(|| {
        let number = shown(&number);
        PyOverflowError::new_err(format!("{name} is {number}; it is an int of {low} to {high}"))
    })
}

/// An argument as Python prints it, for messages.
///
/// Python does not print ints of thousands of digits, and formatting an object that does not print reports that to
/// `sys.unraisablehook`, beside the error that is raised.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    object.str().map_or_else(
        |_| match object.is_instance_of::<PyInt>() {
            true => String::from("too long to print"),
            false => format!("<unprintable {}>", kind(object)),
        },
        |text| text.to_string_lossy().into_owned(),
    )
}
