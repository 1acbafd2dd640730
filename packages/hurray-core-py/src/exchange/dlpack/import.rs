//! `from_dlpack`: a producer's capsule as a tensor.

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use hurray_core::{DeviceTag, ElementType, MemoryClass};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::abi::{self, DlTensor};
use super::ask::{self, Ask, Place};
use super::elsewhere;
use super::managed::{Kind, Managed};
use crate::argument;
use crate::buffer::Owner;
use crate::device::{self, Device};
use crate::error::{guarded, BufferError, UnsupportedError};
use crate::exchange::ingest;
use crate::tensor::Tensor;

/// Wrap the memory of any object with ``__dlpack__``, without a copy where the format can say it
/// (requirements: DLPack Interoperability).
///
/// ``copy`` is decided as for every ingest (requirements: copy on ingest): ``None`` shares what is
/// aligned to 64 bytes and copies the rest, ``False`` raises ``CopyRequiredError`` instead of
/// copying, ``True`` always copies. A producer's bool is packed, which is a copy. Memory of another device
/// is described and kept, and never read: ``copy=True`` asks its producer for the copy. ``device``, where the
/// tensor is not there, asks its producer to move it.
///
/// Raises ``UnsupportedError`` for devices and element types that the format lacks and for a producer that does
/// not move or copy what it is asked to, ``BufferError`` for a capsule that is used up or lies about its shape.
#[pyfunction]
#[pyo3(signature = (x, *, device=None, copy=None))]
pub(crate) fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
) -> PyResult<Tensor> {
    guarded(|| {
        let device = device::argument(device)?.map(Bound::get);
        let ask = Ask::of(x, device, copy)?;
        let managed = take(&ask.capsule(x)?)?;
        wrap(x.py(), managed, &ask)
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

fn wrap(py: Python<'_>, managed: Managed, ask: &Ask) -> PyResult<Tensor> {
    let Some(tensor) = managed.tensor() else {
        let version = managed.version();
        return Err(UnsupportedError::new_err(format!(
            "the producer speaks DLPack {version:?}; version 1 is known here"
        )));
    };
    let place = (tensor.device.kind, tensor.device.id);
    let (tag, class) = agreed(place, ask)?;
    let (ty, packs) = element_type(tensor)?;
    let (shape, strides) = geometry(tensor)?;
    let itemsize = usize::from(tensor.dtype.bits) / 8;
    let strides = strides.into_iter().map(|stride| stride.checked_mul(itemsize as isize));
    let strides = strides.collect::<Option<Vec<_>>>().ok_or_else(lies)?;
    let number = u32::try_from(place.1)
        .map_err(|_| BufferError::new_err(format!("the producer's device {place:?} has a negative number")))?;
    let device = device::of(py, tag, class, number)?;
    let here = device.get().is_cpu();
    let (first, offset) =
        if device.get().has_handles() { (tensor.data.cast(), tensor.byte_offset) } else { (address(tensor)?, 0) };
    let readonly = managed.readonly();
    let copied = managed.copied();
    let source = ingest::Source { first, shape: &shape, strides: &strides, itemsize, ty, readonly };
    if !here {
        unreadable(packs, copied, ask)?;
        return elsewhere::described(py, &source, device, offset, Arc::new(Owner::Dlpack(managed)));
    }
    let owner = Arc::new(Owner::Dlpack(managed));
    let copy = if ask.moved_to.is_some() { None } else { ask.copy };
    let wish = ingest::Wish { copy, pack: packs, for_file: false };
    // SAFETY: the producer promises that every element which shape and strides reach is valid
    // memory until its deleter runs, which the owner holds back.
    let made = unsafe { ingest::ingest(py, source, owner, wish)? };
    Ok(Tensor { device, ..made })
}

/// The device of a capsule, which is where its producer said or was asked to put it.
fn agreed(place: Place, ask: &Ask) -> PyResult<(DeviceTag, MemoryClass)> {
    ask::known(place.0)?;
    match ask.expected() {
        Some(expected) if expected.0 != place.0 || expected.0 != abi::CPU && expected.1 != place.1 => {
            Err(BufferError::new_err(format!(
                "the capsule's memory is on DLPack device {}, and its producer had it on {}",
                ask::shown(place),
                ask::shown(expected)
            )))
        }
        _ => Device::of_dlpack_type(place.0).ok_or_else(lies),
    }
}

/// What takes reading the elements cannot be had of another device's memory.
fn unreadable(packs: bool, copied: bool, ask: &Ask) -> PyResult<()> {
    if packs {
        return Err(UnsupportedError::new_err(
            "bool is one bit an element in the format, and another device's memory cannot be packed here; copy the \
             tensor to the CPU first, or hand over its bytes as uint8",
        ));
    }
    if ask.copy == Some(true) && !copied && ask.moved_to.is_none() {
        return Err(UnsupportedError::new_err(
            "copy=True, and the producer does not say that it has copied; copy the tensor with its framework first",
        ));
    }
    Ok(())
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
        .map_err(|_| BufferError::new_err(format!("the producer's shape {shape:?} has a negative dimension")))?;
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
