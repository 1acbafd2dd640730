//! Evenly spaced numbers by how many there are.

use hurray_core::{ElementType, Shape};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::code::{code, Refusal};
use super::elements::Elements;
use super::number::Number;
use super::place;
use crate::argument;
use crate::error::{guarded, InvalidDescriptorError};
use crate::int::shown;
use crate::tensor::{self, Tensor};

/// ``num`` numbers from ``start`` to ``stop``, evenly spaced, in one dimension; float64 (complex128
/// for complex ends) unless ``dtype`` says otherwise (04-tables section 1).
///
/// The last one is ``stop`` itself, and with ``endpoint=False`` the one after the last would be.
/// One number is ``start``. The numbers are computed in float64 and go into dtype as ``full`` puts
/// them there. An integer dtype is computed in integers and takes spaces that give whole numbers
/// alone (``ValueError`` otherwise): nothing is rounded to an integer. Raises
/// ``InvalidDescriptorError`` (a ``ValueError``) for a negative ``num``, ``ValueError`` for a NaN or
/// an infinity, ``UnsupportedError`` for float128, and what ``zeros`` raises.
#[pyfunction]
#[pyo3(signature = (start, stop, num, *, dtype=None, device=None, endpoint=true))]
pub(crate) fn linspace(
    start: &Bound<'_, PyAny>,
    stop: &Bound<'_, PyAny>,
    num: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = argument::endpoint)] endpoint: bool,
) -> PyResult<Tensor> {
    let py = start.py();
    guarded(|| {
        let device = place::device(py, "linspace", device)?;
        let (start, stop) = (Number::of("start", start)?, Number::of("stop", stop)?);
        let complex = matches!(start, Number::Complex(..)) || matches!(stop, Number::Complex(..));
        let default = if complex { ElementType::Complex128 } else { ElementType::Float64 };
        let ty = place::element_type("linspace", dtype, default)?;
        let count = count(num)?;
        let room = || Elements::zeroed("linspace", ty, Shape::new([count]).map_err(tensor::invalid)?);
        if ty == ElementType::Float128 {
            let text = String::from("the numbers are computed in float64, and float128 would show it");
            return Err(Refusal::unsupported(text).raised("linspace"));
        }
        let spaces = if endpoint { count.saturating_sub(1) } else { count };
        if !ty.is_float() {
            let (start, stop) = (whole(ty, "start", start)?, whole(ty, "stop", stop)?);
            let distance = stop.checked_sub(start).filter(|distance| distance.checked_mul(count.into()).is_some());
            let distance = distance.ok_or_else(|| {
                PyOverflowError::new_err(format!("linspace: {start} and {stop} are too far apart for 128 bits"))
            })?;
            let mut elements = room()?;
            elements.each(py, |index| code(ty, step(ty, start, distance, index as i128, spaces.into())?))?;
            return elements.tensor(device);
        }
        let ends = (parts("start", start)?, parts("stop", stop)?);
        let line = |part: fn((f64, f64)) -> f64| Line { start: part(ends.0), stop: part(ends.1), spaces, endpoint };
        let (re, im) = (line(|(re, _)| re), line(|(_, im)| im));
        let mut elements = room()?;
        elements.each(py, |index| {
            let at = index as u64;
            code(ty, if complex { Number::Complex(re.at(at), im.at(at)) } else { Number::Float(re.at(at)) })
        })?;
        elements.tensor(device)
    })
}

fn count(num: &Bound<'_, PyAny>) -> PyResult<u64> {
    let index = num.call_method0("__index__");
    let index = index.map_err(|_| PyTypeError::new_err(format!("linspace: num is an int, got {}", num.get_type())))?;
    if index.lt(0)? {
        let num = shown(num);
        return Err(InvalidDescriptorError::new_err(format!("linspace: num is {num}; how many numbers is 0 or more")));
    }
    let fits = index.extract::<u64>().ok().filter(|&count| count != hurray_core::DYNAMIC);
    fits.ok_or_else(|| {
        PyOverflowError::new_err(format!("linspace: num is {}; so many exceed the address space", shown(num)))
    })
}

fn whole(ty: ElementType, what: &str, number: Number) -> PyResult<i128> {
    number.whole().ok_or_else(|| {
        PyTypeError::new_err(format!("linspace: {ty} holds whole numbers, and {what} is {number}; int() makes it one"))
    })
}

/// Number `index` of integers; `distance * index` has been found to fit.
fn step(ty: ElementType, start: i128, distance: i128, index: i128, spaces: i128) -> Result<Number, Refusal> {
    match (distance * index).checked_rem(spaces) {
        // No spaces: one number.
        None => Ok(Number::Int(start)),
        Some(0) => Ok(Number::Int(start + distance * index / spaces)),
        Some(_) => Err(Refusal::value(format!(
            "number {index} of {spaces} spaces from {start} to {} is not whole, and {ty} holds whole numbers",
            start + distance
        ))),
    }
}

/// Real and imaginary part, finite.
fn parts(what: &str, number: Number) -> PyResult<(f64, f64)> {
    let (re, im) = match number {
        Number::Complex(re, im) => (re, im),
        number => (number.real().unwrap_or(f64::NAN), 0.0),
    };
    if re.is_finite() && im.is_finite() {
        return Ok((re, im));
    }
    Err(PyValueError::new_err(format!("linspace: {what} is {number}, which is not a finite number of float64")))
}

/// One part of the numbers.
struct Line {
    start: f64,
    stop: f64,
    spaces: u64,
    endpoint: bool,
}

impl Line {
    fn at(&self, index: u64) -> f64 {
        let (at, spaces) = (index as f64, self.spaces as f64);
        let distance = self.stop - self.start;
        match index {
            0 => self.start,
            _ if self.endpoint && index == self.spaces => self.stop,
            // The distance of two finite floats may be infinite, and a space of it may vanish.
            _ if distance.is_infinite() => {
                let space = self.stop / spaces - self.start / spaces;
                if 2.0 * at <= spaces {
                    self.start + at * space
                } else {
                    self.stop - (spaces - at) * space
                }
            }
            _ if distance / spaces == 0.0 => at / spaces * distance + self.start,
            _ => at * (distance / spaces) + self.start,
        }
    }
}
