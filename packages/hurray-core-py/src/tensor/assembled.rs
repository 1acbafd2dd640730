//! `Tensor.from_descriptor`: a descriptor that came by its own way, and the buffers it speaks of.

use hurray_core::LayoutDescriptor;
use hurray_wire::format::MAX_BUFFERS;
use hurray_wire::{check, Fault};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::author::{bytes_of, headless, listed};
use super::new::aligned;
use super::{Buffers, Tensor};
use crate::argument;
use crate::buffer::Buffer;
use crate::descriptor::Descriptor;
use crate::error::{self, about, guarded, BufferError, CopyRequiredError};
use crate::exchange::ingest;

/// Buffer `at`, cut to the size that its handle declares, shared or copied as `copy` says.
fn placed(object: &Bound<'_, PyAny>, at: usize, declared: u64, copy: Option<bool>) -> PyResult<Buffer> {
    let py = object.py();
    let bytes = bytes_of(object).map_err(|refused| about(py, &format!("buffers[{at}]"), &refused))?;
    let size = usize::try_from(declared).ok().filter(|&size| size <= bytes.len()).ok_or_else(|| {
        BufferError::new_err(format!(
            "buffers[{at}] is {} bytes, but the descriptor declares {declared} for buffer {at}",
            bytes.len()
        ))
    })?;
    let bytes = if size == 0 { Buffer::empty().with_readonly(bytes.readonly()) } else { bytes.part(0, size) };
    match copy {
        Some(true) => ingest::copied_buffer(py, &bytes),
        Some(false) if size > 0 && bytes.alignment() < hurray_core::MIN_BUFFER_ALIGNMENT => {
            Err(CopyRequiredError::new_err(format!(
                "copy=False, but buffers[{at}] is aligned to {} bytes and the format needs {}; leave copy=None to copy it",
                bytes.alignment(),
                hurray_core::MIN_BUFFER_ALIGNMENT
            )))
        }
        _ => aligned(py, bytes),
    }
}

fn collected(descriptor: &Descriptor, buffers: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Buffers> {
    let py = buffers.py();
    let handles = &descriptor.whole()?.buffers;
    let items = listed(buffers, "buffers is a sequence with one buffer for each handle")?;
    let given = items.take(MAX_BUFFERS + 1).collect::<PyResult<Vec<_>>>()?;
    if given.len() != handles.len() {
        let (expected, found) = (handles.len(), given.len());
        let text = format!("the descriptor speaks of {expected} buffers, and buffers has {found}");
        return Err(error::coded(py, &Fault::BufferCount { expected, found }, text));
    }
    let pairs = given.iter().zip(handles).enumerate();
    pairs.map(|(at, (buffer, handle))| placed(buffer, at, handle.byte_size(), copy)).collect()
}

/// The tensor of a descriptor and its buffers; every claim is checked as for a file.
pub(super) fn assembled(
    descriptor: &Bound<'_, Descriptor>,
    buffers: &Bound<'_, PyAny>,
    copy: Option<bool>,
) -> PyResult<Tensor> {
    let py = buffers.py();
    let descriptor = descriptor.get();
    if matches!(descriptor.whole()?.layout, LayoutDescriptor::Composite(_)) {
        return Err(headless());
    }
    check::all(descriptor.whole()?).map_err(|fault| error::fault(py, &fault))?;
    let buffers = collected(descriptor, buffers, copy)?;
    Tensor::over((**descriptor.whole()?).clone(), buffers, descriptor.device.clone_ref(py))
}

#[pymethods]
impl Tensor {
    /// Put a descriptor and its buffers together again: the way back for a container of one's own
    /// (requirements: Descriptor Encoding).
    ///
    /// ``buffers`` holds one exporter of bytes for each handle, in the descriptor's order, with at least
    /// the declared bytes; what lies behind them is left out. Version, byte offset, device and every
    /// section stay as they are; alignment is measured. ``copy`` is decided for each buffer: ``None``
    /// shares what is aligned to 64 bytes and copies the rest, ``False`` raises ``CopyRequiredError``
    /// instead of copying, ``True`` always copies.
    ///
    /// Raises ``InvalidDescriptorError`` for another number of buffers, ``BufferError`` for too few
    /// bytes, ``UnsupportedError`` for the head of a composite, which has no buffers, and for a descriptor whose
    /// unknown layout hides where its buffers are described.
    #[staticmethod]
    #[pyo3(signature = (descriptor, buffers, *, copy=None))]
    fn from_descriptor(
        descriptor: &Bound<'_, PyAny>,
        buffers: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
    ) -> PyResult<Self> {
        let descriptor = descriptor.cast::<Descriptor>().map_err(|_| {
            PyTypeError::new_err(format!(
                "descriptor is a hurray.Descriptor, as Descriptor.decode gives one of bytes; got {}",
                error::kind(descriptor)
            ))
        })?;
        guarded(|| assembled(descriptor, buffers, copy))
    }
}
