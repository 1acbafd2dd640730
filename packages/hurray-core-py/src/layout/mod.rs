//! Layouts (format: layouts.md). The base answers for every layout; subclasses read their own fields.

mod col_major;
mod row_major;
mod strided;

use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, Shape, TensorDescriptor};
use hurray_wire::check;
use pyo3::prelude::*;

pub(crate) use col_major::ColMajorLayout;
pub(crate) use row_major::RowMajorLayout;
pub(crate) use strided::StridedLayout;

use crate::device::hash_of;
use crate::{error, shape, tensor};

/// How a tensor's elements lie in its buffers (format: layouts.md).
///
/// Immutable, compared by value, hashable. The base itself is what a layout reports that this
/// release has no class for yet: ``tag`` and ``name`` hold.
#[pyclass(frozen, subclass, module = "hurray")]
pub(crate) struct Layout {
    pub(crate) inner: LayoutDescriptor,
}

/// The name that the format gives a layout; one name for all private and unknown ones.
pub(crate) fn name(layout: &LayoutDescriptor) -> &'static str {
    use LayoutDescriptor as L;
    match layout {
        L::RowMajor => "row_major",
        L::ColMajor => "col_major",
        L::Strided(_) => "strided",
        L::Tiled(_) => "tiled",
        L::Morton(_) => "morton",
        L::Hilbert(_) => "hilbert",
        L::Coo(_) => "coo",
        L::Csr(_) => "csr",
        L::Csc(_) => "csc",
        L::Csf(_) => "csf",
        L::BlockPaged(_) => "block_paged",
        L::Composite(_) => "composite",
        // Private and unknown ones, and what a newer core may add.
        _ => "extension",
    }
}

/// Whether every element has an address in buffer 0.
pub(crate) fn is_dense(layout: &LayoutDescriptor) -> bool {
    use LayoutDescriptor as L;
    matches!(layout, L::RowMajor | L::ColMajor | L::Strided(_) | L::Tiled(_) | L::Morton(_) | L::Hilbert(_))
}

/// The object of a layout.
pub(crate) fn to_python(py: Python<'_>, inner: &LayoutDescriptor) -> PyResult<Py<PyAny>> {
    let base = Layout { inner: inner.clone() };
    Ok(match inner {
        LayoutDescriptor::RowMajor => {
            Py::new(py, PyClassInitializer::from(base).add_subclass(RowMajorLayout))?.into_any()
        }
        LayoutDescriptor::ColMajor => {
            Py::new(py, PyClassInitializer::from(base).add_subclass(ColMajorLayout))?.into_any()
        }
        LayoutDescriptor::Strided(_) => {
            Py::new(py, PyClassInitializer::from(base).add_subclass(StridedLayout))?.into_any()
        }
        _ => Py::new(py, base)?.into_any(),
    })
}

/// A descriptor that says nothing but a layout and a shape.
fn probe(layout: &LayoutDescriptor, shape: Shape) -> PyResult<TensorDescriptor> {
    let (major, minor) = (hurray_core::DESCRIPTOR_VERSION_MAJOR, hurray_core::DESCRIPTOR_VERSION_MINOR);
    let buffers = if layout.is_virtual() { vec![] } else { vec![BufferHandle::empty(DeviceTag::Cpu)] };
    TensorDescriptor::new(major, minor, ElementType::Uint8, shape, 0, layout.clone(), buffers, None, None, None, None)
        .map_err(tensor::invalid)
}

/// The message of a protocol that needs densely addressable elements.
pub(crate) fn not_dense(what: &str, layout: &LayoutDescriptor) -> String {
    format!(
        "{what} needs elements at regular strides, which the layout {} has not. t.buffer(i) gives the bytes of its buffers",
        name(layout)
    )
}

#[pymethods]
impl Layout {
    /// The layout tag on the wire.
    #[getter]
    fn tag(&self) -> u8 {
        self.inner.tag()
    }

    /// The name, such as ``"strided"``; ``"extension"`` for a private or unknown tag.
    #[getter]
    fn name(&self) -> &'static str {
        name(&self.inner)
    }

    /// Buffers of the layout's own, without quantization parameters: 0 for a composite head,
    /// ``None`` where it cannot be known.
    #[getter]
    fn buffer_count(&self) -> Option<u8> {
        if self.inner.is_virtual() {
            return Some(0);
        }
        self.inner.buffer_count().map(std::num::NonZeroU8::get)
    }

    /// Whether every element has an address in one buffer.
    #[getter]
    fn is_dense(&self) -> bool {
        is_dense(&self.inner)
    }

    /// Whether the layout has no data of its own, as a composite head.
    #[getter]
    fn is_virtual(&self) -> bool {
        self.inner.is_virtual()
    }

    /// Raise ``InvalidDescriptorError`` if the layout and a shape cannot go together.
    ///
    /// A dynamic dimension (``None``) violates no constraint on extents.
    fn validate_against_shape(&self, py: Python<'_>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape = shape::from_python(shape)?;
        let descriptor = probe(&self.inner, shape)?;
        check::shape_tier(&descriptor).map_err(|fault| error::fault(py, &fault))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.inner == other.get().inner)
    }

    fn __hash__(&self) -> u64 {
        // Equal layouts print alike; the core type has no hash of its own for every variant.
        hash_of(&format!("{:?}", self.inner))
    }

    fn __repr__(&self) -> String {
        format!("Layout(tag=0x{:02X}, name='{}')", self.inner.tag(), name(&self.inner))
    }
}
