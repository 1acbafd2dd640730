//! The elements of a new row-major tensor while they are written.

use hurray_core::{ElementType, LayoutDescriptor, Shape};
use hurray_wire::check;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use smallvec::smallvec;

use super::code::Refusal;
use crate::buffer::{Aligned, Buffer};
use crate::device::Device;
use crate::tensor::{self, Tensor};

/// How many elements are written between two looks at pending signals.
const PIECE: usize = 1 << 20;
/// Bytes that are copied at a time where all elements are the same.
const PATTERN: usize = 4096;

pub(super) struct Elements {
    call: &'static str,
    ty: ElementType,
    shape: Shape,
    count: usize,
    /// All zero at first; large ones take memory only where they are written to.
    memory: Aligned,
}

impl Elements {
    /// Room for the elements of a static shape; `OverflowError` for what no memory could hold,
    /// `MemoryError` for what this one does not.
    pub(super) fn zeroed(call: &'static str, ty: ElementType, shape: Shape) -> PyResult<Self> {
        let count = check::element_count(&shape);
        let size = count.and_then(|count| check::storage_bytes(ty, None, count.into()));
        let room = |number: Option<u64>| usize::try_from(isize::try_from(number?).ok()?).ok();
        let (Some(count), Some(size)) = (room(count), room(size)) else {
            return Err(PyOverflowError::new_err(format!(
                "{call}: {ty} elements of shape {shape} exceed the address space"
            )));
        };
        Ok(Self { call, ty, shape, count, memory: Aligned::zeroed(size)? })
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Writes one element, once, over zeros.
    pub(super) fn put(&mut self, index: usize, code: u128) {
        put(self.memory.bytes_mut(), self.ty.bit_width() as usize, index, code);
    }

    /// Writes every element.
    pub(super) fn fill(&mut self, py: Python<'_>, code: u128) -> PyResult<()> {
        if code == 0 || self.count == 0 {
            return Ok(());
        }
        let (bits, count) = (self.ty.bit_width() as usize, self.count);
        // Eight elements fill whole bytes at every width, whatever the type.
        let mut pattern = vec![0; bits];
        (0..8).for_each(|index| put(&mut pattern, bits, index, code));
        let pattern = pattern.repeat(PATTERN / bits);
        let bytes = self.memory.bytes_mut();
        for piece in bytes.chunks_mut(pattern.len() * PATTERN) {
            py.detach(|| piece.chunks_mut(pattern.len()).for_each(|out| out.copy_from_slice(&pattern[..out.len()])));
            py.check_signals()?;
        }
        // What is left of the last group is 0 (format: element-types.md §3).
        let whole = count / 8 * 8;
        let tail = &mut bytes[whole / 8 * bits..];
        tail.fill(0);
        (0..count - whole).for_each(|index| put(tail, bits, index, code));
        Ok(())
    }

    /// Writes every element by its index.
    pub(super) fn each(
        &mut self,
        py: Python<'_>,
        code_of: impl Fn(usize) -> Result<u128, Refusal> + Sync,
    ) -> PyResult<()> {
        let (call, bits, count) = (self.call, self.ty.bit_width() as usize, self.count);
        let bytes = self.memory.bytes_mut();
        for start in (0..count).step_by(PIECE) {
            let piece = start..count.min(start + PIECE);
            let mut written = |index: usize| code_of(index).map(|code| put(bytes, bits, index, code));
            let done: Result<(), Refusal> = py.detach(|| piece.into_iter().try_for_each(&mut written));
            done.map_err(|refusal| refusal.raised(call))?;
            py.check_signals()?;
        }
        Ok(())
    }

    pub(super) fn tensor(self, device: Py<Device>) -> PyResult<Tensor> {
        let buffer = if self.count == 0 { Buffer::empty() } else { Buffer::owned(self.memory) };
        let handle = tensor::cpu_handle(buffer.len(), buffer.alignment())?;
        let descriptor = tensor::plain(self.ty, self.shape, LayoutDescriptor::RowMajor, 0, handle)?;
        Tensor::over(descriptor, smallvec![buffer], device)
    }
}

/// Writes element `index` over zeros (format: element-types.md §3).
fn put(bytes: &mut [u8], bits: usize, index: usize, code: u128) {
    let code_bytes = code.to_le_bytes();
    if bits >= 8 {
        let width = bits / 8;
        bytes[index * width..][..width].copy_from_slice(&code_bytes[..width]);
        return;
    }
    let (group, of) = if bits == 6 { (3, 4) } else { (1, 8 / bits) };
    let word = (code as u32) << (index % of * bits);
    let start = index / of * group;
    for (byte, more) in bytes[start..start + group].iter_mut().zip(word.to_le_bytes()) {
        *byte |= more;
    }
}
