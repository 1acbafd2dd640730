//! Per-tensor affine (format: quantization.md §4).

use hurray_core::{PerTensorAffine as Scheme, QuantizationDescriptor};
use hurray_wire::Fault;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::encoded;
use crate::error;
use crate::float::nearest;
use crate::int::within;

/// One scale and one zero point for all elements, kept in the descriptor (format: quantization.md §4):
/// ``x = scale * (q - zero_point)``.
///
/// ``scale`` is finite and not zero. The format stores float32: the scale is the float32 nearest to
/// what is given, which ``scale`` then tells exactly. ``zero_point`` is an int of 32 bits, and within
/// the storage type's range once a tensor has it. Compared by value; unhashable, as it holds a float.
///
/// Raises ``InvalidDescriptorError`` for a scale that is zero, not finite, or so in float32.
#[pyclass(frozen, eq, module = "hurray")]
#[derive(PartialEq)]
pub(crate) struct PerTensorAffine {
    pub(crate) inner: Scheme,
}

#[pymethods]
impl PerTensorAffine {
    #[new]
    fn new(scale: &Bound<'_, PyAny>, zero_point: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = scale.py();
        let (given, zero_point) = (nearest(scale, "scale")?, within(zero_point, "zero_point", i32::MIN, i32::MAX)?);
        let scale = given as f32;
        let inner = Scheme::new(scale, zero_point).map_err(|_| {
            let text = format!(
                "scale is {given:?}, in the float32 that the format stores {scale:?}; it must be finite and not zero"
            );
            error::coded(py, &Fault::Scale { scale }, text)
        })?;
        Ok(Self { inner })
    }

    /// The factor, a float32 value.
    #[getter]
    fn scale(&self) -> f32 {
        self.inner.scale()
    }

    /// The code that stands for 0.
    #[getter]
    fn zero_point(&self) -> i32 {
        self.inner.zero_point()
    }

    /// Whether the zero point is 0.
    #[getter]
    fn is_symmetric(&self) -> bool {
        self.inner.zero_point() == 0
    }

    /// The section's 16 bytes, without a length prefix.
    fn encode<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        encoded(py, QuantizationDescriptor::PerTensorAffine(self.inner))
    }

    fn __repr__(&self) -> String {
        // The shortest digits that give the same float32 back.
        format!("PerTensorAffine(scale={:?}, zero_point={})", self.inner.scale(), self.inner.zero_point())
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyAny>, (f32, i32)) {
        let scheme = slf.get().inner;
        (slf.get_type().into_any(), (scheme.scale(), scheme.zero_point()))
    }
}
