//! The `stream` argument of `__dlpack__` and `__hurray__` (04-tables.md §2).

use hurray_core::DeviceTag;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

use crate::device::Device;

/// Whether a consumer names a stream. A producer-synced tensor has nothing to wait for on any; what is
/// not producer-synced is refused before.
pub(super) fn named(stream: Option<&Bound<'_, PyAny>>, device: &Device) -> PyResult<bool> {
    let Some(stream) = stream.filter(|stream| !stream.is_none()) else { return Ok(false) };
    let number = stream.extract::<i64>()?;
    // ROCm's default stream is number 0, which for CUDA means none in particular.
    let least = if device.tag == DeviceTag::Rocm { 0 } else { 1 };
    if number < least && number != -1 {
        return Err(PyBufferError::new_err(format!("stream is None, -1 or a positive handle; got {number}")));
    }
    Ok(true)
}
