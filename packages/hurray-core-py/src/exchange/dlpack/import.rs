//! `from_dlpack`: a producer's capsule as a tensor.

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use hurray_core::ElementType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::abi::{self, DlTensor};
use super::managed::{Kind, Managed};
use crate::argument;
use crate::buffer::Owner;
use crate::device;
use crate::error::{guarded, BufferError, UnsupportedError};
use crate::exchange::ingest;
use crate::tensor::Tensor;

/// Wrap the memory of any object with ``__dlpack__``, without a copy where the format can say it.
///
/// ``copy`` is decided as for every ingest (requirements: copy on ingest): ``None`` shares what is
/// aligned to 64 bytes and copies the rest, ``False`` raises ``CopyRequiredError`` instead of
/// copying, ``True`` always copies. A producer's bool is packed, which is a copy. Raises
/// ``UnsupportedError`` for memory that the CPU does not reach and for element types that the
/// format lacks, ``BufferError`` for a capsule that is used up or lies about its shape.
#[pyfunction]
#[pyo3(signature = (x, *, device=None, copy=None))]
pub(crate) fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
) -> PyResult<Tensor> {
    guarded(|| {
        if let Some(device) = device::argument(device)?.filter(|device| !device.get().is_cpu()) {
            let text = format!("from_dlpack reads CPU memory; it cannot move a tensor to {}", device.get().tag);
            return Err(UnsupportedError::new_err(text));
        }
        refuse_device(x)?;
        let managed = take(&capsule(x)?)?;
        wrap(x.py(), managed, copy)
    })
}

/// Asks where the memory is before taking it.
fn refuse_device(x: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = x.py();
    let Ok(method) = x.getattr(intern!(py, "__dlpack_device__")) else {
        if x.hasattr(intern!(py, "__dlpack__"))? {
            return Ok(());
        }
        let kind = x.get_type();
        return Err(PyTypeError::new_err(format!(
            "{kind} has no __dlpack__; hurray.asarray takes other kinds of array"
        )));
    };
    let (kind, _): (i64, i64) = method.call0()?.extract()?;
    if kind != i64::from(abi::CPU) {
        return Err(UnsupportedError::new_err(format!(
            "the tensor is on DLPack device type {kind}, which the CPU does not read; copy it to the CPU first"
        )));
    }
    Ok(())
}

fn capsule<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = x.py();
    let method = x.getattr(intern!(py, "__dlpack__"))?;
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "max_version"), (abi::VERSION.major, abi::VERSION.minor))?;
    let made = match method.call((), Some(&keywords)) {
        // A producer from before 1.0 does not know the argument.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call0(),
        other => other,
    }?;
    made.cast_into::<PyCapsule>().map_err(|error| {
        BufferError::new_err(format!("__dlpack__ returned {}, not a capsule", error.into_inner().get_type()))
    })
}

/// Takes the structure out of a capsule and marks it as used.
fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<Managed> {
    if let Some(pointer) = consume(capsule, c"dltensor_versioned", c"used_dltensor_versioned")? {
        return Ok(Managed(Kind::Versioned(pointer.cast())));
    }
    if let Some(pointer) = consume(capsule, c"dltensor", c"used_dltensor")? {
        return Ok(Managed(Kind::Legacy(pointer.cast())));
    }
    Err(BufferError::new_err("the capsule is not a DLPack one, or was consumed before; a capsule can be taken once"))
}

fn consume(
    capsule: &Bound<'_, PyCapsule>,
    name: &'static CStr,
    used: &'static CStr,
) -> PyResult<Option<NonNull<std::ffi::c_void>>> {
    // SAFETY: a live capsule; the names are static, and the pointer is read under the name that it has.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 0 {
            return Ok(None);
        }
        let pointer = ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr());
        if ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(NonNull::new(pointer))
    }
}

fn wrap(py: Python<'_>, managed: Managed, copy: Option<bool>) -> PyResult<Tensor> {
    let Some(tensor) = managed.tensor() else {
        let version = managed.version();
        return Err(UnsupportedError::new_err(format!(
            "the producer speaks DLPack {version:?}; version 1 is known here"
        )));
    };
    if tensor.device.kind != abi::CPU {
        let kind = tensor.device.kind;
        return Err(UnsupportedError::new_err(format!(
            "the capsule's memory is on DLPack device type {kind}, not the CPU"
        )));
    }
    let (ty, packs) = element_type(tensor)?;
    let (shape, strides) = geometry(tensor)?;
    let itemsize = usize::from(tensor.dtype.bits) / 8;
    let strides = strides.into_iter().map(|stride| stride.checked_mul(itemsize as isize));
    let strides = strides.collect::<Option<Vec<_>>>().ok_or_else(lies)?;
    let source = ingest::Source {
        first: address(tensor)?,
        shape: &shape,
        strides: &strides,
        itemsize,
        ty,
        readonly: managed.readonly(),
    };
    let owner = Arc::new(Owner::Dlpack(managed));
    // SAFETY: the producer promises that every element which shape and strides reach is valid
    // memory until its deleter runs, which the owner holds back.
    unsafe { ingest::ingest(py, source, owner, ingest::Wish { copy, pack: packs, for_file: false }) }
}

fn element_type(tensor: &DlTensor) -> PyResult<(ElementType, bool)> {
    if tensor.dtype == abi::BOOL {
        return Ok((ElementType::Bool, true));
    }
    let ty = abi::accepted(tensor.dtype).ok_or_else(|| {
        let abi::DataType { code, bits, lanes } = tensor.dtype;
        UnsupportedError::new_err(format!(
            "the format has no element type for DLPack code {code}, {bits} bits, {lanes} lanes"
        ))
    })?;
    Ok((ty, false))
}

fn lies() -> PyErr {
    BufferError::new_err("the producer's shape and strides reach beyond the address space")
}

/// Shape and strides in elements; a producer without strides is C-contiguous.
fn geometry(tensor: &DlTensor) -> PyResult<(Vec<usize>, Vec<isize>)> {
    let ndim = usize::try_from(tensor.ndim).ok().filter(|&ndim| ndim <= hurray_core::MAX_RANK).ok_or_else(|| {
        BufferError::new_err(format!("the producer's tensor has {} dimensions; 0 to 64 are allowed", tensor.ndim))
    })?;
    let shape = array(tensor.shape, ndim).ok_or_else(|| BufferError::new_err("the producer's tensor has no shape"))?;
    let shape: Vec<usize> = shape
        .iter()
        .map(|&dim| usize::try_from(dim))
        .collect::<Result<_, _>>()
        .map_err(|_| PyValueError::new_err(format!("the producer's shape {shape:?} has a negative dimension")))?;
    let strides = match array(tensor.strides, ndim) {
        Some(strides) => strides.iter().map(|&stride| stride as isize).collect(),
        None => ingest::row_major_strides(&shape).ok_or_else(lies)?,
    };
    Ok((shape, strides))
}

fn array<'a>(start: *const i64, len: usize) -> Option<&'a [i64]> {
    match (len, NonNull::new(start.cast_mut())) {
        (0, _) => Some(&[]),
        (_, None) => None,
        // SAFETY: the producer promises `ndim` numbers at each pointer that is not null.
        (len, Some(start)) => Some(unsafe { std::slice::from_raw_parts(start.as_ptr(), len) }),
    }
}

fn address(tensor: &DlTensor) -> PyResult<*mut u8> {
    let offset = usize::try_from(tensor.byte_offset).map_err(|_| lies())?;
    (tensor.data as usize).checked_add(offset).ok_or_else(lies)?;
    Ok(tensor.data.cast::<u8>().wrapping_add(offset))
}
