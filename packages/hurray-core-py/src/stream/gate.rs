//! One caller at a time: the others wait their turn, and Ctrl-C ends their waiting.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::prelude::*;

use super::wait::SLICE;
use crate::error::StreamError;

/// What a stream is made of, while nobody is at work on it.
pub(super) struct Gate<T> {
    slot: Mutex<Slot<T>>,
    free: Condvar,
}

struct Slot<T> {
    value: Option<T>,
    holder: Option<ThreadId>,
}

/// The value, until it is dropped.
pub(super) struct Turn<'a, T> {
    gate: &'a Gate<T>,
    value: Option<T>,
}

impl<T: Send> Gate<T> {
    pub(super) fn new(value: T) -> Self {
        Self { slot: Mutex::new(Slot { value: Some(value), holder: None }), free: Condvar::new() }
    }

    fn take(&self, slot: &mut Slot<T>) -> Option<Turn<'_, T>> {
        let value = slot.value.take()?;
        slot.holder = Some(thread::current().id());
        Some(Turn { gate: self, value: Some(value) })
    }

    /// The value, if nobody has it.
    pub(super) fn if_free(&self) -> Option<Turn<'_, T>> {
        self.take(&mut self.slot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the value. Raises `StreamError` where this very thread has it: a signal handler or a source
    /// of its own calls the stream while it is at work.
    pub(super) fn enter(&self, py: Python<'_>) -> PyResult<Turn<'_, T>> {
        if let Some(turn) = self.if_free() {
            return Ok(turn);
        }
        let me = thread::current().id();
        loop {
            let found = py.detach(|| {
                let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
                if slot.value.is_none() && slot.holder != Some(me) {
                    slot = self.free.wait_timeout(slot, SLICE).unwrap_or_else(PoisonError::into_inner).0;
                }
                let mine = slot.holder == Some(me);
                self.take(&mut slot).ok_or(mine)
            });
            match found {
                Ok(turn) => return Ok(turn),
                Err(true) => {
                    return Err(StreamError::new_err(
                        "the stream is busy: it was called from within one of its own calls, as by a signal handler",
                    ))
                }
                Err(false) => py.check_signals()?,
            }
        }
    }
}

impl<T> Turn<'_, T> {
    pub(super) fn value(&mut self) -> &mut T {
        self.value.as_mut().expect("held until the turn ends")
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        let mut slot = self.gate.slot.lock().unwrap_or_else(PoisonError::into_inner);
        slot.value = self.value.take();
        slot.holder = None;
        drop(slot);
        self.gate.free.notify_one();
    }
}
