//! How elements pack into bytes (element-types.md §3, §5, §6).

use hurray_core::{ElementType, ExtensionTypeDescriptor, Shape};

/// The smallest unit of whole bytes that holds whole elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Elements in one unit.
    pub elements: u64,
    /// Bytes of one unit.
    pub bytes: u64,
}

const BITS_PER_BYTE: u64 = 8;
/// Six-bit types come four to three bytes (element-types.md §3).
const SIX_BIT: Packing = Packing { elements: 4, bytes: 3 };

impl Packing {
    /// `None` for a private type that lacks its section, or a width that cannot be packed.
    pub(crate) fn of(ty: ElementType, ext: Option<&ExtensionTypeDescriptor>) -> Option<Self> {
        let bits = match ty {
            ElementType::Extension(_) => ext?.bit_width,
            named => named.bit_width(),
        };
        Self::of_bits(u64::from(bits))
    }

    fn of_bits(bits: u64) -> Option<Self> {
        match bits {
            1 | 2 | 4 => Some(Self { elements: BITS_PER_BYTE / bits, bytes: 1 }),
            6 => Some(SIX_BIT),
            // A width such as 12 bits takes whole bytes: packing factor 1 means one element each.
            8.. => Some(Self { elements: 1, bytes: bits.div_ceil(BITS_PER_BYTE) }),
            _ => None,
        }
    }

    /// Bytes of `n` packed elements, saturating at the type's end (far past any file).
    pub(crate) fn storage(self, n: u128) -> u128 {
        // A power of two in every case, and shifts are many times faster than 128-bit division.
        let units = (n >> self.elements.trailing_zeros()) + u128::from(n & u128::from(self.elements - 1) != 0);
        units.saturating_mul(u128::from(self.bytes))
    }
}

/// Bytes that `elements` packed elements take (element-types.md §5); `None` past 64 bits, or for
/// a private type without its extension section.
pub fn storage_bytes(ty: ElementType, ext: Option<&ExtensionTypeDescriptor>, elements: u128) -> Option<u64> {
    let bytes = Packing::of(ty, ext)?.storage(elements);
    u64::try_from(bytes).ok()
}

/// The number of elements of a shape (descriptor.md §3): 0 if any dimension is 0, 1 for a scalar,
/// `None` while a dimension is dynamic or the product passes 64 bits.
pub fn element_count(shape: &Shape) -> Option<u64> {
    if shape.is_empty_tensor() {
        return Some(0);
    }
    if shape.has_dynamic() {
        return None;
    }
    u64::try_from(product(shape.dims().iter().copied())).ok()
}

/// The product of sizes, whose callers have excluded dynamic ones; 0 settles it, and it saturates far past any file.
pub(crate) fn product(dims: impl Iterator<Item = u64>) -> u128 {
    let mut total = 1u128;
    for dim in dims {
        if dim == 0 {
            return 0;
        }
        total = total.saturating_mul(u128::from(dim));
    }
    total
}
