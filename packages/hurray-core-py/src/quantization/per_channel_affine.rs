//! Per-channel affine (format: quantization.md §5).

use hurray_core::{PerChannelAffine as Scheme, QuantizationDescriptor};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::{axis, buffer_index, encoded};
use crate::dtype::{self, Dtype};
use crate::tensor::invalid;

/// One scale, and one zero point unless symmetric, for each position along ``axis`` (format:
/// quantization.md §5): ``x = scale[c] * (q - zero_point[c])`` with ``c = i[axis]``.
///
/// Made by ``PerChannelAffine.symmetric`` or ``PerChannelAffine.asymmetric``. The parameters lie in
/// buffers of their own, named by their positions in the tensor's buffer table: scales as float32,
/// zero points as int32, ``shape[axis]`` of each. Compared by value, hashable.
#[pyclass(frozen, eq, hash, module = "hurray")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PerChannelAffine {
    pub(crate) inner: Scheme,
}

#[pymethods]
impl PerChannelAffine {
    /// Scales only; every zero point is 0.
    ///
    /// Raises ``TypeError`` or ``OverflowError`` for what is no int of 32 bits.
    #[staticmethod]
    #[pyo3(signature = (axis, scale_buffer_index))]
    fn symmetric(axis: &Bound<'_, PyAny>, scale_buffer_index: &Bound<'_, PyAny>) -> PyResult<Self> {
        let scale = buffer_index(scale_buffer_index, "scale_buffer_index")?;
        Ok(Self { inner: Scheme::new_symmetric(self::axis(axis)?, scale).map_err(invalid)? })
    }

    /// Scales and zero points.
    ///
    /// Raises ``TypeError`` or ``OverflowError`` for what is no int of 32 bits.
    #[staticmethod]
    #[pyo3(signature = (axis, scale_buffer_index, zero_point_buffer_index))]
    fn asymmetric(
        axis: &Bound<'_, PyAny>,
        scale_buffer_index: &Bound<'_, PyAny>,
        zero_point_buffer_index: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let scale = buffer_index(scale_buffer_index, "scale_buffer_index")?;
        let zero_point = buffer_index(zero_point_buffer_index, "zero_point_buffer_index")?;
        Ok(Self { inner: Scheme::new_asymmetric(self::axis(axis)?, scale, zero_point).map_err(invalid)? })
    }

    /// The dimension whose positions have parameters of their own.
    #[getter]
    fn axis(&self) -> u32 {
        self.inner.axis()
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

    /// Element type of the scales: float32.
    #[getter]
    fn scale_type(&self, py: Python<'_>) -> PyResult<Py<Dtype>> {
        dtype::of(py, self.inner.scale_type())
    }

    /// Whether there are no zero points.
    #[getter]
    fn is_symmetric(&self) -> bool {
        self.inner.is_symmetric()
    }

    /// The section's 20 bytes, without a length prefix.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        encoded(py, QuantizationDescriptor::PerChannelAffine(self.inner))
    }

    fn __repr__(&self) -> String {
        let (axis, scale) = (self.inner.axis(), self.inner.scale_buffer_index());
        match self.inner.zero_point_buffer_index() {
            None => format!("PerChannelAffine.symmetric(axis={axis}, scale_buffer_index={scale})"),
            Some(zero) => format!(
                "PerChannelAffine.asymmetric(axis={axis}, scale_buffer_index={scale}, zero_point_buffer_index={zero})"
            ),
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, scheme, class) = (slf.py(), slf.get().inner, slf.get_type());
        let (axis, scale) = (scheme.axis(), scheme.scale_buffer_index());
        Ok(match scheme.zero_point_buffer_index() {
            None => (class.getattr("symmetric")?, (axis, scale).into_pyobject(py)?),
            Some(zero) => (class.getattr("asymmetric")?, (axis, scale, zero).into_pyobject(py)?),
        })
    }
}
