//! Bytes that a Python object exports through the buffer protocol.

use std::sync::Arc;

use pyo3::prelude::*;

use super::{Buffer, Owner, View};
use crate::error::BufferError;

/// The bytes of any C-contiguous exporter, whatever its item type, shared.
pub(crate) fn contiguous(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let view = View::get(object).map_err(|error| {
        let kind = object.get_type();
        let reason = format!("cannot read the bytes of a {kind}: it exports no buffer; give bytes, a bytearray, a memoryview or an array");
        let refused = pyo3::exceptions::PyTypeError::new_err(reason);
        refused.set_cause(object.py(), Some(error));
        refused
    })?;
    if !view.c_contiguous() {
        return Err(BufferError::new_err(
            "the buffer is not C-contiguous; pass a contiguous copy, or hurray.Tensor.from_buffer, which keeps strides",
        ));
    }
    let (start, len, readonly) = (view.start(), view.len(), view.readonly());
    let owner = Arc::new(Owner::Exporter(view));
    // SAFETY: the exporter keeps its memory in place until the view, which the owner holds, is released.
    Ok(unsafe { Buffer::held(start, len, readonly, owner) })
}
