//! Composites of a file: heads, with their members around them again (format: file.md §7).

use std::sync::Arc;
use std::vec;

use hurray_core::TensorDescriptor;
use hurray_wire::{Composite as Tree, Member as Branch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::opened::{Found, Opened};
use crate::composite::{Composite, Member};
use crate::error::{self, InternalError};
use crate::tensor::Tensor;

/// The entries of a composite in the order in which a file holds them.
fn entries(tree: &Tree, visit: &mut dyn FnMut(usize)) {
    visit(tree.head);
    for member in &tree.members {
        match member {
            Branch::Tensor(index) => visit(*index),
            Branch::Composite(inner) => entries(inner, visit),
        }
    }
}

/// The parts of composites that are put together, each taken once and in the file's order.
struct Parts<'a, 'py> {
    heads: vec::IntoIter<Arc<TensorDescriptor>>,
    tensor: &'a mut dyn FnMut(usize) -> PyResult<Bound<'py, Tensor>>,
}

impl<'py> Parts<'_, 'py> {
    fn composite(&mut self, py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, Composite>> {
        let head = self.heads.next().ok_or_else(|| InternalError::new_err("a composite lost its head"))?;
        let member = |branch: &Branch| match branch {
            Branch::Tensor(index) => (self.tensor)(*index).map(Member::Tensor),
            Branch::Composite(inner) => self.composite(py, inner).map(Member::Composite),
        };
        let members = tree.members.iter().map(member).collect::<PyResult<Vec<_>>>()?;
        Bound::new(py, Composite::assembled(py, head, members)?)
    }
}

/// Heads apart from what has memory.
fn parted(all: Vec<Found>) -> (Vec<Arc<TensorDescriptor>>, Vec<Found>) {
    let (heads, tensors): (Vec<Found>, Vec<Found>) = all.into_iter().partition(Found::is_head);
    (heads.into_iter().map(Found::into_descriptor).collect(), tensors)
}

impl Opened {
    /// What an entry stands for: a tensor, or a composite with all of its members.
    pub(super) fn object<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let failed = |bad| error::wire(py, bad, &self.name);
        let found = self.find(&[index]).map_err(failed)?;
        if !found.iter().any(Found::is_head) {
            let missing = || InternalError::new_err("a tensor that was found is missing");
            let (_, tensor) = self.tensors(py, found)?.next().ok_or_else(missing)??;
            return Ok(tensor.object(py)?.into_any());
        }
        let tree = py.detach(|| self.container.composite_at(&self.source, index)).map_err(failed)?;
        let mut indices = Vec::new();
        entries(&tree, &mut |index| indices.push(index));
        let (heads, leaves) = parted(py.detach(|| self.find(&indices)).map_err(failed)?);
        let mut tensors = self.tensors(py, leaves)?;
        let mut next = |_| taken(py, tensors.next());
        let mut parts = Parts { heads: heads.into_iter(), tensor: &mut next };
        Ok(parts.composite(py, &tree)?.into_any())
    }

    /// Everything in the file by name, members under their heads alone. `made` holds the tensors that were made
    /// before the first head was met, which are not handed out twice.
    pub(super) fn everything<'py>(&self, py: Python<'py>, made: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        let failed = |bad| error::wire(py, bad, &self.name);
        let count = self.container.len();
        let found = py.detach(|| self.find(&(0..count).collect::<Vec<_>>())).map_err(failed)?;
        let descriptors: Vec<Arc<TensorDescriptor>> = found.iter().map(Found::descriptor).collect();
        let trees = py.detach(|| self.container.composites_of(&descriptors)).map_err(failed)?;
        let mut top: Vec<Option<Option<&Tree>>> = vec![Some(None); count];
        for tree in &trees {
            entries(tree, &mut |index| top[index] = None);
            top[tree.head] = Some(Some(tree));
        }
        // What is built first is taken first: top-level entries as the index has them, each composite whole.
        let mut order = Vec::with_capacity(count);
        for (index, entry) in top.iter().enumerate() {
            match entry {
                Some(Some(tree)) => entries(tree, &mut |index| order.push(index)),
                Some(None) => order.push(index),
                None => {}
            }
        }
        let before = |index: usize| made.get_item(self.container.entry(index).name);
        let mut slots: Vec<Option<Found>> = found.into_iter().map(Some).collect();
        let mut wanted = Vec::with_capacity(count);
        for index in order {
            if before(index)?.is_none() {
                wanted.extend(slots[index].take());
            }
        }
        let (heads, leaves) = parted(wanted);
        let mut tensors = self.tensors(py, leaves)?;
        let mut next = |index: usize| match before(index)? {
            Some(made) => Ok(made.cast_into::<Tensor>()?),
            None => taken(py, tensors.next()),
        };
        let mut parts = Parts { heads: heads.into_iter(), tensor: &mut next };
        let dict = PyDict::new(py);
        for (index, entry) in top.iter().enumerate() {
            let object = match entry {
                Some(Some(tree)) => parts.composite(py, tree)?.into_any(),
                Some(None) => (parts.tensor)(index)?.into_any(),
                None => continue,
            };
            dict.set_item(self.container.entry(index).name, object)?;
        }
        Ok(dict)
    }

    /// The names of a composite's members, in order; those of a nested one are its own.
    pub(super) fn member_names(&self, py: Python<'_>, head: usize) -> PyResult<Vec<&str>> {
        let tree = py.detach(|| self.container.composite_at(&self.source, head));
        let tree = tree.map_err(|bad| error::wire(py, bad, &self.name))?;
        let index = |branch: &Branch| match branch {
            Branch::Tensor(index) => *index,
            Branch::Composite(inner) => inner.head,
        };
        Ok(tree.members.iter().map(|branch| self.container.entry(index(branch)).name).collect())
    }
}

fn taken<'py>(py: Python<'py>, next: Option<PyResult<(usize, Tensor)>>) -> PyResult<Bound<'py, Tensor>> {
    let (_, tensor) = next.ok_or_else(|| InternalError::new_err("a composite lost a member"))??;
    py.check_signals()?;
    tensor.object(py)
}
