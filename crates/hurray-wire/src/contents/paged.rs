//! Block-paged sequences and pages (layouts.md §10, L-38).

use super::words::Words;
use super::Stop;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::BlockPagedLayout;

const FIRST: &str = "the first sequence pointer is not 0";
const FALLING: &str = "a sequence pointer is below the one before it";
const BEYOND: &str = "a sequence pointer lies past the block table";
const PAGE: &str = "a page does not exist in the pool";

pub(super) fn check(l: &BlockPagedLayout, table: &dyn ReadAt, pointers: &dyn ReadAt) -> Result<(), Stop> {
    let width = l.block_table_index_type.element_bytes() as u64;
    // The table may be larger than its last pointer says, as any buffer.
    let room = table.size()? / width;
    let mut words = Words::new(pointers, 0, u64::from(l.num_seqs) + 1, width);
    let mut pages = words.take()?;
    if pages != 0 {
        return Err(fault(0, FIRST));
    }
    for sequence in 1..=u64::from(l.num_seqs) {
        let end = words.take()?;
        if end < pages {
            return Err(fault(sequence, FALLING));
        }
        if end > room {
            return Err(fault(sequence, BEYOND));
        }
        pages = end;
    }
    let mut words = Words::new(table, 0, pages, width);
    for at in 0..pages {
        if words.take()? >= l.num_pages {
            return Err(fault(at, PAGE));
        }
    }
    Ok(())
}

fn fault(at: u64, why: &'static str) -> Stop {
    Fault::PagedEntries { at, why }.into()
}
