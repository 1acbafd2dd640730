//! The one owner of memory. Everything else borrows from a [`Buffer`].
#![allow(unsafe_code)]

mod aligned;
mod exporter;
mod functions;
mod map;
mod source;
pub(crate) mod trash;
mod untracked;
mod view;
mod watched;

use std::ptr::NonNull;
use std::sync::Arc;

pub(crate) use aligned::Aligned;
pub(crate) use exporter::{contiguous, little_endian};
pub(crate) use functions::aligned_functions;
pub(crate) use map::Map;
pub(crate) use source::{interrupted, ticking, Watch};
pub(crate) use untracked::untracked;
pub(crate) use view::View;
pub(crate) use watched::Watched;

use pyo3::{PyResult, Python};

use crate::error::UnsupportedError;
use crate::exchange::dlpack::Managed;
use crate::exchange::native::Received;

/// What keeps a buffer's memory alive.
pub(crate) enum Owner {
    /// No memory: an empty buffer.
    Nothing,
    /// An allocation of our own, aligned to 64 bytes or more.
    Aligned(#[expect(dead_code, reason = "held for its Drop")] Aligned),
    /// A Python object that exports the buffer protocol.
    Exporter(View),
    /// A tensor that a DLPack producer handed over.
    Dlpack(#[expect(dead_code, reason = "held for its Drop")] Managed),
    /// The buffer list of a native capsule.
    Native(#[expect(dead_code, reason = "held for its Drop")] Received),
    /// A mapped file.
    Map(Map),
}

/// A region of memory and what keeps it alive. Cloning shares the memory.
#[derive(Clone)]
pub(crate) struct Buffer {
    start: NonNull<u8>,
    len: usize,
    readonly: bool,
    /// The address is another device's: nothing here may follow it.
    elsewhere: bool,
    owner: Arc<Owner>,
}

// SAFETY: the address is constant and the owner is Sync: allocations and maps are plain memory,
// and what Python or DLPack owns is touched on drop alone, with the interpreter attached.
unsafe impl Send for Buffer {}
// SAFETY: as above; bytes are read and written by consumers under their own synchronisation.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of no bytes.
    pub(crate) fn empty() -> Self {
        Self { start: NonNull::dangling(), len: 0, readonly: false, elsewhere: false, owner: Arc::new(Owner::Nothing) }
    }

    /// Takes an allocation of our own.
    pub(crate) fn owned(mut memory: Aligned) -> Self {
        let bytes = memory.bytes_mut();
        let (start, len) = (NonNull::from(&mut *bytes).cast(), bytes.len());
        Self { start, len, readonly: false, elsewhere: false, owner: Arc::new(Owner::Aligned(memory)) }
    }

    /// The same memory, not to be written if the memory that it was copied from is not.
    pub(crate) fn with_readonly(self, readonly: bool) -> Self {
        Self { readonly, ..self }
    }

    /// A region that `owner` keeps alive.
    ///
    /// # Safety
    /// `start..start + len` stays valid, at this address, for as long as `owner` lives; it is
    /// writable unless `readonly`.
    pub(crate) unsafe fn held(start: *mut u8, len: usize, readonly: bool, owner: Arc<Owner>) -> Self {
        match NonNull::new(start) {
            Some(start) if len > 0 => Self { start, len, readonly, elsewhere: false, owner },
            _ => Self { readonly, ..Self::empty() },
        }
    }

    /// Memory of another device, which is described and handed on and never read here.
    pub(crate) fn elsewhere(start: *mut u8, len: usize, readonly: bool, owner: Arc<Owner>) -> Self {
        let start = NonNull::new(start).unwrap_or(NonNull::dangling());
        Self { start, len, readonly, elsewhere: true, owner }
    }

    /// A whole mapped file.
    pub(crate) fn mapped(map: Map) -> Self {
        let (start, len, readonly) = (map.start(), map.len(), map.readonly());
        // SAFETY: the map keeps its pages at this address until it is dropped.
        unsafe { Self::held(start, len, readonly, Arc::new(Owner::Map(map))) }
    }

    /// A part of this buffer, sharing its memory.
    ///
    /// # Panics
    /// If the part does not lie inside.
    pub(crate) fn part(&self, offset: usize, len: usize) -> Self {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.len), "part outside its buffer");
        // SAFETY: the assertion keeps the sum inside the region that the owner keeps alive, or that the
        // other device's addresses count.
        let start = unsafe { NonNull::new_unchecked(self.start.as_ptr().wrapping_add(offset)) };
        Self { start, len, readonly: self.readonly, elsewhere: self.elsewhere, owner: Arc::clone(&self.owner) }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn readonly(&self) -> bool {
        self.readonly
    }

    /// Whether the memory is another device's, handed over by its producer.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// An error where the memory is not this process's to read.
    pub(crate) fn reachable(&self, what: &str) -> PyResult<()> {
        match self.elsewhere {
            true => Err(UnsupportedError::new_err(format!(
                "{what} needs the bytes, which are another device's memory; copy the tensor to the CPU with the \
                 framework that made it"
            ))),
            false => Ok(()),
        }
    }

    /// What keeps the memory alive.
    pub(crate) fn owner(&self) -> &Arc<Owner> {
        &self.owner
    }

    /// The map that the bytes lie in, where that is where they lie.
    pub(crate) fn map(&self) -> Option<&Map> {
        match &*self.owner {
            Owner::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The largest power of two that the address satisfies, at most a page; 1 when empty.
    pub(crate) fn alignment(&self) -> u32 {
        measured_alignment(self.start.as_ptr() as usize, self.len)
    }

    /// The bytes. Python code may write them through another view at any time, as it may for every
    /// exporter of the buffer protocol; a reader here gets old or new bytes, never others.
    ///
    /// # Panics
    /// If the memory is another device's: each door asks [`Self::reachable`] first.
    pub(crate) fn bytes(&self) -> &[u8] {
        assert!(!self.elsewhere, "another device's memory was about to be read");
        // SAFETY: the owner keeps `len` bytes at `start` alive and readable.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

/// Requirements, Alignment is measured: 1 when empty, else what the address satisfies up to a page.
pub(crate) fn measured_alignment(address: usize, len: usize) -> u32 {
    match len {
        0 => 1,
        _ => 1 << address.trailing_zeros().min(hurray_core::PAGE_ALIGNMENT.trailing_zeros()),
    }
}

/// From here on giving memory back takes long enough for other threads to notice.
const LARGE: usize = 16 << 20;

/// Gives pages back, letting other threads run meanwhile if there are many.
fn unmap(len: usize, release: impl FnOnce() + Send) {
    let mut release = Some(release);
    if len >= LARGE {
        Python::try_attach(|py| {
            if let Some(release) = release.take() {
                py.detach(release);
            }
        });
    }
    if let Some(release) = release {
        release();
    }
}
