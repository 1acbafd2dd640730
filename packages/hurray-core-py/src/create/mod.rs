//! Tensors made from nothing but a description, in CPU memory (04-tables.md §1; requirements: Dynamic dimensions).

pub(crate) mod arange;
mod code;
mod elements;
pub(crate) mod eye;
mod float128;
pub(crate) mod full;
pub(crate) mod like;
pub(crate) mod linspace;
pub(crate) mod listed;
mod minifloat;
mod number;
mod part;
mod place;
pub(crate) mod sparse_coo;
