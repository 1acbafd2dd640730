//! What a quantization scheme asks of the storage type and the shape (quantization.md §1, §3, §8).

use super::rank::PAGED_RANK;
use super::scheme::{Scheme, MXFP, NF4, PER_BLOCK, PER_CHANNEL, PER_TENSOR};
use crate::Fault;
use hurray_core::{
    BlockPagedLayout, ElementType, LayoutDescriptor, Mxfp, Nf4, PerBlockAffine, PerChannelAffine, PerTensorAffine,
    TensorDescriptor, DYNAMIC,
};

/// L-40.
pub(super) fn of_shape(d: &TensorDescriptor) -> Result<(), Fault> {
    let Some(section) = &d.quantization else {
        return Ok(());
    };
    let scheme = Scheme::parse(section)?;
    storage_type(&scheme, d.element_type)?;
    if let Some(axis) = scheme.axis {
        along_axis(&scheme, axis, d)?;
    }
    if scheme.tag == PER_TENSOR {
        let zero_point = scheme.inline_zero;
        let (low, high) = code_range(d.element_type);
        if !(low..=high).contains(&i64::from(zero_point)) {
            return Err(Fault::ZeroPoint { zero_point, low, high });
        }
    }
    Ok(())
}

fn storage_type(scheme: &Scheme, ty: ElementType) -> Result<(), Fault> {
    let allowed = match scheme.tag {
        PER_TENSOR => PerTensorAffine::valid_storage_types(),
        PER_CHANNEL => PerChannelAffine::valid_storage_types(),
        PER_BLOCK => PerBlockAffine::valid_storage_types(),
        NF4 => Nf4::valid_storage_types(),
        _ => Mxfp::valid_storage_types(),
    };
    match allowed.contains(&ty) {
        true => Ok(()),
        false => Err(Fault::StorageType { scheme: scheme.tag, tag: ty.tag() }),
    }
}

fn along_axis(scheme: &Scheme, axis: u32, d: &TensorDescriptor) -> Result<(), Fault> {
    let rank = d.shape.rank();
    let extent = usize::try_from(axis).ok().and_then(|a| d.shape.dims().get(a));
    let Some(&extent) = extent else {
        return Err(Fault::SchemeAxis { axis, rank });
    };
    if extent == DYNAMIC {
        return Err(Fault::AxisDynamic { axis });
    }
    match &d.layout {
        // Blocks are page slots here, so the extents of quantization.md §3 do not apply (§10.5).
        LayoutDescriptor::BlockPaged(b) => paged(scheme, axis, b),
        _ => blocks(scheme, extent),
    }
}

/// L-40, and Q-8 at the one rank that block-paged tensors have.
pub fn paged_quantization(layout: &BlockPagedLayout, section: &[u8]) -> Result<(), Fault> {
    let scheme = Scheme::parse(section)?;
    match scheme.axis {
        Some(axis) if axis as usize >= PAGED_RANK => Err(Fault::SchemeAxis { axis, rank: PAGED_RANK }),
        Some(axis) => paged(&scheme, axis, layout),
        None => Ok(()),
    }
}

fn paged(scheme: &Scheme, axis: u32, layout: &BlockPagedLayout) -> Result<(), Fault> {
    let fits = match scheme.tag {
        PER_CHANNEL => axis != 0,
        PER_BLOCK => axis == 0 && scheme.block_size == layout.page_size,
        _ => true,
    };
    match fits {
        true => Ok(()),
        false => Err(Fault::PagedQuantization { axis }),
    }
}

fn blocks(scheme: &Scheme, extent: u64) -> Result<(), Fault> {
    let block_size = scheme.block_size;
    let size = u64::from(block_size);
    match scheme.tag {
        PER_BLOCK | NF4 if extent > 0 && size > extent => Err(Fault::BlockTooLong { block_size, extent }),
        MXFP if extent == 0 || !extent.is_multiple_of(size) => Err(Fault::PartialBlock { block_size, extent }),
        _ => Ok(()),
    }
}

/// The values an integer storage type can hold (element-types.md §2).
pub(crate) fn code_range(ty: ElementType) -> (i64, i64) {
    let bits = ty.bit_width().clamp(1, 32);
    match ty.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}
