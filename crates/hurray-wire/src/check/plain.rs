//! The commonest descriptor by a short way: row-major, one CPU buffer, no sections (descriptor.md §9).

use super::packing::Packing;
use super::{all, decode};
use crate::bytes::{u32_at, u64_at};
use crate::format::{DESCRIPTOR_FIXED, DESCRIPTOR_PREFIX, HANDLE_LEN, LAYOUT_TAG_AT};
use crate::Fault;
use hurray_core::layout::TAG_ROW_MAJOR;
use hurray_core::{
    BufferHandle, DeviceTag, ElementType, LayoutDescriptor, Shape, SyncMode, TensorDescriptor,
    DESCRIPTOR_VERSION_MAJOR, DYNAMIC,
};

/// Magic and version 1.0.
const START: [u8; 6] = *b"HRRY\x01\x00";
/// More dimensions than that go the long way.
const FEW: usize = 8;

/// Decodes one descriptor and applies all three tiers: [`decode`](super::decode()), then [`all`](super::all()).
pub fn decode_checked(bytes: &[u8]) -> Result<TensorDescriptor, Fault> {
    if let Some(plain) = plain(bytes) {
        return Ok(plain);
    }
    let descriptor = decode(bytes)?;
    all(&descriptor)?;
    Ok(descriptor)
}

/// `None` for whatever is not surely sound; the long way then finds out what it is.
fn plain(bytes: &[u8]) -> Option<TensorDescriptor> {
    let fixed = bytes.get(..DESCRIPTOR_FIXED)?;
    // No flag stands between length and element type.
    let plain = fixed[..6] == START && u32_at(fixed, DESCRIPTOR_PREFIX) == 0 && fixed[LAYOUT_TAG_AT] == TAG_ROW_MAJOR;
    let rank = usize::try_from(u32_at(fixed, 16)).ok().filter(|&rank| plain && rank <= FEW)?;
    let (offset_at, table_at) = (DESCRIPTOR_FIXED + 8 * rank, DESCRIPTOR_FIXED + 8 * rank + 8);
    let length = table_at + 1 + HANDLE_LEN;
    let own = bytes.get(..length).filter(|_| u32_at(fixed, 6) as usize == length)?;
    // Device, synchronisation, class and the reserved byte are all 0.
    if own[table_at] != 1 || u32_at(own, length - 4) != 0 {
        return None;
    }
    let mut dims = Vec::with_capacity(rank);
    let mut count = 1u64;
    for dim in 0..rank {
        let size = u64_at(own, DESCRIPTOR_FIXED + 8 * dim);
        count = count.checked_mul(size).filter(|&count| size != DYNAMIC && count > 0)?;
        dims.push(size);
    }
    let element_type = ElementType::from_tag(own[LAYOUT_TAG_AT - 1]).ok()?;
    let (byte_offset, byte_size) = (u64_at(own, offset_at), u64_at(own, table_at + 1));
    let needed = Packing::of(element_type, None)?.storage(u128::from(count)) + u128::from(byte_offset);
    if needed > u128::from(byte_size) {
        return None;
    }
    let alignment = u32_at(own, table_at + 9);
    Some(TensorDescriptor {
        version_major: DESCRIPTOR_VERSION_MAJOR,
        version_minor: 0,
        element_type,
        shape: Shape::new(dims).ok()?,
        byte_offset,
        layout: LayoutDescriptor::RowMajor,
        buffers: vec![BufferHandle::new(byte_size, alignment, DeviceTag::Cpu, SyncMode::ProducerSynced).ok()?],
        quantization: None,
        shard: None,
        statistics: None,
        extension_type: None,
        composite_member: None,
    })
}
