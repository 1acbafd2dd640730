//! The tensor: a descriptor, its buffers, and the doors that hand them over.

mod class;
mod grid;

mod new;
mod trusted;
mod values;
mod view;
pub(crate) mod walk;
mod write;

use std::sync::{Arc, OnceLock};

use hurray_core::{
    BufferHandle, ElementType, LayoutDescriptor, Shape, SyncMode, TensorDescriptor, MIN_BUFFER_ALIGNMENT,
};
use pyo3::prelude::*;
use smallvec::{smallvec, SmallVec};

pub(crate) use grid::Grid;
pub(crate) use new::{aligned, element_type, native};
pub(crate) use trusted::{_trust, from_numpy, is_trusted};
pub(crate) use write::{row_major_copy, row_major_region, write_all};

use crate::buffer::Buffer;
use crate::device::{self, Device};
use crate::error::{InternalError, InvalidDescriptorError};
use crate::layout;

/// Most tensors have one buffer, which then lies in the tensor itself.
pub(crate) type Buffers = SmallVec<[Buffer; 1]>;

/// A tensor: shape, element type, layout and the buffers that hold the elements
/// (requirements: Tensor Surface).
///
/// ``Tensor(buffer, dtype, shape)`` reads the bytes of anything that exports a buffer as elements of
/// ``dtype`` in row-major order, or in the order that ``layout`` says. Memory that is aligned to 64
/// bytes is shared, other memory is copied. ``shape`` may hold ``None`` for a dynamic dimension.
///
/// A tensor is described and handed over (``np.asarray(t)``, ``memoryview(t)``, DLPack), not computed
/// with. Raises ``InvalidDescriptorError`` when dtype, shape and layout cannot go together (format:
/// layouts.md §13), ``BufferError`` when the buffer holds too few bytes for them.
#[pyclass(frozen, weakref, module = "hurray")]
pub(crate) struct Tensor {
    pub(crate) descriptor: Arc<TensorDescriptor>,
    pub(crate) buffers: Buffers,
    pub(crate) device: Py<Device>,
    /// Made when first asked for: most tensors of a file are never looked at.
    grid: OnceLock<Option<Box<Grid>>>,
}

impl Tensor {
    /// A tensor over buffers that its descriptor has been checked against. The handles' alignments
    /// become those of the addresses (requirements: Alignment is measured).
    pub(crate) fn over(mut descriptor: TensorDescriptor, buffers: Buffers, device: Py<Device>) -> PyResult<Self> {
        for (handle, buffer) in descriptor.buffers.iter_mut().zip(&buffers) {
            *handle = measured(handle, buffer)?;
        }
        Ok(Self { descriptor: Arc::new(descriptor), buffers, device, grid: OnceLock::new() })
    }

    /// A CPU tensor of one buffer that is known to hold every element.
    pub(crate) fn dense(
        py: Python<'_>,
        ty: ElementType,
        shape: &[usize],
        layout: LayoutDescriptor,
        byte_offset: u64,
        buffer: Buffer,
    ) -> PyResult<Self> {
        let dims: Vec<u64> = shape.iter().map(|&dim| dim as u64).collect();
        let shape = Shape::new(dims).map_err(invalid)?;
        let handle = cpu_handle(buffer.len(), buffer.alignment())?;
        // What `TensorDescriptor::new` would check holds by construction; this spares moving it around.
        let descriptor = Arc::new(TensorDescriptor {
            version_major: hurray_core::DESCRIPTOR_VERSION_MAJOR,
            version_minor: hurray_core::DESCRIPTOR_VERSION_MINOR,
            element_type: ty,
            shape,
            byte_offset,
            layout,
            buffers: vec![handle],
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            composite_member: None,
        });
        let device = device::of(py, hurray_core::DeviceTag::Cpu, hurray_core::MemoryClass::Standard, 0)?;
        Ok(Self { descriptor, buffers: smallvec![buffer], device, grid: OnceLock::new() })
    }

    /// The strided view, where elements can be addressed by strides in memory that the CPU may read.
    pub(crate) fn grid(&self) -> Option<&Grid> {
        let make = || if self.readable() { Grid::of(&self.descriptor).map(Box::new) } else { None };
        self.grid.get_or_init(make).as_deref()
    }

