//! MXFP (format: quantization.md §7).

use hurray_core::{ElementType, Mxfp as Scheme, QuantizationDescriptor, MXFP_MAX_BLOCK_SIZE, MXFP_MIN_BLOCK_SIZE};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{axis, block_size, buffer_index, encoded};
use crate::dtype::{self, Dtype};
use crate::tensor::invalid;

/// The scheme's tag (format: quantization.md §1).
const TAG: u8 = 0x05;

/// MXFP: small floats or integers, and one power of two for each block of ``block_size`` positions along
/// ``axis`` (format: quantization.md §3, §7): ``x = 2**(scale[b] - 127) * value(q)``.
///
/// The storage type is one of float8_e4m3, float8_e5m2, float6_e2m3, float6_e3m2, float4_e2m1, int8 and
/// int4. The scales lie as float8_e8m0, one byte each, in the buffer at position ``scale_buffer_index``.
/// ``block_size`` is a power of two from 16 to 2048, 32 in the OCP MX formats, and divides
/// ``shape[axis]``. Compared by value, hashable.
///
/// Raises ``InvalidDescriptorError`` for another ``block_size``, ``TypeError`` or
/// ``OverflowError`` for what is no int of 32 bits.
#[pyclass(frozen, eq, hash, module = "hurray", name = "MXFP")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Mxfp {
    pub(crate) inner: Scheme,
}

#[pymethods]
impl Mxfp {
    #[new]
    fn new(
        axis: &Bound<'_, PyAny>,
        block_size: &Bound<'_, PyAny>,
        scale_buffer_index: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let axis = self::axis(axis)?;
        let block = self::block_size(block_size, TAG, MXFP_MIN_BLOCK_SIZE, MXFP_MAX_BLOCK_SIZE)?;
        let scale = buffer_index(scale_buffer_index, "scale_buffer_index")?;
        Ok(Self { inner: Scheme::new(axis, block, scale).map_err(invalid)? })
    }

    /// The dimension that is cut into blocks.
    #[getter]
    fn axis(&self) -> u32 {
        self.inner.axis()
    }

    /// Positions along the axis that share a scale.
    #[getter]
    fn block_size(&self) -> u32 {
        self.inner.block_size()
    }

    /// Position of the scales in the buffer table.
    #[getter]
    fn scale_buffer_index(&self) -> u32 {
        self.inner.scale_buffer_index()
    }

    /// Element type of the scales: float8_e8m0.
    #[getter]
    fn scale_type(&self, py: Python<'_>) -> PyResult<Py<Dtype>> {
        dtype::of(py, ElementType::Float8E8M0)
    }

    /// The section's 16 bytes, without a length prefix.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        encoded(py, QuantizationDescriptor::Mxfp(self.inner))
    }

    fn __repr__(&self) -> String {
        let q = &self.inner;
        let (axis, block, scale) = (q.axis(), q.block_size(), q.scale_buffer_index());
        format!("MXFP(axis={axis}, block_size={block}, scale_buffer_index={scale})")
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyAny>, (u32, u32, u32)) {
        let q = slf.get().inner;
        (slf.get_type().into_any(), (q.axis(), q.block_size(), q.scale_buffer_index()))
    }
}
