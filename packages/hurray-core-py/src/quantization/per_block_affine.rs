//! Per-block affine (format: quantization.md §6).

use hurray_core::{ElementType, PerBlockAffine as Scheme, QuantizationDescriptor, PER_BLOCK_AFFINE_MIN_BLOCK_SIZE};
use hurray_wire::Fault;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::{axis, block_size, buffer_index, encoded};
use crate::dtype::{self, Dtype};
use crate::error;
use crate::tensor::invalid;

/// The scheme's tag (format: quantization.md §1).
const TAG: u8 = 0x03;

/// One scale, and one zero point unless symmetric, for each block of ``block_size`` positions along
/// ``axis`` (format: quantization.md §3, §6): ``x = scale[b] * (q - zero_point[b])``.
///
/// Made by ``PerBlockAffine.symmetric`` or ``PerBlockAffine.asymmetric``. The parameters lie in buffers
/// of their own, named by their positions in the tensor's buffer table: scales as ``scale_type``
/// (float16, bfloat16 or float32), zero points as int32. ``block_size`` is a power of two, 2 or more.
/// Compared by value, hashable.
#[pyclass(frozen, eq, hash, module = "hurray")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PerBlockAffine {
    pub(crate) inner: Scheme,
}

fn scale_type(given: &Bound<'_, PyAny>) -> PyResult<ElementType> {
    let ty = dtype::argument(given, "scale_type")?;
    if matches!(ty, ElementType::Float16 | ElementType::BFloat16 | ElementType::Float32) {
        return Ok(ty);
    }
    let text = format!("scale_type is {}; per-block scales are float16, bfloat16 or float32", dtype::name(ty));
    Err(error::coded(given.py(), &Fault::BlockScaleType { tag: ty.tag() }, text))
}

#[pymethods]
impl PerBlockAffine {
    /// Scales only; every zero point is 0.
    ///
    /// Raises ``InvalidDescriptorError`` for a ``block_size`` or ``scale_type`` that the
    /// format does not have, ``TypeError`` or ``OverflowError`` for what is no int of 32 bits.
    #[staticmethod]
    #[pyo3(signature = (axis, block_size, scale_buffer_index, scale_type))]
    fn symmetric(
        axis: &Bound<'_, PyAny>,
        block_size: &Bound<'_, PyAny>,
        scale_buffer_index: &Bound<'_, PyAny>,
        scale_type: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (axis, block) = (self::axis(axis)?, blocks(block_size)?);
        let scale = buffer_index(scale_buffer_index, "scale_buffer_index")?;
        let inner = Scheme::new_symmetric(axis, block, scale, self::scale_type(scale_type)?);
        Ok(Self { inner: inner.map_err(invalid)? })
    }

    /// Scales and zero points.
    ///
    /// Raises ``InvalidDescriptorError`` for a ``block_size`` or ``scale_type`` that the
    /// format does not have, ``TypeError`` or ``OverflowError`` for what is no int of 32 bits.
    #[staticmethod]
    #[pyo3(signature = (axis, block_size, scale_buffer_index, zero_point_buffer_index, scale_type))]
    fn asymmetric(
        axis: &Bound<'_, PyAny>,
        block_size: &Bound<'_, PyAny>,
        scale_buffer_index: &Bound<'_, PyAny>,
        zero_point_buffer_index: &Bound<'_, PyAny>,
        scale_type: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (axis, block) = (self::axis(axis)?, blocks(block_size)?);
        let scale = buffer_index(scale_buffer_index, "scale_buffer_index")?;
        let zero_point = buffer_index(zero_point_buffer_index, "zero_point_buffer_index")?;
        let inner = Scheme::new_asymmetric(axis, block, scale, zero_point, self::scale_type(scale_type)?);
        Ok(Self { inner: inner.map_err(invalid)? })
    }

    /// The dimension that is cut into blocks.
    #[getter]
    fn axis(&self) -> u32 {
        self.inner.axis()
    }

    /// Positions along the axis that share their parameters.
    #[getter]
    fn block_size(&self) -> u32 {
        self.inner.block_size()
    }

    /// Position of the scales in the buffer table.
    #[getter]
    fn scale_buffer_index(&self) -> u32 {
        self.inner.scale_buffer_index()
    }

    /// Position of the zero points in the buffer table, ``None`` when symmetric.
    #[getter]
    fn zero_point_buffer_index(&self) -> Option<u32> {
        self.inner.zero_point_buffer_index()
    }

    /// Element type of the scales: float16, bfloat16 or float32.
    #[getter]
    fn scale_type(&self, py: Python<'_>) -> PyResult<Py<Dtype>> {
        dtype::of(py, self.inner.scale_type())
    }

    /// Whether there are no zero points.
    #[getter]
    fn is_symmetric(&self) -> bool {
        self.inner.is_symmetric()
    }

    /// The section's 24 bytes, without a length prefix.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        encoded(py, QuantizationDescriptor::PerBlockAffine(self.inner))
    }

    fn __repr__(&self) -> String {
        let q = &self.inner;
        let (name, zero) = match q.zero_point_buffer_index() {
            None => ("symmetric", String::new()),
            Some(zero) => ("asymmetric", format!(", zero_point_buffer_index={zero}")),
        };
        format!(
            "PerBlockAffine.{name}(axis={}, block_size={}, scale_buffer_index={}{zero}, scale_type=hurray.{})",
            q.axis(),
            q.block_size(),
            q.scale_buffer_index(),
            q.scale_type(),
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, q, class) = (slf.py(), slf.get().inner, slf.get_type());
        let (axis, block, scale) = (q.axis(), q.block_size(), q.scale_buffer_index());
        let ty = dtype::of(py, q.scale_type())?;
        Ok(match q.zero_point_buffer_index() {
            None => (class.getattr("symmetric")?, (axis, block, scale, ty).into_pyobject(py)?),
            Some(zero) => (class.getattr("asymmetric")?, (axis, block, scale, zero, ty).into_pyobject(py)?),
        })
    }
}

fn blocks(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    block_size(given, TAG, PER_BLOCK_AFFINE_MIN_BLOCK_SIZE, u32::MAX)
}
