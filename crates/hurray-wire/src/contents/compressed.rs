//! CSR and CSC pointers and indices (layouts.md §8, L-32).

use super::findings::Findings;
use super::slices::{Array, Broken, Slices, LAST};
use super::words::Words;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::DYNAMIC;
use std::io;

const INDICES: usize = 1;
const POINTERS: usize = 2;

/// `major` slices of indices below `minor`.
pub(super) fn check(
    nnz: u64,
    [major, minor]: [u64; 2],
    indices: &dyn ReadAt,
    pointers: &dyn ReadAt,
    found: &mut Findings,
) -> io::Result<()> {
    // How many pointers there are is not known before the size is.
    if major == DYNAMIC {
        return Ok(());
    }
    let slices = Slices {
        pointers: Words::indices(pointers, major.saturating_add(1)),
        count: major,
        indices: Words::indices(indices, nnz),
        room: nnz,
        whole: true,
        extent: minor,
    };
    let walked = slices.check(&mut |broken| add(found, broken))?;
    // One that lies beyond nnz was reported.
    if walked.last < nnz {
        add(found, Broken { array: Array::Pointers, at: major, found: walked.last, way: LAST, bound: nnz });
    }
    Ok(())
}

fn add(findings: &mut Findings, Broken { array, at, found, way, bound }: Broken) {
    let buffer = match array {
        Array::Indices => INDICES,
        Array::Pointers => POINTERS,
    };
    findings.add(buffer, way, || Fault::CompressedEntries { buffer, at, found, why: way, bound });
}
