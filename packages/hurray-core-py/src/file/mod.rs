//! Files of named tensors (format: file.md): the doors over `hurray_wire`.

mod composed;
mod entry;
mod kv;
mod loading;
mod map;
mod opened;
mod parallel;
pub(crate) mod pieces;
mod problem;
mod reader;
mod saving;
mod source;
pub(crate) mod writable;
mod writer;

use std::os::fd::OwnedFd;

use pyo3::prelude::*;

pub(crate) use entry::Entry;
pub(crate) use loading::{load, load_kv};
pub(crate) use map::{mapped, FileMap};
pub(crate) use problem::{verify, Problem};
pub(crate) use reader::{open, File};
pub(crate) use saving::save;
pub(crate) use writer::FileWriter;

use crate::error;
pub(crate) use crate::exchange::fd::write_fd;

/// A descriptor of our own for an open file.
pub(crate) fn duplicate(py: Python<'_>, number: i32) -> PyResult<OwnedFd> {
    crate::exchange::fd::duplicate(number).map_err(|failed| error::os(py, failed, &None))
}
