//! What a native capsule holds: a buffer list and a context, released once.

use std::ptr::NonNull;

use hurray_ffi::buffer_list::hurray_buffer_list_destroy;
use hurray_ffi::tensor_context::hurray_tensor_context_destroy;
use hurray_ffi::{HurrayBufferList, HurrayTensorContext};
use pyo3::Python;

use crate::buffer::trash;

/// A list and a context that are ours to destroy.
pub(crate) struct Received {
    pub(super) list: NonNull<HurrayBufferList>,
    pub(super) context: NonNull<HurrayTensorContext>,
}

// SAFETY: the handles may be used by one thread at a time, and only the one drop does once they are read.
unsafe impl Send for Received {}
// SAFETY: as above.
unsafe impl Sync for Received {}

/// Destroys both: the list first, since the context's owner may be what its memory lies in.
pub(super) fn destroy(list: NonNull<HurrayBufferList>, context: NonNull<HurrayTensorContext>) {
    let (mut list, mut context) = (list.as_ptr(), context.as_ptr());
    // SAFETY: the caller owns both handles and gives them up here, once.
    unsafe {
        hurray_buffer_list_destroy(&mut list);
        hurray_tensor_context_destroy(&mut context);
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        let (list, context) = (self.list, self.context);
        // Producers written for Python drop references without attaching; at exit nobody is left to tell.
        let held = Handles(list, context);
        trash::release(move || {
            Python::try_attach(|_| held.destroy());
        });
    }
}

struct Handles(NonNull<HurrayBufferList>, NonNull<HurrayTensorContext>);

impl Handles {
    fn destroy(&self) {
        destroy(self.0, self.1);
    }
}
