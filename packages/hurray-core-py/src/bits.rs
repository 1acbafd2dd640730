//! bool: one bit an element, least significant first (format: element-types.md §3).

/// Packs bytes that are 0 or 1 into bits, and returns all of them or-ed: above 1 there was another.
pub(crate) fn pack(values: impl Iterator<Item = u8>, out: &mut [u8]) -> u8 {
    let mut seen = 0;
    for (index, value) in values.enumerate() {
        seen |= value;
        out[index / 8] |= (value & 1) << (index % 8);
    }
    seen
}

/// Packs a contiguous run, eight at a time.
pub(crate) fn pack_slice(values: &[u8], out: &mut [u8]) -> u8 {
    let whole = values.chunks_exact(8);
    let rest = whole.remainder();
    let mut seen = 0;
    for (eight, byte) in whole.zip(out.iter_mut()) {
        seen |= eight.iter().fold(0, |seen, value| seen | value);
        *byte = eight.iter().enumerate().fold(0, |byte, (bit, &value)| byte | (value & 1) << bit);
    }
    match out.get_mut(values.len() / 8).filter(|_| !rest.is_empty()) {
        Some(last) => seen | pack(rest.iter().copied(), std::slice::from_mut(last)),
        None => seen,
    }
}

/// Unpacks bits into bytes of 0 and 1, as many as `out` has room for.
pub(crate) fn unpack(bytes: &[u8], out: &mut [u8]) {
    for (eight, byte) in out.chunks_mut(8).zip(bytes) {
        for (bit, slot) in eight.iter_mut().enumerate() {
            *slot = byte >> bit & 1;
        }
    }
}

/// Element `index` of a run of `bits`-wide elements; the 6-bit ones by groups of four in three bytes.
pub(crate) fn element(bytes: &[u8], index: usize, bits: usize) -> u8 {
    if bits != 6 {
        let per_byte = 8 / bits;
        let mask = ((1u16 << bits) - 1) as u8;
        return (bytes[index / per_byte] >> (index % per_byte * bits)) & mask;
    }
    let group = &bytes[index / 4 * 3..];
    let word = u32::from(group[0]) | u32::from(group[1]) << 8 | u32::from(group[2]) << 16;
    (word >> (index % 4 * 6)) as u8 & 0x3F
}
