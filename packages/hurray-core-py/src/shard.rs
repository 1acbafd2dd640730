//! The shard section (format: descriptor.md §6.2).

use hurray_core::{ShardDescriptor as Section, DYNAMIC, MAX_RANK};
use hurray_wire::Fault;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::{self, kind, InvalidDescriptorError};
use crate::int::within;
use crate::pickle::Reduced;

/// Where a tensor lies in a larger one (format: descriptor.md §6.2).
///
/// ``parent_shape`` is the shape of the whole, ``shard_offset`` the index of this tensor's element
/// [0, …, 0] in it; both have the tensor's rank and are in elements. A tensor that has it keeps
/// ``shard_offset[k] + shape[k] <= parent_shape[k]`` (D-44). Compared by value, hashable.
///
/// Raises ``InvalidDescriptorError`` when the two differ in length or have more than 64 dimensions, and
/// for a dynamic dimension (``None``), which a shard cannot have (D-45).
#[pyclass(frozen, eq, hash, module = "hurray")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Shard {
    parent_shape: Vec<u64>,
    shard_offset: Vec<u64>,
}

/// The section that a `Shard` holds; `TypeError` for anything else.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Section> {
    let shard = object.cast::<Shard>().map_err(|_| {
        let text = "shard is a hurray.Shard(parent_shape, shard_offset)";
        PyTypeError::new_err(format!("{text}, got {}", kind(object)))
    })?;
    let (parent_shape, shard_offset) = (shard.get().parent_shape.clone(), shard.get().shard_offset.clone());
    Ok(Section { parent_shape, shard_offset })
}

/// The object of a section.
pub(crate) fn to_python(py: Python<'_>, section: &Section) -> PyResult<Py<PyAny>> {
    let (parent_shape, shard_offset) = (section.parent_shape.clone(), section.shard_offset.clone());
    Ok(Py::new(py, Shard { parent_shape, shard_offset })?.into_any())
}

fn sizes(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u64>> {
    let items = given
        .try_iter()
        .map_err(|_| PyTypeError::new_err(format!("{name} is a sequence of ints, got {}", kind(given))))?;
    let mut sizes = Vec::new();
    for (dim, item) in items.enumerate() {
        // Bounded here, since an iterator may have no end.
        if dim >= MAX_RANK {
            let text = format!("{name} has more than {MAX_RANK} dimensions, the format's limit");
            return Err(error::coded(given.py(), &Fault::Rank { rank: u32::MAX }, text));
        }
        let item = item?;
        if item.is_none() {
            let text = format!("{name}[{dim}] is None; a shard needs static sizes");
            return Err(error::coded(given.py(), &Fault::ShardDynamic { dim }, text));
        }
        sizes.push(within(&item, &format!("{name}[{dim}]"), 0, DYNAMIC - 1)?);
    }
    Ok(sizes)
}

fn listed(sizes: &[u64]) -> String {
    let numbers: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("({}{comma})", numbers.join(", "))
}

/// The class and its two arguments.
#[pymethods]
impl Shard {
    #[new]
    fn new(parent_shape: &Bound<'_, PyAny>, shard_offset: &Bound<'_, PyAny>) -> PyResult<Self> {
        let parent_shape = sizes(parent_shape, "parent_shape")?;
        let shard_offset = sizes(shard_offset, "shard_offset")?;
        if parent_shape.len() != shard_offset.len() {
            return Err(InvalidDescriptorError::new_err(format!(
                "parent_shape has {} dimensions and shard_offset has {}; both have the tensor's rank",
                parent_shape.len(),
                shard_offset.len()
            )));
        }
        Ok(Self { parent_shape, shard_offset })
    }

    /// Shape of the whole tensor, in elements.
    #[getter]
    fn parent_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.parent_shape)
    }

    /// Index of this tensor's element [0, …, 0] in the whole.
    #[getter]
    fn shard_offset<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shard_offset)
    }

    fn __repr__(&self) -> String {
        format!("Shard(parent_shape={}, shard_offset={})", listed(&self.parent_shape), listed(&self.shard_offset))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
        let (py, shard) = (slf.py(), slf.get());
        Ok((slf.get_type().into_any(), (shard.parent_shape(py)?, shard.shard_offset(py)?)))
    }
}
