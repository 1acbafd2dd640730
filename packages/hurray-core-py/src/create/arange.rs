//! Evenly spaced numbers by their step.

use hurray_core::{ElementType, Shape};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::code::{code, Refusal};
use super::elements::Elements;
use super::number::Number;
use super::place;
use crate::error::{guarded, InvalidDescriptorError};
use crate::tensor::{self, Tensor};

/// The numbers ``start``, ``start + step``, … before ``stop``, in one dimension; with one argument
/// the integers from 0 before it (04-tables section 1).
///
/// The length is ceil((stop - start) / step), 0 where that is negative. dtype is int64 when all
/// arguments are ints and float64 otherwise. Ints are computed as integers, exactly, whatever their
/// size; floats are start + i * step, rounded once. The numbers go into dtype as ``full`` puts them
/// there, so that nothing wraps, saturates or loses digits of an int. An integer dtype takes floats
/// that are whole (``TypeError`` otherwise). Raises ``InvalidDescriptorError`` (a ``ValueError``) for
/// a step of 0, ``ValueError`` for a NaN or an infinity, and what ``zeros`` raises.
#[pyfunction]
#[pyo3(signature = (start, stop=None, step=None, *, dtype=None, device=None))]
pub(crate) fn arange(
    start: &Bound<'_, PyAny>,
    stop: Option<&Bound<'_, PyAny>>,
    step: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let py = start.py();
    guarded(|| {
        let device = place::device(py, "arange", device)?;
        let first = Number::of("start", start)?;
        let (start, stop) = match stop {
            Some(stop) => (first, Number::of("stop", stop)?),
            None => (Number::Int(0), first),
        };
        let step = step.map_or(Ok(Number::Int(1)), |step| Number::of("step", step))?;
        let range = [("start", start), ("stop", stop), ("step", step)];
        for (what, number) in range {
            finite(what, number)?;
        }
        let ints = range.iter().all(|(_, number)| matches!(number, Number::Bool(_) | Number::Int(_)));
        let default = if ints { ElementType::Int64 } else { ElementType::Float64 };
        let ty = place::element_type("arange", dtype, default)?;
        if step.real() == Some(0.0) {
            return Err(InvalidDescriptorError::new_err("arange: step is 0, which never gets from start to stop"));
        }
        let whole = start.whole().zip(step.whole());
        match whole.filter(|_| ints || !ty.is_float() || ty == ElementType::Float128) {
            Some((start, step)) => integers(py, ty, start, upper(stop, step)?, step)?.tensor(device),
            None if !ty.is_float() => Err(PyTypeError::new_err(format!(
                "arange: {ty} holds whole numbers, and start {start} or step {step} is none; int() makes them so"
            ))),
            None => floats(py, ty, start, stop, step)?.tensor(device),
        }
    })
}

fn finite(what: &str, number: Number) -> PyResult<()> {
    match number {
        Number::Complex(..) => {
            Err(PyTypeError::new_err(format!("arange: {what} is complex, and only reals are in order")))
        }
        Number::Float(value) if !value.is_finite() => {
            Err(PyValueError::new_err(format!("arange: {what} is {number}, which no step reaches")))
        }
        _ => Ok(()),
    }
}

/// The whole number that ends a range of whole numbers where `stop` does.
fn upper(stop: Number, step: i128) -> PyResult<i128> {
    let rounded = match stop {
        Number::Float(value) => Number::Float(if step > 0 { value.ceil() } else { value.floor() }),
        stop => stop,
    };
    rounded.whole().ok_or_else(|| too_long(format_args!("{stop} is too far away")))
}

fn too_long(why: impl std::fmt::Display) -> PyErr {
    PyOverflowError::new_err(format!("arange: the range exceeds the address space: {why}"))
}

fn room(ty: ElementType, len: u128) -> PyResult<Elements> {
    let dim = u64::try_from(len).ok().filter(|&dim| dim != hurray_core::DYNAMIC);
    let dim = dim.ok_or_else(|| too_long(format_args!("it has {len} elements")))?;
    Elements::zeroed("arange", ty, Shape::new([dim]).map_err(tensor::invalid)?)
}

fn integers(py: Python<'_>, ty: ElementType, start: i128, stop: i128, step: i128) -> PyResult<Elements> {
    let distance = if step > 0 { stop.checked_sub(start) } else { start.checked_sub(stop) };
    let distance = distance.ok_or_else(|| too_long(format_args!("{start} and {stop} are too far apart")))?;
    let len = if distance <= 0 { 0 } else { (distance.unsigned_abs() - 1) / step.unsigned_abs() + 1 };
    let number = |index: u128| Number::Int(start + index as i128 * step);
    // The ends decide about all of an integer type; for another one the rest is looked at as it comes.
    ends(ty, len, number)?;
    let mut elements = room(ty, len)?;
    elements.each(py, |index| code(ty, number(index as u128)))?;
    Ok(elements)
}

fn floats(py: Python<'_>, ty: ElementType, start: Number, stop: Number, step: Number) -> PyResult<Elements> {
    let real = |what: &str, number: Number| {
        number.real().ok_or_else(|| {
            PyValueError::new_err(format!(
                "arange: {what} is {number}, which no float64 holds, and the range is of floats"
            ))
        })
    };
    if ty == ElementType::Float128 {
        let text = String::from("a range of floats is computed in float64, and float128 would show it");
        return Err(Refusal::unsupported(text).raised("arange"));
    }
    let (start, stop, step) = (real("start", start)?, real("stop", stop)?, real("step", step)?);
    let spaces = (stop - start) / step;
    // A distance that is nothing to the step still has its start.
    let vanished = spaces == 0.0 && spaces.is_sign_positive() && stop != start;
    let len = if vanished { 1.0 } else { spaces.ceil() };
    if len >= 2f64.powi(63) {
        return Err(too_long(format_args!("{start:?} to {stop:?} by {step:?}")));
    }
    let len = len.max(0.0) as u128;
    // The indices of what fits memory are exact, and the sum is rounded once.
    let number = |index: u128| Number::Float((index as f64).mul_add(step, start));
    ends(ty, len, number)?;
    let mut elements = room(ty, len)?;
    elements.each(py, |index| code(ty, number(index as u128)))?;
    Ok(elements)
}

/// Refuses a range whose ends have no place in the type before memory is taken for it.
fn ends(ty: ElementType, len: u128, number: impl Fn(u128) -> Number) -> PyResult<()> {
    for index in [0, len.saturating_sub(1)] {
        if index < len {
            code(ty, number(index)).map_err(|refusal| refusal.raised("arange"))?;
        }
    }
    Ok(())
}
