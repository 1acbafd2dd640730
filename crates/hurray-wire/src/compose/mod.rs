//! Composites: which tensors of a file belong together (file.md §7, layouts.md §11).

mod assembly;
mod boxes;
mod level;
mod tree;
mod wide;

pub(crate) use assembly::Assembly;
use level::Level;
pub use tree::{Composite, Member};

use crate::check;
use crate::container::Container;
use crate::read_at::ReadAt;
use crate::sink::{First, Sink};
use crate::{Error, Fault};
use hurray_core::layout::TAG_COMPOSITE;
use hurray_core::{LayoutDescriptor, TensorDescriptor};
use std::borrow::{Borrow, Cow};
use tree::Forest;

/// Where a descriptor keeps its layout tag (descriptor.md §2).
const LAYOUT_AT: u64 = 15;

impl Container {
    /// The composites of the file, outermost heads by ascending descriptor_offset.
    ///
    /// Looks at the layout tag of every tensor, and decodes only heads and members.
    ///
    /// # Errors
    /// [`Error::Io`] from the source; [`Error::Bad`] for F-42, F-43, the rules of layouts.md §11
    /// that F-44 stands for, and the descriptor rules of heads and members.
    pub fn composites<S: ReadAt + ?Sized>(&self, source: &S) -> Result<Vec<Composite>, Error> {
        self.gather(&mut First, |i, inside| {
            if !inside && !self.is_head(source, i)? {
                return Ok(None);
            }
            let bytes = self.descriptor_bytes(source, i)?;
            let bad = |fault| self.bad(i, fault);
            let descriptor = check::decode(&bytes).map_err(bad)?;
            check::shape_tier(&descriptor).map_err(bad)?;
            check::count_tier(&descriptor).map_err(bad)?;
            Ok(Some(Cow::Owned(descriptor)))
        })
    }

    /// The same from descriptors that were read already, one per entry in index order.
    ///
    /// # Errors
    /// As [`composites`](Self::composites), without what only reading can break.
    pub fn composites_of<D: Borrow<TensorDescriptor>>(&self, descriptors: &[D]) -> Result<Vec<Composite>, Error> {
        self.gather(&mut First, |i, _| Ok(descriptors.get(i).map(|d| Cow::Borrowed(d.borrow()))))
    }

    /// The composite whose head is entry `head`, a nested one too; reads it and no other tensor.
    ///
    /// # Errors
    /// As [`composites`](Self::composites), of this composite alone.
    ///
    /// # Panics
    /// If `head` is not below [`len`](Self::len), or is no composite head.
    pub fn composite_at<S: ReadAt + ?Sized>(&self, source: &S, head: usize) -> Result<Composite, Error> {
        let mut forest = Forest::default();
        for k in self.place_of(head)..self.len() {
            let i = self.by_offset(k);
            let d = self.tensor(source, i)?.descriptor;
            let following = (self.len() - k - 1) as u64;
            room(&d, following).and_then(|()| forest.push(i, &d)).map_err(|fault| self.bad(i, fault))?;
            if !forest.is_open() {
                break;
            }
        }
        if let Some((head, claimed, left)) = forest.torn() {
            let following = u64::from(claimed - left);
            return Err(self.bad(head, Fault::TornComposite { claimed, following }));
        }
        let complete = forest.done().pop();
        Ok(complete.unwrap_or_else(|| panic!("entry {head} is no composite head")))
    }

    /// Whether entry `i`, whose bounds hold, is a composite head.
    pub(crate) fn is_head<S: ReadAt + ?Sized>(&self, source: &S, i: usize) -> Result<bool, Error> {
        let mut tag = [0];
        source.read_exact_at(&mut tag, self.index().slot(i).descriptor_offset + LAYOUT_AT)?;
        Ok(tag == [TAG_COMPOSITE])
    }

    /// Walks the tensors by offset. `fetch` gets an entry and whether it is a member, and may
    /// leave out what is neither head nor member. A fault ends its composite only.
    pub(crate) fn gather<'d>(
        &self,
        sink: &mut dyn Sink,
        mut fetch: impl FnMut(usize, bool) -> Result<Option<Cow<'d, TensorDescriptor>>, Error>,
    ) -> Result<Vec<Composite>, Error> {
        let mut forest = Forest::default();
        for k in 0..self.len() {
            let i = self.by_offset(k);
            let Some(d) = fetch(i, forest.is_open())? else {
                // Inside a composite this is a member that nobody could read.
                forest.abandon();
                continue;
            };
            let following = (self.len() - k - 1) as u64;
            if let Err(fault) = room(&d, following).and_then(|()| forest.push(i, &d)) {
                let entry = self.entry(i);
                sink.tensor(fault, entry.name, entry.descriptor_offset)?;
                forest.abandon();
            }
        }
        if let Some((head, claimed, left)) = forest.torn() {
            let following = u64::from(claimed - left);
            let entry = self.entry(head);
            let fault = Fault::TornComposite { claimed, following };
            sink.tensor(fault, entry.name, entry.descriptor_offset)?;
        }
        Ok(forest.done())
    }
}

/// Whether `members` go together under `head`, which has passed [`check::all`]: L-47 to L-52 of this level.
///
/// # Errors
/// The rule that is broken; F-42 where the head counts other than the members given.
pub fn agree<'d>(head: &TensorDescriptor, members: impl Iterator<Item = &'d TensorDescriptor>) -> Result<(), Fault> {
    let LayoutDescriptor::Composite(layout) = &head.layout else {
        return Err(Fault::TornComposite { claimed: 0, following: members.count() as u64 });
    };
    let (mut level, mut given) = (Level::new(head, layout), 0u64);
    for member in members {
        level.admit(member)?;
        level.accept(member);
        given += 1;
    }
    let claimed = layout.member_count;
    if given != u64::from(claimed) {
        return Err(Fault::TornComposite { claimed, following: given });
    }
    level.close(None)
}

/// F-42 (L-56) where it shows at once: more members claimed than tensors follow.
fn room(d: &TensorDescriptor, following: u64) -> Result<(), Fault> {
    match &d.layout {
        LayoutDescriptor::Composite(c) if u64::from(c.member_count) > following => {
            let claimed = c.member_count;
            Err(Fault::TornComposite { claimed, following })
        }
        _ => Ok(()),
    }
}
