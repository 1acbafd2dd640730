//! What a look at contents found: the first few places of each kind, and how many more there are.

use crate::Fault;

/// Places of one kind that are listed one by one.
pub(super) const LISTED: usize = 4;

/// A broken rule of the contents.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule, and the place that breaks it.
    pub fault: Fault,
    /// How many further places break it in the same way and are not listed; only on the last one listed.
    pub more: u64,
}

/// Collects findings, bounded however many places are broken.
#[derive(Default)]
pub(super) struct Findings {
    kinds: Vec<Kind>,
}

/// The same rule broken in the same way in the same buffer.
struct Kind {
    buffer: usize,
    way: &'static str,
    listed: Vec<Fault>,
    more: u64,
}

impl Findings {
    /// One broken place; `fault` is made for those that are listed alone.
    pub(super) fn add(&mut self, buffer: usize, way: &'static str, fault: impl FnOnce() -> Fault) {
        let kind = self.kind(buffer, way);
        if kind.listed.len() < LISTED {
            kind.listed.push(fault());
        } else {
            kind.more += 1;
        }
    }

    /// `count` places of a kind that were not kept to be listed.
    pub(super) fn more(&mut self, buffer: usize, way: &'static str, count: u64) {
        if count > 0 {
            self.kind(buffer, way).more += count;
        }
    }

    fn kind(&mut self, buffer: usize, way: &'static str) -> &mut Kind {
        let known = self.kinds.iter().position(|kind| kind.buffer == buffer && kind.way == way);
        let at = known.unwrap_or_else(|| {
            self.kinds.push(Kind { buffer, way, listed: Vec::new(), more: 0 });
            self.kinds.len() - 1
        });
        &mut self.kinds[at]
    }

    /// Kind by kind, in the order in which each was first met.
    pub(super) fn into_list(self) -> Vec<Finding> {
        let mut list = Vec::new();
        for kind in self.kinds {
            let last = kind.listed.len().saturating_sub(1);
            let more = |at| if at == last { kind.more } else { 0 };
            list.extend(kind.listed.into_iter().enumerate().map(|(at, fault)| Finding { fault, more: more(at) }));
        }
        list
    }
}
