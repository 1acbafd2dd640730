//! The rules a descriptor must keep beyond what `hurray_core` decodes, in three tiers
//! (descriptor.md §8, layouts.md §13, quantization.md §9). Every door uses them: constructor,
//! file, stream, capsule.
//!
//! Private layouts, private element types and private devices are kept as metadata: their buffer
//! count and sizes follow no public rule, so the checks that need them are skipped. Private
//! quantization schemes and composition rules are refused.
//!
//! Reserved layout tags are refused by [`decode`](decode()) and by writers. Only [`decode_relayed`] takes
//! them, for a relay; a descriptor that has one passes the tiers as a private one does.

mod authored;
mod bools;
mod core_error;
mod count;
mod decode;
mod dense;
mod extent;
mod packing;
mod params;
mod place;
mod plain;
mod quantized;
mod rank;
mod relay;
mod scheme;
mod section;
mod shard;
mod sizes;
mod sparse;
mod strided;
mod tiled;

pub use authored::authored;
pub(crate) use decode::prefix;
pub use decode::{decode, own};
pub use extent::{nnz, KNOWN_STATISTICS};
pub use packing::{element_count, storage_bytes};
pub use quantized::paged_quantization;
pub use relay::{decode_relayed, encode, Relayed};
pub use section::quantization;

pub(crate) use packing::product;
pub(crate) use params::{parameters, Parameter, ParameterKind};
pub(crate) use quantized::code_range;
pub(crate) use scheme::NF4;
pub(crate) use sparse::INDEX_BYTES;

use crate::Fault;
use hurray_core::TensorDescriptor;

/// One rule, or a few that belong together: the first fault it finds.
type Rule = fn(&TensorDescriptor) -> Result<(), Fault>;

const SHAPE_RULES: &[Rule] = &[
    rank::version,
    rank::arity,
    rank::layout_rank,
    rank::byte_offset,
    extent::extents,
    tiled::nesting,
    extent::statistics,
    extent::extension,
    shard::shard,
    quantized::of_shape,
];

const COUNT_RULES: &[Rule] = &[count::buffers, count::parameter_indices, place::pairs, place::colocation];

const SIZE_RULES: &[Rule] = &[sizes::byte_offset, sizes::layout, params::sizes];

/// Rank and extents: what layout, shard, statistics and quantization ask of the shape. A dynamic
/// dimension breaks no extent rule.
pub fn shape_tier(d: &TensorDescriptor) -> Result<(), Fault> {
    run(SHAPE_RULES, d)
}

/// The number of buffers, what the parameter indices name, and where the buffers are
/// (D-31, D-36, D-38, Q-17..Q-19).
pub fn count_tier(d: &TensorDescriptor) -> Result<(), Fault> {
    run(COUNT_RULES, d)
}

/// The handles' byte sizes against what layout, shape and byte_offset reach (D-15, L-12, L-13,
/// L-19, L-29, L-39, Q-25, Q-26). Larger buffers are fine everywhere. Skipped: private layouts,
/// sizes that a dynamic dimension decides, NF4 and MXFP parameters of block-paged tensors
/// (quantization.md §8 does not regulate them), and the lengths inside CSF and block tables that
/// only the data tells (L-33, L-38).
pub fn size_tier(d: &TensorDescriptor) -> Result<(), Fault> {
    run(SIZE_RULES, d)
}

/// All three tiers, up to the first fault.
pub fn all(d: &TensorDescriptor) -> Result<(), Fault> {
    if plain::sound(d) {
        return Ok(());
    }
    shape_tier(d)?;
    count_tier(d)?;
    size_tier(d)
}

/// Every fault of a descriptor, one per rule. Sizes are only looked at when shape and counts hold.
pub fn each(d: &TensorDescriptor, report: &mut dyn FnMut(Fault)) {
    let mut sound = true;
    for fault in faults(SHAPE_RULES, d).chain(faults(COUNT_RULES, d)) {
        sound = false;
        report(fault);
    }
    if sound {
        faults(SIZE_RULES, d).for_each(report);
    }
}

fn run(rules: &[Rule], d: &TensorDescriptor) -> Result<(), Fault> {
    rules.iter().try_for_each(|rule| rule(d))
}

fn faults<'a>(rules: &'a [Rule], d: &'a TensorDescriptor) -> impl Iterator<Item = Fault> + use<'a> {
    rules.iter().filter_map(move |rule| rule(d).err())
}
