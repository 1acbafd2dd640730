//! Pickle and copy: what crosses to another process, or becomes a second object in this one.
//!
//! Layouts, sections, devices and element types say their constructor's arguments in their own files.

mod described;
mod listed;
mod tensor;

pub(crate) use described::{_descriptor, _handle};
pub(crate) use listed::{_entry, _problem};
