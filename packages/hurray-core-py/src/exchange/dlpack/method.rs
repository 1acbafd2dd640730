//! `Tensor.__dlpack__` as a plain C method: NumPy names its arguments, and looking each name up as
//! text costs more than making the capsule.

use std::ffi::CStr;
use std::ptr::null_mut;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};

use super::export::{export, Request};
use crate::device::Device;
use crate::error::guarded;
use crate::exchange::stream;
use crate::tensor::Tensor;

const NAMES: [&str; 4] = ["dl_device", "copy", "max_version", "stream"];
const DOC: &CStr = c"__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack capsule over the tensor's memory (requirements: DLPack Interoperability).\n\nRaises the built-in ``BufferError`` for what DLPack cannot say.";

static INTERNED: PyOnceLock<[Py<PyString>; 4]> = PyOnceLock::new();

/// Gives the class its method.
pub(crate) fn install(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Tensor>();
    // Lives as long as the class, which is as long as the process.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"__dlpack__".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: method },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: DOC.as_ptr(),
    }));
    // SAFETY: attached; the definition is never freed, and the flags are those of `method`'s signature.
    let descriptor = unsafe {
        let made = ffi::PyDescr_NewMethod(class.as_type_ptr(), definition);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    class.setattr("__dlpack__", descriptor)
}

unsafe extern "C" fn method(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: CPython calls methods attached.
    let py = unsafe { Python::assume_attached() };
    let made = guarded(|| {
        if positional != 0 {
            return Err(PyTypeError::new_err("__dlpack__ takes keyword arguments only"));
        }
        // SAFETY: the descriptor has checked the class of `slf`; `names` is a tuple or NULL, with one
        // argument for each name.
        let (tensor, request) = unsafe {
            let tensor = Bound::from_borrowed_ptr(py, slf).cast_into_unchecked::<Tensor>();
            let request = parse(py, tensor.get().device.get(), arguments, names)?;
            (tensor, request)
        };
        export(&tensor, &request)
    });
    match made {
        Ok(capsule) => capsule.into_ptr(),
        Err(error) => {
            error.restore(py);
            null_mut()
        }
    }
}

/// # Safety
/// `names` is NULL or a tuple of as many strings as there are objects at `arguments`.
unsafe fn parse(
    py: Python<'_>,
    device: &Device,
    arguments: *const *mut ffi::PyObject,
    names: *mut ffi::PyObject,
) -> PyResult<Request> {
    let mut request = Request { stream: false, max_major: None, device: None, copy: None };
    if names.is_null() {
        return Ok(request);
    }
    let known = INTERNED.get_or_init(py, || NAMES.map(|name| PyString::intern(py, name).unbind()));
    // SAFETY: the caller's promise.
    let names = unsafe { Bound::from_borrowed_ptr(py, names).cast_into_unchecked::<PyTuple>() };
    for (at, name) in names.iter_borrowed().enumerate() {
        // SAFETY: the caller's promise.
        let value = unsafe { Bound::from_borrowed_ptr(py, *arguments.add(at)) };
        let same = known.iter().position(|known| known.as_ptr() == name.as_ptr());
        let place = match same {
            Some(place) => place,
            None => by_text(&name)?,
        };
        if value.is_none() {
            continue;
        }
        match place {
            0 => request.device = Some(value.extract()?),
            1 => request.copy = Some(value.extract()?),
            2 => request.max_major = Some(value.cast::<PyTuple>()?.get_borrowed_item(0)?.extract()?),
            _ => request.stream = stream::named(Some(&value), device)?,
        }
    }
    Ok(request)
}

/// A name that is not the interned string that the compiler makes of a keyword.
#[cold]
fn by_text(name: &Bound<'_, PyAny>) -> PyResult<usize> {
    let text = name.extract::<String>()?;
    NAMES
        .iter()
        .position(|&known| known == text)
        .ok_or_else(|| PyTypeError::new_err(format!("__dlpack__ got an unexpected keyword argument {text:?}")))
}
