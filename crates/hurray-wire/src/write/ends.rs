//! Header and trailer as bytes (file.md §2, §6).

use crate::container::header::{ALIGNMENT_AT, FIRST_AT, FLAGS_AT, HINT_AT};
use crate::format::{
    CONTAINER_VERSION, COUNT_UNKNOWN, FILE_MAGIC, FLAG_HAS_KV, FLAG_INDEX_CRC, HEADER_LEN, MIN_DATA_ALIGNMENT,
    TRAILER_LEN, TRAILER_MAGIC,
};

/// The header; metadata is known when it is written, so its flag tells the truth.
pub(super) fn header(has_kv: bool) -> [u8; HEADER_LEN as usize] {
    let mut b = [0; HEADER_LEN as usize];
    let flags = FLAG_INDEX_CRC | if has_kv { FLAG_HAS_KV } else { 0 };
    let mut field = |at: usize, bytes: &[u8]| b[at..at + bytes.len()].copy_from_slice(bytes);
    field(0, &FILE_MAGIC);
    field(8, &[CONTAINER_VERSION.0, CONTAINER_VERSION.1]);
    field(FLAGS_AT, &flags.to_le_bytes());
    field(ALIGNMENT_AT, &MIN_DATA_ALIGNMENT.to_le_bytes());
    field(FIRST_AT, &HEADER_LEN.to_le_bytes());
    field(HINT_AT, &COUNT_UNKNOWN.to_le_bytes());
    b
}

/// The trailer, from (offset, length) of index and metadata.
pub(super) fn trailer(index: (u64, u64), kv: (u64, u32), crc: u32) -> [u8; TRAILER_LEN as usize] {
    let mut b = [0; TRAILER_LEN as usize];
    let mut field = |at: usize, bytes: &[u8]| b[at..at + bytes.len()].copy_from_slice(bytes);
    field(0, &index.0.to_le_bytes());
    field(8, &index.1.to_le_bytes());
    field(16, &kv.0.to_le_bytes());
    field(24, &kv.1.to_le_bytes());
    field(28, &crc.to_le_bytes());
    field(36, &TRAILER_MAGIC);
    b
}
