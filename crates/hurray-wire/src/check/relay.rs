//! Descriptors under a reserved layout tag, for a relay that is permissive on purpose
//! (layouts.md §12, descriptor.md §7). Nobody may interpret their data.

use super::decode::own;
use super::scheme::Scheme;
use super::{core_error, count, decode};
use crate::bytes::{u32_at, u64_at};
use crate::format::{DESCRIPTOR_FIXED, HANDLE_LEN, LAYOUT_TAG_AT};
use crate::Fault;
use hurray_core::layout::{is_reserved_tag, UnknownLayout, TAG_ROW_MAJOR};
use hurray_core::{DescriptorFlags, ElementType, Error, LayoutDescriptor, Shape, TensorDescriptor, MAX_RANK};

/// Where the fixed header keeps its fields (descriptor.md §2).
const VERSION_AT: usize = 4;
const LENGTH_AT: usize = 6;
const FLAGS_AT: usize = 10;
const TYPE_AT: usize = 14;
const RANK_AT: usize = 16;
const KNOWN_FLAGS: u32 = 0x1F;
/// Places for the table that are tried in earnest; a writer leaves one, and malice no more than these.
const MOST_PLACES: usize = 64;

/// What a permissive reader knows of a descriptor.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    /// The descriptor. Of one whose parts could not be told apart: type, shape, byte_offset, and all
    /// that follows as the raw bytes of its layout, without buffers and sections.
    pub descriptor: TensorDescriptor,
    /// Whether the parts were told apart.
    pub whole: bool,
}

/// Decodes one descriptor as [`decode`](super::decode()) does, but takes reserved layout tags, too.
///
/// A layout's payload carries no length, so the buffer table is found from behind: at version 1.0
/// only sections of known length follow it, and no handle ends in anything but 0, so that the table
/// stands in one place at most. Where several would do (behind a quantization section, or before
/// fields that a newer minor version appends), nothing is guessed; `payload` is for a caller who knows
/// its length.
pub fn decode_relayed(bytes: &[u8], payload: Option<usize>) -> Result<Relayed, Fault> {
    let own = own(bytes)?;
    let tag = own.get(LAYOUT_TAG_AT).copied().unwrap_or(TAG_ROW_MAJOR);
    if !is_reserved_tag(tag) {
        return decode(own).map(|descriptor| Relayed { descriptor, whole: true });
    }
    let head = head(own, tag)?;
    let start = payload_at(head.shape.rank());
    let descriptor = match payload {
        Some(length) => start.checked_add(length).and_then(|table| read(own, start, table)),
        None => whole(own, start),
    };
    Ok(match descriptor {
        Some(descriptor) => Relayed { descriptor, whole: true },
        None => Relayed { descriptor: head, whole: false },
    })
}

