//! A tensor of one element as a Python number. A codec has no arithmetic; this is `tolist` without the lists.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList};

use super::{values, Tensor};
use crate::error::guarded;

/// The one element, as `tolist` gives it.
fn only<'py>(tensor: &Bound<'py, Tensor>, call: &str) -> PyResult<Bound<'py, PyAny>> {
    let (py, shape) = (tensor.py(), &tensor.get().descriptor.shape);
    if shape.dims().iter().any(|&dim| dim != 1) {
        return Err(PyTypeError::new_err(format!(
            "{call}(t) needs a tensor of one element, and t has shape {shape}; t.tolist() gives all of them"
        )));
    }
    let mut value = values::to_list(py, tensor.get())?;
    while let Ok(list) = value.cast::<PyList>() {
        value = list.get_item(0)?;
    }
    Ok(value)
}

#[pymethods]
impl Tensor {
    /// The element of a tensor that has one, as an int; a float is cut towards zero.
    ///
    /// Raises ``TypeError`` for any other number of elements and for a complex one, and as ``tolist`` does.
    fn __int__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| slf.py().get_type::<PyInt>().call1((only(slf, "int")?,)))
    }

    /// The element of a tensor that has one, as a float.
    ///
    /// Raises ``TypeError`` for any other number of elements and for a complex one, and as ``tolist`` does.
    fn __float__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| slf.py().get_type::<PyFloat>().call1((only(slf, "float")?,)))
    }

    /// The element of a tensor that has one, as a complex.
    ///
    /// Raises ``TypeError`` for any other number of elements, and as ``tolist`` does.
    fn __complex__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| slf.py().get_type::<PyComplex>().call1((only(slf, "complex")?,)))
    }
}
