//! Versions, ranks, and arrays with one value per dimension.

use crate::Fault;
use hurray_core::layout::{
    is_reserved_tag, LayoutDescriptor, TiledLayout, MAX_TILED_DEPTH, PRIVATE_LAYOUT_TAG_MAX, PRIVATE_LAYOUT_TAG_MIN,
};
use hurray_core::{CompositionRule, TensorDescriptor, DESCRIPTOR_VERSION_MAJOR};

const COMPRESSED_RANK: usize = 2;
const CSF_MIN_RANK: usize = 3;
pub(super) const PAGED_RANK: usize = 3;

/// D-3, D-4: only major version 1 exists.
pub(super) fn version(d: &TensorDescriptor) -> Result<(), Fault> {
    let (major, minor) = (d.version_major, d.version_minor);
    match major {
        0 => Err(Fault::DescriptorTooOld { major, minor }),
        DESCRIPTOR_VERSION_MAJOR => Ok(()),
        _ => Err(Fault::DescriptorTooNew { major, minor }),
    }
}

/// On the wire these arrays have one value per dimension by construction; in memory they may not.
pub(super) fn arity(d: &TensorDescriptor) -> Result<(), Fault> {
    let rank = d.shape.rank();
    let same = |field, found| match found == rank {
        true => Ok(()),
        false => Err(Fault::Arity { field, rank, found }),
    };
    if let Some(shard) = &d.shard {
        same("shard.parent_shape", shard.parent_shape.len())?;
        same("shard.shard_offset", shard.shard_offset.len())?;
    }
    match &d.layout {
        LayoutDescriptor::Strided(s) => same("strides", s.strides.len()),
        LayoutDescriptor::Morton(m) => same("morton_bits", m.morton_bits.len()),
        LayoutDescriptor::Csf(c) => same("mode_order", c.mode_order.len()),
        LayoutDescriptor::Tiled(t) => levels(t).try_for_each(|level| {
            let strides = level.outer_strides.iter().map(|s| s.strides.len());
            let strides = strides.chain(level.inner_strides.iter().map(|s| s.strides.len()));
            same("tile_shape", level.tile_shape.len())?;
            strides.into_iter().try_for_each(|n| same("tile strides", n))
        }),
        _ => Ok(()),
    }
}

/// The levels of a tiling from the outside in; one more than allowed at most.
pub(super) fn levels(outer: &TiledLayout) -> impl Iterator<Item = &TiledLayout> {
    std::iter::successors(Some(outer), |level| level.inner_tiled.as_deref()).take(MAX_TILED_DEPTH + 1)
}

/// L-2, L-6, L-21, L-25, L-26, L-34: which rank a layout takes.
pub(super) fn layout_rank(d: &TensorDescriptor) -> Result<(), Fault> {
    let rank = d.shape.rank();
    let fits = |ok: bool, fault: Fault| if ok { Ok(()) } else { Err(fault) };
    match &d.layout {
        LayoutDescriptor::RowMajor => Ok(()),
        LayoutDescriptor::PrivateExtension(p) => {
            let private = PRIVATE_LAYOUT_TAG_MIN..=PRIVATE_LAYOUT_TAG_MAX;
            let tag = p.tag;
            fits(private.contains(&tag), Fault::LayoutUnknown { tag })
        }
        // What a relay holds; only its decoder and its encoder take one (layouts.md §12).
        LayoutDescriptor::Unknown(u) => fits(is_reserved_tag(u.tag), Fault::LayoutUnknown { tag: u.tag }),
        LayoutDescriptor::Csr(_) | LayoutDescriptor::Csc(_) => {
            fits(rank == COMPRESSED_RANK, Fault::CompressedRank { rank })
        }
        LayoutDescriptor::Csf(_) => fits(rank >= CSF_MIN_RANK, Fault::CsfRank { rank }),
        LayoutDescriptor::BlockPaged(_) => fits(rank == PAGED_RANK, Fault::PagedRank { rank }),
        LayoutDescriptor::Hilbert(h) => {
            let hilbert_rank = h.hilbert_rank;
            fits(usize::try_from(hilbert_rank) == Ok(rank), Fault::HilbertRank { hilbert_rank, rank })
        }
        // A group's shape is advisory, and hurray-io writes rank-0 group heads (layouts.md §16.13).
        LayoutDescriptor::Composite(c) if c.rule == CompositionRule::Group => Ok(()),
        other => fits(rank > 0, Fault::ScalarLayout { tag: other.tag() }),
    }
}

/// D-16, L-41: layouts whose buffers begin at byte 0.
pub(super) fn byte_offset(d: &TensorDescriptor) -> Result<(), Fault> {
    let byte_offset = d.byte_offset;
    match &d.layout {
        LayoutDescriptor::Coo(_)
        | LayoutDescriptor::Csr(_)
        | LayoutDescriptor::Csc(_)
        | LayoutDescriptor::Csf(_)
        | LayoutDescriptor::BlockPaged(_)
            if byte_offset != 0 =>
        {
            Err(Fault::StrayByteOffset { byte_offset })
        }
        LayoutDescriptor::Composite(_) if byte_offset != 0 || !d.buffers.is_empty() => {
            let buffers = d.buffers.len();
            Err(Fault::HeadContents { buffers, byte_offset })
        }
        _ => Ok(()),
    }
}
