//! Descriptors and buffer handles, which have no constructor.

use hurray_core::layout::UnknownLayout;
use hurray_core::{LayoutDescriptor, SyncMode, TensorDescriptor};
use hurray_wire::{check, Fault};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::descriptor::Descriptor;
use crate::device::{self, Device};
use crate::error::{self, guarded};
use crate::handle::BufferHandle;
use crate::{buffer, tensor};

/// A reserved layout tag and its payload, whose end the bytes of a descriptor do not tell.
type Unknown<'py> = (u8, Bound<'py, PyBytes>);

/// The descriptor of some bytes, on a device whose id the bytes do not say. The place of an unknown
/// layout is taken by row-major in them.
#[pyfunction]
#[pyo3(signature = (data, device, unknown=None))]
pub(crate) fn _descriptor(
    data: &Bound<'_, PyAny>,
    device: &Bound<'_, Device>,
    unknown: Option<Unknown<'_>>,
) -> PyResult<Descriptor> {
    guarded(|| {
        let place = device.get();
        // The plain CPU is one object for all tensors.
        let device = device::of(data.py(), place.tag, place.class, place.device_id)?;
        let Some((tag, payload)) = unknown else {
            return Ok(Descriptor::read(data, true)?.on(device));
        };
        let layout = UnknownLayout::new(tag, payload.as_bytes().to_vec()).map_err(tensor::invalid)?;
        let bytes = buffer::contiguous(data)?;
        let refused = |fault: Fault| error::fault(data.py(), &fault);
        let mut inner = check::decode(bytes.bytes()).map_err(refused)?;
        inner.layout = LayoutDescriptor::Unknown(layout);
        check::all(&inner).map_err(refused)?;
        Ok(Descriptor::new(inner.into(), device))
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

type Reduced<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;

/// A function of the compiled module by its name there.
pub(super) fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("hurray._core")?.getattr(name)
}

#[pymethods]
impl Descriptor {
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> Reduced<'py, (Bound<'py, PyBytes>, Py<Device>, Option<Unknown<'py>>)> {
        let (py, this) = (slf.py(), slf.get());
        let device = this.device.clone_ref(py);
        let (bytes, unknown) = match (this.whole(), &this.inner.layout) {
            (Ok(whole), LayoutDescriptor::Unknown(layout)) => {
                let plain = TensorDescriptor { layout: LayoutDescriptor::RowMajor, ..(**whole).clone() };
                let payload = PyBytes::new(py, &layout.raw_bytes);
                (plain.encode().map_err(tensor::invalid)?, Some((layout.tag, payload)))
            }
            _ => (this.bytes()?, None),
        };
        Ok((function(py, "_descriptor")?, (PyBytes::new(py, &bytes), device, unknown)))
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
