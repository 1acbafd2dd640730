//! Descriptors (format: descriptor.md): what a tensor declares, without its data.

mod sections;

use std::sync::Arc;

use hurray_core::{DeviceTag, MemoryClass, TensorDescriptor};
use hurray_wire::check;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyTuple};

use crate::device::{self, Device};
use crate::error::{self, guarded, UnsupportedError};
use crate::handle::BufferHandle;
use crate::{buffer, dtype, layout, shape, tensor};

/// What a tensor declares, without its data (requirements: Descriptor Encoding).
///
/// Descriptors come from ``Tensor.descriptor``, from a file, or from ``Descriptor.decode``. Two are equal
/// when their encodings are; hashable.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct Descriptor {
    pub(crate) inner: Arc<TensorDescriptor>,
    pub(crate) device: Py<Device>,
    /// What was read, where `inner` does not say all of it: a relay writes it back.
    read: Option<Box<[u8]>>,
    /// Whether `inner` has the buffers and sections; of an unknown layout they may not be found.
    whole: bool,
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
        Self { inner, device, read: None, whole: true }
    }

    pub(crate) fn decoded(py: Python<'_>, inner: TensorDescriptor) -> PyResult<Self> {
        let device = device_of(py, &inner)?;
        Ok(Self::new(Arc::new(inner), device))
    }

    /// What the bytes start with, checked; under a reserved layout tag, too, for a permissive reader.
    pub(crate) fn read(data: &Bound<'_, PyAny>, permissive: bool) -> PyResult<Self> {
        // Most descriptors come as bytes, whose memory is at hand without a view.
        if let Ok(bytes) = data.cast_exact::<PyBytes>() {
            return Self::read_bytes(data.py(), bytes.as_bytes(), permissive);
        }
        let bytes = buffer::contiguous(data)?;
        Self::read_bytes(data.py(), bytes.bytes(), permissive)
    }

    fn read_bytes(py: Python<'_>, bytes: &[u8], permissive: bool) -> PyResult<Self> {
        let refused = |fault| error::fault(py, &fault);
        // At once behind its pointer, since it is large to move around.
        let (inner, whole) = if permissive {
            let relayed = check::decode_relayed(bytes).map_err(refused)?;
            let tiers = if relayed.whole { check::all } else { check::shape_tier };
            tiers(&relayed.descriptor).map_err(refused)?;
            (Arc::new(relayed.descriptor), relayed.whole)
        } else {
            (Arc::new(check::decode_checked(bytes).map_err(refused)?), true)
        };
        let mut decoded = Self { device: device_of(py, &inner)?, inner, read: None, whole };
        decoded.keep(bytes)?;
        Ok(decoded)
    }

    /// The same on another device of the kind, whose id no bytes say.
    pub(crate) fn on(self, device: Py<Device>) -> Self {
        Self { device, ..self }
    }

    pub(crate) fn bytes(&self) -> PyResult<Vec<u8>> {
        match &self.read {
            Some(read) => Ok(read.to_vec()),
            None => check::encode(&self.inner).map_err(tensor::invalid),
        }
    }

    /// Remembers what was read, if encoding again would not give it.
    fn keep(&mut self, read: &[u8]) -> PyResult<()> {
        // At minor 0 nothing is left over, so that only an undivided descriptor loses anything.
        if self.inner.version_minor == 0 && self.whole {
            return Ok(());
        }
        let length = read.get(6..10).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let own = read.get(..length as usize).unwrap_or(read);
        if !self.whole || self.bytes()? != own {
            self.read = Some(own.into());
        }
        Ok(())
    }

    /// The descriptor with its buffers and sections; an error where they could not be told apart.
    pub(crate) fn whole(&self) -> PyResult<&Arc<TensorDescriptor>> {
        match self.whole {
            true => Ok(&self.inner),
            false => Err(UnsupportedError::new_err(format!(
                "the descriptor has the unknown layout 0x{:02X}, whose end and with it the buffer table cannot be \
                 found; shape, dtype, byte_offset, layout and encode() are all there is",
                self.inner.layout.tag()
            ))),
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
    fn decode(data: &Bound<'_, PyAny>, permissive: bool) -> PyResult<Self> {
        guarded(|| Self::read(data, permissive))
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
    fn device(&self, py: Python<'_>) -> Py<Device> {
        self.device.clone_ref(py)
    }

    // By bytes, as the hash: a NaN in a section equals itself, and 0.0 is not -0.0.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        let one = Arc::ptr_eq(&self.inner, &other.inner) && self.read == other.read;
        Ok(one || self.bytes()? == other.bytes()?)
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(device::hash_of(&self.bytes()?))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (py, inner) = (slf.py(), &slf.get().inner);
        let shape = shape::to_python(py, &inner.shape)?.repr()?;
        let layout = layout::to_python(py, &inner.layout)?.into_bound(py).repr()?;
        let ty = dtype::of(py, inner.element_type)?.into_bound(py).str()?;
        Ok(format!(
            "Descriptor(shape={shape}, dtype={ty}, layout={layout}, buffers={}, device='{}')",
            slf.get().whole().map_or_else(|_| String::from("?"), |whole| whole.buffers.len().to_string()),
            slf.get().device.get().tag
        ))
    }
}
