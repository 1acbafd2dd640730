//! One member of a composite, and what it is to its parent.

use std::sync::Arc;

use hurray_core::{CompositeMemberDescriptor, MemberRole, TensorDescriptor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::Composite;
use crate::error::kind;
use crate::tensor::Tensor;

/// A tensor, or a composite of its own.
pub(crate) enum Member<'py> {
    Tensor(Bound<'py, Tensor>),
    Composite(Bound<'py, Composite>),
}

impl<'py> Member<'py> {
    /// `TypeError` naming the place for anything else (requirements: Composites, members).
    pub(super) fn of(at: usize, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(tensor) = object.cast::<Tensor>() {
            return Ok(Self::Tensor(tensor.clone()));
        }
        let composite = object.cast::<Composite>().map_err(|_| {
            PyTypeError::new_err(format!(
                "members[{at}] is a hurray.Tensor or a hurray.Composite, got {}; hurray.asarray makes a tensor of an array",
                kind(object)
            ))
        })?;
        Ok(Self::Composite(composite.clone()))
    }

    pub(crate) fn into_object(self) -> Bound<'py, PyAny> {
        match self {
            Self::Tensor(tensor) => tensor.into_any(),
            Self::Composite(composite) => composite.into_any(),
        }
    }

    /// Levels of heads.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Tensor(_) => 0,
            Self::Composite(composite) => composite.get().depth,
        }
    }

    pub(super) fn descriptor(&self) -> &Arc<TensorDescriptor> {
        match self {
            Self::Tensor(tensor) => &tensor.get().descriptor,
            Self::Composite(composite) => &composite.get().head,
        }
    }
}

/// The word for a role.
fn role_name(role: MemberRole) -> Option<&'static str> {
    match role {
        MemberRole::Base => Some("base"),
        MemberRole::Correction => Some("correction"),
        // The core leaves room for more; no descriptor that decodes has them.
        _ => None,
    }
}

impl Composite {
    /// The members, each as what it is.
    pub(super) fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Member<'py>>> {
        self.members.bind(py).iter().enumerate().map(|(at, object)| Member::of(at, &object)).collect()
    }

    /// The role of a member: the one that it came with, else the one that its place gives it
    /// (requirements: Overlay member roles).
    fn role(&self, at: usize, member: &Member<'_>) -> Option<MemberRole> {
        if let Some(section) = member.descriptor().composite_member {
            return Some(section.member_role);
        }
        // A head has no member section (L-42), so one in an overlay is refused for want of it.
        let placed = self.overlays() && matches!(member, Member::Tensor(_));
        placed.then_some(if at == 0 { MemberRole::Base } else { MemberRole::Correction })
    }

    /// The same in words.
    pub(super) fn role_name(&self, at: usize, member: &Member<'_>) -> Option<&'static str> {
        self.role(at, member).and_then(role_name)
    }

    /// A member's descriptor as it stands among its parent's.
    pub(super) fn as_member(&self, at: usize, member: &Member<'_>) -> Arc<TensorDescriptor> {
        let own = member.descriptor();
        match self.role(at, member) {
            Some(member_role) if own.composite_member.is_none() => {
                let mut presented = (**own).clone();
                presented.composite_member = Some(CompositeMemberDescriptor { member_role });
                Arc::new(presented)
            }
            _ => Arc::clone(own),
        }
    }
}
