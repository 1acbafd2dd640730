//! What layouts, statistics and extension types ask of the extents and of each other.

use crate::Fault;
use hurray_core::layout::{HilbertLayout, LayoutDescriptor, MortonLayout};
use hurray_core::{BlockPagedLayout, CompositeLayout, CompositionRule, ElementType, TensorDescriptor, DYNAMIC};

/// Bits of a curve's code, in the widest form this reader handles (L-19, L-22).
const CODE_BITS: u64 = 64;

/// The per-layout rules of layouts.md §5, §6, §9–§11 on the shape.
pub(super) fn extents(d: &TensorDescriptor) -> Result<(), Fault> {
    let dims = d.shape.dims();
    match &d.layout {
        LayoutDescriptor::Morton(m) => morton(m, dims),
        LayoutDescriptor::Hilbert(h) => hilbert(h, dims),
        LayoutDescriptor::Csf(c) => permutation(&c.mode_order),
        LayoutDescriptor::BlockPaged(b) => paged(b),
        LayoutDescriptor::Composite(c) => head(d, c),
        _ => Ok(()),
    }
}

fn morton(m: &MortonLayout, dims: &[u64]) -> Result<(), Fault> {
    if m.morton_bits.contains(&0) {
        return Err(Fault::MortonBits);
    }
    // The code's width comes first: it bounds the bits before anything is shifted by them.
    let rank = m.morton_bits.len() as u64;
    let top = |(d, &bits): (usize, &u32)| (u64::from(bits) - 1) * rank + d as u64;
    let top_bit = m.morton_bits.iter().enumerate().map(top).max().unwrap_or(0);
    if top_bit >= CODE_BITS {
        return Err(Fault::MortonWidth { top_bit });
    }
    for (dim, (&bits, &extent)) in m.morton_bits.iter().zip(dims).enumerate() {
        if extent != DYNAMIC && u128::from(extent) > 1u128 << bits {
            return Err(Fault::MortonDim { dim, extent, bits });
        }
    }
    Ok(())
}

fn hilbert(h: &HilbertLayout, dims: &[u64]) -> Result<(), Fault> {
    let (order, rank) = (h.hilbert_order, dims.len());
    if order == 0 || h.hilbert_rank < 2 {
        return Err(Fault::HilbertPayload);
    }
    if rank as u64 * u64::from(order) > CODE_BITS {
        return Err(Fault::HilbertWidth { rank, order });
    }
    for (dim, &extent) in dims.iter().enumerate() {
        // A rank of 0 is L-21's; here it only must not shift too far.
        if extent != DYNAMIC && Some(extent) != 1u64.checked_shl(order) {
            return Err(Fault::HilbertDim { dim, extent, order });
        }
    }
    Ok(())
}

pub(super) fn permutation(order: &[u32]) -> Result<(), Fault> {
    let mut seen = 0u64;
    for &dim in order {
        let bit = 1u64.checked_shl(dim).unwrap_or(0);
        if dim as usize >= order.len() || bit == 0 || seen & bit != 0 {
            return Err(Fault::ModeOrder);
        }
        seen |= bit;
    }
    Ok(())
}

fn paged(b: &BlockPagedLayout) -> Result<(), Fault> {
    let (page_size, paged_axis) = (b.page_size, b.paged_axis);
    match page_size > 0 && paged_axis == 0 {
        true => Ok(()),
        false => Err(Fault::PagedExtent { page_size, paged_axis }),
    }
}

fn head(d: &TensorDescriptor, c: &CompositeLayout) -> Result<(), Fault> {
    if d.quantization.is_some() || d.composite_member.is_some() {
        return Err(Fault::HeadSections);
    }
    if c.member_count == u32::MAX {
        return Err(Fault::HeadPayload);
    }
    if c.rule == CompositionRule::Group {
        return Ok(());
    }
    if let Some(dim) = d.shape.dims().iter().position(|&s| s == DYNAMIC) {
        return Err(Fault::HeadDynamic { dim });
    }
    match (&c.rule, c.member_count) {
        (CompositionRule::Overlay(_), 0) => Err(Fault::EmptyOverlay),
        _ => Ok(()),
    }
}

/// The stored entries of a sparse layout; `None` for a layout that counts none.
pub fn nnz(layout: &LayoutDescriptor) -> Option<u64> {
    match layout {
        LayoutDescriptor::Coo(l) => Some(l.nnz),
        LayoutDescriptor::Csr(l) => Some(l.nnz),
        LayoutDescriptor::Csc(l) => Some(l.nnz),
        LayoutDescriptor::Csf(l) => Some(l.nnz),
        _ => None,
    }
}

/// D-47 and L-30.
pub(super) fn statistics(d: &TensorDescriptor) -> Result<(), Fault> {
    let Some(s) = &d.statistics else {
        return Ok(());
    };
    let mask = s.computed_mask.0;
    if mask & !KNOWN_STATISTICS != 0 {
        return Err(Fault::StatisticsMask { mask });
    }
    match nnz(&d.layout) {
        Some(layout) if s.computed_mask.nnz_valid() && layout != s.nnz => {
            let statistics = s.nnz;
            Err(Fault::StatisticsNnz { statistics, layout })
        }
        _ => Ok(()),
    }
}

/// Bits 0–5 of the statistics mask have a meaning (descriptor.md §6.3).
pub const KNOWN_STATISTICS: u32 = 0x3F;

/// D-9 and D-48 for descriptors built in memory.
pub(super) fn extension(d: &TensorDescriptor) -> Result<(), Fault> {
    let private = match d.element_type {
        ElementType::Extension(0xF0..=0xFE) => true,
        ElementType::Extension(tag) => return Err(Fault::TypeUnknown { tag }),
        _ => false,
    };
    if private != d.extension_type.is_some() {
        let (tag, section) = (d.element_type.tag(), !private);
        return Err(Fault::ExtensionFlag { tag, section });
    }
    let Some(x) = &d.extension_type else {
        return Ok(());
    };
    match (x.bit_width, x.packing_factor) {
        (1, 8) | (2, 4) | (4, 2) | (8.., 1) => Ok(()),
        (bit_width, packing_factor) => Err(Fault::ExtensionPacking { bit_width, packing_factor }),
    }
}
