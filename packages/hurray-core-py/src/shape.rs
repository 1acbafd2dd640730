//! Shapes: `None` in Python, all ones on the wire, for a dynamic dimension.

use hurray_core::{Shape, DYNAMIC};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};

use crate::error::{kind, InvalidDescriptorError};
use crate::int::shown;

/// A shape from any sequence of `int | None`.
pub(crate) fn from_python(shape: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let items = shape
        .try_iter()
        .map_err(|_| PyTypeError::new_err(format!("shape is a sequence of int or None, got {}", kind(shape))))?;
    let mut dims = Vec::new();
    for (index, item) in items.enumerate() {
        // Bounded here, since an iterator may have no end.
        if index >= hurray_core::MAX_RANK {
            return Err(InvalidDescriptorError::new_err(format!(
                "shape has more than {} dimensions, the format's limit (D-13)",
                hurray_core::MAX_RANK
            )));
        }
        dims.push(dimension(&item?, index)?);
    }
    Shape::new(dims).map_err(|error| InvalidDescriptorError::new_err(error.to_string()))
}

fn dimension(item: &Bound<'_, PyAny>, index: usize) -> PyResult<u64> {
    if item.is_none() {
        return Ok(DYNAMIC);
    }
    // What nearly every shape holds needs no method looked up by its name.
    if let Some(dim) = item.cast_exact::<PyInt>().ok().and_then(|int| int.extract::<u64>().ok()) {
        if dim != DYNAMIC {
            return Ok(dim);
        }
    }
    let number = item.call_method0(intern!(item.py(), "__index__")).map_err(|_| {
        PyTypeError::new_err(format!("shape[{index}] is an int, or None for a dynamic dimension; got {}", kind(item)))
    })?;
    let refused = || {
        let item = shown(&number);
        let text = format!("shape[{index}] is {item}; a dimension is 0 to 2^64 - 2, or None for a dynamic one");
        InvalidDescriptorError::new_err(text)
    };
    number.extract::<u64>().ok().filter(|&dim| dim != DYNAMIC).ok_or_else(refused)
}

/// The tuple that Python sees.
pub(crate) fn to_python<'py>(py: Python<'py>, shape: &Shape) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, shape.dims().iter().map(|&dim| (dim != DYNAMIC).then_some(dim)))
}

/// The number of elements, `None` while a dimension is dynamic.
pub(crate) fn size<'py>(py: Python<'py>, shape: &Shape) -> PyResult<Option<Bound<'py, PyInt>>> {
    if shape.is_empty_tensor() && !shape.has_dynamic() {
        return Ok(Some(0u8.into_pyobject(py)?));
    }
    if shape.has_dynamic() {
        return Ok(None);
    }
    // 64 dimensions of 64 bits do not fit a machine word; Python's own integers do.
    let one = 1u8.into_pyobject(py)?;
    let product = shape.dims().iter().try_fold(one.into_any(), |product, &dim| product.mul(dim))?;
    Ok(Some(product.cast_into::<PyInt>()?))
}
