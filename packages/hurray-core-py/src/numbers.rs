//! Stored elements as Python numbers, exactly.

use hurray_core::ElementType;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat};

use crate::bits;

/// A small float's fields (format: element-types.md §4).
pub(crate) struct Minifloat {
    pub(crate) exponent: u32,
    pub(crate) mantissa: u32,
    pub(crate) bias: i32,
    /// Which codes are infinite or not a number.
    pub(crate) special: Special,
}

pub(crate) enum Special {
    /// The highest exponent holds infinity and NaN, as in IEEE 754.
    Ieee,
    /// Exponent and mantissa of ones alone are NaN; there is no infinity.
    AllOnes,
    None,
}

impl Minifloat {
    pub(crate) fn of(ty: ElementType) -> Option<Self> {
        use Special::{AllOnes, Ieee, None as Never};
        let (exponent, mantissa, bias, special) = match ty {
            ElementType::Float16 => (5, 10, 15, Ieee),
            ElementType::BFloat16 => (8, 7, 127, Ieee),
            ElementType::Float8E4M3 => (4, 3, 7, AllOnes),
            ElementType::Float8E5M2 => (5, 2, 15, Ieee),
            ElementType::Float4E2M1 => (2, 1, 1, Never),
            ElementType::Float6E2M3 => (2, 3, 1, Never),
            ElementType::Float6E3M2 => (3, 2, 3, Never),
            _ => return None,
        };
        Some(Self { exponent, mantissa, bias, special })
    }

    pub(crate) fn value(&self, code: u32) -> f64 {
        let mantissa_mask = (1 << self.mantissa) - 1;
        let (m, e) = (code & mantissa_mask, code >> self.mantissa & ((1 << self.exponent) - 1));
        let top = (1 << self.exponent) - 1;
        let negative = code >> (self.exponent + self.mantissa) & 1 == 1;
        let magnitude = match self.special {
            Special::Ieee if e == top && m == 0 => f64::INFINITY,
            Special::Ieee if e == top => f64::NAN,
            Special::AllOnes if e == top && m == mantissa_mask => f64::NAN,
            _ if e == 0 => f64::from(m) * 2f64.powi(1 - self.bias - self.mantissa as i32),
            _ => f64::from(m | 1 << self.mantissa) * 2f64.powi(e as i32 - self.bias - self.mantissa as i32),
        };
        if negative {
            -magnitude
        } else {
            magnitude
        }
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[..N]);
    out
}

/// The element of whole bytes that `bytes` starts with; `None` for a type that Python has no number for.
pub(crate) fn whole<'py>(py: Python<'py>, ty: ElementType, bytes: &[u8]) -> PyResult<Option<Bound<'py, PyAny>>> {
    use ElementType as E;
    let float = |value: f64| Ok(Some(PyFloat::new(py, value).into_any()));
    let int = |value: i128| Ok(Some(value.into_pyobject(py)?.into_any()));
    match ty {
        E::Int8 => int(i8::from_le_bytes(array(bytes)).into()),
        E::Uint8 => int(bytes[0].into()),
        E::Int16 => int(i16::from_le_bytes(array(bytes)).into()),
        E::Uint16 => int(u16::from_le_bytes(array(bytes)).into()),
        E::Int32 => int(i32::from_le_bytes(array(bytes)).into()),
        E::Uint32 => int(u32::from_le_bytes(array(bytes)).into()),
        E::Int64 => int(i64::from_le_bytes(array(bytes)).into()),
        E::Uint64 => int(u64::from_le_bytes(array(bytes)).into()),
        E::Float32 => float(f32::from_le_bytes(array(bytes)).into()),
        E::Float64 => float(f64::from_le_bytes(array(bytes))),
        E::Float16 | E::BFloat16 => float(small(ty, u16::from_le_bytes(array(bytes)).into())),
        E::Float8E4M3 | E::Float8E5M2 => float(small(ty, bytes[0].into())),
        E::Float8E8M0 => float(scale(bytes[0])),
        E::Complex64 => {
            let (re, im) = (f32::from_le_bytes(array(bytes)), f32::from_le_bytes(array(&bytes[4..])));
            Ok(Some(PyComplex::from_doubles(py, re.into(), im.into()).into_any()))
        }
        E::Complex128 => {
            let (re, im) = (f64::from_le_bytes(array(bytes)), f64::from_le_bytes(array(&bytes[8..])));
            Ok(Some(PyComplex::from_doubles(py, re, im).into_any()))
        }
        _ => Ok(None),
    }
}

/// Element `index` of packed elements narrower than a byte.
pub(crate) fn packed<'py>(
    py: Python<'py>,
    ty: ElementType,
    bytes: &[u8],
    index: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    use ElementType as E;
    let width = ty.bit_width();
    let code = bits::element(bytes, index, width as usize);
    Ok(Some(match ty {
        E::Bool => PyBool::new(py, code == 1).to_owned().into_any(),
        E::Int2 | E::Int4 => {
            let sign = 1i8 << (width - 1);
            ((code as i8 ^ sign) - sign).into_pyobject(py)?.into_any()
        }
        E::Uint2 | E::Uint4 => code.into_pyobject(py)?.into_any(),
        E::Float4E2M1 | E::Float6E2M3 | E::Float6E3M2 => PyFloat::new(py, small(ty, code.into())).into_any(),
        _ => return Ok(None),
    }))
}

/// The value of a code of a float of 16 bits or less.
pub(crate) fn small(ty: ElementType, code: u32) -> f64 {
    Minifloat::of(ty).map_or(f64::NAN, |float| float.value(code))
}

/// The value of a float8_e8m0. 0x00 and 0xFF are not to be stored (element-types.md §4): no number.
pub(crate) fn scale(code: u8) -> f64 {
    match code {
        0x00 | 0xFF => f64::NAN,
        code => 2f64.powi(i32::from(code) - 127),
    }
}
