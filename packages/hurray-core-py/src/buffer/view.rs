//! A view that an exporter of the buffer protocol gave us: released once, on drop.

use std::ffi::{c_char, CStr};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// A filled `Py_buffer`. Boxed, since exporters may point into the structure itself.
pub(crate) struct View(Box<ffi::Py_buffer>);

// SAFETY: the fields are constant once filled, and release happens attached.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// Asks for strides and a format, readable at least. Indirect buffers are refused by their exporter.
    pub(crate) fn get(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: attached; a fresh structure that is released only if it was filled.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &mut *view, ffi::PyBUF_RECORDS_RO) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let view = Self(view);
        let described = view.0.ndim == 0 || !(view.0.shape.is_null() || view.0.strides.is_null());
        let counted = usize::try_from(view.0.ndim).is_ok_and(|ndim| ndim <= hurray_core::MAX_RANK);
        if !described || !counted || view.0.len < 0 || !view.0.suboffsets.is_null() {
            return Err(PyBufferError::new_err("the exporter filled the view without the shape and strides it was asked for"));
        }
        if view.shape().iter().any(|&dim| isize::try_from(dim).is_err()) {
            return Err(PyBufferError::new_err("the exporter's shape has a negative dimension"));
        }
        Ok(view)
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.0.buf.cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len as usize
    }

    pub(crate) fn itemsize(&self) -> usize {
        self.0.itemsize.max(0) as usize
    }

    pub(crate) fn readonly(&self) -> bool {
        self.0.readonly != 0
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.numbers(self.0.shape.cast())
    }

    /// In bytes.
    pub(crate) fn strides(&self) -> &[isize] {
        self.numbers(self.0.strides)
    }

    fn numbers<T>(&self, start: *const T) -> &[T] {
        if self.0.ndim == 0 {
            return &[];
        }
        // SAFETY: not null, as `get` checked, and `ndim` long, as the protocol promises.
        unsafe { std::slice::from_raw_parts(start, self.0.ndim as usize) }
    }

    /// The format, bytes where the exporter names none.
    pub(crate) fn format(&self) -> &CStr {
        let format: *const c_char = self.0.format;
        if format.is_null() {
            return c"B";
        }
        // SAFETY: a C string that lives as long as the view.
        unsafe { CStr::from_ptr(format) }
    }

    pub(crate) fn c_contiguous(&self) -> bool {
        // SAFETY: a filled view.
        unsafe { ffi::PyBuffer_IsContiguous(&*self.0, b'C' as c_char) == 1 }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: filled, and released here once; at exit the exporter is gone already.
        Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(&mut *self.0) });
    }
}
