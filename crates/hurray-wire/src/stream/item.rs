//! What a stream delivers: a tensor, or a composite with all its members.

use hurray_core::TensorDescriptor;

/// One item of a stream; `M` is the memory of one buffer.
#[derive(Debug, Clone, PartialEq)]
pub enum Item<M> {
    /// A tensor: its descriptor, all tiers checked, and its buffers in the order of the table.
    Tensor(TensorDescriptor, Vec<M>),
    /// A composite, complete and checked.
    Composite(StreamComposite<M>),
}

/// A composite head and its members.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamComposite<M> {
    /// The head's descriptor; it has no buffers.
    pub head: TensorDescriptor,
    /// The members in their order.
    pub members: Vec<Item<M>>,
}
