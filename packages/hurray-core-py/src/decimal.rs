//! Stored floats as the shortest decimal text that names them among the numbers of their own width.

use hurray_core::ElementType;

use crate::numbers;

/// Below this every whole number is shown with all its digits: 65504, not 65500 as float16 would allow.
const WHOLE: f64 = (1u64 << 24) as f64;

/// Digits and exponent (`1.5e-1`) of a floating-point element, `nan` or `inf`; two for a complex one.
/// `None` where the type is no float, or one whose digits are not worked out.
pub(crate) fn float(ty: ElementType, bytes: &[u8]) -> Option<[Option<String>; 2]> {
    use ElementType as E;
    let one = |text: String| Some([Some(text), None]);
    match ty {
        E::Float32 => one(single(bytes)),
        E::Float64 => one(double(bytes)),
        E::Float16 | E::BFloat16 => one(half(ty, u16::from_le_bytes([bytes[0], bytes[1]]))),
        E::Float8E4M3 | E::Float8E5M2 => one(special(numbers::small(ty, bytes[0].into()))),
        E::Float8E8M0 => one(special(numbers::scale(bytes[0]))),
        E::Complex64 => Some([Some(single(bytes)), Some(single(&bytes[4..]))]),
        E::Complex128 => Some([Some(double(bytes)), Some(double(&bytes[8..]))]),
        _ => None,
    }
}

/// The same for a float narrower than a byte.
pub(crate) fn packed(ty: ElementType, code: u8) -> Option<String> {
    use ElementType::{Float4E2M1, Float6E2M3, Float6E3M2};
    matches!(ty, Float4E2M1 | Float6E2M3 | Float6E3M2).then(|| special(numbers::small(ty, code.into())))
}

fn single(bytes: &[u8]) -> String {
    let value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    match value.is_finite() && f64::from(value).abs() >= WHOLE {
        true => format!("{value:e}"),
        false if value.is_finite() && value.fract() == 0.0 => format!("{:e}", f64::from(value)),
        false if value.is_finite() => format!("{value:e}"),
        false => special(value.into()),
    }
}

fn double(bytes: &[u8]) -> String {
    let mut all = [0; 8];
    all.copy_from_slice(&bytes[..8]);
    special(f64::from_le_bytes(all))
}

/// All digits of a double; of a number of eight bits or less these are few.
fn special(value: f64) -> String {
    match (value.is_nan(), value.is_infinite(), value > 0.0) {
        (true, ..) => String::from("nan"),
        (_, true, true) => String::from("inf"),
        (_, true, false) => String::from("-inf"),
        _ => format!("{value:e}"),
    }
}

/// float16 and bfloat16: as few digits as lie nearer to this number than to its neighbours.
fn half(ty: ElementType, code: u16) -> String {
    let value = numbers::small(ty, code.into());
    let magnitude = value.abs();
    if !value.is_finite() || (magnitude.fract() == 0.0 && magnitude < WHOLE) {
        return special(value);
    }
    let code = code & 0x7FFF;
    let below = numbers::small(ty, (code - 1).into());
    let above = Some(numbers::small(ty, (code + 1).into())).filter(|above| above.is_finite());
    let low = (below + magnitude) / 2.0;
    let high = above.map_or(magnitude + (magnitude - low), |above| (above + magnitude) / 2.0);
    // A tie goes to the even code.
    let names = |text: &String| {
        let read = text.parse::<f64>().unwrap_or(f64::NAN);
        (read > low && read < high) || (code & 1 == 0 && (read == low || read == high))
    };
    let sign = if value < 0.0 { "-" } else { "" };
    let text = (0..17).map(|digits| format!("{magnitude:.digits$e}")).find(names);
    format!("{sign}{}", text.unwrap_or_else(|| format!("{magnitude:e}")))
}
