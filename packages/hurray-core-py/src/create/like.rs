//! Tensors of another one's shape, element type and device.

use hurray_core::ElementType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::full::{any_number, of_number};
use super::number::Number;
use super::place;
use crate::error::guarded;
use crate::tensor::Tensor;

fn made(
    call: &'static str,
    x: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    number: impl FnOnce(ElementType) -> PyResult<Number>,
) -> PyResult<Tensor> {
    let py = x.py();
    guarded(|| {
        let Ok(source) = x.cast::<Tensor>() else {
            let kind = x.get_type().fully_qualified_name()?;
            return Err(PyTypeError::new_err(format!(
                "{call} takes a hurray.Tensor, got {kind}; {} takes a shape",
                call.trim_end_matches("_like")
            )));
        };
        let source = source.get();
        place::known(call, "x.shape", &source.descriptor.shape)?;
        let device = match device {
            Some(_) => place::device(py, call, device)?,
            None => place::on(call, &source.device, py)?,
        };
        let ty = place::element_type(call, dtype, source.descriptor.element_type)?;
        of_number(py, call, ty, source.descriptor.shape.clone(), number(ty)?, device)
    })
}

/// A tensor of zeros with the shape, dtype and device of ``x``, row-major whatever the layout of
/// ``x`` is; quantization, statistics and shard are not taken over (04-tables section 1). Raises what ``zeros`` raises, and
/// ``TypeError`` for an ``x`` that is no tensor.
#[pyfunction]
#[pyo3(signature = (x, *, dtype=None, device=None))]
pub(crate) fn zeros_like(
    x: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("zeros_like", x, dtype, device, |_| Ok(Number::Int(0)))
}

/// A tensor of ones with the shape, dtype and device of ``x`` (04-tables section 1). Raises what ``zeros_like``
/// raises.
#[pyfunction]
#[pyo3(signature = (x, *, dtype=None, device=None))]
pub(crate) fn ones_like(
    x: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("ones_like", x, dtype, device, |_| Ok(Number::Int(1)))
}

/// A tensor to be written to with the shape, dtype and device of ``x``; see ``empty`` (04-tables section 1).
/// Raises what ``zeros_like`` raises.
#[pyfunction]
#[pyo3(signature = (x, *, dtype=None, device=None))]
pub(crate) fn empty_like(
    x: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("empty_like", x, dtype, device, |ty| Ok(any_number(ty)))
}

/// A tensor of one value with the shape, dtype and device of ``x``; the value goes into that dtype
/// as ``full`` puts it there (04-tables section 1). Raises what ``full`` and ``zeros_like`` raise.
#[pyfunction]
#[pyo3(signature = (x, fill_value, *, dtype=None, device=None))]
pub(crate) fn full_like(
    x: &Bound<'_, PyAny>,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    made("full_like", x, dtype, device, |_| Number::of("fill_value", fill_value))
}
