//! Objects that the cycle collector need not look at.

use pyo3::prelude::*;
use pyo3::{ffi, PyClass};

/// Takes an object off the collector's lists. For classes that hold memory and no containers: the
/// collector follows no reference of theirs, and walking a hundred thousand of them takes time.
pub(crate) fn untracked<T: PyClass>(object: Bound<'_, T>) -> Bound<'_, T> {
    // SAFETY: PyO3 gives every class the collector's header, and every deallocation untracks, which
    // may be done twice.
    unsafe { ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
    object
}
