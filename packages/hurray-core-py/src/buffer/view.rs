//! A view that an exporter of the buffer protocol gave us: released once, on drop.

use std::ffi::{c_char, CStr};
use std::mem::ManuallyDrop;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::trash;

/// A filled `Py_buffer`. Boxed, since exporters may point into the structure itself.
pub(crate) struct View {
    raw: ManuallyDrop<Box<ffi::Py_buffer>>,
    /// Row-major strides, for an exporter that leaves them out, as ctypes does.
    implied: Vec<isize>,
}

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
        let mut view = Self { raw: ManuallyDrop::new(view), implied: Vec::new() };
        let described = view.raw.ndim == 0 || !view.raw.shape.is_null();
        let counted = usize::try_from(view.raw.ndim).is_ok_and(|ndim| ndim <= hurray_core::MAX_RANK);
        if !described || !counted || view.raw.len < 0 || !view.raw.suboffsets.is_null() {
            return Err(PyBufferError::new_err(
                "the exporter filled the view without the shape and strides it was asked for",
            ));
        }
        if view.shape().iter().any(|&dim| isize::try_from(dim).is_err()) {
            return Err(PyBufferError::new_err("the exporter's shape has a negative dimension"));
        }
        if view.raw.buf.is_null() && view.raw.len > 0 {
            return Err(PyBufferError::new_err("the exporter names bytes and no address"));
        }
        if view.raw.ndim > 0 && view.raw.strides.is_null() {
            view.implied = view
                .row_major()
                .ok_or_else(|| PyBufferError::new_err("the exporter's shape exceeds the address space"))?;
        }
        Ok(view)
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.raw.buf.cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.raw.len as usize
    }

    pub(crate) fn itemsize(&self) -> usize {
        self.raw.itemsize.max(0) as usize
    }

    pub(crate) fn readonly(&self) -> bool {
        self.raw.readonly != 0
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.numbers(self.raw.shape.cast())
    }

    /// In bytes.
    pub(crate) fn strides(&self) -> &[isize] {
        if !self.implied.is_empty() {
            return &self.implied;
        }
        self.numbers(self.raw.strides)
    }

    fn row_major(&self) -> Option<Vec<isize>> {
        let strides = crate::exchange::ingest::row_major_strides(self.shape())?;
        strides.into_iter().map(|stride| stride.checked_mul(self.raw.itemsize)).collect()
    }

    fn numbers<T>(&self, start: *const T) -> &[T] {
        if self.raw.ndim == 0 {
            return &[];
        }
        // SAFETY: not null, as `get` checked, and `ndim` long, as the protocol promises.
        unsafe { std::slice::from_raw_parts(start, self.raw.ndim as usize) }
    }

    /// The format, bytes where the exporter names none.
    pub(crate) fn format(&self) -> &CStr {
        let format: *const c_char = self.raw.format;
        if format.is_null() {
            return c"B";
        }
        // SAFETY: a C string that lives as long as the view.
        unsafe { CStr::from_ptr(format) }
    }

    pub(crate) fn c_contiguous(&self) -> bool {
        // SAFETY: a filled view.
        unsafe { ffi::PyBuffer_IsContiguous(&**self.raw, b'C' as c_char) == 1 }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: taken once, here; the field is not touched again.
        let mut raw = unsafe { ManuallyDrop::take(&mut self.raw) };
        trash::release(move || {
            // SAFETY: filled, and released here once; at exit the exporter is gone already.
            Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(&mut *raw) });
        });
    }
}
