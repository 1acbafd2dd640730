//! Mapped files.

use std::fs::File;
use std::io;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{Mmap, MmapMut, MmapOptions, UncheckedAdvice};

/// A whole file in memory, page by page on demand.
///
/// Whoever truncates a mapped file takes the pages away: touching one is a bus error that no
/// library can catch. Files that others may cut are for `io="read"`.
pub(crate) struct Map {
    pages: Pages,
}

enum Pages {
    /// Nothing is mapped for an empty file.
    None,
    /// Copy-on-write: writing changes neither the file nor another map of it.
    Private(MmapMut),
    /// Read-only, and the file itself, since its bytes can be copied without passing through here.
    Shared(Mmap, File),
}

impl Drop for Map {
    fn drop(&mut self) {
        let len = self.len();
        let pages = std::mem::replace(&mut self.pages, Pages::None);
        super::unmap(len, move || drop(pages));
    }
}

impl Map {
    /// Maps a file copy-on-write. No memory is reserved for it: a file may be larger than memory.
    pub(crate) fn private(file: &File) -> io::Result<Self> {
        Self::of(file, |options, file| {
            // SAFETY: the map is only ever seen as raw memory that may change, see `Buffer::bytes`.
            Ok(Pages::Private(unsafe { options.no_reserve_swap().map_copy(file)? }))
        })
    }

    /// Maps a part of a file copy-on-write, apart from every other map of it.
    pub(crate) fn private_part(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        if len == 0 {
            return Ok(Self { pages: Pages::None });
        }
        // SAFETY: as in `private`.
        let map = unsafe { MmapOptions::new().offset(offset).len(len).no_reserve_swap().map_copy(file)? };
        Ok(Self { pages: Pages::Private(map) })
    }

    /// Maps a file read-only.
    pub(crate) fn shared(file: &File) -> io::Result<Self> {
        // SAFETY: as above.
        Self::of(file, |options, file| Ok(Pages::Shared(unsafe { options.map(file)? }, file.try_clone()?)))
    }

    fn of(file: &File, map: impl FnOnce(&mut MmapOptions, &File) -> io::Result<Pages>) -> io::Result<Self> {
        let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let pages = match size {
            0 => Pages::None,
            _ => map(MmapOptions::new().len(size), file)?,
        };
        Ok(Self { pages })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        match &self.pages {
            Pages::None => std::ptr::null_mut(),
            Pages::Private(map) => map.as_ptr().cast_mut(),
            Pages::Shared(map, _) => map.as_ptr().cast_mut(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.pages {
            Pages::None => 0,
            Pages::Private(map) => map.len(),
            Pages::Shared(map, _) => map.len(),
        }
    }

    pub(crate) fn readonly(&self) -> bool {
        !matches!(self.pages, Pages::Private(_))
    }

    /// The file and the offset in it that hold the very bytes at `start`.
    pub(crate) fn origin(&self, start: *const u8) -> Option<(&File, u64)> {
        let Pages::Shared(map, file) = &self.pages else { return None };
        let offset = (start as usize).checked_sub(map.as_ptr() as usize)?;
        Some((file, offset as u64))
    }

    /// Maps the pages of a region that is about to be read, all in one call, and has the system fetch
    /// what follows. A hint: what fails here shows when the bytes are read.
    pub(crate) fn bring_in(&self, start: *const u8, len: usize) {
        #[cfg(target_os = "linux")]
        if let Pages::Shared(map, _) = &self.pages {
            let Some(offset) = (start as usize).checked_sub(map.as_ptr() as usize) else { return };
            let end = offset.saturating_add(len).min(map.len());
            let ahead = end.saturating_add(len).min(map.len());
            let _ = map.advise_range(Advice::WillNeed, end, ahead - end);
            let _ = map.advise_range(Advice::PopulateRead, offset, end.saturating_sub(offset));
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (start, len);
    }

    /// Gives back the pages of a region that has been read, where nothing can be lost by it.
    pub(crate) fn give_back(&self, start: *const u8, len: usize) {
        let Pages::Shared(map, _) = &self.pages else { return };
        let page = hurray_core::PAGE_ALIGNMENT as usize;
        let Some(offset) = (start as usize).checked_sub(map.as_ptr() as usize) else { return };
        let (first, end) = (offset / page * page, (offset + len).div_ceil(page) * page);
        if first < end && end <= map.len().div_ceil(page) * page {
            // SAFETY: a read-only map of a file holds nothing of its own; a later read maps the page anew.
            let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, first, end.min(map.len()) - first) };
        }
    }
}
