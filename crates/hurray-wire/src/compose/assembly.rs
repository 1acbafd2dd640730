//! Heads and members in the order they come, whatever they come from (layouts.md §11).

use super::level::Level;
use crate::format::MAX_COMPOSITE_DEPTH;
use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor};

/// The heads that are open, outermost first. Feed it every descriptor in order.
#[derive(Debug, Clone)]
pub(crate) struct Assembly {
    levels: Vec<Level>,
    /// How many may be open at once.
    depth: usize,
}

impl Default for Assembly {
    /// As deep as the format goes (F-43).
    fn default() -> Self {
        Self::nested(MAX_COMPOSITE_DEPTH)
    }
}

impl Assembly {
    /// With a depth of the caller's.
    pub(crate) fn nested(depth: usize) -> Self {
        Self { levels: Vec::new(), depth }
    }

    /// Whether the next descriptor is a member.
    pub(crate) fn is_open(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Members the innermost open head claims, and those still to come.
    pub(crate) fn claim(&self) -> Option<(u32, u32)> {
        self.levels.last().map(|level| (level.claimed, level.left()))
    }

    /// Whether a descriptor may come next: F-43, L-47 to L-52. Changes nothing.
    pub(crate) fn admit(&self, d: &TensorDescriptor) -> Result<(), Fault> {
        if let Some(level) = self.levels.last() {
            level.admit(d)?;
        }
        if let LayoutDescriptor::Composite(layout) = &d.layout {
            if self.levels.len() >= self.depth {
                let limit = self.depth;
                return Err(Fault::TooDeep { limit });
            }
            if layout.member_count > 0 {
                return Ok(());
            }
            Level::new(d, layout).close(None)?;
        }
        let mut last = Some(d);
        for level in self.levels.iter().rev() {
            // A nested head was accepted by the level around it when it opened.
            let left = level.left().saturating_sub(u32::from(last.is_some()));
            if left > 0 {
                break;
            }
            level.close(last.take())?;
        }
        Ok(())
    }

    /// Takes a descriptor that was admitted. Returns how many heads are complete with it.
    pub(crate) fn accept(&mut self, d: &TensorDescriptor) -> usize {
        if let Some(level) = self.levels.last_mut() {
            level.accept(d);
        }
        if let LayoutDescriptor::Composite(layout) = &d.layout {
            self.levels.push(Level::new(d, layout));
        }
        let open = self.levels.len();
        while self.levels.last().is_some_and(|level| level.left() == 0) {
            self.levels.pop();
        }
        open - self.levels.len()
    }
}
