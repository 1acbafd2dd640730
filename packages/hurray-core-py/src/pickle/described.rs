//! Descriptors and buffer handles, which have no constructor.

use hurray_core::SyncMode;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Reduced;
use crate::descriptor::{self, Descriptor};
use crate::device::{self, Device};
use crate::error::{guarded, InvalidDescriptorError};
use crate::handle::BufferHandle;
use crate::tensor;

/// The descriptor of some bytes, on a device whose id the bytes do not say. `unknown` is the length of an
/// unknown layout's bytes, which they do not say either.
#[pyfunction]
#[pyo3(signature = (data, device, unknown=None))]
pub(crate) fn _descriptor(
    data: &Bound<'_, PyAny>,
    device: &Bound<'_, Device>,
    unknown: Option<usize>,
) -> PyResult<Descriptor> {
    guarded(|| {
        let place = device.get();
        let mut descriptor = descriptor::read(data, true, unknown)?;
        let stated = descriptor.device.get();
        if (stated.tag, stated.class) != (place.tag, place.class) {
            return Err(InvalidDescriptorError::new_err(format!(
                "the descriptor's buffers are on {}, not on {}; only the device id is not in its bytes",
                stated.tag, place.tag
            )));
        }
        // The plain CPU is one object for all tensors.
        descriptor.device = device::of(data.py(), place.tag, place.class, place.device_id)?;
        Ok(descriptor)
    })
}

/// A handle of these values.
#[pyfunction]
pub(crate) fn _handle(
    byte_size: u64,
    alignment: u32,
    sync_mode: u8,
    device: &Bound<'_, Device>,
) -> PyResult<BufferHandle> {
    let sync = SyncMode::from_byte(sync_mode).map_err(tensor::invalid)?;
    let place = device.get();
    let made = hurray_core::BufferHandle::with_memory_class(byte_size, alignment, place.tag, sync, place.class);
    Ok(BufferHandle { handle: made.map_err(tensor::invalid)?, device: device.clone().unbind() })
}

/// A function of the compiled module by its name there.
pub(crate) fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("hurray._core")?.getattr(name)
}

#[pymethods]
impl Descriptor {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyBytes>, Py<Device>, Option<usize>)> {
        let (py, this) = (slf.py(), slf.get());
        let bytes = PyBytes::new(py, &this.bytes()?);
        Ok((function(py, "_descriptor")?, (bytes, this.device.clone_ref(py), this.unknown_len())))
    }
}

#[pymethods]
impl BufferHandle {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u64, u32, u8, Py<Device>)> {
        let (py, this) = (slf.py(), slf.get());
        let handle = this.handle;
        let values = (handle.byte_size(), handle.alignment(), handle.sync_mode().to_byte(), this.device.clone_ref(py));
        Ok((function(py, "_handle")?, values))
    }
}
