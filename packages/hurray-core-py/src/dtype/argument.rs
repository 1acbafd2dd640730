//! What may stand for an element type in a `dtype` argument.

use hurray_core::ElementType;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};

use super::alias::{self, Refusal};
use super::Dtype;
use crate::error::{kind, InvalidDescriptorError, UnsupportedError};
use crate::int::shown;

/// The element type of a `dtype` argument.
pub(crate) fn element_type(dtype: &Bound<'_, PyAny>) -> PyResult<ElementType> {
    argument(dtype, "dtype")
}

/// The element type that an argument names: a `Dtype`, a name, or another library's object for a type.
pub(crate) fn argument(given: &Bound<'_, PyAny>, what: &str) -> PyResult<ElementType> {
    if let Ok(dtype) = given.cast::<Dtype>() {
        return Ok(dtype.get().ty);
    }
    if let Ok(name) = given.cast::<PyString>() {
        return by_name(&name.to_string_lossy());
    }
    foreign(given)?.ok_or_else(|| {
        PyTypeError::new_err(format!(
            "{what} is a hurray.Dtype such as hurray.float32 or hurray.dtype.int4, a name, or an object that has a type's name, got type {}: {}",
            kind(given),
            shown(given)
        ))
    })
}

/// What another library's type object means, by its name and its type string.
fn foreign(given: &Bound<'_, PyAny>) -> PyResult<Option<ElementType>> {
    let py = given.py();
    let builtin = |class: Bound<'_, PyType>| given.is(&class);
    if builtin(py.get_type::<PyFloat>()) {
        return Ok(Some(ElementType::Float64));
    }
    if builtin(py.get_type::<PyInt>()) {
        return Ok(Some(ElementType::Int64));
    }
    if builtin(py.get_type::<PyComplex>()) {
        return Ok(Some(ElementType::Complex128));
    }
    if builtin(py.get_type::<PyBool>()) {
        return Ok(Some(ElementType::Bool));
    }
    let attribute = if given.is_instance_of::<PyType>() { intern!(py, "__name__") } else { intern!(py, "name") };
    let text = |name: &Bound<'_, PyString>| given.getattr(name).ok()?.extract::<String>().ok();
    let Some(name) = text(attribute) else { return Ok(None) };
    if text(intern!(py, "str")).is_some_and(|code| code.starts_with('>')) {
        return Err(big_endian(&name));
    }
    // Elsewhere the first has infinities, and the second is whatever the C compiler's long double is.
    if matches!(name.as_str(), "float8_e4m3" | "float128") {
        return Err(UnsupportedError::new_err(format!(
            "{given} of type {} need not be the format's {name}; pass hurray.dtype.{name} if it is",
            kind(given)
        )));
    }
    by_name(&name).map(Some)
}

pub(super) fn by_name(name: &str) -> PyResult<ElementType> {
    let own = named().find(|ty| ty.to_string() == name);
    let aliased = || match alias::of(name) {
        Ok(ty) => Ok(ty),
        Err(Refusal::BigEndian) => Err(big_endian(name)),
        Err(Refusal::Unknown) => {
            let known: Vec<String> = named().map(|ty| ty.to_string()).collect();
            Err(InvalidDescriptorError::new_err(format!(
                "unknown element type {name:?}; the format has {}, and private types by tag",
                known.join(", ")
            )))
        }
    };
    own.map_or_else(aliased, Ok)
}

fn big_endian(name: &str) -> PyErr {
    UnsupportedError::new_err(format!(
        "element type {name:?} is big-endian and the format is little-endian; swap the bytes first"
    ))
}

/// The types with a name, by ascending tag.
fn named() -> impl Iterator<Item = ElementType> {
    (0x01..=0x7F).filter_map(|tag| ElementType::from_tag(tag).ok())
}
