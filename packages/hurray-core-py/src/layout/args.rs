//! Arguments of the layout classes: which one, what it is, and what would be right.

use std::fmt::Display;

use hurray_core::MAX_RANK;
use pyo3::exceptions::{PyAttributeError, PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;

pub(super) use crate::argument::shown as kind;
use crate::buffer;
use crate::error::{InternalError, InvalidDescriptorError};
use crate::int::shown;

/// A width that an integer has on the wire.
pub(super) trait Wire: Sized {
    const RANGE: &'static str;
    fn read(number: &Bound<'_, PyAny>) -> Option<Self>;
}

macro_rules! wire {
    ($($kind:ty: $range:literal),*) => { $(
        impl Wire for $kind {
            const RANGE: &'static str = $range;
            fn read(number: &Bound<'_, PyAny>) -> Option<Self> {
                number.extract().ok()
            }
        }
    )* };
}

wire!(u8: "0 to 255", u32: "0 to 2^32 - 1", u64: "0 to 2^64 - 1", i64: "-2^63 to 2^63 - 1");

/// An int that its field can hold; anything with `__index__` is one.
pub(super) fn int<T: Wire>(given: &Bound<'_, PyAny>, what: impl Display) -> PyResult<T> {
    let py = given.py();
    let number = given.call_method0(intern!(py, "__index__")).map_err(|error| {
        // What an object's own code raises, an interrupt among it, is not for us to rename.
        if !error.is_instance_of::<PyAttributeError>(py) && !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        PyTypeError::new_err(format!("{what} is an int from {}, got {}", T::RANGE, kind(given)))
    })?;
    T::read(&number)
        .ok_or_else(|| PyOverflowError::new_err(format!("{what} is {}; it holds {}", shown(&number), T::RANGE)))
}

/// One int per dimension.
pub(super) fn ints<T: Wire>(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<T>> {
    let items = given.try_iter().map_err(|_| {
        PyTypeError::new_err(format!("{what} is a sequence of int, one per dimension, got {}", kind(given)))
    })?;
    let mut out = Vec::new();
    for (index, item) in items.enumerate() {
        // Bounded here, since an iterator may have no end.
        if index >= MAX_RANK {
            let text = format!("{what} has more values than the format has dimensions, {MAX_RANK}");
            return Err(refused(given.py(), "D-13", text));
        }
        out.push(int(&item?, format_args!("{what}[{index}]"))?);
    }
    Ok(out)
}

/// A string that stands for one of a few values, as given or by default.
pub(super) enum Word<'py> {
    Default(&'static str),
    Given(Bound<'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Word<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Given(given.to_owned()))
    }
}

impl Word<'_> {
    pub(super) fn one_of<T: Copy>(&self, what: &str, all: &[(&'static str, T)]) -> PyResult<T> {
        match self {
            Self::Given(given) => one_of(given, what, all),
            Self::Default(name) => all
                .iter()
                .find(|(known, _)| known == name)
                .map(|&(_, value)| value)
                .ok_or_else(|| InternalError::new_err(format!("{what} has no value {name:?}"))),
        }
    }
}

/// One of a closed list of lowercase strings.
pub(super) fn one_of<T: Copy>(given: &Bound<'_, PyAny>, what: &str, all: &[(&'static str, T)]) -> PyResult<T> {
    let listed = || all.iter().map(|(name, _)| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let name: String = given
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("{what} is one of the strings {}, got {}", listed(), kind(given))))?;
    let found = all.iter().find(|(known, _)| *known == name);
    found
        .map(|&(_, value)| value)
        .ok_or_else(|| InvalidDescriptorError::new_err(format!("{what} is '{name}'; it is one of {}", listed())))
}

/// The string of a value out of such a list.
pub(super) fn name_of<T: Copy + PartialEq>(value: T, all: &[(&'static str, T)]) -> Option<&'static str> {
    all.iter().find(|(_, known)| *known == value).map(|(name, _)| *name)
}

/// Bytes out of anything that exports them, or out of a sequence of ints; none for `None`.
pub(super) fn bytes(given: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Vec<u8>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let bytes = match buffer::contiguous(given) {
        Ok(exported) => exported.bytes().to_vec(),
        Err(_) => given.extract::<Vec<u8>>().map_err(|_| {
            PyTypeError::new_err(format!(
                "{what} is bytes, another contiguous buffer, or ints from 0 to 255, got {}",
                kind(given)
            ))
        })?,
    };
    // The whole descriptor counts its bytes in 32 bits.
    match u32::try_from(bytes.len()) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(PyOverflowError::new_err(format!(
            "{what} has {} bytes; a descriptor as a whole has at most 2^32 - 1",
            bytes.len()
        ))),
    }
}

/// A broken rule that an argument states, with the rule's code.
pub(super) fn refused(py: Python<'_>, code: &str, text: impl Display) -> PyErr {
    let error = InvalidDescriptorError::new_err(text.to_string());
    // Setting an attribute of a fresh exception of our own cannot fail in a way worth hiding it for.
    let _ = error.value(py).setattr("code", code);
    error
}

/// A tuple as Python writes it.
pub(super) fn tuple<T: Display>(values: &[T]) -> String {
    let items: Vec<String> = values.iter().map(ToString::to_string).collect();
    let comma = if items.len() == 1 { "," } else { "" };
    format!("({}{comma})", items.join(", "))
}

/// A bool as Python writes it.
pub(super) fn boolean(value: bool) -> &'static str {
    if value {
        "True"
    } else {
        "False"
    }
}
