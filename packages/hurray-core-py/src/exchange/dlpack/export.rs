//! `__dlpack__`: a tensor as a capsule.

use std::ffi::{c_void, CStr};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::abi::{self, DlTensor, Legacy, Versioned};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::UnsupportedError;
use crate::exchange::{called, ingest};
use crate::tensor::{Grid, Tensor};

const VERSIONED: &CStr = c"dltensor_versioned";
const LEGACY: &CStr = c"dltensor";

/// The arguments of `__dlpack__`.
pub(super) struct Request {
    pub(super) stream: bool,
    pub(super) max_major: Option<u32>,
    pub(super) device: Option<(i32, i32)>,
    pub(super) copy: Option<bool>,
}

impl Request {
    /// Ruling 7: who names a stream or a device, but no version, is from before 1.0.
    fn versioned(&self) -> bool {
        match self.max_major {
            Some(major) => major >= abi::VERSION.major,
            None => !self.stream && self.device.is_none(),
        }
    }
}

/// The DLPack device of a tensor. Raises `UnsupportedError` where DLPack has no name for it.
pub(crate) fn device_type(tensor: &Tensor) -> PyResult<(i32, u32)> {
    let device = tensor.device.get();
    if device.is_cpu() {
        return Ok((abi::CPU, device.device_id));
    }
    let kind = device.dlpack_type().ok_or_else(|| nameless(device))?;
    Ok((kind, device.device_id))
}

#[cold]
fn nameless(device: &Device) -> PyErr {
    UnsupportedError::new_err(format!(
        "DLPack has no device type for {} memory of class {}; hurray.from_hurray takes it over, hurray.save keeps it",
        device.tag, device.class
    ))
}

/// A capsule over the tensor's own memory, or over a private copy where that is asked for or needed.
pub(super) fn export<'py>(tensor: &Bound<'py, Tensor>, request: &Request) -> PyResult<Bound<'py, PyAny>> {
    let this = tensor.get();
    let place = device_type(this)?;
    let dtype = abi::offered(this.descriptor.element_type).ok_or_else(|| refused(this))?;
    let grid = this.grid().ok_or_else(|| PyBufferError::new_err(unstrided(this)))?;
    if let Some(wanted) = request.device.filter(|&wanted| !same(place, wanted)) {
        return Err(unmoved(place, wanted));
    }
    let versioned = request.versioned();
    let hidden = this.readonly() && !versioned;
    if request.copy == Some(true) || hidden {
        return copied(tensor, (versioned, dtype, place), request.copy);
    }
    let flags = if this.readonly() { abi::FLAG_READ_ONLY } else { 0 };
    capsule(tensor, (grid, place), dtype, versioned, flags)
}

/// Whether a consumer's device is the tensor's. The CPU's number means nothing.
fn same(place: (i32, u32), wanted: (i32, i32)) -> bool {
    wanted.0 == place.0 && (wanted.0 == abi::CPU || i64::from(wanted.1) == i64::from(place.1))
}

#[cold]
fn unmoved(place: (i32, u32), wanted: (i32, i32)) -> PyErr {
    PyBufferError::new_err(format!(
        "the tensor is on DLPack device {place:?} and cannot be handed over on device {wanted:?}; move it with the \
         framework"
    ))
}

/// A capsule over a private copy, which the consumer asks for or cannot do without.
#[cold]
fn copied<'py>(
    tensor: &Bound<'py, Tensor>,
    (versioned, dtype, place): (bool, abi::DataType, (i32, u32)),
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let this = tensor.get();
    if copy == Some(false) {
        return Err(PyBufferError::new_err(
            "the memory is read-only, which a capsule from before DLPack 1.0 cannot say; ask for max_version=(1, 0) or a copy",
        ));
    }
    if this.elsewhere() {
        let tag = this.device.get().tag;
        return Err(PyBufferError::new_err(format!(
            "hurray does not copy {tag} memory; let the framework copy what it gets with copy=None and \
             max_version=(1, 0)"
        )));
    }
    let copy = Py::new(tensor.py(), ingest::copied(tensor.py(), this)?)?;
    let grid = copy.get().grid().ok_or_else(|| PyBufferError::new_err("the copy has no strides"))?;
    capsule(copy.bind(tensor.py()), (grid, place), dtype, versioned, abi::FLAG_COPIED)
}

