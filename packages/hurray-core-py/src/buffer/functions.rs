//! Memory functions of the C ABI for the allocators of other libraries: what they give is aligned to 64 bytes.
//!
//! They need no interpreter and work in every thread, at any time of the process.

use std::alloc::{self, Layout};
use std::ffi::c_void;
use std::ptr;

use pyo3::prelude::*;

const ALIGNMENT: usize = hurray_core::MIN_BUFFER_ALIGNMENT as usize;
/// What the system's own functions align to without extra work, so that they keep their fast ways: pages that are
/// zero already, and pages that move without being copied.
const SYSTEM: usize = 16;

/// What lies right before the memory that was given out.
#[derive(Clone, Copy)]
#[repr(C)]
struct Header {
    /// From the start of the block to the memory.
    offset: usize,
    /// Of the whole block.
    total: usize,
}

const _: () = assert!(size_of::<Header>() == SYSTEM && ALIGNMENT.is_multiple_of(SYSTEM));

/// A block with room for `size` bytes at an aligned place, and a header before them.
fn block(size: usize) -> Option<Layout> {
    // A block starts at a multiple of 16, so that header and gap together take 16 to 64 bytes.
    Layout::from_size_align(size.checked_add(ALIGNMENT)?, SYSTEM).ok()
}

/// Places the header and returns the memory.
///
/// # Safety
/// `start` is a live block of `total` bytes, aligned to 16.
unsafe fn settle(start: *mut u8, total: usize) -> *mut u8 {
    let offset = (start as usize + size_of::<Header>()).next_multiple_of(ALIGNMENT) - start as usize;
    // SAFETY: the offset is 16 to 64, and a block is 64 bytes long at least.
    unsafe {
        let memory = start.add(offset);
        memory.cast::<Header>().sub(1).write(Header { offset, total });
        memory
    }
}

/// # Safety
/// `memory` is not null and came from one of these functions.
unsafe fn header(memory: *mut u8) -> Header {
    // SAFETY: `settle` put it there.
    unsafe { memory.cast::<Header>().sub(1).read() }
}

unsafe extern "C" fn malloc(_context: *mut c_void, size: usize) -> *mut c_void {
    give(size, |layout| {
        // SAFETY: the layout is not of size 0.
        unsafe { alloc::alloc(layout) }
    })
}

unsafe extern "C" fn calloc(_context: *mut c_void, count: usize, size: usize) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
    give(size, |layout| {
        // SAFETY: as above.
        unsafe { alloc::alloc_zeroed(layout) }
    })
}

fn give(size: usize, allocate: impl FnOnce(Layout) -> *mut u8) -> *mut c_void {
    let Some(layout) = block(size) else { return ptr::null_mut() };
    let start = allocate(layout);
    if start.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: a fresh block of that layout.
    unsafe { settle(start, layout.size()) }.cast()
}

unsafe extern "C" fn realloc(context: *mut c_void, memory: *mut c_void, size: usize) -> *mut c_void {
    let memory = memory.cast::<u8>();
    if memory.is_null() {
        // SAFETY: no demands.
        return unsafe { malloc(context, size) };
    }
    // SAFETY: the caller had the memory from here.
    let old = unsafe { header(memory) };
    let (Some(layout), Ok(old_layout)) = (block(size), Layout::from_size_align(old.total, SYSTEM)) else {
        return ptr::null_mut();
    };
    // SAFETY: the block and its layout belong together; the new size is not 0 and fits, by `block`. What was given
    // out moves with the block, and then to where the new address wants it: both places lie inside, since
    // each offset is at most the 64 bytes that a block has beyond what it holds.
    unsafe {
        let start = alloc::realloc(memory.sub(old.offset), old_layout, layout.size());
        if start.is_null() {
            return ptr::null_mut();
        }
        let offset = (start as usize + size_of::<Header>()).next_multiple_of(ALIGNMENT) - start as usize;
        let held = old.total.min(layout.size()) - ALIGNMENT;
        ptr::copy(start.add(old.offset), start.add(offset), held);
        settle(start, layout.size()).cast()
    }
}

unsafe extern "C" fn free(_context: *mut c_void, memory: *mut c_void, _size: usize) {
    let memory = memory.cast::<u8>();
    if memory.is_null() {
        return;
    }
    // SAFETY: the caller had the memory from here, and gives it back once. Its word on the size is not needed.
    unsafe {
        let Header { offset, total } = header(memory);
        alloc::dealloc(memory.sub(offset), Layout::from_size_align_unchecked(total, SYSTEM));
    }
}

/// Addresses of the C functions ``malloc(ctx, size)``, ``calloc(ctx, count, size)``,
/// ``realloc(ctx, memory, size)`` and ``free(ctx, memory, size)``, for the allocator hooks of array
/// libraries (format: buffers.md §2; requirements: The aligned allocator).
///
/// What they give is aligned to 64 bytes (``MIN_BUFFER_ALIGNMENT``), also after ``realloc``, and is
/// never NULL for 0 bytes; NULL means that there is no memory. ``ctx`` and the ``size`` of ``free``
/// are not looked at. They may be called from any thread, without the GIL, until the process ends.
#[pyfunction]
pub(crate) fn aligned_functions() -> (usize, usize, usize, usize) {
    (
        malloc as *const () as usize,
        calloc as *const () as usize,
        realloc as *const () as usize,
        free as *const () as usize,
    )
}
