//! Flags and words as arguments: refused with the argument's name, what was given and what would be right.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::kind;

/// A bool and nothing that merely counts as one.
pub(crate) fn flag(given: &Bound<'_, PyAny>, what: &str) -> PyResult<bool> {
    given.extract().map_err(|_| PyTypeError::new_err(format!("{what} is a bool, got {}", shown(given))))
}

/// A string.
pub(crate) fn word(given: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    given.extract().map_err(|_| PyTypeError::new_err(format!("{what} is a string, got {}", shown(given))))
}

/// Whether memory is copied: `None` shares what can be shared (04-tables.md §2, copy on ingest).
pub(crate) fn copy(given: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    if given.is_none() {
        return Ok(None);
    }
    let refused = || PyTypeError::new_err(format!("copy is None, True or False, got {}", shown(given)));
    given.extract().map(Some).map_err(|_| refused())
}

/// A `check` that the writer's own stands in for.
pub(crate) fn check_or_none(given: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    if given.is_none() {
        return Ok(None);
    }
    flag(given, "check").map(Some)
}

macro_rules! by_name {
    ($reader:ident -> $kind:ty: $($name:ident),*) => { $(
        pub(crate) fn $name(given: &Bound<'_, PyAny>) -> PyResult<$kind> {
            $reader(given, stringify!($name))
        }
    )* };
}

by_name!(flag -> bool: check, cross_machine, durable, endpoint, has_inf, has_nan, is_float, is_signed, permissive, writable);
by_name!(word -> String: io, name);

/// The type of an argument, for messages.
pub(crate) fn shown(given: &Bound<'_, PyAny>) -> String {
    match given.is_none() {
        true => String::from("None"),
        false => kind(given),
    }
}