/// Why there are no strides to hand over.
#[cold]
fn unstrided(tensor: &Tensor) -> String {
    let device = tensor.device.get();
    if !device.is_cpu() && !tensor.elsewhere() && tensor.pending().is_none() {
        let tag = device.tag;
        return format!(
            "the tensor is meant for {tag} device memory and its bytes are in this process's own, as a file's are: \
             __dlpack__ would pass them off as {tag} memory; hurray.save keeps it in full"
        );
    }
    tensor.no_grid("__dlpack__")
}

#[cold]
fn refused(tensor: &Tensor) -> PyErr {
    let ty = tensor.descriptor.element_type;
    let way = match ty {
        hurray_core::ElementType::Bool => {
            "the format packs it eight to a byte and DLPack does not; use np.asarray(t), which unpacks"
        }
        _ => "t.buffer(0) gives the bytes",
    };
    PyBufferError::new_err(format!("DLPack cannot carry {ty} elements: {way}"))
}

fn capsule<'py>(
    tensor: &Bound<'py, Tensor>,
    (grid, place): (&Grid, (i32, u32)),
    dtype: abi::DataType,
    versioned: bool,
    flags: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let this = tensor.get();
    // Nothing can be added to a handle.
    let start = this.buffers.first().map_or(std::ptr::null_mut(), Buffer::start);
    let (data, byte_offset) = match place.0 != abi::CPU && this.device.get().has_handles() {
        true => (start, grid.first() as u64),
        false => (start.wrapping_add(grid.first()), 0),
    };
    let view = DlTensor {
        data: if grid.elements() == 0 { std::ptr::null_mut() } else { data.cast() },
        device: abi::Device { kind: place.0, id: place.1 as i32 },
        ndim: grid.ndim() as i32,
        dtype,
        shape: grid.shape().as_ptr().cast_mut().cast(),
        strides: grid.strides().as_ptr().cast_mut().cast(),
        byte_offset: if grid.elements() == 0 { 0 } else { byte_offset },
    };
    // The tensor is frozen: the shape and strides that `view` points to live as long as it does.
    let manager_ctx: *mut c_void = tensor.clone().into_any().into_ptr().cast();
    let (pointer, name): (*mut c_void, _) = if versioned {
        let managed =
            Versioned { version: abi::VERSION, manager_ctx, deleter: Some(delete_versioned), flags, tensor: view };
        (Box::into_raw(Box::new(managed)).cast(), VERSIONED)
    } else {
        let managed = Legacy { tensor: view, manager_ctx, deleter: Some(delete_legacy) };
        (Box::into_raw(Box::new(managed)).cast(), LEGACY)
    };
    // SAFETY: attached; the pointer is a box of the structure that the name promises.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destroy));
        Bound::from_owned_ptr_or_err(tensor.py(), capsule)
    }
}

/// Drops what an unconsumed capsule holds; a consumer renames the capsule first.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: CPython calls this attached, with a capsule of ours; a name that matches proves the
    // structure behind it and that nobody else owns it.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, LEGACY.as_ptr()) == 1 {
            delete_legacy(ffi::PyCapsule_GetPointer(capsule, LEGACY.as_ptr()).cast());
        }
    }
}

unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: made by `capsule` with Box::into_raw, released once by its one owner.
    let managed = unsafe { Box::from_raw(managed) };
    release(managed.manager_ctx);
}

unsafe extern "C" fn delete_legacy(managed: *mut Legacy) {
    // SAFETY: as above.
    let managed = unsafe { Box::from_raw(managed) };
    release(managed.manager_ctx);
}

/// Gives up the reference to the tensor, from whatever thread; at exit there is nothing to give it to.
fn release(tensor: *mut c_void) {
    // SAFETY: the reference was taken by `capsule`, and is given up here once, attached.
    called::attached(|| unsafe { ffi::Py_DECREF(tensor.cast()) });
}
