//! The format's names for layouts and for what their buffers hold (layouts.md §1, §7–§10).

use hurray_core::layout::{
    TAG_BLOCK_PAGED, TAG_COL_MAJOR, TAG_COMPOSITE, TAG_COO, TAG_CSC, TAG_CSF, TAG_CSR, TAG_HILBERT, TAG_MORTON,
    TAG_ROW_MAJOR, TAG_STRIDED, TAG_TILED,
};
use hurray_core::{DeviceTag, ElementType, LayoutDescriptor, MemoryClass, SyncMode};

/// The names, by tag.
const NAMES: [(u8, &str); 12] = [
    (TAG_ROW_MAJOR, "row_major"),
    (TAG_COL_MAJOR, "col_major"),
    (TAG_STRIDED, "strided"),
    (TAG_TILED, "tiled"),
    (TAG_MORTON, "morton"),
    (TAG_COO, "coo"),
    (TAG_CSR, "csr"),
    (TAG_CSC, "csc"),
    (TAG_CSF, "csf"),
    (TAG_BLOCK_PAGED, "block_paged"),
    (TAG_COMPOSITE, "composite"),
    (TAG_HILBERT, "hilbert"),
];

/// The name that the format gives a layout tag; `None` for those that it does not assign.
#[must_use]
pub fn tag_name(tag: u8) -> Option<&'static str> {
    NAMES.iter().find(|(named, _)| *named == tag).map(|(_, name)| *name)
}

/// The name that the format gives a layout; `"extension"` for all private and unknown ones, and for
/// what a newer core may add.
#[must_use]
pub fn layout_name(layout: &LayoutDescriptor) -> &'static str {
    tag_name(layout.tag()).unwrap_or("extension")
}

/// What buffer `index` of a layout holds, in the format's words.
#[must_use]
pub fn buffer_role(layout: &LayoutDescriptor, index: usize) -> String {
    use LayoutDescriptor as L;
    let named = match layout {
        L::Coo(_) => ["values", "indices"].get(index),
        L::Csr(_) => ["values", "col_indices", "row_ptr"].get(index),
        L::Csc(_) => ["values", "row_indices", "col_ptr"].get(index),
        L::BlockPaged(_) => ["page_pool", "block_table", "seq_ptr"].get(index),
        L::Csf(c) if (1..=2 * c.mode_order.len()).contains(&index) => {
            let kind = if index % 2 == 1 { "pos" } else { "crd" };
            return format!("{kind}_{}", (index - 1) / 2);
        }
        L::Csf(_) => ["values"].get(index),
        _ => ["data"].get(index),
    };
    named.copied().unwrap_or("parameters").to_owned()
}

/// The name that a value has, else its byte.
fn or_byte<T: ToString, E>(named: Result<T, E>, byte: u8) -> String {
    named.map_or_else(|_| format!("{byte:#04x}"), |named| named.to_string())
}

/// A layout by its tag, in a message.
pub(crate) fn layout_word(tag: u8) -> String {
    or_byte(tag_name(tag).ok_or(()), tag)
}

/// A quantization scheme by its tag (quantization.md §2).
pub(crate) fn scheme_name(tag: u8) -> String {
    let names = ["per_tensor_affine", "per_channel_affine", "per_block_affine", "nf4", "mxfp"];
    or_byte(names.get(usize::from(tag).wrapping_sub(1)).ok_or(()), tag)
}

/// An element type by its tag (element-types.md §2).
pub(crate) fn type_name(tag: u8) -> String {
    or_byte(
        ElementType::from_tag(tag).map_err(|_| ()).and_then(|ty| match ty {
            ElementType::Extension(_) => Err(()),
            ty => Ok(ty),
        }),
        tag,
    )
}

/// A device kind by its tag (buffers.md §3).
pub(crate) fn device_name(tag: u8) -> String {
    or_byte(DeviceTag::from_byte(tag), tag)
}

/// A memory class by its byte (buffers.md §4).
pub(crate) fn class_name(class: u8) -> String {
    or_byte(MemoryClass::from_byte(class), class)
}

/// A sync mode by its byte (buffers.md §5).
pub(crate) fn sync_name(mode: u8) -> String {
    or_byte(SyncMode::from_byte(mode), mode)
}

/// "buffer" or "buffers", as the number has it.
pub(crate) fn buffers_word(count: usize) -> &'static str {
    if count == 1 {
        "buffer"
    } else {
        "buffers"
    }
}
