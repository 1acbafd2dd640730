//! Equality by value: heads, roles and all members' bytes (04-tables.md §3, ruling 14).

use std::collections::HashSet;

use hurray_core::{BufferHandle, TensorDescriptor, MIN_BUFFER_ALIGNMENT};
use hurray_wire::check;
use pyo3::prelude::*;

use super::{Composite, Member};
use crate::buffer::Buffer;
use crate::tensor::{self, Tensor};

/// How much is compared between two looks at pending signals.
const PIECE: usize = 64 << 20;

/// What a descriptor says, but for where its buffers happen to lie (ruling 11).
fn told(descriptor: &TensorDescriptor) -> PyResult<Vec<u8>> {
    let mut plain = descriptor.clone();
    for handle in &mut plain.buffers {
        let alignment = if handle.byte_size() == 0 { 1 } else { MIN_BUFFER_ALIGNMENT };
        let (device, sync, class) = (handle.device_tag(), handle.sync_mode(), handle.memory_class());
        *handle = BufferHandle::with_memory_class(handle.byte_size(), alignment, device, sync, class)
            .map_err(tensor::invalid)?;
    }
    check::encode(&plain).map_err(tensor::invalid)
}

fn same_bytes(py: Python<'_>, one: &Buffer, other: &Buffer) -> PyResult<bool> {
    if one.len() != other.len() {
        return Ok(false);
    }
    let (one, other) = (one.bytes(), other.bytes());
    if one.as_ptr() == other.as_ptr() {
        return Ok(true);
    }
    for (left, right) in one.chunks(PIECE).zip(other.chunks(PIECE)) {
        if !py.detach(|| left == right) {
            return Ok(false);
        }
        py.check_signals()?;
    }
    Ok(true)
}

/// Memory that the CPU may not read is equal to itself alone.
fn same_memory(one: &Tensor, other: &Tensor) -> bool {
    let place = |tensor: &Tensor| tensor.buffers.iter().map(Buffer::start).collect::<Vec<_>>();
    one.device.get() == other.device.get() && place(one) == place(other)
}

fn same_data(py: Python<'_>, one: &Tensor, other: &Tensor) -> PyResult<bool> {
    if one.unreadable().is_some() || other.unreadable().is_some() {
        return Ok(same_memory(one, other));
    }
    for (left, right) in one.buffers.iter().zip(&other.buffers) {
        if !same_bytes(py, left, right)? {
            return Ok(false);
        }
    }
    Ok(one.buffers.len() == other.buffers.len())
}

/// Composites that are compared already, or being compared: members that are shared are compared once. The first
/// difference ends it all, so that what has been met is equal.
type Pairs = HashSet<(usize, usize)>;

fn pair(one: &Composite, other: &Composite) -> (usize, usize) {
    (std::ptr::from_ref(one) as usize, std::ptr::from_ref(other) as usize)
}

impl Composite {
    /// Descriptors first, which are small, then bytes.
    pub(super) fn equals(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        let same = self.same_descriptors(py, other, &mut Pairs::default())?;
        Ok(same && self.same_contents(py, other, &mut Pairs::default())?)
    }

    fn same_descriptors(&self, py: Python<'_>, other: &Self, equal: &mut Pairs) -> PyResult<bool> {
        if !equal.insert(pair(self, other)) {
            return Ok(true);
        }
        if self.depth != other.depth || told(&self.head)? != told(&other.head)? {
            return Ok(false);
        }
        let (mine, theirs) = (self.members(py)?, other.members(py)?);
        for (at, (one, two)) in mine.iter().zip(&theirs).enumerate() {
            let same = match (one, two) {
                (Member::Composite(one), Member::Composite(two)) => one.get().same_descriptors(py, two.get(), equal)?,
                (Member::Tensor(_), Member::Tensor(_)) => {
                    told(&self.as_member(at, one))? == told(&other.as_member(at, two))?
                }
                _ => false,
            };
            if !same {
                return Ok(false);
            }
        }
        // Equal heads count their members alike.
        Ok(mine.len() == theirs.len())
    }

    fn same_contents(&self, py: Python<'_>, other: &Self, equal: &mut Pairs) -> PyResult<bool> {
        if !equal.insert(pair(self, other)) {
            return Ok(true);
        }
        for (one, two) in self.members(py)?.iter().zip(&other.members(py)?) {
            let same = match (one, two) {
                (Member::Composite(one), Member::Composite(two)) => one.get().same_contents(py, two.get(), equal)?,
                (Member::Tensor(one), Member::Tensor(two)) => same_data(py, one.get(), two.get())?,
                _ => false,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
