//! `__hurray__`: a tensor as a native capsule.

use std::ffi::c_void;
use std::ptr::{null_mut, NonNull};
use std::sync::Arc;

use hurray_core::BufferHandle;
use hurray_ffi::buffer::hurray_buffer_destroy;
use hurray_ffi::buffer_list::{hurray_buffer_list_destroy, hurray_buffer_list_push};
use hurray_ffi::tensor_context::hurray_tensor_context_destroy;
use hurray_ffi::{
    hurray_buffer_from_ptr, hurray_buffer_list_new, hurray_tensor_context_new, HurrayBufferList, HurrayStatus,
    HurrayTensorContext, HURRAY_C_ABI_VERSION, HURRAY_OK,
};
use hurray_wire::check;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::received::destroy;
use super::sent::{self, Sent};
use super::NAME;
use crate::buffer::{Buffer, Owner};
use crate::error::{guarded, InternalError};
use crate::exchange::{called, stream};
use crate::tensor::{invalid, Tensor};

#[pymethods]
impl Tensor {
    /// A native capsule over all buffers, of every dtype, layout and device (requirements: Native
    /// Interchange Protocol).
    ///
    /// Named ``"hurray_tensor"``: its pointer is a ``HurrayBufferList`` with one ``HurrayBuffer`` for each
    /// buffer of the descriptor, its context a ``HurrayTensorContext`` with the encoded descriptor, the
    /// version of the C ABI, and a reference to this tensor. No byte is copied; what is read-only must not be
    /// written. ``stream`` is ``None``, -1 or a positive handle, as for ``__dlpack__``.
    ///
    /// Raises the built-in ``BufferError`` for a tensor that is not producer-synced and for another stream.
    #[pyo3(signature = (stream=None))]
    fn __hurray__<'py>(slf: &Bound<'py, Self>, stream: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let this = slf.get();
            if let Some(reason) = this.pending() {
                return Err(PyBufferError::new_err(format!("__hurray__ {reason}")));
            }
            stream::named(stream, this.device.get())?;
            capsule(slf)
        })
    }
}

fn check(status: HurrayStatus, what: &str) -> PyResult<()> {
    match status {
        HURRAY_OK => Ok(()),
        status => Err(InternalError::new_err(format!("{what} answered {status}"))),
    }
}

fn capsule<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let list = list_of(tensor.get())?;
    let context = context_of(tensor).inspect_err(|_| {
        let mut list = list.as_ptr();
        // SAFETY: ours, and in nobody else's hands.
        unsafe { hurray_buffer_list_destroy(&mut list) };
    })?;
    // SAFETY: attached; pointer and context are what the name promises, and a capsule that is not made owns nothing.
    unsafe {
        let made = ffi::PyCapsule_New(list.as_ptr().cast(), NAME.as_ptr(), Some(discard));
        if made.is_null() || ffi::PyCapsule_SetContext(made, context.as_ptr().cast()) != 0 {
            let error = PyErr::fetch(tensor.py());
            // Without a context the capsule's destructor leaves the list alone.
            ffi::Py_XDECREF(made);
            destroy(list, context);
            return Err(error);
        }
        Ok(Bound::from_owned_ptr(tensor.py(), made))
    }
}

/// One `HurrayBuffer` for each buffer, in the descriptor's order.
fn list_of(tensor: &Tensor) -> PyResult<NonNull<HurrayBufferList>> {
    let mut list = null_mut();
    // SAFETY: a place of our own for the handle.
    check(unsafe { hurray_buffer_list_new(tensor.buffers.len() as u64, &mut list) }, "hurray_buffer_list_new")?;
    for (buffer, handle) in tensor.buffers.iter().zip(&tensor.descriptor.buffers) {
        // SAFETY: the list is ours.
        if let Err(error) = unsafe { push(list, buffer, handle) } {
            // SAFETY: as above; it destroys what was pushed.
            unsafe { hurray_buffer_list_destroy(&mut list) };
            return Err(error);
        }
    }
    NonNull::new(list).ok_or_else(|| InternalError::new_err("hurray_buffer_list_new made nothing"))
}

/// # Safety
/// `list` is a live list of ours.
unsafe fn push(list: *mut HurrayBufferList, buffer: &Buffer, handle: &BufferHandle) -> PyResult<()> {
    let held = Arc::into_raw(Arc::clone(buffer.owner())).cast_mut().cast::<c_void>();
    let mut made = null_mut();
    // SAFETY: the address is that of the handle's bytes, which `held` keeps alive until `let_go` has it back.
    let status = unsafe {
        hurray_buffer_from_ptr(
            buffer.start().cast(),
            handle.byte_size(),
            handle.alignment(),
            handle.device_tag().to_byte(),
            handle.sync_mode().to_byte(),
            handle.memory_class().to_byte(),
            Some(let_go),
            held,
            &mut made,
        )
    };
    if status != HURRAY_OK {
        // SAFETY: no buffer was made that would do it.
        unsafe { let_go(null_mut(), held) };
    }
    check(status, "hurray_buffer_from_ptr")?;
    // SAFETY: both are live, and the buffer is in no other list; a refused one is still ours.
    unsafe {
        let status = hurray_buffer_list_push(list, made);
        if status != HURRAY_OK {
            hurray_buffer_destroy(made);
        }
        check(status, "hurray_buffer_list_push")
    }
}

/// A buffer's release callback. Memory that Python owns is given back attached, by its own owner.
unsafe extern "C" fn let_go(_: *mut c_void, held: *mut c_void) {
    // SAFETY: from Arc::into_raw in `push`, and called once.
    let mut held = Some(unsafe { Arc::from_raw(held.cast::<Owner>().cast_const()) });
    called::attached(|| drop(held.take()));
}

/// The descriptor, the version, and the reference that keeps the tensor.
fn context_of(tensor: &Bound<'_, Tensor>) -> PyResult<NonNull<HurrayTensorContext>> {
    let bytes = check::encode(&tensor.get().descriptor).map_err(invalid)?;
    let owner = Sent::owner(tensor);
    let mut context = null_mut();
    // SAFETY: the bytes are copied; the owner is valid until `release` has it.
    let status = unsafe {
        hurray_tensor_context_new(
            HURRAY_C_ABI_VERSION,
            bytes.as_ptr(),
            bytes.len() as u64,
            owner.cast(),
            Some(sent::release),
            &mut context,
        )
    };
    let Some(made) = NonNull::new(context).filter(|_| status == HURRAY_OK) else {
        // SAFETY: no context was made that would do it.
        unsafe { sent::release(owner.cast()) };
        return Err(InternalError::new_err(format!("hurray_tensor_context_new answered {status}")));
    };
    // SAFETY: the context owns this owner.
    unsafe { Sent::register(owner, context) };
    Ok(made)
}

/// The capsule's destructor: whoever took what is in it has renamed it.
unsafe extern "C" fn discard(capsule: *mut ffi::PyObject) {
    // SAFETY: CPython calls this attached, with a capsule of ours; the name proves that it was not consumed.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 0 {
            return;
        }
        let list = NonNull::new(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        let context = NonNull::new(ffi::PyCapsule_GetContext(capsule).cast());
        if let (Some(list), Some(context)) = (list, context) {
            destroy(list, context);
        } else if let Some(context) = context {
            let mut context: *mut HurrayTensorContext = context.as_ptr();
            hurray_tensor_context_destroy(&mut context);
        }
    }
}
