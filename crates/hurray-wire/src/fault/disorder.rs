//! Broken contents that a call of the library they came from mends.

use super::Fault;
use crate::contents::{TWICE, UNORDERED};

/// What is wrong with the order of a sparse tensor's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disorder {
    /// Coordinates that two entries have.
    Duplicate,
    /// Indices of a slice that do not ascend.
    Unsorted,
    /// Entries that do not ascend, although the layout says so.
    ClaimedSorted,
}

impl Fault {
    /// Whether the rule is about the order of entries, and how it is broken.
    pub fn disorder(&self) -> Option<Disorder> {
        match self {
            Self::CooTwin { .. } => Some(Disorder::Duplicate),
            Self::CooOrder { .. } => Some(Disorder::ClaimedSorted),
            Self::CompressedEntries { why, .. } | Self::CsfEntries { why, .. } => match *why {
                TWICE => Some(Disorder::Duplicate),
                UNORDERED => Some(Disorder::Unsorted),
                _ => None,
            },
            _ => None,
        }
    }
}
