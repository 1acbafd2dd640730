//! `Tensor(buffer, dtype, shape, …)`: a declaration, and the buffers that must bear it out.

use std::sync::{Arc, OnceLock};

use hurray_core::{BufferHandle, LayoutDescriptor, SyncMode, TensorDescriptor, MIN_BUFFER_ALIGNMENT};
use hurray_core::{DESCRIPTOR_VERSION_MAJOR, DESCRIPTOR_VERSION_MINOR};
use hurray_wire::format::MAX_BUFFERS;
use hurray_wire::{check, Fault};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::{invalid, Buffers, Tensor};
use crate::buffer::{self, Buffer, View};
use crate::contents::Verdict;
use crate::device::{self, Device};
use crate::error::{self, about, kind, InvalidDescriptorError, UnsupportedError};
use crate::layout::Layout;
use crate::{dtype, extension, file, quantization, shape, shard, statistics};

use super::new::aligned;

/// What the caller states besides the buffers, as it came.
pub(super) struct Stated<'a, 'py> {
    pub(super) dtype: &'a Bound<'py, PyAny>,
    pub(super) shape: &'a Bound<'py, PyAny>,
    pub(super) device: Option<&'a Bound<'py, Device>>,
    pub(super) layout: Option<&'a Bound<'py, PyAny>>,
    pub(super) quantization: Option<&'a Bound<'py, PyAny>>,
    pub(super) statistics: Option<&'a Bound<'py, PyAny>>,
    pub(super) shard: Option<&'a Bound<'py, PyAny>>,
    pub(super) extension_type: Option<&'a Bound<'py, PyAny>>,
}

impl Stated<'_, '_> {
    /// The descriptor that is declared, its buffer table still empty. Nothing comes from the buffers.
    fn declared(&self) -> PyResult<TensorDescriptor> {
        Ok(TensorDescriptor {
            version_major: DESCRIPTOR_VERSION_MAJOR,
            version_minor: DESCRIPTOR_VERSION_MINOR,
            element_type: dtype::element_type(self.dtype)?,
            shape: shape::from_python(self.shape)?,
            byte_offset: 0,
            layout: layout_of(self.layout)?,
            buffers: Vec::new(),
            quantization: self.quantization.map(quantization::of).transpose()?.map(|scheme| scheme.encode_to_vec()),
            shard: self.shard.map(shard::of).transpose()?,
            statistics: self.statistics.map(statistics::of).transpose()?,
            extension_type: self.extension_type.map(extension::of).transpose()?,
            composite_member: None,
        })
    }
}

fn layout_of(layout: Option<&Bound<'_, PyAny>>) -> PyResult<LayoutDescriptor> {
    let Some(given) = layout else { return Ok(LayoutDescriptor::RowMajor) };
    let layout = given.cast::<Layout>().map_err(|_| {
        PyTypeError::new_err(format!(
            "layout must be a hurray.Layout instance (e.g. hurray.CsrLayout(nnz=4)), got {}",
            kind(given)
        ))
    })?;
    let inner = &layout.get().inner;
    if inner.is_virtual() {
        return Err(headless());
    }
    Ok(inner.clone())
}

/// Composite heads are another class's (requirements: Composite, private, and unknown).
pub(crate) fn headless() -> PyErr {
    UnsupportedError::new_err(
        "a composite layout cannot be given to hurray.Tensor: a composite head owns no buffers, which this class \
         cannot represent; hurray.Composite holds a head and its members",
    )
}

/// The bytes of an exporter, or the packed elements of a tensor, wherever they lie.
pub(super) fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    if let Ok(tensor) = object.cast::<Tensor>() {
        return tensor.get().packed_bytes();
    }
    Ok(file::mapped(object, buffer::little_endian(object)?))
}

