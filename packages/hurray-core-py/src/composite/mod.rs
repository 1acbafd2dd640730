//! Composites: a head that owns no data, and the tensors that make it up (format: layouts.md §11).

mod class;
mod equal;
mod member;
mod shown;

use std::sync::Arc;

use hurray_core::{CompositeValidator, LayoutDescriptor, TensorDescriptor};
use hurray_wire::{agree, check, Fault};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

pub(crate) use class::{_composite, Composite};
pub(crate) use member::Member;

use crate::error::{self, InvalidDescriptorError};
use crate::tensor;

/// Levels of heads that an object may have. Files hold 8 (format: layouts.md §11), streams what their reader is told;
/// this bounds the stack that giving one up takes.
const MAX_DEPTH: usize = 128;

impl Composite {
    /// A head over members, in order, all rules of the format between them checked.
    pub(crate) fn of(py: Python<'_>, head: Arc<TensorDescriptor>, members: Vec<Member>) -> PyResult<Self> {
        check::all(&head).map_err(|fault| error::fault(py, &fault))?;
        let counted = match &head.layout {
            LayoutDescriptor::Composite(layout) => layout.member_count as usize,
            _ => return Err(InvalidDescriptorError::new_err("the descriptor is a tensor's, not a composite head's")),
        };
        if counted != members.len() {
            let text = format!("the head counts {counted} members, and {} are given", members.len());
            return Err(InvalidDescriptorError::new_err(text));
        }
        let this = Self::assembled(py, head, members)?;
        let presented: Vec<Arc<TensorDescriptor>> = this.presented(py)?;
        this.overlay_of_tensors(py)?;
        agree(&this.head, presented.iter().map(|one| &**one)).map_err(|fault| this.refused(py, &fault, &presented))?;
        this.validated(&presented).map_err(tensor::invalid)?;
        Ok(this)
    }

    /// As `of`, where a reader has checked what goes together.
    pub(crate) fn assembled(py: Python<'_>, head: Arc<TensorDescriptor>, members: Vec<Member>) -> PyResult<Self> {
        let depth = 1 + members.iter().map(Member::depth).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(InvalidDescriptorError::new_err(format!(
                "composites nested {depth} deep; an object holds {MAX_DEPTH} levels of heads, and a file 8"
            )));
        }
        let members = PyTuple::new(py, members.into_iter().map(Member::into_object))?.unbind();
        Ok(Self { head, members, depth })
    }

    /// An overlay's members have roles, and a head has no section for one (L-42).
    fn overlay_of_tensors(&self, py: Python<'_>) -> PyResult<()> {
        let nested = self.members(py)?.iter().position(|member| matches!(member, Member::Composite(_)));
        match nested.filter(|_| self.overlays()) {
            Some(at) => Err(error::coded(
                py,
                &Fault::HeadSections,
                format!(
                    "members[{at}] is a Composite; an overlay takes Tensors alone, since a head cannot have a role"
                ),
            )),
            None => Ok(()),
        }
    }

    /// A broken rule, with the values that break it and the way out where they are known here.
    fn refused(&self, py: Python<'_>, fault: &Fault, members: &[Arc<TensorDescriptor>]) -> PyErr {
        let Fault::MemberBox { member } = *fault else { return error::fault(py, fault) };
        let head = &self.head.shape;
        let text = match members.get(member).and_then(|descriptor| descriptor.shard.as_ref()) {
            None => format!("members[{member}] has no place in the head: give it shard=hurray.Shard({head}, offset)"),
            Some(shard) => format!(
                "members[{member}] lies in a parent of shape {:?}, and the head has shape {head}; both are the same",
                shard.parent_shape
            ),
        };
        error::coded(py, fault, text)
    }

    /// Requirements, Composites: the core's validator has the last word. What overflows in it has been refused.
    fn validated(&self, members: &[Arc<TensorDescriptor>]) -> hurray_core::Result<()> {
        let mut validator = CompositeValidator::new(&self.head)?;
        members.iter().try_for_each(|member| validator.push_member(member))?;
        validator.finish()
    }

    /// The members as their parent's members: with the roles that their places give them.
    fn presented(&self, py: Python<'_>) -> PyResult<Vec<Arc<TensorDescriptor>>> {
        let members = self.members(py)?;
        Ok(members.iter().enumerate().map(|(at, member)| self.as_member(at, member)).collect())
    }

    /// Every tensor of the composite in the order in which files and streams hold them: the head, then each member,
    /// a nested composite with all of its own (format: file.md §7, stream.md §8).
    pub(crate) fn pre_order(&self, py: Python<'_>, visit: &mut Visit<'_>) -> PyResult<()> {
        visit(&[], Arc::clone(&self.head), None)?;
        self.pre_order_of_members(py, &mut Vec::new(), visit)
    }

    fn pre_order_of_members(&self, py: Python<'_>, place: &mut Vec<usize>, visit: &mut Visit<'_>) -> PyResult<()> {
        for (at, member) in self.members(py)?.into_iter().enumerate() {
            py.check_signals()?;
            place.push(at);
            let descriptor = self.as_member(at, &member);
            match &member {
                Member::Tensor(tensor) => visit(place, descriptor, Some(tensor))?,
                Member::Composite(inner) => {
                    visit(place, descriptor, None)?;
                    inner.get().pre_order_of_members(py, place, visit)?;
                }
            }
            place.pop();
        }
        Ok(())
    }

    /// Levels of heads, this one included.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether a head overlays its members, whose places then say their roles.
    fn overlays(&self) -> bool {
        matches!(&self.head.layout, LayoutDescriptor::Composite(layout)
            if matches!(layout.rule, hurray_core::CompositionRule::Overlay(_)))
    }
}

/// Gets a place (the index at each level), the descriptor there, and the tensor, which a head is not.
pub(crate) type Visit<'a> =
    dyn FnMut(&[usize], Arc<TensorDescriptor>, Option<&Bound<'_, tensor::Tensor>>) -> PyResult<()> + 'a;
