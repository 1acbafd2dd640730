//! The descriptors that almost all are: version 1.0, no section, one buffer in plain CPU memory, in row
//! or column order. Read in one go; everything else, and everything wrong, goes the general way.

use crate::bytes::{u32_at, u64_at};
use crate::format::{DESCRIPTOR_FIXED, HANDLE_LEN, LAYOUT_TAG_AT};
use hurray_core::layout::{TAG_COL_MAJOR, TAG_ROW_MAJOR};
use hurray_core::{
    BufferHandle, DeviceTag, ElementType, LayoutDescriptor, MemoryClass, Shape, SyncMode, TensorDescriptor, DYNAMIC,
};

/// Magic and version 1.0, in one number.
const BEGINNING: [u8; 6] = *b"HRRY\x01\x00";
const LENGTH_AT: usize = 6;
const FLAGS_AT: usize = 10;
const TYPE_AT: usize = 14;
const RANK_AT: usize = 16;
/// Behind the shape: byte_offset, the number of buffers and one handle.
const REST: usize = 8 + 1 + HANDLE_LEN;
/// Higher ranks go the general way.
const RANKS: usize = 8;

/// What [`TensorDescriptor::decode`] gives for such a descriptor; `None` for any other.
pub(super) fn read(bytes: &[u8]) -> Option<TensorDescriptor> {
    let fixed = bytes.get(..DESCRIPTOR_FIXED)?;
    let rank = u32_at(fixed, RANK_AT) as usize;
    if !fixed.starts_with(&BEGINNING) || u32_at(fixed, FLAGS_AT) != 0 || rank > RANKS {
        return None;
    }
    let length = DESCRIPTOR_FIXED + 8 * rank + REST;
    if u32_at(fixed, LENGTH_AT) as usize != length {
        return None;
    }
    let layout = match fixed[LAYOUT_TAG_AT] {
        TAG_ROW_MAJOR => LayoutDescriptor::RowMajor,
        TAG_COL_MAJOR => LayoutDescriptor::ColMajor,
        _ => return None,
    };
    let element_type = match ElementType::from_tag(fixed[TYPE_AT]) {
        Ok(ElementType::Extension(_)) | Err(_) => return None,
        Ok(known) => known,
    };
    let (shape, rest) = bytes.get(DESCRIPTOR_FIXED..length)?.split_at(8 * rank);
    let (byte_offset, [1, handle @ ..]) = (u64_at(rest, 0), &rest[8..]) else {
        return None;
    };
    // CPU, producer-synced, standard memory, reserved: all 0.
    if u32_at(handle, 12) != 0 {
        return None;
    }
    let handle = BufferHandle::new(u64_at(handle, 0), u32_at(handle, 8), DeviceTag::Cpu, SyncMode::ProducerSynced);
    let dims: Vec<u64> = (0..rank).map(|k| u64_at(shape, 8 * k)).collect();
    Some(TensorDescriptor {
        version_major: 1,
        version_minor: 0,
        element_type,
        shape: Shape::new(dims).ok()?,
        byte_offset,
        layout,
        buffers: vec![handle.ok()?],
        quantization: None,
        shard: None,
        statistics: None,
        extension_type: None,
        composite_member: None,
    })
}

/// Whether such a descriptor, as whoever made it, keeps every rule of the three tiers; false says
/// nothing.
pub(super) fn sound(d: &TensorDescriptor) -> bool {
    let sections = d.quantization.is_some()
        || d.shard.is_some()
        || d.statistics.is_some()
        || d.extension_type.is_some()
        || d.composite_member.is_some();
    let dims = d.shape.dims();
    let ordered = match d.layout {
        LayoutDescriptor::RowMajor => true,
        LayoutDescriptor::ColMajor => !dims.is_empty(),
        _ => false,
    };
    let ([handle], false, true) = (&d.buffers[..], sections, ordered) else {
        return false;
    };
    let here = handle.device_tag() == DeviceTag::Cpu && handle.memory_class() == MemoryClass::Standard;
    let bits = d.element_type.bit_width();
    if !here || (d.version_major, d.version_minor) != (1, 0) || bits < 8 || dims.contains(&DYNAMIC) {
        return false;
    }
    let start = u64::from(bits / 8);
    let bytes = dims.iter().try_fold(start, |bytes, &dim| bytes.checked_mul(dim));
    bytes.and_then(|bytes| bytes.checked_add(d.byte_offset)).is_some_and(|end| end <= handle.byte_size())
}
