//! The process that a stream belongs to: two that read or write one stream tear it apart.

use pyo3::prelude::*;

use crate::error::StreamError;

/// Where a stream was opened; a stream in memory is at home everywhere.
pub(super) struct Home(Option<u32>);

impl Home {
    pub(super) fn here(shared: bool) -> Self {
        Self(shared.then(std::process::id))
    }

    pub(super) fn is_here(&self) -> bool {
        self.0.is_none_or(|process| process == std::process::id())
    }

    pub(super) fn check(&self) -> PyResult<()> {
        if self.is_here() {
            return Ok(());
        }
        Err(StreamError::new_err(
            "this stream was opened before a fork and belongs to the parent process; open another in this one",
        ))
    }
}
