//! The handles' byte sizes against what layout and shape reach (layouts.md §14).

use super::{dense, sparse};
use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor};

/// D-15 (L-10): byte_offset stays in buffer 0.
pub(super) fn byte_offset(d: &TensorDescriptor) -> Result<(), Fault> {
    let byte_size = d.buffers.first().map_or(0, |h| h.byte_size());
    let byte_offset = d.byte_offset;
    match byte_offset > byte_size {
        true => Err(Fault::ByteOffset { byte_offset, byte_size }),
        false => Ok(()),
    }
}

/// L-12, L-13, L-19, L-29, L-39 (F-47).
pub(super) fn layout(d: &TensorDescriptor) -> Result<(), Fault> {
    match &d.layout {
        LayoutDescriptor::Coo(_) | LayoutDescriptor::Csr(_) | LayoutDescriptor::Csc(_) | LayoutDescriptor::Csf(_) => {
            sparse::sparse(d)
        }
        LayoutDescriptor::BlockPaged(b) => sparse::paged(d, b),
        _ => dense::dense(d),
    }
}
