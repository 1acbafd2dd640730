//! `t.buffer(index)`: the bytes of one buffer.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::Tensor;
use crate::error::UnsupportedError;

/// `t.buffer(index)`: the bytes of one buffer as a 1-D uint8 tensor.
pub(super) fn bytes_of(py: Python<'_>, tensor: &Tensor, index: isize) -> PyResult<Tensor> {
    let count = tensor.buffers.len();
    let buffer = usize::try_from(index).ok().and_then(|index| tensor.buffers.get(index));
    let Some(buffer) = buffer else {
        return Err(PyIndexError::new_err(format!("no buffer at index {index}; this tensor has {count}")));
    };
    if let Some(reason) = tensor.unreadable() {
        return Err(UnsupportedError::new_err(format!("buffer({index}) {reason}")));
    }
    Tensor::bytes_over(py, buffer.clone())
}
