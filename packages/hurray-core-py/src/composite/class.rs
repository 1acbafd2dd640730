//! What Python sees of a composite.

use std::sync::Arc;

use hurray_core::{LayoutDescriptor, TensorDescriptor, DYNAMIC};
use hurray_core::{DESCRIPTOR_VERSION_MAJOR, DESCRIPTOR_VERSION_MINOR};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Member;
use crate::descriptor::{device_of, Descriptor};
use crate::error::{guarded, kind, InvalidDescriptorError};
use crate::layout::{CompositeLayout, Layout};
use crate::pickle::{function, Reduced};
use crate::{dtype, layout, shape, shard};

/// A composite: a head that owns no data, and the tensors that make it up (requirements: Composites; format:
/// layouts.md §11).
///
/// ``composition_rule`` is ``"partition"`` (the members' boxes cover the head's shape exactly once), ``"overlay"`` (a
/// base that spans it and corrections on top, combined by ``combine_op``: ``"replace"`` or ``"add"``) or ``"group"`` (no
/// spatial meaning). ``shape`` and ``dtype`` are the view that the head presents, in elements; nothing is derived from
/// the members. ``members`` are Tensors and Composites, in order; those of a partition or an overlay say by their
/// ``shard`` where they lie in the head. ``shard`` says where a partition that is itself a member lies.
///
/// The data is the members': a composite has no buffers, no array and no values. Two are equal when their heads, roles
/// and all members' bytes are; unhashable. Files hold 8 levels of nesting.
///
/// Raises ``InvalidDescriptorError`` with ``code`` the broken rule (L-43 to L-55), or for a dynamic dimension, and
/// ``TypeError`` naming the place of a member that is neither Tensor nor Composite.
///
/// >>> import hurray
/// >>> left = hurray.Tensor(bytes(4), "uint8", (2, 2), shard=hurray.Shard((2, 4), (0, 0)))
/// >>> right = hurray.Tensor(bytes(4), "uint8", (2, 2), shard=hurray.Shard((2, 4), (0, 2)))
/// >>> hurray.Composite("partition", shape=(2, 4), dtype="uint8", members=[left, right])
/// hurray.Composite('partition', shape=(2, 4), dtype=uint8, members=[
///     hurray.Tensor(shape=(2, 2), dtype=uint8, shard_offset=(0, 0)),
///     hurray.Tensor(shape=(2, 2), dtype=uint8, shard_offset=(0, 2)),
/// ])
#[pyclass(frozen, weakref, module = "hurray")]
pub(crate) struct Composite {
    pub(super) head: Arc<TensorDescriptor>,
    /// Tensors and Composites.
    pub(super) members: Py<PyTuple>,
    /// Levels of heads, this one included.
    pub(super) depth: usize,
}

/// What tensors have, and composites leave to their members (requirements: Composites, Surface).
const OF_MEMBERS: [&str; 13] = [
    "values",
    "buffer",
    "buffer_count",
    "buffer_handles",
    "__array__",
    "__dlpack__",
    "__dlpack_device__",
    "__hurray__",
    "device",
    "tolist",
    "tobytes",
    "to",
    "nbytes",
];

fn collected<'py>(members: &Bound<'py, PyAny>) -> PyResult<Vec<Member<'py>>> {
    let items = members.try_iter().map_err(|_| {
        PyTypeError::new_err(format!("members is a sequence of Tensors and Composites, got {}", kind(members)))
    })?;
    items.enumerate().map(|(at, item)| Member::of(at, &item?)).collect()
}

