//! Little-endian fields at fixed places of slices whose length was checked before.

/// The array at `at`; zeros where the slice is too short, which its callers have excluded.
fn array<const N: usize>(b: &[u8], at: usize) -> [u8; N] {
    let found = at.checked_add(N).and_then(|end| b.get(at..end));
    debug_assert!(found.is_some(), "length checked by the caller");
    found.and_then(|s| s.try_into().ok()).unwrap_or([0; N])
}

pub(crate) fn bytes4(b: &[u8], at: usize) -> [u8; 4] {
    array(b, at)
}

pub(crate) fn bytes8(b: &[u8], at: usize) -> [u8; 8] {
    array(b, at)
}

pub(crate) fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(b, at))
}

pub(crate) fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(b, at))
}

pub(crate) fn i32_at(b: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(array(b, at))
}

pub(crate) fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(b, at))
}
