//! Pickle and copy: what crosses to another process, or becomes a second object in this one.
//!
//! Layouts, sections, devices and element types say their constructor's arguments in their own files.

mod described;
mod listed;
mod tensor;

use pyo3::prelude::*;

pub(crate) use described::{_descriptor, _handle, function};
pub(crate) use listed::{_entry, _problem};

/// What makes an object again, and its arguments.
pub(crate) type Reduced<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;
