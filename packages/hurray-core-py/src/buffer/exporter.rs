//! Bytes that a Python object exports through the buffer protocol.

use std::sync::Arc;

use pyo3::prelude::*;

use super::{Buffer, Owner, View};
use crate::error::{BufferError, UnsupportedError};

/// Whether a format of the struct module names Python objects or pointers; field names stand between colons.
fn holds_pointers(format: &[u8]) -> bool {
    format.split(|&c| c == b':').step_by(2).any(|codes| codes.iter().any(|c| matches!(c, b'O' | b'P' | b'&')))
}

/// As [`contiguous`], for elements that are taken as they lie: numbers of the other byte order would be others.
pub(crate) fn little_endian(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let bytes = contiguous(object)?;
    if let Owner::Exporter(view) = &*bytes.owner {
        let big = matches!(view.format().to_bytes().first(), Some(b'>' | b'!'));
        if big && view.itemsize() > 1 {
            return Err(UnsupportedError::new_err(format!(
                "items {:?} are big-endian and the format is little-endian; convert them first, as \
                 a.astype(a.dtype.newbyteorder('<')) does, or pass memoryview(a).cast('B') to take the bytes as they are",
                view.format().to_string_lossy()
            )));
        }
    }
    Ok(bytes)
}

/// The bytes of any C-contiguous exporter, whatever its item type but for addresses, shared.
pub(crate) fn contiguous(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let view = View::get(object).map_err(|error| {
        let kind = object.get_type();
        let reason = format!("cannot read the bytes of a {kind}: it exports no buffer; give bytes, a bytearray, a memoryview or an array");
        let refused = pyo3::exceptions::PyTypeError::new_err(reason);
        refused.set_cause(object.py(), Some(error));
        refused
    })?;
    if holds_pointers(view.format().to_bytes()) {
        return Err(UnsupportedError::new_err(format!(
            "a {} of items {:?} holds addresses of objects, not their data; convert it to numbers first",
            object.get_type(),
            view.format().to_string_lossy()
        )));
    }
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
