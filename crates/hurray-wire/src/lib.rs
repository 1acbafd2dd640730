//! The HRRYFILE container of the Hurray tensor format: a reader that checks every claim before it
//! is trusted, and a forward-only writer with an atomic file to write into.
//!
//! - [`Container`] reads: header, trailer, index and metadata at once, one descriptor at a time.
//! - [`Writer`] writes into any [`std::io::Write`]; [`AtomicFile`] is the one for paths.
//! - [`check`] holds the rules of a descriptor, for every door that lets one in.
//! - [`verify`] reports every problem of a file.
//!
//! Every broken rule is a [`Fault`] with the code of the format's reject checklists.

mod atomic;
mod bytes;
pub mod check;
mod compose;
mod container;
mod contents;
mod error;
mod fault;
pub mod format;
mod index;
mod input;
mod kv;
mod read_at;
mod sink;
mod verify;
mod write;

pub use atomic::AtomicFile;
pub use compose::{Composite, Member};
pub use container::{Container, Entry, Located};
pub use contents::contents;
pub use error::{Error, Problem};
pub use fault::{Fault, Tier, ALL_CODES};
pub use input::InputError;
pub use kv::{KvArray, KvValue};
pub use read_at::ReadAt;
pub use verify::verify;
pub use write::{Source, Writer};
