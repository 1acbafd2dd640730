//! The rules of the format as values: code, tier, message (the reject checklists of
//! file.md §10, descriptor.md §8, layouts.md §13, quantization.md §9).

mod codes;
mod disorder;
mod macros;
mod table;

pub use codes::ALL_CODES;
pub use disorder::Disorder;
pub use table::Fault;

/// The tier of checks a rule belongs to (04-tables.md §2, constructor checks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// The file around the tensors: header, trailer, index, KV, regions, composites' membership.
    Container,
    /// The descriptor by itself: decoding, shape and extents, buffer count and placement.
    Descriptor,
    /// A buffer has too few bytes for the layout, the shape or the quantization.
    BufferSize,
}
