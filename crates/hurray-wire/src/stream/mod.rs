//! Bare streams: descriptors with their data, one after another (stream.md §1 to §5).
//!
//! [`StreamReader`] takes one item at a time and never holds more; [`StreamWriter`] hands over each
//! tensor before `put` returns. Both work on anything that reads or writes bytes in order.

mod frame;
mod item;
mod limits;
mod memory;
mod reader;
mod writer;

pub use item::{Item, StreamComposite};
pub use limits::Limits;
pub use memory::{Heap, Memory};
pub use reader::StreamReader;
pub use writer::StreamWriter;

use crate::Fault;
use hurray_core::{SyncMode, TensorDescriptor, DYNAMIC};

/// S-10: a stream has no place to say what a dynamic dimension became.
fn dynamic(d: &TensorDescriptor) -> Option<usize> {
    if d.buffers.is_empty() {
        return None;
    }
    d.shape.dims().iter().position(|&dim| dim == DYNAMIC)
}

/// S-11: no event and no stream of a device exists on the other side of a network.
fn synced(d: &TensorDescriptor) -> Result<(), Fault> {
    let pending = d.buffers.iter().enumerate().find(|(_, handle)| handle.sync_mode() != SyncMode::ProducerSynced);
    match pending {
        Some((buffer, handle)) => Err(Fault::StreamSync { buffer, mode: handle.sync_mode().to_byte() }),
        None => Ok(()),
    }
}
