//! Pointers that cut an index array into slices: CSR, CSC and each level of CSF (layouts.md §8, §9).

use super::words::Words;
use std::io;

pub(super) const FIRST: &str = "where the first pointer must be";
pub(super) const FALLING: &str = "below the pointer before it,";
pub(super) const BEYOND: &str = "a pointer beyond the number of entries,";
pub(super) const LAST: &str = "where the last pointer must be nnz,";
pub(super) const OUTSIDE: &str = "outside its dimension, whose size is";
pub(crate) const UNORDERED: &str = "not in ascending order: the one before it in its slice is";
pub(crate) const TWICE: &str = "a duplicate: the one before it in its slice is also";

/// Which of the two arrays.
#[derive(Clone, Copy)]
pub(super) enum Array {
    Pointers,
    Indices,
}

/// A place that breaks a rule: the value found there, and what it is measured against.
pub(super) struct Broken {
    pub array: Array,
    pub at: u64,
    pub found: u64,
    pub way: &'static str,
    pub bound: u64,
}

/// The two arrays and what they are measured by.
pub(super) struct Slices<'a> {
    pub pointers: Words<'a>,
    /// Slices there are: one less than pointers.
    pub count: u64,
    pub indices: Words<'a>,
    /// Indices that pointers may reach.
    pub room: u64,
    /// Whether all of them are entries, also those that no slice reaches.
    pub whole: bool,
    /// Every index is below it.
    pub extent: u64,
}

impl Slices<'_> {
    /// Reports every broken place. Where a pointer is broken, the slices beside it are taken up to
    /// the next sound one.
    pub(super) fn check(mut self, report: &mut dyn FnMut(Broken)) -> io::Result<Walked> {
        let mut cursor = Cursor { next: 0, extent: self.extent };
        let pointer = |at, found, way, bound| Broken { array: Array::Pointers, at, found, way, bound };
        let mut last = self.pointers.take()?;
        let mut sound = last.min(self.room);
        if last != 0 {
            report(pointer(0, last, FIRST, 0));
            // What lies before the first slice belongs to none.
            cursor.run(&mut self.indices, sound, false, report)?;
        }
        for slice in 1..=self.count {
            last = self.pointers.take()?;
            if last > self.room {
                report(pointer(slice, last, BEYOND, self.room));
                continue;
            }
            if last < sound {
                report(pointer(slice, last, FALLING, sound));
            }
            cursor.run(&mut self.indices, last, true, report)?;
            sound = last;
        }
        if self.whole {
            cursor.run(&mut self.indices, self.room, false, report)?;
        }
        Ok(Walked { last, sound })
    }
}

/// Where a walk over the pointers ended.
pub(super) struct Walked {
    /// The last pointer as it stands.
    pub last: u64,
    /// The last one inside the index array.
    pub sound: u64,
}

/// Goes through the indices once, from front to back.
struct Cursor {
    next: u64,
    extent: u64,
}

impl Cursor {
    /// The indices up to `end`, as one slice in ascending order or as ones that belong to no slice.
    fn run(
        &mut self,
        indices: &mut Words<'_>,
        end: u64,
        ordered: bool,
        report: &mut dyn FnMut(Broken),
    ) -> io::Result<()> {
        let mut previous = None;
        while self.next < end {
            let (at, found) = (self.next, indices.take()?);
            self.next += 1;
            let mut broken = |way, bound| report(Broken { array: Array::Indices, at, found, way, bound });
            if found >= self.extent {
                broken(OUTSIDE, self.extent);
            }
            match previous.filter(|_| ordered) {
                Some(before) if before == found => broken(TWICE, before),
                Some(before) if before > found => broken(UNORDERED, before),
                _ => {}
            }
            previous = Some(found);
        }
        Ok(())
    }
}
