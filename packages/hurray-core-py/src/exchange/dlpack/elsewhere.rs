//! A producer's memory that is not the CPU's: described, kept and handed on, never read.

use std::sync::Arc;

use hurray_core::{BufferHandle, Shape, SyncMode, TensorDescriptor, MIN_BUFFER_ALIGNMENT};
use hurray_wire::check;
use pyo3::prelude::*;

use crate::buffer::{measured_alignment, Buffer, Owner};
use crate::device::Device;
use crate::error;
use crate::exchange::ingest::Source;
use crate::tensor::{invalid, plain, Tensor};

/// What the buffer of a tensor is: from where, how much, and where in it element [0, …, 0] lies.
struct Place {
    start: *mut u8,
    len: usize,
    first: u64,
    alignment: u32,
}

/// `source.first` is the producer's address, with `offset` to be added; for handles it is not added here.
fn place(source: &Source<'_>, device: &Device, offset: u64) -> PyResult<Place> {
    let elements = source.elements().ok_or_else(too_far)?;
    if elements == 0 {
        return Ok(Place { start: std::ptr::null_mut(), len: 0, first: 0, alignment: 1 });
    }
    if source.first.is_null() {
        return Err(error::BufferError::new_err("the producer names elements and no address"));
    }
    let (before, len) = source.extent().ok_or_else(too_far)?;
    if device.has_handles() {
        // Where a handle's memory begins its elements may not; DLPack aligns it to 256 bytes.
        let end = usize::try_from(offset).ok().filter(|&offset| offset >= before);
        let end = end.and_then(|offset| (offset - before).checked_add(len)).ok_or_else(too_far)?;
        return Ok(Place { start: source.first, len: end, first: offset, alignment: MIN_BUFFER_ALIGNMENT });
    }
    let lowest = source.first as usize - before;
    // The format's floor, by reaching down to it: the allocators of devices give no less.
    let shift = lowest % MIN_BUFFER_ALIGNMENT as usize;
    let start = lowest - shift;
    let alignment = measured_alignment(start, len);
    Ok(Place { start: start as *mut u8, len: len + shift, first: (shift + before) as u64, alignment })
}

fn too_far() -> PyErr {
    error::BufferError::new_err("the producer's shape and strides reach beyond the address space")
}

/// A tensor over what `owner` keeps alive on `device`. `offset` is the producer's, where the device has handles.
pub(super) fn described(
    py: Python<'_>,
    source: &Source<'_>,
    device: Py<Device>,
    offset: u64,
    owner: Arc<Owner>,
) -> PyResult<Tensor> {
    let place = place(source, device.get(), offset)?;
    let (tag, class) = (device.get().tag, device.get().class);
    let handle =
        BufferHandle::with_memory_class(place.len as u64, place.alignment, tag, SyncMode::ProducerSynced, class)
            .map_err(invalid)?;
    let shape = Shape::new(source.shape.iter().map(|&dim| dim as u64).collect::<Vec<_>>()).map_err(invalid)?;
    let layout = source.layout().ok_or_else(too_far)?;
    let descriptor: TensorDescriptor = plain(source.ty, shape, layout, place.first, handle)?;
    check::all(&descriptor).map_err(|fault| error::fault(py, &fault))?;
    let buffer = Buffer::elsewhere(place.start, place.len, source.readonly, owner);
    Tensor::over(descriptor, std::iter::once(buffer).collect(), device)
}
