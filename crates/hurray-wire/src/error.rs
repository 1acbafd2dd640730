//! What can go wrong, in three kinds: the transport, the bytes, the caller.

use crate::{Fault, InputError};
use std::fmt;

/// Why a container could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The transport failed; errno and kind are the system's own.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The bytes break a rule of the format.
    #[error(transparent)]
    Bad(Box<Problem>),
    /// The caller asked for a file that the format cannot hold.
    #[error(transparent)]
    Input(Box<InputError>),
}

/// One broken rule and where it is broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The rule.
    pub fault: Fault,
    /// The tensor concerned, by its name in the index.
    pub tensor: Option<String>,
    /// The absolute offset in the file.
    pub offset: Option<u64>,
    /// How many further places break the rule in the same way and have no problem of their own.
    pub more: u64,
}

impl Problem {
    pub(crate) fn new(fault: Fault, tensor: Option<&str>, offset: Option<u64>) -> Self {
        let tensor = tensor.map(str::to_owned);
        Self { fault, tensor, offset, more: 0 }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.tensor, self.offset) {
            (Some(name), Some(at)) => write!(f, "tensor {} at byte {at}: ", Shown(name))?,
            (Some(name), None) => write!(f, "tensor {}: ", Shown(name))?,
            (None, Some(at)) => write!(f, "at byte {at}: ")?,
            (None, None) => {}
        }
        write!(f, "{}{} [{}]", self.fault, And(self.more), self.fault.code())
    }
}

/// Says how many more places there are, if any.
struct And(u64);

impl fmt::Display for And {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            more => write!(f, ", and {more} more like it"),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.fault)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Bad(Box::new(problem))
    }
}

impl From<InputError> for Error {
    fn from(input: InputError) -> Self {
        Self::Input(Box::new(input))
    }
}

/// A name as messages show it: quoted, escaped, and cut where it would drown the message.
pub(crate) struct Shown<'a>(pub &'a str);

/// Characters of a name that a message shows.
const SHOWN: usize = 120;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN) {
            Some((cut, _)) => write!(f, "{:?}… ({} bytes)", &self.0[..cut], self.0.len()),
            None => write!(f, "{:?}", self.0),
        }
    }
}
