//! What Python sees of a tensor.

use std::ffi::c_int;
use std::sync::Arc;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyTuple};

use super::author::{self, Stated};
use super::{new, values, view, write, Tensor};
use crate::argument;
use crate::descriptor::{handles, Descriptor};
use crate::device::{self, Device};
use crate::error::{guarded, UnsupportedError};
use crate::exchange::{dlpack, pybuffer};
use crate::{dtype, layout, shape};

#[pymethods]
impl Tensor {
    #[new]
    #[pyo3(signature = (
        buffer, dtype, shape, device=None, *, aux_buffers=None, layout=None, quantization=None,
        statistics=None, shard=None, extension_type=None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "the signature is the requirements' own")]
    fn new(
        buffer: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
        device: Option<&Bound<'_, PyAny>>,
        aux_buffers: Option<&Bound<'_, PyAny>>,
        layout: Option<&Bound<'_, PyAny>>,
        quantization: Option<&Bound<'_, PyAny>>,
        statistics: Option<&Bound<'_, PyAny>>,
        shard: Option<&Bound<'_, PyAny>>,
        extension_type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let device = device::argument(device)?;
        let stated = Stated { dtype, shape, device, layout, quantization, statistics, shard, extension_type };
        guarded(|| author::author(buffer, aux_buffers, &stated))
    }

    /// Wrap an exporter of the buffer protocol with its own shape and strides.
    ///
    /// ``dtype`` reads the same bytes as another type of the same width (bfloat16 out of uint16); by
    /// default the exporter's format decides. A ``?`` exporter is packed to one bit an element.
    /// ``copy`` is decided as for every ingest: ``None`` shares what is aligned to 64 bytes and has
    /// strides that the format can say, and copies the rest; ``False`` raises ``CopyRequiredError``
    /// instead of copying; ``True`` always copies. A tensor of any type is shared or copied whole.
    #[staticmethod]
    #[pyo3(signature = (obj, dtype=None, *, copy=None))]
    fn from_buffer(
        obj: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
    ) -> PyResult<Self> {
        guarded(|| new::from_exporter(obj, dtype, copy))
    }

    /// Extents, ``None`` for a dynamic dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        shape::to_python(py, &self.descriptor.shape)
    }

    /// Number of dimensions, 0 to 64.
    #[getter]
    fn ndim(&self) -> usize {
        self.descriptor.shape.rank()
    }

    /// Number of elements, ``None`` while a dimension is dynamic.
    #[getter]
    fn size<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyInt>>> {
        shape::size(py, &self.descriptor.shape)
    }

    /// Bytes of the elements, packed as the format packs them; of all buffers for a tensor that is
    /// sparse, paged, quantised, private or dynamic.
    #[getter]
    fn nbytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let d = &self.descriptor;
        let plain = layout::is_dense(&d.layout) && d.quantization.is_none();
        if let Some(len) = write::packed_len(d).filter(|_| plain) {
            return Ok(len.into_pyobject(py)?.into_any());
        }
        if plain && d.extension_type.is_none() && !d.shape.has_dynamic() {
            // A broadcast may stand for more elements than 64 bits count; Python's own integers do.
            return py.import("hurray._format")?.call_method1("_packed", (self.size(py)?, d.element_type.bit_width()));
        }
        let stored: u64 = self.buffers.iter().map(|buffer| buffer.len() as u64).sum();
        Ok(stored.into_pyobject(py)?.into_any())
    }

    /// Bytes of one element; ``None`` for elements that share bytes (``t.dtype.bit_width`` says their bits).
    #[getter]
    fn itemsize(&self) -> Option<u64> {
        let d = &self.descriptor;
        let bits = d.extension_type.as_ref().map_or_else(|| d.element_type.bit_width(), |private| private.bit_width);
        (bits >= 8).then(|| u64::from(bits.div_ceil(8)))
    }

    /// The element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<dtype::Dtype>> {
        dtype::of(py, self.descriptor.element_type)
    }

    /// The device that the buffers are on.
    #[getter]
    fn device(&self, py: Python<'_>) -> Py<Device> {
        self.device.clone_ref(py)
    }

    /// The layout, a value object; a fresh one at each access.
    #[getter]
    fn layout(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        layout::to_python(py, &self.descriptor.layout)
    }

    /// What the tensor declares, without its data.
    #[getter]
    fn descriptor(&self, py: Python<'_>) -> Descriptor {
        Descriptor::new(Arc::clone(&self.descriptor), self.device.clone_ref(py))
    }

    /// Number of buffers.
    #[getter]
    fn buffer_count(&self) -> usize {
        self.buffers.len()
    }

    /// One handle per buffer, in the descriptor's order. Handles keep no memory alive.
    #[getter]
    fn buffer_handles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        handles(py, &self.descriptor, &self.device)
    }

    /// Whether the memory may only be read.
    #[getter]
    #[pyo3(name = "readonly")]
    fn is_readonly(&self) -> bool {
        self.readonly()
    }

    /// The bytes of one buffer, as a 1-D uint8 tensor that shares them.
    ///
    /// Raises ``IndexError`` where there is no such buffer, ``UnsupportedError`` for memory that the
    /// CPU cannot read.
    fn buffer(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        let number = index.call_method0(intern!(py, "__index__"));
        let number = number.map_err(|_| PyTypeError::new_err("a buffer index is an int"))?;
        view::bytes_of(py, self, number.extract().unwrap_or(isize::MAX))
    }

    /// Hand the tensor to the framework of that name, through its installed bridge.
    ///
    /// Raises ``ImportError`` with the pip command that mends it where the bridge or the framework
    /// is missing, and ``UnsupportedError`` naming the mode for a tensor that is not producer-synced
    /// (requirements: sync_mode).
    #[pyo3(signature = (name, **options))]
    fn to<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = argument::name)] name: String,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        handed(slf, &name, options)
    }

    /// Hand the tensor to PyTorch; ``to("torch")``.
    fn to_torch<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        handed(slf, "torch", None)
    }

    /// Hand the tensor to SciPy; ``to("scipy")``.
    fn to_scipy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        handed(slf, "scipy", None)
    }

    /// The elements in row-major order, packed as the format packs them (format: element-types.md §3).
    ///
    /// ``t.nbytes`` bytes, from any dense layout: tiles, curves and strides are undone, ``byte_offset`` and
    /// padding left out. Raises ``UnsupportedError`` for quantised codes, a dynamic dimension, sparse, paged
    /// and private layouts, and memory that is not the CPU's to read; ``t.buffer(i)`` gives the bytes as
    /// they lie.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| write::to_bytes(py, self))
    }

    /// Write what ``tobytes`` returns to an open file or a descriptor, without making it.
    ///
    /// Returns the number of bytes. Raises ``FileError`` with the system's ``errno``, ``UnsupportedError``
    /// as ``tobytes`` does.
    fn tofile(&self, py: Python<'_>, file: &Bound<'_, PyAny>) -> PyResult<usize> {
        guarded(|| write::to_file(py, self, file))
    }

    /// The elements as nested lists of Python numbers.
    ///
    /// Every dense layout, whatever the order in memory (format: layouts.md §2 to §6): row_major, col_major,
    /// strided, tiled, Morton and Hilbert. Bools are bools, integers ints, floats floats, complex numbers
    /// complex. Raises ``UnsupportedError`` where there is no exact number for an element (float128, private
    /// types), for quantised codes, a dynamic dimension, sparse, paged and private layouts, and memory that
    /// is not the CPU's to read; ``MemoryError`` where a shape claims more than the tensor holds.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| values::to_list(py, self))
    }

    /// The elements of a bool tensor in row-major order, one byte (0 or 1) each.
    ///
    /// Raises ``UnsupportedError`` for another dtype, and as ``tobytes`` does.
    fn unpack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        guarded(|| write::unpacked(py, self))
    }

    /// ``tobytes()``.
    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.tobytes(py)
    }

    /// A NumPy array over the same memory (requirements: NumPy Interoperability), by the NumPy bridge; for
    /// bool, and for tiled, Morton and Hilbert layouts, a copy.
    ///
    /// Raises ``UnsupportedError`` for what NumPy has no type or strides for, ``CopyRequiredError`` with ``copy=False`` where
    /// a copy is needed, and ``ImportError`` without hurray-numpy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(slf.py());
        options.set_item(intern!(slf.py(), "dtype"), dtype)?;
        options.set_item(intern!(slf.py(), "copy"), copy)?;
        handed(slf, "numpy", Some(&options))
    }

    /// The DLPack (device type, device id) pair (requirements: Full mapping table).
    fn __dlpack_device__(&self) -> PyResult<(i32, u32)> {
        dlpack::device_type(self)
    }

    #[allow(unsafe_code, reason = "CPython's slot is unsafe; the work is in exchange/")]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        // SAFETY: CPython's own view, not null.
        unsafe { pybuffer::fill(&slf, view, flags) }
    }
}

/// A tensor through the bridge of that name.
fn handed<'py>(
    tensor: &Bound<'py, Tensor>,
    name: &str,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(reason) = tensor.get().pending() {
        return Err(UnsupportedError::new_err(format!("to({name:?}) {reason}")));
    }
    bridge(tensor.py(), name)?.call_method(intern!(tensor.py(), "to_object"), (tensor,), options)
}

/// The installed bridge of that name.
fn bridge<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "hurray.bridges"))?.call_method1(intern!(py, "get"), (name,))
}
