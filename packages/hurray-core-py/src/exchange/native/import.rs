//! `from_hurray`: a native capsule as a tensor.

use std::ffi::{c_void, CStr};
use std::ptr::{null, null_mut, NonNull};
use std::sync::{Arc, OnceLock};

use hurray_core::{BufferHandle, LayoutDescriptor, TensorDescriptor, MIN_BUFFER_ALIGNMENT};
use hurray_ffi::buffer::{
    hurray_buffer_byte_size, hurray_buffer_data_ptr, hurray_buffer_device_tag, hurray_buffer_memory_class,
    hurray_buffer_sync_mode,
};
use hurray_ffi::buffer_list::{hurray_buffer_list_get, hurray_buffer_list_len};
use hurray_ffi::tensor_context::{hurray_tensor_context_abi_version, hurray_tensor_context_descriptor};
use hurray_ffi::{HurrayBuffer, HurrayTensorContext, HURRAY_C_ABI_VERSION, HURRAY_OK};
use hurray_wire::{check, Fault};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule};

use super::received::Received;
use super::{sent, NAME, USED};
use crate::buffer::{measured_alignment, Buffer, Owner};
use crate::contents::Verdict;
use crate::device::{self, Device};
use crate::error::{self, guarded, kind, BufferError, UnsupportedError};
use crate::tensor::{headless, Buffers, Tensor};

/// Take over the tensor behind any object's ``__hurray__``, all of its buffers, without a copy
/// (requirements: Native Interchange Protocol).
///
/// Every dtype, layout, section and device arrives as it was. The device's number and whether memory may
/// be written are no part of the C ABI: of a tensor of this module they are known, of another's object the
/// attributes ``device`` (or ``__dlpack_device__``) and ``readonly`` are asked, where it has them.
///
/// Raises ``TypeError`` for an object without ``__hurray__``, ``BufferError`` for a capsule that was taken
/// before, has another name, or whose buffers are not those that its descriptor declares,
/// ``UnsupportedError`` for another version of the C ABI and for a composite, whose members cross one by one.
#[pyfunction]
#[pyo3(signature = (obj))]
pub(crate) fn from_hurray(obj: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    guarded(|| {
        let capsule = capsule(obj)?;
        let context = context(&capsule)?;
        known_version(context)?;
        if let Some(source) = sent::source(obj.py(), context.as_ptr()) {
            // The capsule is of no more use: it ends, or is given up, with everything in it.
            drop(take(&capsule, context)?);
            return Ok(again(obj.py(), source.get()));
        }
        received(obj, take(&capsule, context)?)
    })
}

fn capsule<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = obj.py();
    let Some(method) = obj.getattr_opt(intern!(py, "__hurray__"))? else {
        if obj.hasattr(intern!(py, "member_roles"))? {
            return Err(UnsupportedError::new_err(
                "a composite does not cross the native protocol, which carries one descriptor and its buffers: hand \
                 over each of its members",
            ));
        }
        return Err(PyTypeError::new_err(format!(
            "a {} has no __hurray__; hurray.asarray takes other kinds of array",
            kind(obj)
        )));
    };
    let capsule = method.call0()?.cast_into::<PyCapsule>().map_err(|error| {
        BufferError::new_err(format!("__hurray__ returned a {}, not a capsule", kind(&error.into_inner())))
    })?;
    match name(&capsule) {
        Some(name) if name == NAME => Ok(capsule),
        Some(name) if name == USED => {
            Err(BufferError::new_err("the capsule was consumed before; a capsule can be taken once"))
        }
        Some(other) => Err(BufferError::new_err(format!("the capsule's name is {other:?}, not {NAME:?}"))),
        None => Err(BufferError::new_err(format!("the capsule has no name; a native one is {NAME:?}"))),
    }
}

fn name<'a>(capsule: &'a Bound<'_, PyCapsule>) -> Option<&'a CStr> {
    // SAFETY: a live capsule, whose name lives as long as nobody renames it; no code of others runs meanwhile.
    unsafe {
        let name = ffi::PyCapsule_GetName(capsule.as_ptr());
        (!name.is_null()).then(|| CStr::from_ptr(name))
    }
}

fn context(capsule: &Bound<'_, PyCapsule>) -> PyResult<NonNull<HurrayTensorContext>> {
    // SAFETY: a live capsule.
    let context = unsafe { ffi::PyCapsule_GetContext(capsule.as_ptr()) };
    NonNull::new(context.cast())
        .ok_or_else(|| BufferError::new_err("the capsule has no context, which would hold the tensor's descriptor"))
}

