//! Descriptors (format: descriptor.md): what a tensor declares, without its data.

mod relay;
mod sections;

use std::sync::Arc;

use hurray_core::{DeviceTag, MemoryClass, TensorDescriptor};
use hurray_wire::check;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyTuple};

pub(crate) use relay::{read, Relay};

use crate::argument;
use crate::device::{self, Device};
use crate::error::guarded;
use crate::handle::BufferHandle;
use crate::{dtype, layout, shape, tensor};

/// What a tensor declares, without its data (requirements: Descriptor Encoding).
///
/// Descriptors come from ``Tensor.descriptor``, from a file, or from ``Descriptor.decode``. Two are equal
/// when their encodings are; hashable.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct Descriptor {
    pub(crate) inner: Arc<TensorDescriptor>,
    pub(crate) device: Py<Device>,
    relay: Relay,
}

/// One handle object per buffer, each with the one device object.
pub(crate) fn handles<'py>(
    py: Python<'py>,
    descriptor: &TensorDescriptor,
    device: &Py<Device>,
) -> PyResult<Bound<'py, PyTuple>> {
    let one = |&handle: &hurray_core::BufferHandle| Py::new(py, BufferHandle { handle, device: device.clone_ref(py) });
    PyTuple::new(py, descriptor.buffers.iter().map(one).collect::<PyResult<Vec<_>>>()?)
}

/// The device that all buffers of a descriptor share; the CPU for one without buffers.
pub(crate) fn device_of(py: Python<'_>, descriptor: &TensorDescriptor) -> PyResult<Py<Device>> {
    let first = descriptor.buffers.first();
    let tag = first.map_or(DeviceTag::Cpu, |handle| handle.device_tag());
    device::of(py, tag, first.map_or(MemoryClass::Standard, |handle| handle.memory_class()), 0)
}

impl Descriptor {
    pub(crate) fn new(inner: Arc<TensorDescriptor>, device: Py<Device>) -> Self {
        Self { inner, device, relay: Relay::default() }
    }

    pub(crate) fn decoded(py: Python<'_>, inner: TensorDescriptor) -> PyResult<Self> {
        let device = device_of(py, &inner)?;
        Ok(Self::new(Arc::new(inner), device))
    }

    pub(crate) fn bytes(&self) -> PyResult<Vec<u8>> {
        match self.relay.read() {
            Some(read) => Ok(read.to_vec()),
            None => check::encode(&self.inner).map_err(tensor::invalid),
        }
    }
}

#[pymethods]
impl Descriptor {
    /// The descriptor that the bytes start with; what follows it is ignored. ``encode()`` gives back what was
    /// read, fields that a newer minor version appended included.
    ///
    /// ``permissive`` takes reserved layout tags, which are refused otherwise, as ``UnknownLayout``: for a relay,
    /// which passes them on and leaves the data alone (format: layouts.md §12, versioning.md §2).
    ///
    /// Raises ``InvalidDescriptorError``, with ``code`` the broken rule (format: descriptor.md §8),
    /// and ``BufferError`` where declared sizes are too small for layout and shape.
    #[staticmethod]
    #[pyo3(signature = (data, *, permissive=false))]
    fn decode(
        data: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::permissive)] permissive: bool,
    ) -> PyResult<Self> {
        guarded(|| relay::read(data, permissive, None))
    }

    /// The bytes of the descriptor as they stand on the wire.
    fn encode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.bytes()?))
    }

    /// Length of ``encode()`` in bytes.
    #[getter]
    fn encoded_len(&self) -> PyResult<usize> {
        Ok(self.bytes()?.len())
    }

    /// (major, minor) of the descriptor format.
    #[getter]
    fn version(&self) -> (u8, u8) {
        (self.inner.version_major, self.inner.version_minor)
    }

    /// The element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<dtype::Dtype>> {
        dtype::of(py, self.inner.element_type)
    }

    /// Extents, ``None`` for a dynamic dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        shape::to_python(py, &self.inner.shape)
    }

    /// Number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.inner.shape.rank()
    }

    /// Number of elements, ``None`` while a dimension is dynamic.
    #[getter]
    fn size<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyInt>>> {
        shape::size(py, &self.inner.shape)
    }

    /// The layout, a value object.
    #[getter]
    fn layout(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        layout::to_python(py, &self.inner.layout)
    }

    /// Bytes from the start of buffer 0 to element [0, …, 0].
    #[getter]
    fn byte_offset(&self) -> u64 {
        self.inner.byte_offset
    }

    /// One handle per buffer.
    #[getter]
    fn buffer_handles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        handles(py, self.whole()?, &self.device)
    }

    /// Number of buffers.
    #[getter]
    fn buffer_count(&self) -> PyResult<usize> {
        Ok(self.whole()?.buffers.len())
    }

    /// The device that all buffers share.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<Py<Device>> {
        self.whole().map(|_| self.device.clone_ref(py))
    }

    // By bytes, as the hash: a NaN in a section equals itself, and 0.0 is not -0.0. Where an unknown layout
    // ends, no byte says.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        let one = Arc::ptr_eq(&self.inner, &other.inner) && self.relay == other.relay;
        Ok(one || self.inner.layout == other.inner.layout && self.bytes()? == other.bytes()?)
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(device::hash_of(&self.bytes()?))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (py, inner) = (slf.py(), &slf.get().inner);
        let shape = shape::to_python(py, &inner.shape)?.repr()?;
        let layout = layout::to_python(py, &inner.layout)?.into_bound(py).repr()?;
        let ty = dtype::of(py, inner.element_type)?.into_bound(py).str()?;
        let place = match slf.get().whole() {
            Ok(whole) => format!("buffers={}, device={}", whole.buffers.len(), slf.get().device.get().shown()),
            Err(_) => String::from("buffers=?"),
        };
        Ok(format!("Descriptor(shape={shape}, dtype={ty}, layout={layout}, {place})"))
    }
}
