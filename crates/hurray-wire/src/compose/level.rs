//! One composite head that still takes members: the per-member and close-time rules
//! (layouts.md §11, L-47 to L-52).

use super::boxes::Boxes;
use super::wide::Wide;
use crate::Fault;
use hurray_core::{CompositeLayout, CompositionRule, ElementType, MemberRole, ShardDescriptor, TensorDescriptor};

/// An open head.
#[derive(Debug, Clone)]
pub(super) struct Level {
    rule: CompositionRule,
    dims: Vec<u64>,
    element_type: ElementType,
    pub claimed: u32,
    taken: u32,
    /// Partition members so far; other rules need none.
    boxes: Boxes,
}

impl Level {
    /// Of a head that has passed [`crate::check::all`].
    pub(super) fn new(head: &TensorDescriptor, layout: &CompositeLayout) -> Self {
        Self {
            rule: layout.rule.clone(),
            dims: head.shape.dims().to_vec(),
            element_type: head.element_type,
            claimed: layout.member_count,
            taken: 0,
            boxes: Boxes::new(head.shape.rank()),
        }
    }

    /// Members still to come.
    pub(super) fn left(&self) -> u32 {
        self.claimed.saturating_sub(self.taken)
    }

    /// The rules a member keeps by itself.
    pub(super) fn admit(&self, d: &TensorDescriptor) -> Result<(), Fault> {
        let member = self.taken as usize;
        match self.rule {
            CompositionRule::Partition => {
                self.shard(d, member)?;
                self.decoded_type(d, member)?;
                no_section(d, member)
            }
            CompositionRule::Overlay(_) => {
                let shard = self.shard(d, member)?;
                self.decoded_type(d, member)?;
                self.role(d, shard, member)
            }
            _ => no_section(d, member),
        }
    }

    /// Takes a member that was admitted.
    pub(super) fn accept(&mut self, d: &TensorDescriptor) {
        if let (CompositionRule::Partition, Some(shard)) = (&self.rule, &d.shard) {
            self.boxes.push(&shard.shard_offset, d.shape.dims());
        }
        self.taken = self.taken.saturating_add(1);
    }

    /// The rules at the last member; `last` is one that was admitted but not accepted yet.
    pub(super) fn close(&self, last: Option<&TensorDescriptor>) -> Result<(), Fault> {
        if self.rule != CompositionRule::Partition {
            return Ok(());
        }
        match last.and_then(|d| Some((d, d.shard.as_ref()?))) {
            Some((d, shard)) => {
                let mut boxes = self.boxes.clone();
                boxes.push(&shard.shard_offset, d.shape.dims());
                cover(&self.dims, &boxes)
            }
            None => cover(&self.dims, &self.boxes),
        }
    }

    /// L-47. That the box is in bounds is D-44 of the member itself.
    fn shard<'a>(&self, d: &'a TensorDescriptor, member: usize) -> Result<&'a ShardDescriptor, Fault> {
        match &d.shard {
            Some(shard) if shard.parent_shape == self.dims && self.has_rank(d, shard) => Ok(shard),
            _ => Err(Fault::MemberBox { member }),
        }
    }

    /// True of every descriptor that was decoded; one built in memory may be anything.
    fn has_rank(&self, d: &TensorDescriptor, shard: &ShardDescriptor) -> bool {
        let rank = self.dims.len();
        d.shape.rank() == rank && shard.shard_offset.len() == rank
    }

    /// L-48. All schemes decode to float32; the text also lets other float heads have such members.
    fn decoded_type(&self, d: &TensorDescriptor, member: usize) -> Result<(), Fault> {
        let fits = match d.quantization {
            Some(_) => matches!(
                self.element_type,
                ElementType::Float16 | ElementType::BFloat16 | ElementType::Float32 | ElementType::Float64
            ),
            None => d.element_type == self.element_type,
        };
        match fits {
            true => Ok(()),
            false => Err(Fault::MemberType { member, found: d.element_type.tag(), head: self.element_type.tag() }),
        }
    }

    /// L-49.
    fn role(&self, d: &TensorDescriptor, shard: &ShardDescriptor, member: usize) -> Result<(), Fault> {
        let role = d.composite_member.map(|section| section.member_role);
        let fits = match member {
            0 => {
                let spans = shard.shard_offset.iter().all(|&o| o == 0);
                role == Some(MemberRole::Base) && spans && d.shape.dims() == self.dims
            }
            _ => role == Some(MemberRole::Correction),
        };
        match fits {
            true => Ok(()),
            false => Err(Fault::OverlayRole { member }),
        }
    }
}

/// L-51.
fn no_section(d: &TensorDescriptor, member: usize) -> Result<(), Fault> {
    match d.composite_member {
        Some(_) => Err(Fault::StrayMemberSection { member }),
        None => Ok(()),
    }
}

/// L-52: disjoint boxes cover their head exactly when their volumes add up to its own.
fn cover(dims: &[u64], boxes: &Boxes) -> Result<(), Fault> {
    if let Some((one, other)) = boxes.overlap() {
        return Err(Fault::PartitionOverlap { one, other });
    }
    let mut covered = Wide::zero();
    for i in 0..boxes.len() {
        let sizes: Vec<u64> = boxes.sizes(i).collect();
        covered.add(&Wide::product(sizes.iter()));
    }
    match covered == Wide::product(dims.iter()) {
        true => Ok(()),
        false => Err(Fault::PartitionGap { members: boxes.len() }),
    }
}
