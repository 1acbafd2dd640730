//! The HRRYFILE container of the Hurray tensor format: a reader that checks every claim before it
//! is trusted, and a forward-only writer with an atomic file to write into. And the bare stream.
//!
//! - [`Container`] reads: header, trailer, index and metadata at once, one descriptor at a time.
//! - [`Writer`] writes into any [`std::io::Write`]; [`AtomicFile`] is the one for paths.
//! - [`check`] holds the rules of a descriptor, for every door that lets one in.
//! - [`verify`] reports every problem of a file.
//! - [`StreamReader`] and [`StreamWriter`] are for bare streams, one tensor at a time.
//!
//! Every broken rule is a [`Fault`] with the code of the format's reject checklists.
//!
//! ```
//! use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, Shape, SyncMode, TensorDescriptor};
//! use hurray_wire::{Container, KvValue, Writer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let handle = BufferHandle::new(8, 64, DeviceTag::Cpu, SyncMode::ProducerSynced)?;
//! let descriptor = TensorDescriptor::new(
//!     1, 0, ElementType::Float32, Shape::new([2])?, 0, LayoutDescriptor::RowMajor, vec![handle],
//!     None, None, None, None,
//! )?;
//! let kv = vec![("answer".to_owned(), KvValue::Int64(42))];
//! let mut writer = Writer::new(Vec::new(), kv)?;
//! writer.put("weights", &descriptor, &[&vec![0u8; 8]])?;
//! let file = writer.finish()?;
//!
//! let container = Container::open(&file[..])?;
//! let tensor = container.tensor(&file[..], container.find("weights").ok_or("no such tensor")?)?;
//! assert_eq!(tensor.ranges, [4096..4104]);
//! # Ok(())
//! # }
//! ```

mod atomic;
mod bytes;
pub mod check;
mod compose;
mod container;
mod contents;
mod copy;
mod error;
mod fault;
pub mod format;
mod index;
mod input;
mod kv;
mod names;
mod read_at;
mod sink;
mod stream;
mod verify;
mod write;

pub use atomic::AtomicFile;
pub use compose::{agree, Composite, Member};
pub use container::{Container, Entry, Located};
pub use contents::{contents, has_content_rules, Finding};
pub use copy::copy_range;
pub use error::{Error, Problem};
pub use fault::{Disorder, Fault, Tier, ALL_CODES};
pub use input::InputError;
pub use kv::{KvArray, KvValue};
pub use names::{buffer_role, layout_name, tag_name};
pub use read_at::ReadAt;
pub use stream::{Heap, Item, Limits, Memory, StreamComposite, StreamReader, StreamWriter};
pub use verify::verify;
pub use write::{Output, Source, Writer};
