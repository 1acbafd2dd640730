//! NF4 (format: quantization.md §7).

use hurray_core::{ElementType, Nf4 as Scheme, QuantizationDescriptor, NF4_MIN_BLOCK_SIZE};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{axis, block_size, buffer_index, encoded};
use crate::dtype::{self, Dtype};
use crate::tensor::invalid;

/// The scheme's tag (format: quantization.md §1).
const TAG: u8 = 0x04;

/// NF4: 4-bit codes of a fixed table of 16 float32 values, and one scale for each block of
/// ``block_size`` positions along ``axis`` (format: quantization.md §3, §7): ``x = scale[b] * nf4[q]``.
///
/// The storage type is uint4. The scales lie as float32 in the buffer at position
/// ``scale_buffer_index``. ``block_size`` is a power of two, 8 or more; 64 is usual. Compared by value,
/// hashable.
///
/// Raises ``InvalidDescriptorError`` for another ``block_size``, ``TypeError`` or
/// ``OverflowError`` for what is no int of 32 bits.
#[pyclass(frozen, eq, hash, module = "hurray", name = "NF4")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Nf4 {
    pub(crate) inner: Scheme,
}

#[pymethods]
impl Nf4 {
    #[new]
    fn new(
        axis: &Bound<'_, PyAny>,
        block_size: &Bound<'_, PyAny>,
        scale_buffer_index: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let axis = self::axis(axis)?;
        let block = self::block_size(block_size, TAG, NF4_MIN_BLOCK_SIZE, u32::MAX)?;
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

    /// Element type of the scales: float32.
    #[getter]
    fn scale_type(&self, py: Python<'_>) -> PyResult<Py<Dtype>> {
        dtype::of(py, ElementType::Float32)
    }

    /// The section's 16 bytes, without a length prefix.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        encoded(py, QuantizationDescriptor::Nf4(self.inner))
    }

    fn __repr__(&self) -> String {
        let q = &self.inner;
        let (axis, block, scale) = (q.axis(), q.block_size(), q.scale_buffer_index());
        format!("NF4(axis={axis}, block_size={block}, scale_buffer_index={scale})")
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyAny>, (u32, u32, u32)) {
        let q = slf.get().inner;
        (slf.get_type().into_any(), (q.axis(), q.block_size(), q.scale_buffer_index()))
    }
}
