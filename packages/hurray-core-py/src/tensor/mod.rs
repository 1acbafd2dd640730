//! The tensor: a descriptor, its buffers, and the doors that hand them over.

mod address;
mod assembled;
mod author;
mod class;
mod component;
mod grid;
mod new;
mod scalar;
mod sections;
mod shown;
mod transpose;
mod trusted;
mod validate;
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

pub(crate) use author::headless;
pub(crate) use grid::Grid;
pub(crate) use new::{aligned, native};
pub(crate) use trusted::{_trust, from_numpy, is_trusted};
pub(crate) use write::{row_major_copy, row_major_region, write_all};

use crate::buffer::{untracked, Buffer};
use crate::contents::Verdict;
use crate::device::{self, Device};
use crate::error::{InternalError, InvalidDescriptorError};
use crate::layout;

/// Most tensors have one buffer, which then lies in the tensor itself.
pub(crate) type Buffers = SmallVec<[Buffer; 1]>;

/// A tensor: shape, element type, layout and the buffers that hold the elements
/// (requirements: Tensor Surface, Authoring).
///
/// ``Tensor(buffer, dtype, shape)`` reads the bytes of anything that exports a buffer as elements of
/// ``dtype`` in row-major order; ``layout`` says another order, or a sparse or paged storage, whose
/// further buffers ``aux_buffers`` holds in the descriptor's order: those of the layout, then scales
/// and zero points. ``quantization``, ``statistics``, ``shard`` and ``extension_type`` (for a private
/// dtype) are the descriptor's sections. ``shape`` may hold ``None`` for a dynamic dimension. Each
/// buffer that is aligned to 64 bytes is shared, others are copied; read-only memory stays read-only.
/// ``device`` declares where the memory is; the memory itself is given by its exporter either way.
///
/// What is stated is a declaration and the buffers are evidence: nothing is inferred from them,
/// nothing is reinterpreted, and larger ones are fine. Raises ``InvalidDescriptorError`` when what is
/// stated cannot go together or the number of buffers is another (format: descriptor.md §8, layouts.md
/// §13, quantization.md §9), ``BufferError`` when a buffer holds too few bytes, ``UnsupportedError``
/// for a composite layout, which is ``hurray.Composite``'s. ``code`` names the broken rule. A private
/// layout states neither how many buffers it needs nor how large: they are taken as given.
///
/// A tensor is described and handed over (``np.asarray(t)``, ``memoryview(t)``, DLPack), not computed
/// with.
///
/// >>> import hurray
/// >>> t = hurray.Tensor(bytes(range(6)), hurray.uint8, (2, 3))
/// >>> t
/// hurray.Tensor([[0, 1, 2],
///                [3, 4, 5]], shape=(2, 3), dtype=uint8)
/// >>> t.nbytes, t.layout
/// (6, RowMajorLayout())
/// >>> t.T.tolist()
/// [[0, 3], [1, 4], [2, 5]]
/// >>> hurray.Tensor(bytes([0b1101]), hurray.bool, (4,)).tolist()
/// [True, False, True, True]
#[pyclass(frozen, weakref, module = "hurray")]
pub(crate) struct Tensor {
    pub(crate) descriptor: Arc<TensorDescriptor>,
    pub(crate) buffers: Buffers,
    pub(crate) device: Py<Device>,
    /// Made when first asked for: most tensors of a file are never looked at.
    pub(crate) grid: OnceLock<Option<Box<Grid>>>,
    /// What is known of the contents.
    pub(crate) verdict: Verdict,
}

impl Tensor {
    /// A tensor over buffers that its descriptor has been checked against. The handles' alignments
    /// become those of the addresses (requirements: Alignment is measured).
    pub(crate) fn over(
        descriptor: impl Into<Arc<TensorDescriptor>>,
        buffers: Buffers,
        device: Py<Device>,
    ) -> PyResult<Self> {
        let mut descriptor = descriptor.into();
        for (handle, buffer) in Arc::make_mut(&mut descriptor).buffers.iter_mut().zip(&buffers) {
            *handle = measured(handle, buffer)?;
        }
        Ok(Self { descriptor, buffers, device, grid: OnceLock::new(), verdict: Verdict::default() })
    }

    /// The Python object. A tensor holds memory and no containers, so it is in no cycle.
    pub(crate) fn object(self, py: Python<'_>) -> PyResult<Bound<'_, Self>> {
        Bound::new(py, self).map(untracked)
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
        Ok(Self { descriptor, buffers: smallvec![buffer], device, grid: OnceLock::new(), verdict: Verdict::default() })
    }

    /// A buffer's bytes as a 1-D uint8 tensor that shares them.
    pub(crate) fn bytes_over(py: Python<'_>, buffer: Buffer) -> PyResult<Self> {
        Self::dense(py, ElementType::Uint8, &[buffer.len()], LayoutDescriptor::RowMajor, 0, buffer)
    }

    /// The strided view, where elements can be addressed by strides in memory that is settled and where it is
    /// said to be. It may be another device's: who reads asks [`Self::readable`] too.
    pub(crate) fn grid(&self) -> Option<&Grid> {
        let there = || self.readable() || self.elsewhere() && self.pending().is_none();
        let make = || if there() { Grid::of(&self.descriptor).map(Box::new) } else { None };
        self.grid.get_or_init(make).as_deref()
    }

    /// Whether the bytes are the CPU's to read, and settled.
    pub(crate) fn readable(&self) -> bool {
        let synced = |handle: &BufferHandle| handle.sync_mode() == SyncMode::ProducerSynced;
        self.device.get().is_cpu() && self.descriptor.buffers.iter().all(synced)
    }

    /// Whether the memory is a device's that its producer handed over.
    pub(crate) fn elsewhere(&self) -> bool {
        self.buffers.iter().all(Buffer::is_elsewhere)
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
            return format!("{what} {}", dynamic(&d.shape));
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

    /// Why the bytes are not to be handed out yet, if they are not: their producer may still be writing.
    pub(crate) fn pending(&self) -> Option<String> {
        let pending = self.descriptor.buffers.iter().find(|handle| handle.sync_mode() != SyncMode::ProducerSynced)?;
        let mode = pending.sync_mode();
        Some(format!("cannot hand out a buffer in sync mode {mode}; hurray.save relays the tensor"))
    }

    /// Why the bytes are not to be read here at all, if they are not.
    pub(crate) fn unreadable(&self) -> Option<String> {
        if let Some(reason) = self.pending() {
            return Some(reason);
        }
        (!self.device.get().is_cpu()).then(|| {
            format!("cannot read {} memory; hand the tensor to a framework of that device", self.device.get().tag)
        })
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

/// Why what needs every extent cannot be had (requirements: Dynamic dimensions).
pub(crate) fn dynamic(shape: &Shape) -> String {
    let index = shape.dims().iter().position(|&dim| dim == hurray_core::DYNAMIC).unwrap_or_default();
    format!("needs every extent, and dimension {index} of shape {shape} is dynamic")
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
    if buffer.is_elsewhere() {
        // What its producer declared: an address of another device may be no address at all.
        return Ok(*handle);
    }
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