#[pymethods]
impl Composite {
    #[new]
    #[pyo3(signature = (composition_rule, *, shape, dtype, members, combine_op=None, shard=None))]
    fn new(
        composition_rule: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        members: &Bound<'_, PyAny>,
        combine_op: Option<&Bound<'_, PyAny>>,
        shard: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        guarded(|| {
            let py = members.py();
            let members = collected(members)?;
            // The layout says what is wrong with a rule, an operation, or a count.
            let layout = py.get_type::<CompositeLayout>().call1((composition_rule, members.len(), combine_op))?;
            let shape = shape::from_python(shape)?;
            if let Some(index) = shape.dims().iter().position(|&dim| dim == DYNAMIC) {
                return Err(InvalidDescriptorError::new_err(format!(
                    "Composite needs every extent, and shape[{index}] is None, a dynamic dimension"
                )));
            }
            let head = TensorDescriptor {
                version_major: DESCRIPTOR_VERSION_MAJOR,
                version_minor: DESCRIPTOR_VERSION_MINOR,
                element_type: dtype::element_type(dtype)?,
                shape,
                byte_offset: 0,
                layout: layout.cast::<Layout>()?.get().inner.clone(),
                buffers: Vec::new(),
                quantization: None,
                shard: shard.map(shard::of).transpose()?,
                statistics: None,
                extension_type: None,
                composite_member: None,
            };
            Self::of(py, Arc::new(head), members)
        })
    }

    /// The head's descriptor, which has no buffers.
    #[getter]
    fn descriptor(&self, py: Python<'_>) -> PyResult<Descriptor> {
        Ok(Descriptor::new(Arc::clone(&self.head), device_of(py, &self.head)?))
    }

    /// The element type that the head presents.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<dtype::Dtype>> {
        dtype::of(py, self.head.element_type)
    }

    /// The head's layout, a ``CompositeLayout``: rule, operation and number of members.
    #[getter]
    fn layout(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        layout::to_python(py, &self.head.layout)
    }

    /// Number of members; those of a nested composite count as one.
    #[getter]
    fn member_count(&self) -> u32 {
        match &self.head.layout {
            LayoutDescriptor::Composite(layout) => layout.member_count,
            _ => 0,
        }
    }

    /// ``"base"``, ``"correction"`` or ``None`` for each member (requirements: Overlay member roles): those of an
    /// overlay have one by their place, or keep the one that they were read with.
    #[getter]
    fn member_roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let name = |(at, member): (usize, &Member<'_>)| self.role_name(at, member);
        PyTuple::new(py, self.members(py)?.iter().enumerate().map(name).collect::<Vec<_>>())
    }

    /// The members, in order: Tensors and Composites.
    #[getter]
    #[pyo3(name = "members")]
    fn members_tuple(&self, py: Python<'_>) -> Py<PyTuple> {
        self.members.clone_ref(py)
    }

    /// Number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.head.shape.rank()
    }

    /// Extents of the view that the head presents, in elements.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        shape::to_python(py, &self.head.shape)
    }

    /// Where it lies in the composite that it is a member of, ``None`` where nobody says.
    #[getter]
    fn shard(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.head.shard.as_ref().map(|section| shard::to_python(py, section)).transpose()
    }

    /// By value, down to the members' bytes (04-tables section 3, ruling 14).
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => guarded(|| self.equals(py, other.get())),
            Err(_) => Ok(false),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guarded(|| self.text(py))
    }

    /// What a tensor has, and a composite has not, says where it is.
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        let why =
            if OF_MEMBERS.contains(&name) { "; a composite owns no data: its members do, in c.members" } else { "" };
        Err(PyAttributeError::new_err(format!("'hurray.Composite' object has no attribute {name:?}{why}")))
    }

    /// The head and the members, each pickled as itself: protocol 5 hands their buffers over by reference.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Descriptor, Py<PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        Ok((function(py, "_composite")?, (this.descriptor(py)?, this.members.clone_ref(py))))
    }

    /// Another composite of the same members.
    fn __copy__(&self, py: Python<'_>) -> Self {
        Self { head: Arc::clone(&self.head), members: self.members.clone_ref(py), depth: self.depth }
    }

    /// The same composite of members over memory of their own.
    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        let copied = py.import(intern!(py, "copy"))?.call_method1(intern!(py, "deepcopy"), (&self.members, memo))?;
        let members = collected(&copied)?;
        Self::assembled(py, Arc::clone(&self.head), members)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.members)
    }
}

/// A composite of the head that a descriptor declares, every rule checked again: a pickle may say anything.
#[pyfunction]
pub(crate) fn _composite(descriptor: &Bound<'_, Descriptor>, members: &Bound<'_, PyAny>) -> PyResult<Composite> {
    guarded(|| Composite::of(members.py(), Arc::clone(&descriptor.get().inner), collected(members)?))
}
