//! The core's decode errors as rules of the checklists.

use super::scheme::Scheme;
use crate::bytes::u32_at;
use crate::format::{DESCRIPTOR_FIXED, HANDLE_LEN, LAYOUT_TAG_AT};
use crate::Fault;
use hurray_core::layout::{TAG_BLOCK_PAGED, TAG_COMPOSITE, TAG_CSF, TAG_HILBERT, TAG_MORTON};
use hurray_core::{DescriptorFlags, Error};

/// Where the fixed header keeps flags and rank (descriptor.md §2).
const FLAGS_AT: usize = 10;
const RANK_AT: usize = 16;
/// Bytes of the block-paged payload (layouts.md §10).
const PAGED_PAYLOAD: usize = 32;

/// The rule behind an error of `TensorDescriptor::decode` on `bytes`.
pub(super) fn fault(error: Error, bytes: &[u8]) -> Fault {
    match error {
        Error::DescriptorTruncated { offset, needed, available } => Fault::Truncated {
            needed: (offset as u64).saturating_add(needed as u64),
            available: (offset as u64).saturating_add(available as u64),
        },
        Error::InvalidMagic { got } => Fault::DescriptorMagic { found: got },
        Error::UnsupportedDescriptorVersion { major, minor } => Fault::DescriptorTooNew { major, minor },
        Error::DescriptorTooShort { length } => Fault::DescriptorShort { length },
        Error::DescriptorLengthMismatch { declared, actual } => Fault::Leftover { declared, read: actual as u64 },
        Error::ReservedDescriptorFlagBitsSet { flags, .. } => Fault::DescriptorFlags { flags },
        Error::InvalidTypeTag(tag) => Fault::TypeInvalid { tag },
        Error::ReservedTypeTag(tag) | Error::UnknownTypeTag(tag) => Fault::TypeUnknown { tag },
        Error::ExtensionTypeFlagMismatch { flag_set, type_tag, .. } => {
            Fault::ExtensionFlag { tag: type_tag, section: flag_set }
        }
        Error::ExtensionTypePackingInvalid { bit_width, packing_factor } => {
            Fault::ExtensionPacking { bit_width, packing_factor }
        }
        Error::RankExceedsMaximum { rank, .. } => Fault::Rank { rank },
        Error::StatisticsReservedMaskBitsSet { mask } => Fault::StatisticsMask { mask },
        Error::ReservedBytesNonZero { field } => reserved(field),
        other => handles(other).unwrap_or_else(|other| layouts(other, bytes)),
    }
}

fn reserved(field: &'static str) -> Fault {
    match field.split('.').next().unwrap_or(field) {
        "buffer_handle" => Fault::HandleReserved,
        "tiled" => Fault::TilePayload,
        "block_paged" => Fault::PagedReserved,
        "composite" => Fault::HeadPayload,
        "composite_member" => Fault::MemberSection { role: None },
        "statistics" => Fault::StatisticsBytes,
        "ext_type" => Fault::ExtensionBytes,
        _ => Fault::SparseReserved { field },
    }
}

fn handles(error: Error) -> Result<Fault, Error> {
    Ok(match error {
        Error::EmptyBufferTable => Fault::NoBuffers,
        Error::AlignmentNotPowerOfTwo { alignment } | Error::AlignmentBelowMinimum { alignment, .. } => {
            Fault::Alignment { alignment }
        }
        Error::InvalidDeviceTag(tag) | Error::ReservedDeviceTag(tag) => Fault::DeviceTag { tag },
        Error::InvalidSyncMode(mode) => Fault::SyncMode { mode },
        Error::InvalidMemoryClass(class) | Error::ReservedMemoryClass(class) => Fault::MemoryClass { class },
        Error::ShardOutOfBounds { dim, offset, size, parent } => Fault::ShardBounds { dim, offset, size, parent },
        other => return Err(other),
    })
}

