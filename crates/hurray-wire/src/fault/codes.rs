//! The list of all codes, derived from the table of rules.

use super::table::ROWS;

/// Every code a [`Fault`](super::Fault) can carry, each once, in the order of the checklists.
pub const ALL_CODES: &[&str] = &distinct();

const DISTINCT: usize = count();

const fn count() -> usize {
    let (mut i, mut n) = (0, 0);
    while i < ROWS.len() {
        n += is_first(i) as usize;
        i += 1;
    }
    n
}

const fn distinct() -> [&'static str; DISTINCT] {
    let mut out = [""; DISTINCT];
    let (mut i, mut n) = (0, 0);
    while i < ROWS.len() {
        if is_first(i) {
            out[n] = ROWS[i];
            n += 1;
        }
        i += 1;
    }
    out
}

// Rows of one code stand together in the table, so the row before decides.
const fn is_first(i: usize) -> bool {
    i == 0 || !same(ROWS[i].as_bytes(), ROWS[i - 1].as_bytes())
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
