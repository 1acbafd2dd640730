//! Floats of 16 bits and fewer from a float of 64 (format: element-types.md §4).

use crate::numbers::{Minifloat, Special};

/// What an element type does not have.
pub(super) enum Lack {
    Nan,
    Infinity,
    Zero,
    /// The number lies outside these.
    Range(f64, f64),
}

impl Minifloat {
    /// The code of the nearest element, ties to even, and whether it is the value itself.
    pub(super) fn code(&self, value: f64) -> Result<(u128, bool), Lack> {
        let sign = u128::from(value.is_sign_negative()) << (self.exponent + self.mantissa);
        let special = |code: u32| Ok((sign | u128::from(code), true));
        let top = ((1 << self.exponent) - 1) << self.mantissa;
        match self.special {
            Special::Ieee if value.is_nan() => return special(top | 1 << (self.mantissa - 1)),
            Special::Ieee if value.is_infinite() => return special(top),
            Special::AllOnes if value.is_nan() => return special(top | ((1 << self.mantissa) - 1)),
            _ if value.is_nan() => return Err(Lack::Nan),
            _ if value.is_infinite() => return Err(Lack::Infinity),
            _ => {}
        }
        let largest = self.largest();
        let code = self.nearest(value.abs()).filter(|&code| code <= largest);
        let code = code.ok_or_else(|| Lack::Range(-self.value(largest), self.value(largest)))?;
        Ok((sign | u128::from(code), self.value(code) == value.abs()))
    }

    /// The code of the largest finite element.
    fn largest(&self) -> u32 {
        let all = (1u32 << (self.exponent + self.mantissa)) - 1;
        match self.special {
            Special::Ieee => all - (1 << self.mantissa),
            Special::AllOnes => all - 1,
            Special::None => all,
        }
    }

    /// The code that the fields give a finite magnitude, `None` far outside.
    fn nearest(&self, magnitude: f64) -> Option<u32> {
        let lowest = 1 - self.bias;
        // Of a normal float of 64 bits; what is smaller than those is far below every type's smallest.
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        if exponent > 128 {
            return None;
        }
        let exponent = exponent.max(lowest);
        let steps = (magnitude / 2f64.powi(exponent - self.mantissa as i32)).round_ties_even();
        // A normal number's steps hold the leading one, which counts the exponent up by one.
        Some((((exponent - lowest) as u32) << self.mantissa) + steps as u32)
    }
}
