//! Capsules that this module has made and nobody has taken: what the C ABI has no word for, the device's
//! number and whether memory may be written, is told from the tensor itself.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use hurray_ffi::HurrayTensorContext;
use pyo3::prelude::*;

use crate::exchange::called;
use crate::tensor::Tensor;

/// What a context of ours owns: a reference to the tensor.
pub(super) struct Sent {
    tensor: Py<Tensor>,
    /// The context's address, by which it is found.
    context: usize,
}

/// The tensors behind contexts of ours, by the context's address. A context is here exactly as long as it
/// lives, so that an address which is here is no other's.
static LIVE: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);

fn live<R>(work: impl FnOnce(&mut HashMap<usize, usize>) -> R) -> R {
    work(LIVE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(HashMap::new))
}

impl Sent {
    /// What the context is to own, as the pointer that [`release`] takes back.
    pub(super) fn owner(tensor: &Bound<'_, Tensor>) -> *mut Self {
        Box::into_raw(Box::new(Self { tensor: tensor.clone().unbind(), context: 0 }))
    }

    /// # Safety
    /// `owner` is from [`Self::owner`], and `context` owns it.
    pub(super) unsafe fn register(owner: *mut Self, context: *mut HurrayTensorContext) {
        // SAFETY: the caller's promise; nobody else has seen the owner yet.
        let owner = unsafe { &mut *owner };
        owner.context = context as usize;
        live(|live| live.insert(owner.context, owner.tensor.as_ptr() as usize));
    }
}

/// The tensor that a context was made of, if this module made it.
pub(super) fn source(py: Python<'_>, context: *mut HurrayTensorContext) -> Option<Bound<'_, Tensor>> {
    let tensor = live(|live| live.get(&(context as usize)).copied())?;
    // SAFETY: the context lives, as its capsule is not consumed, and holds a reference to this tensor.
    let object = unsafe { Bound::from_borrowed_ptr(py, tensor as *mut pyo3::ffi::PyObject) };
    object.cast_into::<Tensor>().ok()
}

/// The context's release callback: from whatever thread; at exit there is nobody to give the reference to.
pub(super) unsafe extern "C" fn release(owner: *mut c_void) {
    // SAFETY: from `Sent::owner`, and called once.
    let Sent { tensor, context } = *unsafe { Box::from_raw(owner.cast::<Sent>()) };
    live(|live| live.remove(&context));
    let mut tensor = Some(tensor);
    called::attached(|| drop(tensor.take()));
    // What is left over is left alone: giving it up needs an interpreter.
    std::mem::forget(tensor);
}