fn layouts(error: Error, bytes: &[u8]) -> Fault {
    match error {
        Error::InvalidLayoutTag(tag) => Fault::LayoutInvalid { tag },
        Error::ReservedLayoutTag(tag) | Error::UnknownLayoutTag(tag) => Fault::LayoutUnknown { tag },
        Error::SubpavingNestingTooDeep => Fault::TileDepth,
        Error::CompositeHeadHasBuffers { count } => Fault::HeadContents { buffers: usize::from(count), byte_offset: 0 },
        Error::CompositeHeadHasByteOffset { byte_offset } => Fault::HeadContents { buffers: 0, byte_offset },
        Error::CompositeHeadHasQuantization => Fault::HeadSections,
        Error::InvalidCompositionRule(rule)
        | Error::ReservedCompositionRule(rule)
        | Error::PrivateCompositionRule(rule) => Fault::CompositionRule { rule },
        Error::InvalidCombineOp { rule, combine_op } => Fault::CombineOp { rule, combine_op },
        Error::OpenCompositeReserved => Fault::HeadPayload,
        Error::InvalidMemberRole(role) => Fault::MemberSection { role: Some(role) },
        _ => by_layout(bytes),
    }
}

/// The core says these in prose only; the layout they belong to tells which rule it is.
fn by_layout(bytes: &[u8]) -> Fault {
    let tag = bytes.get(LAYOUT_TAG_AT).copied().unwrap_or(0);
    let flags = DescriptorFlags(u32_at(bytes, FLAGS_AT));
    match (tag, u32_at(bytes, RANK_AT)) {
        (TAG_MORTON, 1..) => Fault::MortonBits,
        (TAG_HILBERT, _) => Fault::HilbertPayload,
        (TAG_CSF, _) if !flags.has_shard() || !mode_order_holds(bytes) => Fault::ModeOrder,
        (TAG_CSF, _) => Fault::ShardForbidden { tag },
        (TAG_BLOCK_PAGED, rank) => paged(bytes, rank, flags),
        (TAG_COMPOSITE, _) => Fault::HeadSections,
        (_, 0) => Fault::ScalarLayout { tag },
        _ => Fault::TilePayload,
    }
}

fn mode_order_holds(bytes: &[u8]) -> bool {
    let rank = u32_at(bytes, RANK_AT) as usize;
    let start = DESCRIPTOR_FIXED + 8 * rank + 8 + 8;
    let order: Option<Vec<u32>> =
        bytes.get(start..start + 4 * rank).map(|b| b.chunks_exact(4).map(|c| u32_at(c, 0)).collect());
    order.is_some_and(|order| super::extent::permutation(&order).is_ok())
}

/// Roles and index type first, then a shard, then quantization: the core's own order.
fn paged(bytes: &[u8], rank: u32, flags: DescriptorFlags) -> Fault {
    let payload = DESCRIPTOR_FIXED + 8 * rank as usize + 8;
    let byte = |at: usize| bytes.get(payload + at).copied().unwrap_or(0);
    if byte(20) > 2 || byte(25) > 1 {
        return Fault::PagedTags;
    }
    let tag = TAG_BLOCK_PAGED;
    let table = payload + PAGED_PAYLOAD;
    let buffers = usize::from(bytes.get(table).copied().unwrap_or(0));
    let section = table + 1 + HANDLE_LEN * buffers;
    let quantization = flags.has_quantization().then(|| bytes.get(section + 4..));
    match quantization.flatten() {
        _ if flags.has_shard() => Fault::ShardForbidden { tag },
        Some(rest) => {
            let len = (u32_at(bytes, section) as usize).min(rest.len());
            match Scheme::parse(&rest[..len]) {
                Err(fault) => fault,
                Ok(scheme) => Fault::PagedQuantization { axis: scheme.axis.unwrap_or(0) },
            }
        }
        None => Fault::PagedTags,
    }
}
