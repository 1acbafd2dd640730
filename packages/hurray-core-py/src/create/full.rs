//! Tensors of one value: zeros, ones, empty, full.

use hurray_core::{ElementType, Shape};
use pyo3::prelude::*;

use super::code::code;
use super::elements::Elements;
use super::number::Number;
use super::place;
use crate::device::Device;
use crate::error::guarded;
use crate::tensor::Tensor;

/// A tensor of `shape` whose elements are all `number`.
pub(super) fn of_number(
    py: Python<'_>,
    call: &'static str,
    ty: ElementType,
    shape: Shape,
    number: Number,
    device: Py<Device>,
) -> PyResult<Tensor> {
    let code = code(ty, number).map_err(|refusal| refusal.raised(call))?;
    let mut elements = Elements::zeroed(call, ty, shape)?;
    elements.fill(py, code)?;
    elements.tensor(device)
}

/// The number that an `empty` tensor holds: 0 but for the type that has none.
pub(super) fn any_number(ty: ElementType) -> Number {
    Number::Int(i128::from(ty == ElementType::Float8E8M0))
}

fn made(
    call: &'static str,
    shape: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    number: impl FnOnce(ElementType) -> Number,
) -> PyResult<Tensor> {
    let py = shape.py();
    guarded(|| {
        let device = place::device(py, call, device)?;
        let ty = place::element_type(call, dtype, ElementType::Float64)?;
        of_number(py, call, ty, place::shape(call, shape)?, number(ty), device)
    })
}

/// A row-major tensor of zeros, float64 unless ``dtype`` says otherwise; an int is a shape of one
/// dimension (requirements: Dynamic dimensions).
///
/// Large tensors take memory where they are written to, not before. Raises
/// ``InvalidDescriptorError`` for a dynamic dimension, ``UnsupportedError`` for a device that is not
/// the CPU and for private types, ``ValueError`` for float8_e8m0, which has no zero,
/// ``OverflowError`` or ``MemoryError`` for what does not fit.
#[pyfunction]
#[pyo3(signature = (shape, *, dtype=None, device=None))]
pub(crate) fn zeros(
    shape: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("zeros", shape, dtype, device, |_| Number::Int(0))
}

/// A row-major tensor of ones, float64 unless ``dtype`` says otherwise; every element type but the
/// private ones has a one (04-tables section 1). Raises what ``zeros`` raises.
#[pyfunction]
#[pyo3(signature = (shape, *, dtype=None, device=None))]
pub(crate) fn ones(
    shape: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("ones", shape, dtype, device, |_| Number::Int(1))
}

/// A row-major tensor to be written to, float64 unless ``dtype`` says otherwise.
///
/// What it holds is unspecified; no bytes of another object are in it, and every element is valid
/// (format: element-types.md §4). Raises what ``zeros`` raises.
#[pyfunction]
#[pyo3(signature = (shape, *, dtype=None, device=None))]
pub(crate) fn empty(
    shape: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("empty", shape, dtype, device, any_number)
}

/// A row-major tensor of one value; without ``dtype`` a bool makes it bool, an int int64, a float
/// float64, a complex complex128 (a framework's scalar counts as the number that it holds; 04-tables
/// section 1).
///
/// An int is stored exactly or refused: ``OverflowError`` outside the type's range, ``ValueError``
/// where a float type would round it. A float is rounded to the nearest of float16, bfloat16 and
/// float32, and refused (``ValueError``) by the smaller types unless they hold it exactly;
/// ``OverflowError`` where the nearest would be infinite. ``ValueError`` for a NaN or an infinity
/// that the type has not, ``TypeError`` for a float in an integer type and a complex in a real one.
/// Raises what ``zeros`` raises as well.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype=None, device=None))]
pub(crate) fn full(
    shape: &Bound<'_, PyAny>,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let py = shape.py();
    guarded(|| {
        let device = place::device(py, "full", device)?;
        let number = Number::of("fill_value", fill_value)?;
        let ty = place::element_type("full", dtype, number.element_type())?;
        of_number(py, "full", ty, place::shape("full", shape)?, number, device)
    })
}