/// Every buffer in the descriptor's order: buffer 0, then the others.
fn collected(first: &Bound<'_, PyAny>, others: Option<&Bound<'_, PyAny>>) -> PyResult<Buffers> {
    let py = first.py();
    let mut buffers = Buffers::new();
    buffers.push(aligned(py, bytes_of(first)?)?);
    let Some(others) = others else { return Ok(buffers) };
    let items = listed(others, "aux_buffers is a sequence of buffers, one for each after buffer 0")?;
    for (at, item) in items.enumerate() {
        if buffers.len() == MAX_BUFFERS {
            let text = format!("aux_buffers has more than {} buffers, all that a descriptor counts", MAX_BUFFERS - 1);
            return Err(InvalidDescriptorError::new_err(text));
        }
        let bytes = bytes_of(&item?).map_err(|refused| about(py, &format!("aux_buffers[{at}]"), &refused))?;
        buffers.push(aligned(py, bytes)?);
    }
    Ok(buffers)
}

/// The items of a list of buffers. One buffer by itself is none: its items would be taken for buffers.
pub(super) fn listed<'py>(buffers: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyIterator>> {
    let alone = buffers.is_instance_of::<Tensor>() || View::get(buffers).is_ok();
    match buffers.try_iter() {
        Ok(items) if !alone => Ok(items),
        _ => {
            let way = if alone { "; for one buffer, pass [buffer]" } else { "" };
            Err(PyTypeError::new_err(format!("{what}; got {}{way}", kind(buffers))))
        }
    }
}

/// A handle of what is there: the size and the alignment of the bytes, the place that was declared.
fn handle(buffer: &Buffer, device: &Device) -> PyResult<BufferHandle> {
    let alignment = buffer.alignment();
    debug_assert!(buffer.len() == 0 || alignment >= MIN_BUFFER_ALIGNMENT);
    let (tag, class) = (device.tag, device.class);
    BufferHandle::with_memory_class(buffer.len() as u64, alignment, tag, SyncMode::ProducerSynced, class)
        .map_err(invalid)
}

/// `Tensor(buffer, dtype, shape, device, aux_buffers=…, …)`: three tiers of checks over what was
/// stated and what is there (requirements: Authoring).
pub(super) fn author(
    first: &Bound<'_, PyAny>,
    others: Option<&Bound<'_, PyAny>>,
    stated: &Stated<'_, '_>,
) -> PyResult<Tensor> {
    let py = first.py();
    let mut descriptor = stated.declared()?;
    let device = match stated.device {
        Some(device) => device.clone().unbind(),
        None => device::of(py, hurray_core::DeviceTag::Cpu, hurray_core::MemoryClass::Standard, 0)?,
    };
    let buffers = collected(first, others)?;
    descriptor.buffers = buffers.iter().map(|buffer| handle(buffer, device.get())).collect::<PyResult<_>>()?;
    paired(&descriptor)?;
    check::all(&descriptor).map_err(|fault| refused(py, &fault))?;
    check::authored(&descriptor).map_err(InvalidDescriptorError::new_err)?;
    Ok(Tensor { descriptor: Arc::new(descriptor), buffers, device, grid: OnceLock::new(), verdict: Verdict::default() })
}

/// D-9 in the words of the arguments.
fn paired(descriptor: &TensorDescriptor) -> PyResult<()> {
    let private = matches!(descriptor.element_type, hurray_core::ElementType::Extension(_));
    if private == descriptor.extension_type.is_some() {
        return Ok(());
    }
    let ty = dtype::name(descriptor.element_type);
    let tag = descriptor.element_type.tag();
    let text = if private {
        format!("dtype 0x{tag:02X} is private and needs extension_type=hurray.ExtensionType(...), which says how its elements are stored")
    } else {
        format!("extension_type goes with a private dtype (hurray.Dtype.from_tag(0xF0) to 0xFE), not with {ty}")
    };
    let refused = InvalidDescriptorError::new_err(text);
    let fault = Fault::ExtensionFlag { tag, section: !private };
    Python::attach(|py| refused.value(py).setattr("code", fault.code()))?;
    Err(refused)
}

/// A fault, with the argument that mends it where the rule does not name one.
fn refused(py: Python<'_>, fault: &Fault) -> PyErr {
    match fault {
        Fault::BufferCount { expected, found } if found < expected => error::coded(
            py,
            fault,
            match expected - 1 {
                1 => format!("{fault}; give buffer 1 by aux_buffers"),
                last => format!("{fault}; give buffers 1 to {last} by aux_buffers, in the descriptor's order"),
            },
        ),
        fault => error::fault(py, fault),
    }
}
