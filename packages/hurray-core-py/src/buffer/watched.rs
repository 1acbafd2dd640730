//! Bytes that are read from front to back while Ctrl-C is listened to.

use std::cell::RefCell;
use std::io;

use hurray_wire::ReadAt;

use super::{Buffer, Watch};

/// From here on the pages of a mapped file are given back when they have been read.
const LARGE: usize = 1 << 16;

/// A source whose long readings a signal ends.
pub(crate) struct Watched<S> {
    source: S,
    watch: RefCell<Watch>,
}

impl<S> Watched<S> {
    pub(crate) fn new(source: S) -> Self {
        Self { source, watch: RefCell::default() }
    }
}

impl<S: ReadAt> ReadAt for Watched<S> {
    fn size(&self) -> io::Result<u64> {
        self.source.size()
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.pause()?;
        self.source.read_exact_at(out, offset)
    }

    fn pause(&self) -> io::Result<()> {
        self.watch.borrow_mut().look()
    }
}

impl ReadAt for Buffer {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.bytes().read_exact_at(out, offset)?;
        if let Some(map) = self.map().filter(|_| out.len() >= LARGE) {
            map.give_back(self.start().wrapping_add(offset as usize), out.len());
        }
        Ok(())
    }
}
