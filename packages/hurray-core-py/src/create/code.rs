//! A number as the bits of one element: exact, or refused, but for Python floats in the types that all
//! arithmetic rounds to (float16, bfloat16, float32, and the halves of a complex).

use hurray_core::ElementType;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::PyErr;

use super::float128;
use super::minifloat::Lack;
use super::number::{significant_bits, Number};
use crate::error::UnsupportedError;
use crate::numbers::Minifloat;

/// Why a number has no place in an element type.
pub(super) struct Refusal {
    why: Why,
    text: String,
}

enum Why {
    Kind,
    Range,
    Value,
    Unsupported,
}

impl Refusal {
    fn kind(number: Number, ty: ElementType, way: &str) -> Self {
        let kind = if matches!(number, Number::Complex(..)) { "complex" } else { "a float" };
        Self { why: Why::Kind, text: format!("{number} is {kind}, which {ty} does not hold; {way}") }
    }

    fn range(number: Number, ty: ElementType, bounds: impl std::fmt::Display) -> Self {
        Self { why: Why::Range, text: format!("{number} is outside {ty}, {bounds}") }
    }

    fn inexact(number: Number, ty: ElementType) -> Self {
        let way = match ty.bit_width() {
            ..16 => "and nothing is rounded to a type this small",
            _ => "which an int has to be; a float is rounded to the nearest",
        };
        Self { why: Why::Value, text: format!("{ty} does not hold {number} exactly, {way}") }
    }

    pub(super) fn value(text: String) -> Self {
        Self { why: Why::Value, text }
    }

    /// A type that needs more than the arithmetic there is.
    pub(super) fn unsupported(text: String) -> Self {
        Self { why: Why::Unsupported, text }
    }

    /// The exception, naming the call.
    pub(super) fn raised(self, call: &str) -> PyErr {
        let text = format!("{call}: {}", self.text);
        match self.why {
            Why::Kind => PyTypeError::new_err(text),
            Why::Range => PyOverflowError::new_err(text),
            Why::Value => PyValueError::new_err(text),
            Why::Unsupported => UnsupportedError::new_err(text),
        }
    }
}

/// The bits of an element of `ty` that is `number`; those above the type's width are 0.
pub(super) fn code(ty: ElementType, number: Number) -> Result<u128, Refusal> {
    match ty {
        ElementType::Complex64 => complex(ElementType::Float32, number),
        ElementType::Complex128 => complex(ElementType::Float64, number),
        ElementType::Extension(_) => Err(Refusal::unsupported(format!("{ty} is a private element type"))),
        ty if ty.is_float() => real(ty, number),
        ty => integer(ty, number),
    }
}

fn integer(ty: ElementType, number: Number) -> Result<u128, Refusal> {
    let value = match number {
        Number::Bool(value) => i128::from(value),
        Number::Int(value) => value,
        _ => return Err(Refusal::kind(number, ty, "int() makes one")),
    };
    let bits = ty.bit_width();
    let (low, high) = match ty.is_signed() {
        true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    if !(low..=high).contains(&value) {
        return Err(Refusal::range(number, ty, format_args!("which holds {low} to {high}")));
    }
    Ok(value as u128 & ((1 << bits) - 1))
}

fn complex(half: ElementType, number: Number) -> Result<u128, Refusal> {
    let (re, im) = match number {
        Number::Complex(re, im) => (Number::Float(re), Number::Float(im)),
        number => (number, Number::Float(0.0)),
    };
    Ok(real(half, re)? | real(half, im)? << half.bit_width())
}

fn real(ty: ElementType, number: Number) -> Result<u128, Refusal> {
    if ty == ElementType::Float128 {
        return float128::code(number).ok_or_else(|| match number {
            Number::Complex(..) => Refusal::kind(number, ty, "pass its real part"),
            _ => Refusal::inexact(number, ty),
        });
    }
    let (value, exact) = match number {
        Number::Bool(value) => (f64::from(u8::from(value)), true),
        Number::Int(value) => (value as f64, significant_bits(value.unsigned_abs()) <= f64::MANTISSA_DIGITS),
        Number::Float(value) => (value, true),
        Number::Complex(..) => return Err(Refusal::kind(number, ty, "pass its real part")),
    };
    let (bits, same) = narrowed(ty, value).map_err(|lack| lacking(ty, number, lack))?;
    // A float that Python wrote is itself the nearest to what was meant; an int is meant as it is.
    let may_round = matches!(number, Number::Float(_)) && ty.bit_width() >= 16;
    if (exact && same) || may_round {
        return Ok(bits);
    }
    Err(Refusal::inexact(number, ty))
}

fn lacking(ty: ElementType, number: Number, lack: Lack) -> Refusal {
    match lack {
        Lack::Nan => Refusal::value(format!("{ty} has no NaN")),
        Lack::Infinity => Refusal::value(format!("{ty} has no infinity")),
        Lack::Zero => Refusal::value(format!("{ty} holds powers of two and no {number} (format: element-types.md §4)")),
        Lack::Range(low, high) => Refusal::range(number, ty, format_args!("which holds {low:?} to {high:?}")),
    }
}

/// The nearest element, ties to even, and whether it is the value itself.
fn narrowed(ty: ElementType, value: f64) -> Result<(u128, bool), Lack> {
    match ty {
        ElementType::Float64 => Ok((value.to_bits().into(), true)),
        ElementType::Float32 => {
            let near = value as f32;
            if near.is_infinite() && value.is_finite() {
                return Err(Lack::Range(f32::MIN.into(), f32::MAX.into()));
            }
            Ok((near.to_bits().into(), value.is_nan() || f64::from(near) == value))
        }
        ElementType::Float8E8M0 => scale(value),
        // Every other float type has such fields.
        ty => Minifloat::of(ty).map_or(Err(Lack::Nan), |float| float.code(value)),
    }
}

/// float8_e8m0: 2^(b - 127) for b from 1 to 254.
fn scale(value: f64) -> Result<(u128, bool), Lack> {
    let (low, high) = (2f64.powi(-126), 2f64.powi(127));
    match value {
        value if value.is_nan() => Err(Lack::Nan),
        value if value.is_infinite() => Err(Lack::Infinity),
        0.0 => Err(Lack::Zero),
        value if !(low..=high).contains(&value) => Err(Lack::Range(low, high)),
        value => {
            let bits = value.to_bits();
            // The range holds normal floats only: 11 bits of exponent over 52 of mantissa.
            Ok((u128::from(bits >> 52) + 127 - 1023, bits & ((1 << 52) - 1) == 0))
        }
    }
}
