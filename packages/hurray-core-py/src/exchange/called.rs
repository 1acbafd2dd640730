//! Callbacks that foreign code calls, with the interpreter attached or not.

use pyo3::ffi;
use pyo3::prelude::*;

/// Runs `work` attached, or not at all where the interpreter is gone.
///
/// `Python::try_attach` alone believes its own count: a framework that was called from here and has released the GIL
/// since is still attached by that count, and calls a deleter in this very thread.
pub(crate) fn attached(work: impl FnOnce()) {
    // SAFETY: both are always allowed; there is no state for the thread once the interpreter is gone.
    let known = unsafe { ffi::Py_IsInitialized() != 0 && !ffi::PyGILState_GetThisThreadState().is_null() };
    // SAFETY: initialised, and the thread is one that Python has seen; paired by the drop.
    let _paired = known.then(|| Paired(unsafe { ffi::PyGILState_Ensure() }));
    Python::try_attach(|_| work());
}

struct Paired(ffi::PyGILState_STATE);

impl Drop for Paired {
    fn drop(&mut self) {
        // SAFETY: what the one call of PyGILState_Ensure returned, in the same thread.
        unsafe { ffi::PyGILState_Release(self.0) };
    }
}
