//! Where in buffer 0 the element of an offset lies (format: layouts.md §1, element-types.md §3, §6).

use hurray_core::{ElementType, TensorDescriptor};

use crate::bits;

/// The width of an element, and the byte of offset 0.
#[derive(Clone, Copy)]
pub(in crate::tensor) struct Element {
    /// Bits of one element; of whole bytes a multiple of 8.
    pub(in crate::tensor) bits: usize,
    first: usize,
}

impl Element {
    /// `None` for a private type without the section that states its width.
    pub(in crate::tensor) fn of(d: &TensorDescriptor) -> Option<Self> {
        let bits = match d.element_type {
            ElementType::Extension(_) => d.extension_type.as_ref()?.bit_width,
            named => named.bit_width(),
        } as usize;
        let bits = if bits > 8 { bits.next_multiple_of(8) } else { bits };
        let first = usize::try_from(d.byte_offset).ok()?;
        matches!(bits, 1 | 2 | 4 | 6 | 8..).then_some(Self { bits, first })
    }

    /// Bytes of one element; `None` where several share a byte.
    pub(in crate::tensor) fn bytes(self) -> Option<usize> {
        (self.bits >= 8).then_some(self.bits / 8)
    }

    /// Where element `offset`, of whole bytes, starts.
    pub(in crate::tensor) fn byte(self, offset: isize) -> usize {
        self.first.wrapping_add_signed(offset.wrapping_mul(self.bits as isize / 8))
    }

    /// The bits of element `offset`, which shares its byte.
    pub(in crate::tensor) fn code(self, bytes: &[u8], offset: isize) -> u8 {
        let (start, at) = self.shared(offset);
        bits::element(&bytes[start..], at, self.bits)
    }

    /// The byte that holds element `offset`, or starts its group of four, and the element's place in there.
    /// Floored also where an offset is negative.
    pub(in crate::tensor) fn shared(self, offset: isize) -> (usize, usize) {
        let (per_group, group) = if self.bits == 6 { (4, 3) } else { (8 / self.bits as isize, 1) };
        let start = self.first.wrapping_add_signed(offset.div_euclid(per_group) * group);
        (start, offset.rem_euclid(per_group) as usize)
    }
}
