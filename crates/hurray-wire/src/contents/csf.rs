//! CSF levels (layouts.md §9, L-33).

use super::findings::Findings;
use super::slices::{Array, Broken, Slices, LAST};
use super::words::Words;
use crate::check::INDEX_BYTES;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::CsfLayout;
use std::io;

const SHORT: &str = "the number of pointers that the buffer holds; the nodes above need";

/// `trees` are pos_0, crd_0, pos_1, crd_1 and so on.
pub(super) fn check(l: &CsfLayout, dims: &[u64], trees: &[&dyn ReadAt], found: &mut Findings) -> io::Result<()> {
    let (mut parents, mut last) = (1, 0);
    for (level, pair) in trees.chunks_exact(2).take(l.mode_order.len()).enumerate() {
        let &[pos, crd] = pair else { continue };
        let mode = l.mode_order[level] as usize;
        let mut add = |broken| add(found, level, broken);
        let held = pos.size()? / INDEX_BYTES;
        if held <= parents {
            let needed = parents.saturating_add(1);
            add(Broken { array: Array::Pointers, at: held, found: held, way: SHORT, bound: needed });
        }
        let Some(count) = held.min(parents.saturating_add(1)).checked_sub(1) else {
            return Ok(());
        };
        let room = crd.size()? / INDEX_BYTES;
        let slices = Slices {
            pointers: Words::indices(pos, count + 1),
            count,
            indices: Words::indices(crd, room),
            room,
            // The buffer may be larger than its last pointer says, as any buffer.
            whole: false,
            extent: dims.get(mode).copied().unwrap_or(0),
        };
        (last, parents) = (count, slices.check(&mut add)?.sound);
    }
    if parents != l.nnz {
        let level = l.mode_order.len().saturating_sub(1);
        add(found, level, Broken { array: Array::Pointers, at: last, found: parents, way: LAST, bound: l.nnz });
    }
    Ok(())
}

fn add(findings: &mut Findings, level: usize, Broken { array, at, found, way, bound }: Broken) {
    let buffer = match array {
        Array::Pointers => 2 * level + 1,
        Array::Indices => 2 * level + 2,
    };
    findings.add(buffer, way, || Fault::CsfEntries { buffer, level, at, found, why: way, bound });
}
