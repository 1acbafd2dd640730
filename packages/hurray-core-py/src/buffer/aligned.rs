//! Memory of our own: small blocks from the heap, large ones straight from the system.

use memmap2::{Advice, MmapMut, MmapOptions};
use pyo3::exceptions::PyMemoryError;
use pyo3::PyErr;

/// From here on pages come from the system, so that the last view's end gives them back at once.
const PAGES_FROM: usize = 1 << 20;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "read as bytes")] [u8; 64]);

/// Zeroed memory, aligned to 64 bytes at least.
pub(crate) struct Aligned {
    memory: Memory,
    len: usize,
}

enum Memory {
    Heap(Vec<Line>),
    Pages(MmapMut),
}

impl Drop for Aligned {
    fn drop(&mut self) {
        if let Memory::Pages(_) = self.memory {
            let pages = std::mem::replace(&mut self.memory, Memory::Heap(Vec::new()));
            super::unmap(self.len, move || drop(pages));
        }
    }
}

impl Aligned {
    /// `len` zero bytes; `MemoryError` when they are not to be had.
    pub(crate) fn zeroed(len: usize) -> Result<Self, PyErr> {
        let memory = if len < PAGES_FROM { Self::heap(len) } else { Self::pages(len) };
        memory
            .map(|memory| Self { memory, len })
            .ok_or_else(|| PyMemoryError::new_err(format!("cannot allocate {len} bytes for a tensor")))
    }

    fn heap(len: usize) -> Option<Memory> {
        let lines = len.div_ceil(64);
        let mut memory = Vec::new();
        memory.try_reserve_exact(lines).ok()?;
        memory.resize(lines, Line([0; 64]));
        Some(Memory::Heap(memory))
    }

    fn pages(len: usize) -> Option<Memory> {
        let map = MmapOptions::new().len(len).map_anon().ok()?;
        #[cfg(target_os = "linux")]
        // Fewer page faults while the memory is filled; a kernel without huge pages may refuse.
        let _ = map.advise(Advice::HugePage);
        Some(Memory::Pages(map))
    }

    /// The same bytes with room for more, which are zeros. Pages stay where they are or move as a whole.
    pub(crate) fn grown(self, len: usize) -> Result<Self, PyErr> {
        let refused = || PyMemoryError::new_err(format!("cannot allocate {len} bytes for a tensor"));
        let mut from = self;
        #[cfg(target_os = "linux")]
        if let Memory::Pages(map) = &mut from.memory {
            let moving = memmap2::RemapOptions::new().may_move(true);
            // SAFETY: the map is ours alone and borrowed mutably, so nothing points into it; it only grows.
            unsafe { map.remap(len, moving) }.map_err(|_| refused())?;
            from.len = len;
            return Ok(from);
        }
        let mut to = Self::zeroed(len).map_err(|_| refused())?;
        let kept = from.bytes_mut();
        to.bytes_mut()[..kept.len()].copy_from_slice(kept);
        Ok(to)
    }

    /// Has the system bring in the pages of a range that is about to be written, all in one call. A hint.
    pub(crate) fn bring_in(&self, range: std::ops::Range<usize>) {
        #[cfg(target_os = "linux")]
        if let Memory::Pages(map) = &self.memory {
            let _ = map.advise_range(Advice::PopulateWrite, range.start, range.len());
        }
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Pages(map) => &mut map[..self.len],
            Memory::Heap(lines) => {
                let start = lines.as_mut_ptr().cast();
                // SAFETY: the vector holds at least `len` initialised bytes (`len.div_ceil(64)` lines).
                unsafe { std::slice::from_raw_parts_mut(start, self.len) }
            }
        }
    }
}