/// The version is read before anything else: of another one nothing but its place is known.
fn known_version(context: NonNull<HurrayTensorContext>) -> PyResult<()> {
    let mut version = 0;
    // SAFETY: the capsule's name promises a live context.
    let status = unsafe { hurray_tensor_context_abi_version(context.as_ptr(), &mut version) };
    if status == HURRAY_OK && version == HURRAY_C_ABI_VERSION {
        return Ok(());
    }
    Err(UnsupportedError::new_err(format!(
        "the capsule is of version {version} of the C ABI, and version {HURRAY_C_ABI_VERSION} is known here; use \
         releases of one version on both sides, or hurray.save and hurray.load"
    )))
}

/// Marks the capsule as consumed and takes over what is in it.
fn take(capsule: &Bound<'_, PyCapsule>, context: NonNull<HurrayTensorContext>) -> PyResult<Received> {
    // SAFETY: a live capsule of this name; both names are static.
    unsafe {
        let list = ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr());
        let list = NonNull::new(list.cast()).ok_or_else(|| BufferError::new_err("the capsule is null"))?;
        if ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr()) != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(Received { list, context })
    }
}

/// A tensor over the same memory as one of ours.
fn again(py: Python<'_>, source: &Tensor) -> Tensor {
    Tensor {
        descriptor: Arc::clone(&source.descriptor),
        buffers: source.buffers.clone(),
        device: source.device.clone_ref(py),
        grid: OnceLock::new(),
        verdict: Verdict::default(),
    }
}

/// What another producer's capsule holds, every claim checked.
fn received(obj: &Bound<'_, PyAny>, received: Received) -> PyResult<Tensor> {
    let py = obj.py();
    let descriptor = descriptor(py, &received)?;
    let found = length(&received);
    let declared = descriptor.buffers.len();
    if found != Some(declared as u64) {
        let found = found.map_or_else(|| String::from("an unknown number"), |found| found.to_string());
        return Err(BufferError::new_err(format!(
            "the capsule holds {found} buffers, and its descriptor declares {declared}"
        )));
    }
    let readonly = says_readonly(obj)?;
    let regions: Vec<Region> = descriptor
        .buffers
        .iter()
        .enumerate()
        .map(|(at, handle)| region(&received, at, handle))
        .collect::<PyResult<_>>()?;
    let owner = Arc::new(Owner::Native(received));
    let buffers: Buffers = regions.into_iter().map(|region| region.buffer(readonly, &owner)).collect();
    let device = device_of(obj, &descriptor)?;
    Tensor::over(descriptor, buffers, device)
}

fn descriptor(py: Python<'_>, received: &Received) -> PyResult<TensorDescriptor> {
    let (mut bytes, mut len) = (null(), 0);
    // SAFETY: a live context of the version that is known here.
    let status = unsafe { hurray_tensor_context_descriptor(received.context.as_ptr(), &mut bytes, &mut len) };
    let len = usize::try_from(len).ok().filter(|&len| isize::try_from(len).is_ok());
    let (false, Some(len), HURRAY_OK) = (bytes.is_null(), len, status) else {
        return Err(BufferError::new_err("the capsule's context holds no descriptor"));
    };
    // SAFETY: the context promises this many bytes for as long as it lives.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, len) };
    let broken = |fault: Fault| {
        let cause = error::fault(py, &fault);
        let refused = BufferError::new_err(format!("the capsule's descriptor is refused: {fault}"));
        // Setting an attribute of a fresh exception of our own cannot fail in a way worth hiding it for.
        let _ = refused.value(py).setattr("code", fault.code());
        refused.set_cause(py, Some(cause));
        refused
    };
    let descriptor = check::decode(bytes).map_err(broken)?;
    if matches!(descriptor.layout, LayoutDescriptor::Composite(_)) {
        return Err(headless());
    }
    check::all(&descriptor).map_err(broken)?;
    Ok(descriptor)
}

fn length(received: &Received) -> Option<u64> {
    let mut len = 0;
    // SAFETY: a live list of the version that is known here.
    let status = unsafe { hurray_buffer_list_len(received.list.as_ptr(), &mut len) };
    (status == HURRAY_OK).then_some(len)
}

/// Where a buffer's bytes lie.
struct Region {
    start: *mut u8,
    len: usize,
    elsewhere: bool,
}

