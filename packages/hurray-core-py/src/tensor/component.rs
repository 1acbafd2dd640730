//! The buffers of a sparse tensor by name, each as a tensor that shares its memory.

use hurray_core::{BufferHandle, ElementType, LayoutDescriptor, QuantizationDescriptor, Shape, TensorDescriptor};
use hurray_wire::{check, layout_name};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

use super::{invalid, Tensor};
use crate::buffer::Buffer;
use crate::error::{guarded, ViewError};

/// What a component holds, and its extents; an extent that a dynamic dimension decides is dynamic.
struct Component {
    buffer: usize,
    dims: Vec<u64>,
    values: bool,
}

impl Component {
    fn values(nnz: u64) -> Self {
        Self { buffer: 0, dims: vec![nnz], values: true }
    }

    fn indices(buffer: usize, dims: Vec<u64>) -> Self {
        Self { buffer, dims, values: false }
    }
}

/// One pointer more than the major dimension has slices.
fn pointers(major: u64) -> u64 {
    if major == hurray_core::DYNAMIC {
        major
    } else {
        major.saturating_add(1)
    }
}

/// Where the format keeps the component of that name (format: layouts.md §7, §8).
fn component(d: &TensorDescriptor, name: &str) -> Option<Component> {
    let (nnz, dims) = (check::nnz(&d.layout)?, d.shape.dims());
    let major = |at: usize| dims.get(at).map(|&major| vec![pointers(major)]);
    Some(match (&d.layout, name) {
        (LayoutDescriptor::Coo(_) | LayoutDescriptor::Csr(_) | LayoutDescriptor::Csc(_), "values") => {
            Component::values(nnz)
        }
        (LayoutDescriptor::Coo(_), "indices") => Component::indices(1, vec![nnz, dims.len() as u64]),
        (LayoutDescriptor::Csr(_), "col_indices") | (LayoutDescriptor::Csc(_), "row_indices") => {
            Component::indices(1, vec![nnz])
        }
        (LayoutDescriptor::Csr(_), "row_ptr") => Component::indices(2, major(0)?),
        (LayoutDescriptor::Csc(_), "col_ptr") => Component::indices(2, major(1)?),
        _ => return None,
    })
}

/// The view, or the exception that `hasattr` understands.
fn view(py: Python<'_>, tensor: &Tensor, name: &str) -> PyResult<Tensor> {
    let d = &*tensor.descriptor;
    let component = component(d, name).ok_or_else(|| absent(d, name))?;
    if let Some(reason) = tensor.unreadable() {
        return Err(ViewError::new_err(format!("{name} {reason}")));
    }
    let ty = if component.values { d.element_type } else { ElementType::Uint64 };
    let extension = d.extension_type.clone().filter(|_| component.values);
    let quantization = if component.values { carried(d)? } else { None };
    let shape = Shape::new(component.dims).map_err(invalid)?;
    let count = check::element_count(&shape).map(u128::from);
    let exact = count.and_then(|count| check::storage_bytes(ty, extension.as_ref(), count));
    let buffer = tensor.buffers.get(component.buffer).map_or_else(Buffer::empty, |buffer| narrowed(buffer, exact));
    let handle = handle(d, component.buffer, &buffer)?;
    let descriptor = TensorDescriptor {
        version_major: hurray_core::DESCRIPTOR_VERSION_MAJOR,
        version_minor: hurray_core::DESCRIPTOR_VERSION_MINOR,
        element_type: ty,
        shape,
        byte_offset: 0,
        layout: LayoutDescriptor::RowMajor,
        buffers: vec![handle],
        quantization,
        shard: None,
        statistics: None,
        extension_type: extension,
        composite_member: None,
    };
    // An empty shape lets a tensor claim entries that no buffer holds; a view of them does not exist.
    check::all(&descriptor).map_err(|fault| ViewError::new_err(format!("{name}: {fault}")))?;
    Tensor::over(descriptor, std::iter::once(buffer).collect(), tensor.device.clone_ref(py))
}

/// The elements' own bytes; what lies behind them is the tensor's slack.
fn narrowed(buffer: &Buffer, exact: Option<u64>) -> Buffer {
    match exact.and_then(|bytes| usize::try_from(bytes).ok()) {
        Some(0) => Buffer::empty().with_readonly(buffer.readonly()),
        Some(bytes) if bytes < buffer.len() => buffer.part(0, bytes),
        _ => buffer.clone(),
    }
}

fn handle(d: &TensorDescriptor, at: usize, buffer: &Buffer) -> PyResult<BufferHandle> {
    let Some(from) = d.buffers.get(at) else { return super::cpu_handle(0, 1) };
    let (tag, sync, class) = (from.device_tag(), from.sync_mode(), from.memory_class());
    BufferHandle::with_memory_class(buffer.len() as u64, buffer.alignment(), tag, sync, class).map_err(invalid)
}

/// The scheme of the values by themselves: one scale for all holds for them too, while axes and
/// blocks follow coordinates, which the view has lost.
fn carried(d: &TensorDescriptor) -> PyResult<Option<Vec<u8>>> {
    let Some(section) = &d.quantization else { return Ok(None) };
    match QuantizationDescriptor::decode(section) {
        Ok((QuantizationDescriptor::PerTensorAffine(_), _)) => Ok(Some(section.clone())),
        _ => Err(ViewError::new_err(
            "values are quantised codes whose scales follow coordinates of the tensor; t.buffer(0) gives the codes",
        )),
    }
}

#[cold]
fn absent(d: &TensorDescriptor, name: &str) -> PyErr {
    let layout = layout_name(&d.layout);
    PyAttributeError::new_err(format!(
        "{name} does not apply to the layout {layout}; t.buffer(i) gives the bytes of a buffer"
    ))
}

/// Views of a sparse tensor share its memory and keep it alive; those that do not apply to the
/// layout raise `AttributeError` (requirements: Layouts and Sparse Tensor Support).
#[pymethods]
impl Tensor {
    /// Stored entries of a coo, csr, csc or csf tensor, as its layout states them.
    ///
    /// Raises ``AttributeError`` for a layout that counts none.
    #[getter]
    fn nnz(&self) -> PyResult<u64> {
        check::nnz(&self.descriptor.layout).ok_or_else(|| absent(&self.descriptor, "nnz"))
    }

    /// The stored values of a coo, csr or csc tensor: shape (nnz,), of the tensor's element type.
    ///
    /// Raises ``AttributeError`` for other layouts; a ``ViewError`` for quantised codes whose scales
    /// follow an axis, and for memory that is not to be read here.
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| view(py, self, "values"))
    }

    /// The coordinates of a coo tensor: shape (nnz, ndim), uint64. ``AttributeError`` for other layouts.
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| view(py, self, "indices"))
    }

    /// The columns of a csr tensor's entries: shape (nnz,), uint64. ``AttributeError`` for other layouts.
    #[getter]
    fn col_indices(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| view(py, self, "col_indices"))
    }

    /// Where each row of a csr tensor begins: shape (rows + 1,), uint64. ``AttributeError`` for other layouts.
    #[getter]
    fn row_ptr(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| view(py, self, "row_ptr"))
    }

    /// The rows of a csc tensor's entries: shape (nnz,), uint64. ``AttributeError`` for other layouts.
    #[getter]
    fn row_indices(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| view(py, self, "row_indices"))
    }

    /// Where each column of a csc tensor begins: shape (columns + 1,), uint64. ``AttributeError`` for
    /// other layouts.
    #[getter]
    fn col_ptr(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| view(py, self, "col_ptr"))
    }
}
