//! A descriptor as files hold it: the same tensor always gives the same bytes.

use crate::format::{HANDLE_ALIGNMENT_AT, HANDLE_LEN};
use hurray_core::{TensorDescriptor, DESCRIPTOR_VERSION_MINOR, MIN_BUFFER_ALIGNMENT};

/// Where a descriptor keeps its minor version (descriptor.md §2).
const MINOR_AT: usize = 5;
/// What an empty buffer declares (buffers.md §2).
const EMPTY_ALIGNMENT: u32 = 1;

/// Sections behind the buffer table (descriptor.md §6).
const QUANTIZATION_PREFIX: usize = 4;
const SHARD_PER_DIM: usize = 16;
const STATISTICS: usize = 72;
const EXTENSION: usize = 20;
const MEMBER: usize = 16;

/// Encodes verbatim but for two things that tell of memory and history, not of the tensor: where
/// the buffers happened to be aligned, and a minor version whose extra fields were not kept.
pub(crate) fn encode(d: &TensorDescriptor) -> Result<Vec<u8>, hurray_core::Error> {
    let mut bytes = d.encode()?;
    bytes[MINOR_AT] = DESCRIPTOR_VERSION_MINOR;
    let table = bytes.len().saturating_sub(behind_table(d) + HANDLE_LEN * d.buffers.len());
    for (handle, place) in d.buffers.iter().zip(bytes[table..].chunks_exact_mut(HANDLE_LEN)) {
        let alignment = match handle.is_empty() {
            true => EMPTY_ALIGNMENT,
            false => MIN_BUFFER_ALIGNMENT,
        };
        let field = &mut place[HANDLE_ALIGNMENT_AT..HANDLE_ALIGNMENT_AT + 4];
        field.copy_from_slice(&alignment.to_le_bytes());
    }
    Ok(bytes)
}

fn behind_table(d: &TensorDescriptor) -> usize {
    let quantization = d.quantization.as_ref();
    quantization.map_or(0, |q| QUANTIZATION_PREFIX + q.len())
        + d.shard.as_ref().map_or(0, |_| SHARD_PER_DIM * d.shape.rank())
        + d.statistics.as_ref().map_or(0, |_| STATISTICS)
        + d.extension_type.as_ref().map_or(0, |_| EXTENSION)
        + d.composite_member.map_or(0, |_| MEMBER)
}
