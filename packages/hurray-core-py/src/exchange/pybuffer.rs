//! The buffer protocol: `memoryview(t)`, and with it `np.asarray(t)`, without a copy.

use std::ffi::{c_int, CStr};
use std::ptr;

use hurray_core::ElementType;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::buffer::Buffer;
use crate::tensor::{Grid, Tensor};

/// The format character that the `struct` module, or NumPy for complex, gives a type.
pub(crate) fn format(ty: ElementType) -> Option<&'static CStr> {
    use ElementType as E;
    Some(match ty {
        E::Float16 => c"e",
        E::Float32 => c"f",
        E::Float64 => c"d",
        E::Int8 => c"b",
        E::Uint8 => c"B",
        E::Int16 => c"h",
        E::Uint16 => c"H",
        E::Int32 => c"i",
        E::Uint32 => c"I",
        // NumPy's own int64 is the C long wherever that is of 64 bits.
        E::Int64 if size_of::<std::ffi::c_long>() == 8 => c"l",
        E::Uint64 if size_of::<std::ffi::c_long>() == 8 => c"L",
        E::Int64 => c"q",
        E::Uint64 => c"Q",
        E::Complex64 => c"Zf",
        E::Complex128 => c"Zd",
        _ => return None,
    })
}

/// Fills `view` for a consumer that asked with `flags`.
///
/// # Safety
/// `view` is what CPython handed to `bf_getbuffer`.
pub(crate) unsafe fn fill(tensor: &Bound<'_, Tensor>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
    // SAFETY: CPython passes a view to fill; the protocol wants obj NULL where it is not filled.
    unsafe { (*view).obj = ptr::null_mut() };
    let this = tensor.get();
    let grid = this
        .grid()
        .filter(|_| this.readable())
        .ok_or_else(|| PyBufferError::new_err(this.no_grid("the buffer protocol")))?;
    let format = format(this.descriptor.element_type).ok_or_else(|| {
        let ty = this.descriptor.element_type;
        PyBufferError::new_err(format!("the buffer protocol has no format for {ty}; t.buffer(0) gives the bytes"))
    })?;
    refuse(this, grid, flags)?;
    let wants = |flag| flags & flag == flag;
    // SAFETY: `view` is valid for writes; what it points to belongs to the tensor, which is frozen
    // and kept alive by `obj`, so that it outlives the view.
    unsafe {
        *view = ffi::Py_buffer {
            buf: this.first().cast(),
            obj: tensor.clone().into_any().into_ptr(),
            len: grid.bytes(),
            itemsize: grid.itemsize() as isize,
            readonly: c_int::from(this.readonly()),
            ndim: if wants(ffi::PyBUF_ND) { grid.ndim() as c_int } else { 1 },
            format: if wants(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { ptr::null_mut() },
            shape: if wants(ffi::PyBUF_ND) { pointer(grid.shape()) } else { ptr::null_mut() },
            strides: if wants(ffi::PyBUF_STRIDES) { pointer(grid.byte_strides()) } else { ptr::null_mut() },
            suboffsets: ptr::null_mut(),
            internal: ptr::null_mut(),
        };
    }
    Ok(())
}

fn pointer(values: &[isize]) -> *mut ffi::Py_ssize_t {
    if values.is_empty() {
        ptr::null_mut()
    } else {
        values.as_ptr().cast_mut()
    }
}

/// What the consumer asks for and the tensor cannot be.
fn refuse(tensor: &Tensor, grid: &Grid, flags: c_int) -> PyResult<()> {
    let wants = |flag| flags & flag == flag;
    if wants(ffi::PyBUF_WRITABLE) && tensor.readonly() {
        return Err(PyBufferError::new_err("the tensor's memory is read-only"));
    }
    if (wants(ffi::PyBUF_C_CONTIGUOUS) || !wants(ffi::PyBUF_STRIDES)) && !grid.c_contiguous() {
        return Err(PyBufferError::new_err("the tensor is not C-contiguous"));
    }
    if wants(ffi::PyBUF_F_CONTIGUOUS) && !grid.f_contiguous() {
        return Err(PyBufferError::new_err("the tensor is not Fortran-contiguous"));
    }
    if wants(ffi::PyBUF_ANY_CONTIGUOUS) && !grid.c_contiguous() && !grid.f_contiguous() {
        return Err(PyBufferError::new_err("the tensor is not contiguous"));
    }
    Ok(())
}

/// Fills `view` with plain bytes that `owner` keeps alive.
///
/// # Safety
/// `view` is what CPython handed to `bf_getbuffer`.
pub(crate) unsafe fn fill_bytes(
    owner: &Bound<'_, PyAny>,
    bytes: &Buffer,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let (start, len, readonly) = (bytes.start().cast(), bytes.len() as isize, c_int::from(bytes.readonly()));
    // SAFETY: a valid view; the bytes live as long as `owner`, to which the view takes a reference.
    let filled = unsafe { ffi::PyBuffer_FillInfo(view, owner.as_ptr(), start, len, readonly, flags) };
    if filled == 0 {
        Ok(())
    } else {
        Err(PyErr::fetch(owner.py()))
    }
}