/// The bytes of a descriptor, also of one whose layout is unknown, which the core does not encode.
pub fn encode(d: &TensorDescriptor) -> Result<Vec<u8>, Error> {
    let LayoutDescriptor::Unknown(unknown) = &d.layout else {
        return d.encode();
    };
    let plain = TensorDescriptor { layout: LayoutDescriptor::RowMajor, ..d.clone() };
    let mut bytes = plain.encode()?;
    let at = payload_at(d.shape.rank());
    bytes.splice(at..at, unknown.raw_bytes.iter().copied());
    let actual = bytes.len();
    let length = u32::try_from(actual).map_err(|_| Error::DescriptorLengthMismatch { declared: u32::MAX, actual })?;
    bytes[LAYOUT_TAG_AT] = unknown.tag;
    bytes[LENGTH_AT..FLAGS_AT].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

fn payload_at(rank: usize) -> usize {
    DESCRIPTOR_FIXED + 8 * rank + 8
}

fn unknown(tag: u8, raw: &[u8]) -> Result<LayoutDescriptor, Fault> {
    let layout = UnknownLayout::new(tag, raw.to_vec()).map_err(|_| Fault::LayoutUnknown { tag })?;
    Ok(LayoutDescriptor::Unknown(layout))
}

/// What every descriptor begins with, by the rules of descriptor.md §8.
fn head(own: &[u8], tag: u8) -> Result<TensorDescriptor, Fault> {
    let flags = u32_at(own, FLAGS_AT);
    if flags & !KNOWN_FLAGS != 0 {
        return Err(Fault::DescriptorFlags { flags });
    }
    let element_type = ElementType::from_tag(own[TYPE_AT]).map_err(|e| core_error::fault(e, own))?;
    let private = matches!(element_type, ElementType::Extension(_));
    let section = DescriptorFlags(flags).has_extension_type();
    if private != section {
        return Err(Fault::ExtensionFlag { tag: own[TYPE_AT], section });
    }
    let rank = u32_at(own, RANK_AT);
    if rank as usize > MAX_RANK {
        return Err(Fault::Rank { rank });
    }
    let payload = payload_at(rank as usize);
    if own.len() <= payload {
        // The byte that counts the buffers is there at least.
        return Err(Fault::Truncated { needed: payload as u64 + 1, available: own.len() as u64 });
    }
    let dims: Vec<u64> = (0..rank as usize).map(|k| u64_at(own, DESCRIPTOR_FIXED + 8 * k)).collect();
    Ok(TensorDescriptor {
        version_major: own[VERSION_AT],
        version_minor: own[VERSION_AT + 1],
        element_type,
        shape: Shape::new(dims).map_err(|e| core_error::fault(e, own))?,
        byte_offset: u64_at(own, payload - 8),
        layout: unknown(tag, &own[payload..])?,
        buffers: Vec::new(),
        quantization: None,
        shard: None,
        statistics: None,
        extension_type: None,
        composite_member: None,
    })
}

/// The descriptor in the one way that it can be read; `None` if there is none or more than one.
fn whole(own: &[u8], payload: usize) -> Option<TensorDescriptor> {
    let mut found = None;
    let mut tried = 0;
    for table in (payload..own.len()).filter(|&table| ends(own, table)) {
        tried += 1;
        match read(own, payload, table) {
            Some(_) if found.is_some() => return None,
            Some(descriptor) => found = Some(descriptor),
            None if tried >= MOST_PLACES => return None,
            None => {}
        }
    }
    found
}

/// Whether a buffer table at `table` looks like one and leaves what the flags say for the sections.
fn ends(own: &[u8], table: usize) -> bool {
    let start = table + 1;
    let end = start + HANDLE_LEN * usize::from(own[table]);
    let handles = own.get(start..end).unwrap_or_default();
    // An empty table is a head's, whose tag is known.
    if handles.is_empty() || handles.iter().skip(HANDLE_LEN - 1).step_by(HANDLE_LEN).any(|&last| last != 0) {
        return false;
    }
    let flags = DescriptorFlags(u32_at(own, FLAGS_AT));
    let quantization = match own.get(end..end + 4) {
        Some(length) if flags.has_quantization() => 4 + u32_at(length, 0) as usize,
        None if flags.has_quantization() => return false,
        _ => 0,
    };
    let section = |there: bool, length: usize| if there { length } else { 0 };
    let sections = section(flags.has_shard(), 16 * u32_at(own, RANK_AT) as usize)
        + section(flags.has_statistics(), 72)
        + section(flags.has_extension_type(), 20)
        + section(flags.has_composite_member(), 16);
    let left = (own.len() - end).checked_sub(quantization).and_then(|left| left.checked_sub(sections));
    match own[VERSION_AT + 1] {
        0 => left == Some(0),
        _ => left.is_some(),
    }
}

/// The descriptor with its table at `table`, if the core reads the rest and its parameters exist.
fn read(own: &[u8], payload: usize, table: usize) -> Option<TensorDescriptor> {
    let mut plain = [&own[..payload], own.get(table..)?].concat();
    let length = u32::try_from(plain.len()).ok()?;
    plain[LENGTH_AT..FLAGS_AT].copy_from_slice(&length.to_le_bytes());
    plain[LAYOUT_TAG_AT] = TAG_ROW_MAJOR;
    let mut d = decode(&plain).ok()?;
    if let Some(section) = &d.quantization {
        Scheme::parse(section).ok()?;
    }
    d.layout = unknown(own[LAYOUT_TAG_AT], &own[payload..table]).ok()?;
    count::buffers(&d).and_then(|()| count::parameter_indices(&d)).ok()?;
    Some(d)
}
