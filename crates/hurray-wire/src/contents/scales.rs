//! Scales and zero points (quantization.md §4–§7, Q-27 to Q-29).

use super::findings::Findings;
use super::words::Words;
use crate::check::{code_range, Parameter, ParameterKind, NF4};
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::{ElementType, TensorDescriptor};
use std::io;

/// One kind each: the fault says which it is.
const SCALE: &str = "scale";
const ZERO_POINT: &str = "zero point";

pub(super) fn check(
    d: &TensorDescriptor,
    p: &Parameter,
    buffers: &[&dyn ReadAt],
    findings: &mut Findings,
) -> io::Result<()> {
    let Some(&source) = buffers.get(p.buffer) else {
        return Ok(());
    };
    let (buffer, (low, high)) = (p.buffer, code_range(d.element_type));
    let mut words = Words::new(source, p.start, p.count, p.kind.width());
    for at in 0..p.count {
        let raw = words.take()?;
        match p.kind {
            ParameterKind::Scale(scheme, ty) if !scale_fits(scheme, ty, raw) => {
                findings.add(buffer, SCALE, || scale_fault(scheme, ty, buffer, at, raw));
            }
            ParameterKind::Scale(..) => {}
            ParameterKind::ZeroPoint => {
                let found = i32::from_le_bytes((raw as u32).to_le_bytes());
                if !(low..=high).contains(&i64::from(found)) {
                    findings.add(buffer, ZERO_POINT, || Fault::ZeroPointValue { buffer, at, found, low, high });
                }
            }
        }
    }
    Ok(())
}

/// (exponent, sign) bits. Exponent all ones: infinite or NaN. All but the sign 0: zero.
fn float_bits(ty: ElementType) -> Option<(u64, u64)> {
    match ty {
        ElementType::Float16 => Some((0x7C00, 0x8000)),
        ElementType::BFloat16 => Some((0x7F80, 0x8000)),
        ElementType::Float32 => Some((0x7F80_0000, 0x8000_0000)),
        _ => None,
    }
}

fn scale_fits(scheme: u8, ty: ElementType, raw: u64) -> bool {
    let Some((exponent, sign)) = float_bits(ty) else {
        return !matches!(raw as u8, 0x00 | 0xFF);
    };
    let finite = raw & exponent != exponent;
    let zero = raw & !sign == 0;
    match scheme {
        NF4 => finite && (zero || raw & sign == 0),
        _ => finite && !zero,
    }
}

fn scale_fault(scheme: u8, ty: ElementType, buffer: usize, at: u64, raw: u64) -> Fault {
    let Some((exponent, sign)) = float_bits(ty) else {
        return Fault::ScaleByte { buffer, at, found: raw as u8 };
    };
    let kind = match (raw & exponent == exponent, raw & !(sign | exponent) == 0) {
        (true, true) => "infinite",
        (true, false) => "not a number",
        (false, _) if raw & !sign == 0 => "zero",
        (false, _) => "negative",
    };
    let rule = if scheme == NF4 { "finite and not negative" } else { "finite and not zero" };
    Fault::ScaleValue { buffer, at, kind, rule }
}
