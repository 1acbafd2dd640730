//! The shape of composites: heads with their members, as positions.

use super::Assembly;
use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor};

/// A head and its members, in member order. Nested at most 8 deep (F-43).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composite {
    /// The head's position in the index.
    pub head: usize,
    /// Its members.
    pub members: Vec<Member>,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Member {
    /// A tensor, by its position in the index.
    Tensor(usize),
    /// A head with members of its own.
    Composite(Composite),
}

/// Builds composites out of a sequence of descriptors.
#[derive(Default)]
pub(super) struct Forest {
    assembly: Assembly,
    open: Vec<Composite>,
    done: Vec<Composite>,
}

impl Forest {
    pub(super) fn is_open(&self) -> bool {
        self.assembly.is_open()
    }

    pub(super) fn push(&mut self, i: usize, d: &TensorDescriptor) -> Result<(), Fault> {
        self.assembly.admit(d)?;
        let closed = self.assembly.accept(d);
        if let LayoutDescriptor::Composite(_) = d.layout {
            self.open.push(Composite { head: i, members: Vec::new() });
        } else if let Some(top) = self.open.last_mut() {
            top.members.push(Member::Tensor(i));
        }
        for _ in 0..closed {
            self.close();
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(complete) = self.open.pop() else {
            return;
        };
        match self.open.last_mut() {
            Some(around) => around.members.push(Member::Composite(complete)),
            None => self.done.push(complete),
        }
    }

    /// Gives up the open composite after a fault in it.
    pub(super) fn abandon(&mut self) {
        self.assembly = Assembly::default();
        self.open.clear();
    }

    /// The innermost head that lacks members: its position, what it claims, what is missing.
    pub(super) fn torn(&self) -> Option<(usize, u32, u32)> {
        let (claimed, left) = self.assembly.claim()?;
        self.open.last().map(|c| (c.head, claimed, left))
    }

    pub(super) fn done(self) -> Vec<Composite> {
        self.done
    }
}
