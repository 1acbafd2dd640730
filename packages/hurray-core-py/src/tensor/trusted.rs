//! `from_numpy`: arrays of a class that its bridge vouches for go straight to the buffer protocol.

use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::PyType;

use super::new;
use crate::argument;
use crate::error::{guarded, CopyRequiredError};

/// Addresses of classes, which are kept alive for good.
static TRUSTED: RwLock<Vec<usize>> = RwLock::new(Vec::new());

/// Remember a class whose instances export exactly what they are, or refuse to.
#[pyfunction]
#[pyo3(signature = (class_, /))]
pub(crate) fn _trust(class_: Bound<'_, PyType>) {
    let mut trusted = TRUSTED.write().unwrap_or_else(PoisonError::into_inner);
    let address = class_.as_ptr() as usize;
    if !trusted.contains(&address) {
        trusted.push(address);
        std::mem::forget(class_);
    }
}

/// Whether an object's class is one that its bridge vouches for.
pub(crate) fn is_trusted(object: &Bound<'_, PyAny>) -> bool {
    let address = object.get_type_ptr() as usize;
    TRUSTED.read().unwrap_or_else(PoisonError::into_inner).contains(&address)
}

/// A NumPy array or scalar as a tensor of the same shape, bit for bit (requirements: NumPy
/// Interoperability, copy on ingest).
///
/// C order becomes row-major, Fortran order col-major, any other strides strided; a read-only array
/// stays read-only. bool is packed to one bit an element and big-endian numbers are converted: both
/// are copies. While memory is shared, the tensor keeps the array alive.
///
/// ``copy=None`` shares memory that is aligned to 64 bytes and copies the rest; ``False`` raises
/// ``CopyRequiredError`` instead of copying; ``True`` always copies. Raises ``UnsupportedError`` for
/// masked, object, structured, text, date and long double arrays, ``ImportError`` when hurray-numpy is
/// not installed.
#[pyfunction]
#[pyo3(signature = (array, *, copy=None))]
pub(crate) fn from_numpy<'py>(
    array: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    if is_trusted(array) {
        match guarded(|| new::from_exporter(array, None, copy)) {
            Ok(tensor) => return Ok(Bound::new(py, tensor)?.into_any()),
            Err(error) if error.is_instance_of::<CopyRequiredError>(py) => return Err(error),
            // Not one of the numbers that the buffer protocol names; the bridge knows more.
            Err(_) => {}
        }
    }
    py.import("hurray._ingest")?.call_method1("through_bridge", ("numpy", array, copy))
}
