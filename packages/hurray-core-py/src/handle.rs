//! Buffer handles: what a descriptor says of each buffer (format: buffers.md §1).

use hurray_core::BufferHandle as Handle;
use pyo3::prelude::*;

use crate::device::{hash_of, Device};

/// What a tensor declares of one of its buffers. Holds neither the tensor nor the memory
/// (requirements: Buffer Handles).
#[pyclass(frozen, module = "hurray")]
pub(crate) struct BufferHandle {
    pub(crate) handle: Handle,
    pub(crate) device: Py<Device>,
}

#[pymethods]
impl BufferHandle {
    /// Size in bytes.
    #[getter]
    fn byte_size(&self) -> u64 {
        self.handle.byte_size()
    }

    /// Alignment of the address in bytes, a power of two: measured, at most 4096; 1 when empty.
    #[getter]
    fn alignment(&self) -> u32 {
        self.handle.alignment()
    }

    /// The device, the very object that the tensor's ``device`` is.
    #[getter]
    fn device(&self, py: Python<'_>) -> Py<Device> {
        self.device.clone_ref(py)
    }

    /// ``"producer_synced"``, ``"event"`` or ``"consumer_stream"``.
    #[getter]
    fn sync_mode(&self) -> String {
        self.handle.sync_mode().to_string()
    }

    /// Whether the buffer has no bytes.
    #[getter]
    fn is_empty(&self) -> bool {
        self.handle.is_empty()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            self.handle == other.handle && self.device.get() == other.device.get()
        })
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.handle, self.device.get()))
    }

    fn __repr__(&self) -> String {
        format!(
            "BufferHandle(byte_size={}, alignment={}, device={}, sync_mode='{}')",
            self.handle.byte_size(),
            self.handle.alignment(),
            self.device.get().shown(),
            self.handle.sync_mode(),
        )
    }
}
