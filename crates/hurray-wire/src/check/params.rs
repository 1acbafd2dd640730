//! How many quantization parameters there are, and the bytes they take (quantization.md §2, §3, §8).

use super::packing::product;
use super::scheme::{Scheme, MXFP, NF4, PER_BLOCK};
use crate::Fault;
use hurray_core::{ElementType, LayoutDescriptor, TensorDescriptor, DYNAMIC};

/// Zero points are int32 whatever the storage type (quantization.md §2).
const ZERO_POINT_BYTES: u64 = 4;

/// One array of parameters inside a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub kind: ParameterKind,
    pub buffer: usize,
    /// Where the array begins in the buffer: behind the scales if both share it.
    pub start: u64,
    pub count: u64,
}

/// What a parameter array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    /// Scales of the scheme with this tag, in this type.
    Scale(u8, ElementType),
    /// Zero points, int32.
    ZeroPoint,
}

impl ParameterKind {
    pub(crate) fn width(self) -> u64 {
        match self {
            Self::Scale(_, ty) => u64::from(ty.bit_width() / 8),
            Self::ZeroPoint => ZERO_POINT_BYTES,
        }
    }
}

/// Only too few bytes are refused.
pub(super) fn sizes(d: &TensorDescriptor) -> Result<(), Fault> {
    for p in parameters(d)? {
        let needed = u128::from(p.start).saturating_add(u128::from(p.count) * u128::from(p.kind.width()));
        let byte_size = d.buffers.get(p.buffer).map_or(0, |h| h.byte_size());
        if u128::from(byte_size) < needed {
            return Err(Fault::ParameterBuffer { buffer: p.buffer, needed, byte_size });
        }
    }
    Ok(())
}

/// The parameter arrays of a descriptor whose counts hold; none where nothing says how long they are.
pub(crate) fn parameters(d: &TensorDescriptor) -> Result<Vec<Parameter>, Fault> {
    let Some(section) = &d.quantization else {
        return Ok(Vec::new());
    };
    let scheme = Scheme::parse(section)?;
    let Some(count) = count(&scheme, d) else {
        return Ok(Vec::new());
    };
    let count = u64::try_from(count).map_err(|_| Fault::ParameterOverflow)?;
    let kind = ParameterKind::Scale(scheme.tag, scheme.scale_type);
    let scales_end = count.checked_mul(kind.width()).ok_or(Fault::ParameterOverflow)?;
    let start = match scheme.scale == scheme.zero_point {
        true => scales_end,
        false => 0,
    };
    let array = |kind, index: Option<u32>, start| {
        let buffer = usize::try_from(index?).ok()?;
        Some(Parameter { kind, buffer, start, count })
    };
    let scales = array(kind, scheme.scale, 0);
    let zeros = array(ParameterKind::ZeroPoint, scheme.zero_point, start);
    Ok(scales.into_iter().chain(zeros).collect())
}

/// Parameters in each array (quantization.md §3, §8); `None` without an axis, behind a dynamic
/// dimension, and for NF4 and MXFP on block-paged tensors.
fn count(scheme: &Scheme, d: &TensorDescriptor) -> Option<u128> {
    let axis = usize::try_from(scheme.axis?).ok()?;
    let dims = d.shape.dims();
    let extent = *dims.get(axis)?;
    match (&d.layout, scheme.tag) {
        (LayoutDescriptor::BlockPaged(b), PER_BLOCK) => {
            return Some(u128::from(b.num_pages) * u128::from(b.page_size));
        }
        (LayoutDescriptor::BlockPaged(_), NF4 | MXFP) => return None,
        (_, PER_BLOCK | NF4 | MXFP) => {}
        _ => return (extent != DYNAMIC).then_some(u128::from(extent)),
    }
    if dims.contains(&DYNAMIC) {
        return None;
    }
    let per_axis = extent.div_ceil(u64::from(scheme.block_size));
    let others = dims.iter().enumerate().filter(|&(k, _)| k != axis);
    let others = others.map(|(_, &dim)| dim);
    Some(product(others.chain([per_axis])))
}