    /// Whether the bytes are the CPU's to read, and settled.
    pub(crate) fn readable(&self) -> bool {
        let synced = |handle: &BufferHandle| handle.sync_mode() == SyncMode::ProducerSynced;
        self.device.get().is_cpu() && self.descriptor.buffers.iter().all(synced)
    }

    pub(crate) fn readonly(&self) -> bool {
        self.buffers.first().is_none_or(Buffer::readonly)
    }

    /// The address of element [0, …, 0], for a tensor with a grid.
    pub(crate) fn first(&self) -> *mut u8 {
        let offset = self.grid().map_or(0, Grid::first);
        self.buffers.first().map_or(std::ptr::null_mut(), |buffer| buffer.start().wrapping_add(offset))
    }

    /// Why a protocol that needs strides cannot have them.
    #[cold]
    pub(crate) fn no_grid(&self, what: &str) -> String {
        let d = &self.descriptor;
        if let Some(reason) = self.unreadable() {
            return format!("{what} {reason}");
        }
        if d.quantization.is_some() {
            return format!("{what} would pass quantised codes off as numbers; t.buffer(0) gives the codes");
        }
        if d.shape.has_dynamic() {
            return format!("{what} needs every dimension, and shape {} has a dynamic one", d.shape);
        }
        if !matches!(d.layout, LayoutDescriptor::RowMajor | LayoutDescriptor::ColMajor | LayoutDescriptor::Strided(_)) {
            return layout::not_dense(what, &d.layout);
        }
        if d.element_type.bit_width() < 8 {
            return format!(
                "{what} has no {} elements, which share bytes; t.buffer(0) gives the bytes",
                d.element_type
            );
        }
        format!("{what} cannot say the shape {}, which exceeds the address space", d.shape)
    }

    /// Why the bytes are not to be read here at all, if they are not.
    pub(crate) fn unreadable(&self) -> Option<String> {
        if !self.device.get().is_cpu() {
            return Some(format!(
                "cannot read {} memory; hand the tensor to a framework of that device",
                self.device.get().tag
            ));
        }
        let pending = self.descriptor.buffers.iter().find(|handle| handle.sync_mode() != SyncMode::ProducerSynced)?;
        Some(format!("cannot read a buffer in sync mode {}; relay the tensor instead", pending.sync_mode()))
    }
}

/// What the core crate refuses to describe, under the rule's code where it says which one it is.
pub(crate) fn invalid(error: hurray_core::Error) -> PyErr {
    match error {
        hurray_core::Error::ExtensionTypeFlagMismatch { flag_set, type_tag, .. } => Python::attach(|py| {
            crate::error::fault(py, &hurray_wire::Fault::ExtensionFlag { tag: type_tag, section: flag_set })
        }),
        error => InvalidDescriptorError::new_err(error.to_string()),
    }
}

/// A handle of plain CPU memory.
pub(crate) fn cpu_handle(len: usize, alignment: u32) -> PyResult<BufferHandle> {
    BufferHandle::new(len as u64, alignment, hurray_core::DeviceTag::Cpu, SyncMode::ProducerSynced).map_err(invalid)
}

/// A 1.0 descriptor of one buffer without optional sections.
pub(crate) fn plain(
    ty: ElementType,
    shape: Shape,
    layout: LayoutDescriptor,
    byte_offset: u64,
    handle: BufferHandle,
) -> PyResult<TensorDescriptor> {
    let (major, minor) = (hurray_core::DESCRIPTOR_VERSION_MAJOR, hurray_core::DESCRIPTOR_VERSION_MINOR);
    TensorDescriptor::new(major, minor, ty, shape, byte_offset, layout, vec![handle], None, None, None, None)
        .map_err(invalid)
}

/// The handle with the alignment that the buffer's address satisfies.
fn measured(handle: &BufferHandle, buffer: &Buffer) -> PyResult<BufferHandle> {
    let alignment = buffer.alignment();
    if buffer.len() > 0 && alignment < MIN_BUFFER_ALIGNMENT {
        return Err(InternalError::new_err("a buffer below the alignment floor reached a tensor"));
    }
    BufferHandle::with_memory_class(
        handle.byte_size(),
        alignment,
        handle.device_tag(),
        handle.sync_mode(),
        handle.memory_class(),
    )
    .map_err(invalid)
}
