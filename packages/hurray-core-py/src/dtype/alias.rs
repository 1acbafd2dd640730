//! What others call the element types: the array interface's codes, `struct`'s letters, C's and NumPy's names.

use hurray_core::ElementType as E;

/// Names that mean one type wherever they are used (format: element-types.md §2).
///
/// Left out: `float`, `int` and `long`, whose width depends on who says them; `f16`, a long double to
/// some and a half to others; names in capitals (`F32`, `I8`, `F4`), which differ from other types'
/// codes by their case alone.
const ALIASES: &[(&str, E)] = &[
    ("half", E::Float16),
    ("single", E::Float32),
    ("double", E::Float64),
    ("csingle", E::Complex64),
    ("cdouble", E::Complex128),
    ("longlong", E::Int64),
    ("ulonglong", E::Uint64),
    ("bool_", E::Bool),
    ("bf16", E::BFloat16),
    ("float8_e4m3fn", E::Float8E4M3),
    ("float8_e8m0fnu", E::Float8E8M0),
    ("float4_e2m1fn", E::Float4E2M1),
    ("float6_e2m3fn", E::Float6E2M3),
    ("float6_e3m2fn", E::Float6E3M2),
];

/// Letters that the `struct` module and array libraries read alike.
const LETTERS: &[(&str, E)] = &[
    ("e", E::Float16),
    ("f", E::Float32),
    ("d", E::Float64),
    ("b", E::Int8),
    ("B", E::Uint8),
    ("h", E::Int16),
    ("H", E::Uint16),
    ("i", E::Int32),
    ("I", E::Uint32),
    ("q", E::Int64),
    ("Q", E::Uint64),
    ("F", E::Complex64),
    ("D", E::Complex128),
    ("?", E::Bool),
];

/// A kind and a number of bytes, as in the array interface's type strings.
const CODES: &[(&str, E)] = &[
    ("f2", E::Float16),
    ("f4", E::Float32),
    ("f8", E::Float64),
    ("i1", E::Int8),
    ("u1", E::Uint8),
    ("i2", E::Int16),
    ("u2", E::Uint16),
    ("i4", E::Int32),
    ("u4", E::Uint32),
    ("i8", E::Int64),
    ("u8", E::Uint64),
    ("b1", E::Bool),
    ("c8", E::Complex64),
    ("c16", E::Complex128),
];

/// Why a name is no element type.
pub(super) enum Refusal {
    Unknown,
    BigEndian,
}

fn find(table: &[(&str, E)], name: &str) -> Option<E> {
    table.iter().find(|(alias, _)| *alias == name).map(|(_, ty)| *ty)
}

/// The type that an alias means; a byte order may stand before a code or a letter.
pub(super) fn of(name: &str) -> Result<E, Refusal> {
    if let Some(ty) = find(ALIASES, name) {
        return Ok(ty);
    }
    let code = name.strip_prefix(['<', '>', '=', '|', '!']).unwrap_or(name);
    let ty = find(CODES, code).or_else(|| find(LETTERS, code)).ok_or(Refusal::Unknown)?;
    match name.starts_with(['>', '!']) && ty.bit_width() > 8 {
        true => Err(Refusal::BigEndian),
        false => Ok(ty),
    }
}

/// The array interface's type string of a type that lies in memory as that says.
pub(super) fn typestr(ty: E) -> Option<String> {
    // Its bools take a byte each, the format's a bit.
    let (code, _) = CODES.iter().find(|(_, found)| *found == ty && ty != E::Bool)?;
    Some(format!("{}{code}", if ty.bit_width() == 8 { '|' } else { '<' }))
}
