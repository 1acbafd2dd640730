//! Bytes objects that are filled in place, with the interpreter free while their memory is first touched.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// Below this nobody notices who holds the interpreter.
const LARGE: usize = 1 << 20;

/// `len` bytes that `fill` writes over zeros; `MemoryError` where they do not fit.
pub(crate) fn bytes<'py>(
    py: Python<'py>,
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyBytes>> {
    if len < LARGE {
        return PyBytes::new_with(py, len, fill);
    }
    // SAFETY: a length that is no more than isize::MAX, as every length of a region is, and no source to copy; the
    // result is a new reference or null with an exception set.
    let object = unsafe {
        let made = ffi::PyBytes_FromStringAndSize(std::ptr::null(), len as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    // SAFETY: an object that was just made as bytes of `len`.
    let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) };
    // SAFETY: nobody else has the object yet.
    fill(unsafe { zeroed(py, start.cast(), len) })?;
    Ok(object.cast_into()?)
}

/// The same for a bytearray.
pub(crate) fn bytearray<'py>(
    py: Python<'py>,
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyByteArray>> {
    if len < LARGE {
        return PyByteArray::new_with(py, len, fill);
    }
    // SAFETY: as for `bytes`.
    let object = unsafe {
        let made = ffi::PyByteArray_FromStringAndSize(std::ptr::null(), len as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    // SAFETY: an object that was just made as a bytearray of `len`.
    let start = unsafe { ffi::PyByteArray_AsString(object.as_ptr()) };
    // SAFETY: nobody else has the object yet.
    fill(unsafe { zeroed(py, start.cast(), len) })?;
    Ok(object.cast_into()?)
}

/// The memory as zeros, which are written while other threads run.
///
/// # Safety
/// `start` is the memory of an object of `len` bytes that lives for `'a` and that nothing else reaches.
unsafe fn zeroed<'a>(py: Python<'_>, start: *mut u8, len: usize) -> &'a mut [u8] {
    let address = start as usize;
    // SAFETY: the caller's promise; an address crosses to where the interpreter is free, a pointer does not.
    py.detach(|| unsafe { std::ptr::write_bytes(address as *mut u8, 0, len) });
    // SAFETY: initialised above, and reached by nothing else.
    unsafe { std::slice::from_raw_parts_mut(start, len) }
}
