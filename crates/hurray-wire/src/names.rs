//! The format's names for layouts and for what their buffers hold (layouts.md §1, §7–§10).

use hurray_core::LayoutDescriptor;

/// The name that the format gives a layout; `"extension"` for all private and unknown ones.
#[must_use]
pub fn layout_name(layout: &LayoutDescriptor) -> &'static str {
    use LayoutDescriptor as L;
    match layout {
        L::RowMajor => "row_major",
        L::ColMajor => "col_major",
        L::Strided(_) => "strided",
        L::Tiled(_) => "tiled",
        L::Morton(_) => "morton",
        L::Hilbert(_) => "hilbert",
        L::Coo(_) => "coo",
        L::Csr(_) => "csr",
        L::Csc(_) => "csc",
        L::Csf(_) => "csf",
        L::BlockPaged(_) => "block_paged",
        L::Composite(_) => "composite",
        // Private and unknown ones, and what a newer core may add.
        _ => "extension",
    }
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
