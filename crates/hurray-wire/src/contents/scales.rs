//! Scales and zero points (quantization.md §4–§7, Q-27 to Q-29).

use super::words::Words;
use super::Stop;
use crate::check::{code_range, Parameter, ParameterKind, NF4};
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::{ElementType, TensorDescriptor};

pub(super) fn check(d: &TensorDescriptor, p: &Parameter, buffers: &[&dyn ReadAt]) -> Result<(), Stop> {
    let Some(&buffer) = buffers.get(p.buffer) else {
        return Ok(());
    };
    let mut words = Words::new(buffer, p.start, p.count, p.kind.width());
    for at in 0..p.count {
        let raw = words.take()?;
        match p.kind {
            ParameterKind::Scale(scheme, ty) => scale(scheme, ty, at, raw)?,
            ParameterKind::ZeroPoint => zero_point(d.element_type, at, raw)?,
        }
    }
    Ok(())
}

fn scale(scheme: u8, ty: ElementType, at: u64, raw: u64) -> Result<(), Fault> {
    // Exponent all ones: infinite or NaN. All but the sign 0: zero.
    let (exponent, sign) = match ty {
        ElementType::Float16 => (0x7C00, 0x8000),
        ElementType::BFloat16 => (0x7F80, 0x8000),
        ElementType::Float32 => (0x7F80_0000, 0x8000_0000),
        _ => {
            let found = raw as u8;
            return match found {
                0x00 | 0xFF => Err(Fault::ScaleByte { at, found }),
                _ => Ok(()),
            };
        }
    };
    let finite = raw & exponent != exponent;
    let zero = raw & !sign == 0;
    let fits = match scheme {
        NF4 => finite && (zero || raw & sign == 0),
        _ => finite && !zero,
    };
    match fits {
        true => Ok(()),
        false => Err(Fault::ScaleValue { at }),
    }
}

fn zero_point(ty: ElementType, at: u64, raw: u64) -> Result<(), Fault> {
    let found = i32::from_le_bytes((raw as u32).to_le_bytes());
    let (low, high) = code_range(ty);
    match (low..=high).contains(&i64::from(found)) {
        true => Ok(()),
        false => Err(Fault::ZeroPointValue { at, found }),
    }
}