impl Region {
    fn buffer(&self, readonly: bool, owner: &Arc<Owner>) -> Buffer {
        if self.elsewhere {
            return Buffer::elsewhere(self.start, self.len, readonly, Arc::clone(owner));
        }
        // SAFETY: the producer promises these bytes until its list and context are destroyed, which the owner
        // does last; one that says that they are read-only is believed.
        unsafe { Buffer::held(self.start, self.len, readonly, Arc::clone(owner)) }
    }
}

fn region(received: &Received, at: usize, handle: &BufferHandle) -> PyResult<Region> {
    let refused = |text: String| BufferError::new_err(format!("buffer {at} of the capsule {text}"));
    let mut buffer: *mut HurrayBuffer = null_mut();
    // SAFETY: a live list, longer than `at`.
    let status = unsafe { hurray_buffer_list_get(received.list.as_ptr(), at as u64, &mut buffer) };
    if status != HURRAY_OK || buffer.is_null() {
        return Err(refused(String::from("is missing")));
    }
    let mut data: *mut c_void = null_mut();
    let (mut size, mut tag, mut sync, mut class) = (0, 0, 0, 0);
    // SAFETY: a live buffer, which the list lends.
    unsafe {
        hurray_buffer_data_ptr(buffer, &mut data);
        hurray_buffer_byte_size(buffer, &mut size);
        hurray_buffer_device_tag(buffer, &mut tag);
        hurray_buffer_sync_mode(buffer, &mut sync);
        hurray_buffer_memory_class(buffer, &mut class);
    }
    if size != handle.byte_size() {
        return Err(refused(format!("is {size} bytes, and the descriptor declares {}", handle.byte_size())));
    }
    let said = [
        ("device tag", tag, handle.device_tag().to_byte()),
        ("memory class", class, handle.memory_class().to_byte()),
        ("sync mode", sync, handle.sync_mode().to_byte()),
    ];
    if let Some((what, found, declared)) = said.into_iter().find(|(_, found, declared)| found != declared) {
        return Err(refused(format!("has {what} 0x{found:02X}, and the descriptor declares 0x{declared:02X}")));
    }
    let start = data.cast::<u8>();
    let end = usize::try_from(size).ok().and_then(|len| (start as usize).checked_add(len));
    let (false, Some(end)) = (start.is_null() && size > 0, end) else {
        return Err(refused(format!("is {size} bytes at address {data:p}")));
    };
    let (len, elsewhere) = (end - start as usize, handle.device_tag() != hurray_core::DeviceTag::Cpu);
    let alignment = measured_alignment(start as usize, len);
    if !elsewhere && len > 0 && alignment < MIN_BUFFER_ALIGNMENT {
        return Err(refused(format!(
            "is aligned to {alignment} bytes, and the format needs {MIN_BUFFER_ALIGNMENT}; its producer has to copy it"
        )));
    }
    Ok(Region { start, len, elsewhere })
}

/// What the object says of its memory, where it does: the C ABI has no word for it.
fn says_readonly(obj: &Bound<'_, PyAny>) -> PyResult<bool> {
    let said = obj.getattr_opt(intern!(obj.py(), "readonly"))?;
    Ok(said.is_some_and(|said| said.cast::<PyBool>().is_ok_and(|said| said.is_true())))
}

/// The descriptor's device, with the number that the object gives it.
fn device_of(obj: &Bound<'_, PyAny>, descriptor: &TensorDescriptor) -> PyResult<Py<Device>> {
    let py = obj.py();
    let first = descriptor.buffers.first();
    let tag = first.map_or(hurray_core::DeviceTag::Cpu, |handle| handle.device_tag());
    let class = first.map_or(hurray_core::MemoryClass::Standard, |handle| handle.memory_class());
    device::of(py, tag, class, number(obj, tag))
}

fn number(obj: &Bound<'_, PyAny>, tag: hurray_core::DeviceTag) -> u32 {
    let py = obj.py();
    if let Ok(Some(said)) = obj.getattr_opt(intern!(py, "device")) {
        if let Ok(device) = said.cast::<Device>() {
            return if device.get().tag == tag { device.get().device_id } else { 0 };
        }
    }
    // What DLPack has no name for has no answer here, which is no fault of the capsule's.
    let pair = obj.call_method0(intern!(py, "__dlpack_device__")).and_then(|pair| pair.extract::<(i64, u32)>());
    pair.map_or(0, |(_, number)| if i32::try_from(number).is_ok() { number } else { 0 })
}
