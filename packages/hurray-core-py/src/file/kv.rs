//! Key-value metadata between Python and the file (04-tables.md §2, KV values).

use hurray_wire::{KvArray, KvValue};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::error;
use crate::int::shown;

type Pairs = Vec<(String, KvValue)>;

fn refused(py: Python<'_>, kind: &str, key: &str, why: &str) -> PyErr {
    error::mixed(
        py,
        kind,
        format!("kv[{key:?}]: {why}; a value is a bool, int, float, str, bytes or a list of one of them"),
    )
}

/// The pairs of any mapping, in its order.
pub(super) fn from_python(kv: Option<&Bound<'_, PyAny>>) -> PyResult<Pairs> {
    let Some(kv) = kv else { return Ok(Vec::new()) };
    let py = kv.py();
    let items = kv.call_method0("items").map_err(|_| {
        let kind = kv.get_type();
        PyTypeError::new_err(format!("kv is a mapping of str keys to values, got {kind}"))
    })?;
    let mut pairs = Vec::new();
    for item in items.try_iter()? {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let Ok(key) = key.cast::<PyString>() else {
            let kind = key.get_type().name()?;
            let key = shown(&key);
            return Err(error::mixed(py, "TypeError", format!("kv key of type {kind} is {key}; keys are str")));
        };
        let key = text(key).map_err(|why| refused(py, "ValueError", &key.to_string_lossy(), &why))?;
        let value = parsed(&key, &value)?;
        pairs.push((key, value));
    }
    Ok(pairs)
}

fn text(string: &Bound<'_, PyString>) -> Result<String, String> {
    string.to_str().map(str::to_owned).map_err(|_| String::from("it has a lone surrogate, which UTF-8 cannot hold"))
}

fn parsed(key: &str, value: &Bound<'_, PyAny>) -> PyResult<KvValue> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(KvValue::Array(array(key, list)?));
    }
    // bool first: it is a subclass of int.
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(KvValue::Bool(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract::<i64>();
        return number
            .map(KvValue::Int64)
            .map_err(|_| refused(py, "OverflowError", key, "the int is outside int64, -2^63 to 2^63 - 1"));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(KvValue::Float64(number.value()));
    }
    if let Ok(string) = value.cast::<PyString>() {
        return text(string).map(KvValue::String).map_err(|why| refused(py, "ValueError", key, &why));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(KvValue::Bytes(bytes.as_bytes().to_vec()));
    }
    let kind = value.get_type().name()?;
    Err(refused(py, "TypeError", key, &format!("a {kind} cannot be stored")))
}

/// A list of one scalar kind; an empty one is an array of zero strings (ruling 16).
fn array(key: &str, list: &Bound<'_, PyList>) -> PyResult<KvArray> {
    let py = list.py();
    if list.iter().any(|value| value.is_instance_of::<PyList>()) {
        return Err(refused(py, "TypeError", key, "lists do not nest"));
    }
    let values = list.iter().map(|value| parsed(key, &value)).collect::<PyResult<Vec<_>>>()?;
    let mixed = || refused(py, "TypeError", key, "the list mixes kinds of value");
    macro_rules! all {
        ($kind:ident, $array:ident) => {
            values
                .into_iter()
                .map(|value| if let KvValue::$kind(value) = value { Ok(value) } else { Err(mixed()) })
                .collect::<PyResult<Vec<_>>>()
                .map(KvArray::$array)
        };
    }
    match values.first() {
        None => Ok(KvArray::String(Vec::new())),
        Some(KvValue::String(_)) => all!(String, String),
        Some(KvValue::Int64(_)) => all!(Int64, Int64),
        Some(KvValue::Float64(_)) => all!(Float64, Float64),
        Some(KvValue::Bool(_)) => all!(Bool, Bool),
        Some(KvValue::Bytes(_)) => all!(Bytes, Bytes),
        Some(_) => Err(mixed()),
    }
}

/// The dict of a file's metadata, in the file's order.
pub(super) fn to_python<'py>(py: Python<'py>, kv: &[(String, KvValue)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in kv {
        dict.set_item(key, one(py, value)?)?;
    }
    Ok(dict)
}

fn one<'py>(py: Python<'py>, value: &KvValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        KvValue::String(value) => PyString::new(py, value).into_any(),
        KvValue::Int64(value) => value.into_pyobject(py)?.into_any(),
        KvValue::Uint64(value) => value.into_pyobject(py)?.into_any(),
        KvValue::Float64(value) => PyFloat::new(py, *value).into_any(),
        KvValue::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        KvValue::Bytes(value) => PyBytes::new(py, value).into_any(),
        KvValue::Array(array) => many(py, array)?.into_any(),
    })
}

fn many<'py>(py: Python<'py>, array: &KvArray) -> PyResult<Bound<'py, PyList>> {
    match array {
        KvArray::String(values) => PyList::new(py, values),
        KvArray::Int64(values) => PyList::new(py, values),
        KvArray::Uint64(values) => PyList::new(py, values),
        KvArray::Float64(values) => PyList::new(py, values),
        KvArray::Bool(values) => PyList::new(py, values),
        KvArray::Bytes(values) => PyList::new(py, values.iter().map(|value| PyBytes::new(py, value))),
    }
}
