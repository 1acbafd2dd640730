//! What index, pointer and parameter buffers hold, checked in memory (format: layouts.md §13, the V
//! rules; quantization.md §9, Q-27 to Q-29). The rules themselves are `hurray_wire`'s.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use hurray_core::TensorDescriptor;
use hurray_wire::{Disorder, Finding, ReadAt};
use pyo3::prelude::*;

use crate::buffer::{Buffer, Watched};
use crate::error;

/// Whether a tensor's contents were found to keep every rule. Only that is remembered, and only of memory
/// that nobody may write to: what was found broken may have been mended since, and the other way round.
#[derive(Default)]
pub(crate) struct Verdict(AtomicBool);

impl Verdict {
    pub(crate) fn sound(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, sound: bool, buffers: &[Buffer]) {
        self.0.store(sound && buffers.iter().all(Buffer::readonly), Ordering::Relaxed);
    }
}

/// Every rule that the buffers of a tensor break, without holding the GIL; Ctrl-C ends it.
pub(crate) fn findings(py: Python<'_>, d: &TensorDescriptor, buffers: &[Buffer]) -> PyResult<Vec<Finding>> {
    if !hurray_wire::has_content_rules(d) {
        return Ok(Vec::new());
    }
    py.detach(|| look(d, buffers)).map_err(|failed| error::os(py, failed, &None))
}

fn look(d: &TensorDescriptor, buffers: &[Buffer]) -> io::Result<Vec<Finding>> {
    let watched: Vec<_> = buffers.iter().map(Watched::new).collect();
    let sources: Vec<&dyn ReadAt> = watched.iter().map(|source| source as &dyn ReadAt).collect();
    hurray_wire::contents(d, &sources)
}

/// Ruling 13: why a writer does not take the tensor, and what mends it.
pub(crate) fn refusal(py: Python<'_>, name: &str, findings: &[Finding]) -> Option<PyErr> {
    let first = findings.first()?;
    let others = findings.iter().map(|finding| 1 + finding.more).sum::<u64>() - 1;
    let others = match others {
        0 => String::new(),
        1 => String::from(" (and 1 more problem)"),
        others => format!(" (and {others} more problems)"),
    };
    let text = format!(
        "tensor {name:?}: {}{others}; {}t.validate() lists what is wrong, check=False writes it as it is",
        first.fault,
        remedy(findings)
    );
    Some(error::coded(py, &first.fault, text))
}

/// The call that mends it, where there is one.
fn remedy(findings: &[Finding]) -> &'static str {
    let disorder = |kind| findings.iter().any(|finding| finding.fault.disorder() == Some(kind));
    if disorder(Disorder::Duplicate) {
        return "in SciPy, matrix.sum_duplicates() adds up what is there twice, then wrap it again; ";
    }
    if disorder(Disorder::Unsorted) {
        return "in SciPy, matrix.sort_indices() puts them in order, then wrap it again; ";
    }
    if disorder(Disorder::ClaimedSorted) {
        return "describe it with CooLayout(nnz, is_sorted=False); ";
    }
    ""
}
