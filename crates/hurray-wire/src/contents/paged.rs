//! Block-paged sequences and pages (layouts.md §10, L-38).

use super::findings::Findings;
use super::words::Words;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::BlockPagedLayout;
use std::io;

const TABLE: usize = 1;
const POINTERS: usize = 2;
const FIRST: &str = "where the first sequence pointer must be";
const FALLING: &str = "below the sequence pointer before it,";
const BEYOND: &str = "a sequence pointer past the block table, whose entries number";
const PAGE: &str = "no page of the pool, whose pages number";

pub(super) fn check(
    l: &BlockPagedLayout,
    table: &dyn ReadAt,
    pointers: &dyn ReadAt,
    findings: &mut Findings,
) -> io::Result<()> {
    let width = l.block_table_index_type.element_bytes() as u64;
    let mut add = |buffer, at, found, way, bound| {
        findings.add(buffer, way, || Fault::PagedEntries { buffer, at, found, why: way, bound });
    };
    // The table may be larger than its last pointer says, as any buffer.
    let room = table.size()? / width;
    let sequences = u64::from(l.num_seqs);
    let mut words = Words::new(pointers, 0, sequences + 1, width);
    let first = words.take()?;
    if first != 0 {
        add(POINTERS, 0, first, FIRST, 0);
    }
    let (mut before, mut pages) = (first.min(room), 0);
    for sequence in 1..=sequences {
        let end = words.take()?;
        if end > room {
            add(POINTERS, sequence, end, BEYOND, room);
            continue;
        }
        if end < before {
            add(POINTERS, sequence, end, FALLING, before);
        }
        before = end;
        pages = pages.max(end);
    }
    let mut words = Words::new(table, 0, pages, width);
    for at in 0..pages {
        let page = words.take()?;
        if page >= l.num_pages {
            add(TABLE, at, page, PAGE, l.num_pages);
        }
    }
    Ok(())
}
