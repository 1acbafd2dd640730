//! Layouts (format: layouts.md). The base answers for every layout; subclasses read their own fields.

mod args;
mod block_paged;
mod col_major;
mod composite;
mod coo;
mod csc;
mod csf;
mod csr;
mod hilbert;
mod kind;
mod morton;
mod paging;
mod private_extension;
mod row_major;
mod strided;
mod tiled;
mod tiling;
mod unknown;

use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, Shape, TensorDescriptor};
use hurray_wire::check;
use pyo3::prelude::*;

pub(crate) use block_paged::BlockPagedLayout;
pub(crate) use col_major::ColMajorLayout;
pub(crate) use composite::CompositeLayout;
pub(crate) use coo::CooLayout;
pub(crate) use csc::CscLayout;
pub(crate) use csf::CsfLayout;
pub(crate) use csr::CsrLayout;
pub(crate) use hilbert::HilbertLayout;
pub(crate) use kind::layout_tag_kind;
pub(crate) use morton::MortonLayout;
pub(crate) use private_extension::PrivateExtensionLayout;
pub(crate) use row_major::RowMajorLayout;
pub(crate) use strided::StridedLayout;
pub(crate) use tiled::TiledLayout;
pub(crate) use unknown::UnknownLayout;

use crate::device::hash_of;
use crate::error::{guarded, InternalError};
pub(crate) use crate::pickle::Reduced;
use crate::{error, shape, tensor};

/// How a tensor's elements lie in its buffers (format: layouts.md).
///
/// Immutable, compared by value, hashable. The base itself is what a layout reports that this
/// release has no class for yet: ``tag`` and ``name`` hold.
#[pyclass(frozen, subclass, module = "hurray")]
pub(crate) struct Layout {
    pub(crate) inner: LayoutDescriptor,
}

/// Gives a class the one variant that its objects hold.
macro_rules! holds {
    ($class:ident: $variant:ident($core:ty)) => {
        impl $class {
            fn held<'a>(slf: &'a pyo3::Bound<'_, Self>) -> pyo3::PyResult<&'a $core> {
                match &slf.as_super().get().inner {
                    hurray_core::LayoutDescriptor::$variant(held) => Ok(held),
                    other => Err($crate::layout::strange(other)),
                }
            }
        }
    };
}
use holds;

#[cold]
fn strange(held: &LayoutDescriptor) -> PyErr {
    InternalError::new_err(format!("a layout object of another class holds {held:?}"))
}

/// The name that the format gives a layout; one name for all private and unknown ones, and for what a
/// newer core may add.
pub(crate) fn name(layout: &LayoutDescriptor) -> &'static str {
    hurray_wire::layout_name(layout)
}

/// Whether every element has an address in buffer 0.
pub(crate) fn is_dense(layout: &LayoutDescriptor) -> bool {
    use LayoutDescriptor as L;
    matches!(layout, L::RowMajor | L::ColMajor | L::Strided(_) | L::Tiled(_) | L::Morton(_) | L::Hilbert(_))
}

/// The object of a layout.
pub(crate) fn to_python(py: Python<'_>, inner: &LayoutDescriptor) -> PyResult<Py<PyAny>> {
    use LayoutDescriptor as L;
    let base = Layout { inner: inner.clone() };
    match inner {
        L::RowMajor => object(py, base, RowMajorLayout),
        L::ColMajor => object(py, base, ColMajorLayout),
        L::Strided(_) => object(py, base, StridedLayout),
        L::Tiled(_) => object(py, base, TiledLayout),
        L::Morton(_) => object(py, base, MortonLayout),
        L::Hilbert(_) => object(py, base, HilbertLayout),
        L::Coo(_) => object(py, base, CooLayout),
        L::Csr(_) => object(py, base, CsrLayout),
        L::Csc(_) => object(py, base, CscLayout),
        L::Csf(_) => object(py, base, CsfLayout),
        L::BlockPaged(_) => object(py, base, BlockPagedLayout),
        L::Composite(_) => object(py, base, CompositeLayout),
        L::PrivateExtension(_) => object(py, base, PrivateExtensionLayout),
        L::Unknown(_) => object(py, base, UnknownLayout),
        // What a newer core has and this release does not: its tag, and no claim that nobody knows it.
        _ => Ok(Py::new(py, base)?.into_any()),
    }
}

/// The same layout as of a release that has no class for it, for the test of that.
#[pyfunction]
pub(crate) fn _bare(layout: &Bound<'_, Layout>) -> Layout {
    Layout { inner: layout.get().inner.clone() }
}

fn object<T>(py: Python<'_>, base: Layout, class: T) -> PyResult<Py<PyAny>>
where
    T: pyo3::PyClass<BaseType = Layout>,
{
    Ok(Py::new(py, PyClassInitializer::from(base).add_subclass(class))?.into_any())
}

/// The base of a layout made from arguments: some shape must go with it, by the very rules that a tensor's
/// shape is checked with.
fn sound(py: Python<'_>, inner: LayoutDescriptor) -> PyResult<PyClassInitializer<Layout>> {
    use LayoutDescriptor as L;
    let rank = match &inner {
        L::Tiled(tiled) => tiled.tile_shape.len(),
        L::Morton(morton) => morton.morton_bits.len(),
        L::Hilbert(hilbert) => hilbert.hilbert_rank as usize,
        L::Csf(csf) => csf.mode_order.len(),
        L::Csr(_) | L::Csc(_) => 2,
        L::BlockPaged(_) => 3,
        _ => 1,
    };
    // A partition's or overlay's head has no dynamic dimension.
    let dim = if inner.is_virtual() { 1 } else { hurray_core::DYNAMIC };
    let shape = Shape::new(vec![dim; rank]).map_err(tensor::invalid)?;
    guarded(|| fits(py, &inner, shape))?;
    Ok(PyClassInitializer::from(Layout { inner }))
}

/// The shape tier for a layout and a shape.
fn fits(py: Python<'_>, layout: &LayoutDescriptor, shape: Shape) -> PyResult<()> {
    check::shape_tier(&probe(layout, shape)?).map_err(|fault| error::fault(py, &fault))
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
    /// A dynamic dimension (``None``) violates no constraint on extents. What a Tensor's constructor refuses of layout and
    /// shape is refused here, with the same ``code`` (requirements: Checking a layout against a shape; format: layouts.md §13). Raises
    /// ``TypeError`` for what is no shape.
    fn validate_against_shape(&self, py: Python<'_>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| fits(py, &self.inner, shape::from_python(shape)?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.inner == other.get().inner)
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.inner)
    }

    /// The layout itself, which nothing can change.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The layout itself, which nothing can change.
    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }

    fn __repr__(&self) -> String {
        format!("Layout(tag=0x{:02X}, name='{}')", self.inner.tag(), name(&self.inner))
    }
}
