//! Reading with several threads: what fills network disks and cold caches.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

use hurray_wire::ReadAt;

use super::source::Source;
use crate::buffer::Watch;

/// One system call's worth.
const PIECE: usize = 4 << 20;
const THREADS: usize = 4;

/// Memory to fill, and the offset to fill it from.
type Job<'a> = (&'a mut [u8], u64);

struct Queue<'a> {
    pieces: Vec<Mutex<Option<Job<'a>>>>,
    next: AtomicUsize,
    stop: AtomicBool,
}

impl<'a> Queue<'a> {
    fn of(jobs: Vec<Job<'a>>) -> Self {
        let split = |(out, offset): Job<'a>| {
            out.chunks_mut(PIECE).enumerate().map(move |(at, piece)| (piece, offset + (at * PIECE) as u64))
        };
        let pieces = jobs.into_iter().flat_map(split).map(|piece| Mutex::new(Some(piece))).collect();
        Self { pieces, next: AtomicUsize::new(0), stop: AtomicBool::new(false) }
    }

    fn take(&self) -> Option<Job<'a>> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let piece = self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        piece.lock().ok()?.take()
    }

    /// Reads until nothing is left, or somebody failed.
    fn work(&self, source: &Source, mut between: impl FnMut() -> io::Result<()>) -> io::Result<()> {
        while let Some((out, offset)) = self.take() {
            let done = source.read_exact_at(out, offset).and_then(|()| between());
            if done.is_err() {
                self.stop.store(true, Ordering::Relaxed);
                return done;
            }
        }
        Ok(())
    }
}

/// Fills each slice from its offset. Called detached; Ctrl-C ends it.
pub(super) fn read(source: &Source, jobs: Vec<Job<'_>>) -> io::Result<()> {
    let (queue, mut watch) = (Queue::of(jobs), Watch::default());
    let helpers = THREADS.min(queue.pieces.len()).saturating_sub(1);
    thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(|| queue.work(source, || Ok(())))).collect();
        let mut result = queue.work(source, || watch.look());
        for helper in helpers {
            let helped = helper.join().unwrap_or_else(|_| Err(io::Error::other("a reading thread panicked")));
            result = result.and(helped);
        }
        result
    })
}
