//! Releasing what a buffer borrowed, without a stack frame for each level of wrapping.

use std::cell::{Cell, RefCell};

/// How deep releases may nest; deeper ones wait for the outermost, which does not return before them.
const NESTING: u32 = 32;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Box<dyn FnOnce()>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `release`, which may drop the last reference to another borrowed buffer, and so on.
pub(crate) fn release(release: impl FnOnce() + 'static) {
    // A thread that is ending has no such cells any more.
    let Ok(depth) = WAITING.try_with(|_| DEPTH.get()) else { return release() };
    if depth >= NESTING {
        WAITING.with_borrow_mut(|waiting| waiting.push(Box::new(release)));
        return;
    }
    DEPTH.set(depth + 1);
    release();
    if depth == 0 {
        while let Ok(Some(next)) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()) {
            next();
        }
    }
    DEPTH.set(depth);
}
