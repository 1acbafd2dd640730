//! binary128: 1 bit of sign, 15 of exponent, 112 of fraction (format: element-types.md §2).

use super::number::{significant_bits, Number};

const FRACTION: u32 = 112;
const BIAS: i32 = 16383;
/// Of the leading one as well.
const MANTISSA: u32 = FRACTION + 1;

/// The bits of a number; `None` for a complex one, and for an int of more than 113 significant bits.
pub(super) fn code(number: Number) -> Option<u128> {
    match number {
        Number::Bool(value) => code(Number::Int(value.into())),
        Number::Int(value) => {
            let magnitude = value.unsigned_abs();
            let sign = u128::from(value < 0) << 127;
            match significant_bits(magnitude) {
                0 => Some(sign),
                1..=MANTISSA => Some(sign | normal(127 - magnitude.leading_zeros() as i32, magnitude)),
                _ => None,
            }
        }
        Number::Float(value) => Some(widened(value)),
        Number::Complex(..) => None,
    }
}

/// A normal number of that exponent; of `magnitude` only the bits count, not where they stand.
fn normal(exponent: i32, magnitude: u128) -> u128 {
    let leading = magnitude << magnitude.leading_zeros();
    ((exponent + BIAS) as u128) << FRACTION | (leading << 1) >> (128 - FRACTION)
}

/// Every float of 64 bits is one of 128, the subnormal ones as normal numbers.
fn widened(value: f64) -> u128 {
    let bits = value.to_bits();
    let sign = u128::from(bits >> 63) << 127;
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, u128::from(bits & ((1 << 52) - 1)));
    sign | match (exponent, fraction) {
        (0, 0) => 0,
        (0, fraction) => normal(-1074 + 127 - fraction.leading_zeros() as i32, fraction),
        (0x7FF, fraction) => 0x7FFF << FRACTION | fraction << (FRACTION - 52),
        (exponent, fraction) => normal(exponent - 1023, 1 << 52 | fraction),
    }
}
