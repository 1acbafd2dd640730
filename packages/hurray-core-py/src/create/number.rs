//! A Python number as an argument.

use std::fmt;

use hurray_core::ElementType;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};

/// A Python number by its kind, which decides the default element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl Number {
    /// Reads bool, int, float, complex, and whatever says by `item()` or `__index__` which one it is.
    pub(super) fn of(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(number) = Self::plain(what, value)? {
            return Ok(number);
        }
        let scalar = value.getattr("ndim").map_or(true, |ndim| ndim.eq(0).unwrap_or(false));
        for method in ["item", "__index__"] {
            if let Some(said) = scalar.then(|| value.call_method0(method).ok()).flatten() {
                if let Some(number) = Self::plain(what, &said)? {
                    return Ok(number);
                }
            }
        }
        let kind = value.get_type().fully_qualified_name()?;
        Err(PyTypeError::new_err(format!("{what} is a bool, an int, a float or a complex; got {kind}")))
    }

    fn plain(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        Ok(Some(if let Ok(value) = value.cast::<PyBool>() {
            Self::Bool(value.is_true())
        } else if let Ok(value) = value.cast::<PyInt>() {
            // Compared before it is printed: Python refuses to print very long integers.
            Self::Int(value.extract().map_err(|_| {
                PyOverflowError::new_err(format!(
                    "{what} is an int beyond 128 bits; pass a float for the float that is nearest"
                ))
            })?)
        } else if let Ok(value) = value.cast::<PyFloat>() {
            Self::Float(value.value())
        } else if let Ok(value) = value.cast::<PyComplex>() {
            Self::Complex(value.real(), value.imag())
        } else {
            return Ok(None);
        }))
    }

    /// What a tensor of such numbers is when nobody says otherwise.
    pub(super) fn element_type(self) -> ElementType {
        match self {
            Self::Bool(_) => ElementType::Bool,
            Self::Int(_) => ElementType::Int64,
            Self::Float(_) => ElementType::Float64,
            Self::Complex(..) => ElementType::Complex128,
        }
    }

    /// As an integer, where it is a whole number.
    pub(super) fn whole(self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some(value.into()),
            Self::Int(value) => Some(value),
            // Below 2^127 in magnitude the cast is exact; NaN and the infinities fail the comparison.
            Self::Float(value) if value.abs() < 2f64.powi(127) && value.trunc() == value => Some(value as i128),
            _ => None,
        }
    }

    /// As a float, where the float is the number itself.
    pub(super) fn real(self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(value))),
            Self::Int(value) => {
                significant_bits(value.unsigned_abs()).le(&f64::MANTISSA_DIGITS).then_some(value as f64)
            }
            Self::Float(value) => Some(value),
            Self::Complex(..) => None,
        }
    }
}

/// Bits from the highest one that is set to the lowest: what a float's mantissa has to hold.
pub(super) fn significant_bits(magnitude: u128) -> u32 {
    match magnitude {
        0 => 0,
        _ => 128 - magnitude.leading_zeros() - magnitude.trailing_zeros(),
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => float(*value, f),
            Self::Complex(re, im) => {
                f.write_str("complex(")?;
                float(*re, f)?;
                f.write_str(", ")?;
                float(*im, f)?;
                f.write_str(")")
            }
        }
    }
}

/// As Python spells it, but for where its exponents begin.
fn float(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value.is_nan() {
        return f.write_str("nan");
    }
    write!(f, "{value:?}")
}
