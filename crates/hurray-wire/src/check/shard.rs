//! The shard section against the shape (descriptor.md §6.2).

use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor, DYNAMIC};

/// D-44, D-45, L-28.
pub(super) fn shard(d: &TensorDescriptor) -> Result<(), Fault> {
    let Some(shard) = &d.shard else {
        return Ok(());
    };
    if let LayoutDescriptor::Csf(_) | LayoutDescriptor::BlockPaged(_) = d.layout {
        let tag = d.layout.tag();
        return Err(Fault::ShardForbidden { tag });
    }
    let boxes = shard.parent_shape.iter().zip(&shard.shard_offset);
    for (dim, (&size, (&parent, &offset))) in d.shape.dims().iter().zip(boxes).enumerate() {
        if size == DYNAMIC || parent == DYNAMIC {
            return Err(Fault::ShardDynamic { dim });
        }
        if offset.checked_add(size).is_none_or(|end| end > parent) {
            return Err(Fault::ShardBounds { dim, offset, size, parent });
        }
    }
    Ok(())
}
