//! The payload of a quantization section (quantization.md §1, §4–§7).

use crate::bytes::{i32_at, u16_at, u32_at};
use crate::Fault;
use hurray_core::{
    ElementType, MXFP_MAX_BLOCK_SIZE, MXFP_MIN_BLOCK_SIZE, NF4_MIN_BLOCK_SIZE, PER_BLOCK_AFFINE_MIN_BLOCK_SIZE,
};

/// Scheme tags (quantization.md §1).
pub(crate) const PER_TENSOR: u8 = 0x01;
pub(crate) const PER_CHANNEL: u8 = 0x02;
pub(crate) const PER_BLOCK: u8 = 0x03;
pub(crate) const NF4: u8 = 0x04;
pub(crate) const MXFP: u8 = 0x05;

/// "No such buffer" as a zero-point index (quantization.md §5).
pub(super) const NO_BUFFER: u32 = u32::MAX;
const SCHEME_VERSION: u8 = 1;
const HEADER: usize = 4;
const SYMMETRIC: u16 = 1;

/// A scheme's fields, checked for everything that needs neither shape nor buffers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scheme {
    pub tag: u8,
    /// Per-tensor has none.
    pub axis: Option<u32>,
    /// 1 for per-channel: one parameter per element along the axis.
    pub block_size: u32,
    pub scale: Option<u32>,
    pub zero_point: Option<u32>,
    pub scale_type: ElementType,
    /// Per-tensor keeps its zero point in the section.
    pub inline_zero: i32,
}

impl Scheme {
    ///
    pub(crate) fn parse(b: &[u8]) -> Result<Self, Fault> {
        let flags = header(b)?;
        match b[0] {
            PER_TENSOR => Self::per_tensor(b),
            PER_CHANNEL => Self::per_channel(b, flags),
            PER_BLOCK => Self::per_block(b, flags),
            tag => Self::scaled(tag, b),
        }
    }

    fn per_tensor(b: &[u8]) -> Result<Self, Fault> {
        let scale = f32::from_bits(u32_at(b, 4));
        if !scale.is_finite() || scale == 0.0 {
            return Err(Fault::Scale { scale });
        }
        if u32_at(b, 12) != 0 {
            return Err(Fault::SchemeReserved);
        }
        Ok(Self {
            tag: PER_TENSOR,
            axis: None,
            block_size: 1,
            scale: None,
            zero_point: None,
            scale_type: ElementType::Float32,
            inline_zero: i32_at(b, 8),
        })
    }

    fn per_channel(b: &[u8], flags: u16) -> Result<Self, Fault> {
        let tag = b[16];
        if tag != ElementType::Float32.tag() {
            return Err(Fault::ChannelScaleType { tag });
        }
        if b[17..20] != [0; 3] {
            return Err(Fault::SchemeReserved);
        }
        Ok(Self {
            tag: PER_CHANNEL,
            axis: Some(u32_at(b, 4)),
            block_size: 1,
            scale: Some(u32_at(b, 8)),
            zero_point: zero_point(u32_at(b, 12), flags)?,
            scale_type: ElementType::Float32,
            inline_zero: 0,
        })
    }

    fn per_block(b: &[u8], flags: u16) -> Result<Self, Fault> {
        let block_size = block_size(b, PER_BLOCK_AFFINE_MIN_BLOCK_SIZE, u32::MAX)?;
        let scale_type = match b[20] {
            0x01 => ElementType::Float16,
            0x02 => ElementType::BFloat16,
            0x03 => ElementType::Float32,
            tag => return Err(Fault::BlockScaleType { tag }),
        };
        if b[21..24] != [0; 3] {
            return Err(Fault::BlockReserved);
        }
        Ok(Self {
            tag: PER_BLOCK,
            axis: Some(u32_at(b, 4)),
            block_size,
            scale: Some(u32_at(b, 12)),
            zero_point: zero_point(u32_at(b, 16), flags)?,
            scale_type,
            inline_zero: 0,
        })
    }

    /// NF4 and MXFP: a scale buffer and nothing else.
    fn scaled(tag: u8, b: &[u8]) -> Result<Self, Fault> {
        let (low, high, scale_type) = match tag {
            NF4 => (NF4_MIN_BLOCK_SIZE, u32::MAX, ElementType::Float32),
            _ => (MXFP_MIN_BLOCK_SIZE, MXFP_MAX_BLOCK_SIZE, ElementType::Float8E8M0),
        };
        Ok(Self {
            tag,
            axis: Some(u32_at(b, 4)),
            block_size: block_size(b, low, high)?,
            scale: Some(u32_at(b, 12)),
            zero_point: None,
            scale_type,
            inline_zero: 0,
        })
    }

    /// The buffers that hold parameters: scales, then zero points.
    pub(crate) fn parameter_indices(&self) -> impl Iterator<Item = u32> {
        self.scale.into_iter().chain(self.zero_point)
    }

    /// How many buffers they are; scales and zero points may share one (quantization.md §2).
    pub(crate) fn parameter_buffers(&self) -> usize {
        match (self.scale, self.zero_point) {
            (None, _) => 0,
            (Some(scale), Some(zero)) if scale != zero => 2,
            _ => 1,
        }
    }
}

/// Tag, version, length and flags of the header; the flags.
fn header(b: &[u8]) -> Result<u16, Fault> {
    let found = b.len();
    if found < HEADER {
        let needed = HEADER;
        return Err(Fault::SchemeShort { found, needed });
    }
    let tag = b[0];
    let (needed, known) = match tag {
        PER_CHANNEL => (20, SYMMETRIC),
        PER_BLOCK => (24, SYMMETRIC),
        PER_TENSOR | NF4 | MXFP => (16, 0),
        0x00 | 0xFF => return Err(Fault::SchemeInvalid { tag }),
        _ => return Err(Fault::SchemeUnknown { tag }),
    };
    match b[1] {
        0 => return Err(Fault::SchemeTooOld { tag }),
        SCHEME_VERSION => {}
        version => return Err(Fault::SchemeTooNew { tag, version }),
    }
    if found < needed {
        return Err(Fault::SchemeShort { found, needed });
    }
    let flags = u16_at(b, 2);
    match flags & !known {
        0 => Ok(flags),
        _ => Err(Fault::SchemeFlags { flags }),
    }
}

// An asymmetric scheme that names no buffer is caught as an index that does not exist.
fn zero_point(index: u32, flags: u16) -> Result<Option<u32>, Fault> {
    match (flags & SYMMETRIC != 0, index) {
        (true, NO_BUFFER) => Ok(None),
        (true, index) => Err(Fault::SymmetricIndex { index }),
        (false, index) => Ok(Some(index)),
    }
}

fn block_size(b: &[u8], low: u32, high: u32) -> Result<u32, Fault> {
    let block_size = u32_at(b, 8);
    match block_size.is_power_of_two() && (low..=high).contains(&block_size) {
        true => Ok(block_size),
        false => Err(Fault::BlockSize { scheme: b[0], block_size }),
    }
}
