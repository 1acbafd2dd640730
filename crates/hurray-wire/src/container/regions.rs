//! Where the tensors lie: bounds, alignment, and that no two regions overlap (F-22 to F-29).

use super::header::Header;
use super::trailer::Trailer;
use crate::format::{HEADER_LEN, PART_ALIGNMENT, SMALLEST_DESCRIPTOR};
use crate::index::{Index, Slot};
use crate::sink::Sink;
use crate::{Error, Fault};
use std::ops::Range;

/// A stretch of the file that one part owns.
struct Region {
    bytes: Range<u64>,
    what: &'static str,
    /// The entry it belongs to.
    entry: usize,
}

const DESCRIPTOR: &str = "a descriptor";
const DATA: &str = "a tensor's data";
const HEADER: &str = "the header";

/// Checks every entry against the tensor region, then against each other. Returns the entries by
/// ascending descriptor_offset, or `None` where that is the index order.
pub(super) fn check(
    index: &Index,
    header: &Header,
    trailer: &Trailer,
    sink: &mut dyn Sink,
) -> Result<Option<Vec<usize>>, Error> {
    let (first, end) = (header.first_descriptor, trailer.region_end());
    let (mut placed, mut ascend, mut reached) = (true, true, HEADER_LEN);
    // The usual file, tensor after tensor in index order, is settled by this one pass.
    for i in 0..index.len() {
        let slot = index.slot(i);
        if !fits(&slot, first, end) {
            placed = false;
            for fault in bounds(&slot, first, end).into_iter().flatten() {
                sink.tensor(fault, index.name(i), slot.descriptor_offset)?;
            }
        }
        ascend &= follows(&slot, &mut reached);
    }
    if ascend {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..index.len()).collect();
    order.sort_unstable_by_key(|&i| index.slot(i).descriptor_offset);
    reached = HEADER_LEN;
    let mut slots = order.iter().map(|&i| index.slot(i));
    if placed && !slots.all(|slot| follows(&slot, &mut reached)) {
        overlaps(index, sink)?;
    }
    Ok(Some(order))
}

/// Whether an entry's regions begin where the ones before ended, or later.
fn follows(slot: &Slot, reached: &mut u64) -> bool {
    let end = |start: u64, length: u64| start.saturating_add(length);
    let descriptor_end = end(slot.descriptor_offset, u64::from(slot.descriptor_length));
    let data = slot.data_length > 0;
    let apart = slot.descriptor_offset >= *reached && (!data || slot.data_offset >= descriptor_end);
    *reached = match data {
        true => end(slot.data_offset, slot.data_length),
        false => descriptor_end,
    };
    apart
}

fn within(offset: u64, length: u64, end: u64) -> bool {
    offset.checked_add(length).is_some_and(|stop| stop <= end)
}

/// F-22, F-23 and F-25 in one answer.
fn fits(slot: &Slot, first: u64, end: u64) -> bool {
    placed(slot, first) && sized(slot, end) && holds_data(slot, end)
}

fn placed(slot: &Slot, first: u64) -> bool {
    slot.descriptor_offset >= first && slot.descriptor_offset.is_multiple_of(PART_ALIGNMENT)
}

fn sized(slot: &Slot, end: u64) -> bool {
    let length = slot.descriptor_length;
    length >= SMALLEST_DESCRIPTOR && within(slot.descriptor_offset, u64::from(length), end)
}

// Without data the offset may be a composite head's, which says nothing (file.md §11.2).
fn holds_data(slot: &Slot, end: u64) -> bool {
    slot.data_length == 0 || within(slot.data_offset, slot.data_length, end)
}

fn bounds(slot: &Slot, first: u64, end: u64) -> [Option<Fault>; 3] {
    let (offset, length) = (slot.descriptor_offset, slot.descriptor_length);
    let place = Fault::DescriptorOffset { offset, first };
    let bound = Fault::DescriptorBounds { offset, length, end };
    let data = Fault::DataBounds { offset: slot.data_offset, length: slot.data_length, end };
    [
        (!placed(slot, first)).then_some(place),
        (!sized(slot, end)).then_some(bound),
        (!holds_data(slot, end)).then_some(data),
    ]
}

/// Descriptor and, if there is any, data of an entry whose bounds hold.
fn regions(index: &Index, entry: usize) -> impl Iterator<Item = Region> {
    let slot = index.slot(entry);
    let region =
        move |start: u64, length: u64, what| Region { bytes: start..start.saturating_add(length), what, entry };
    let length = u64::from(slot.descriptor_length);
    let descriptor = region(slot.descriptor_offset, length, DESCRIPTOR);
    let data = region(slot.data_offset, slot.data_length, DATA);
    std::iter::once(descriptor).chain((slot.data_length > 0).then_some(data))
}

/// F-28 and F-29, by sorting all regions. Index and KV lie behind the tensor region by F-23, F-25.
fn overlaps(index: &Index, sink: &mut dyn Sink) -> Result<(), Error> {
    let header = Region { bytes: 0..HEADER_LEN, what: HEADER, entry: usize::MAX };
    let mut all = vec![header];
    all.extend((0..index.len()).flat_map(|i| regions(index, i)));
    all.sort_unstable_by_key(|r| (r.bytes.start, r.what, r.entry));
    // The region that reaches furthest so far: what begins before its end lies inside it.
    let mut furthest = 0;
    for k in 1..all.len() {
        let (before, this) = (&all[furthest], &all[k]);
        if this.bytes.start < before.bytes.end {
            let fault = fault(before, this);
            // The header sorts behind data at 0, but then the data is the culprit.
            let culprit = if this.what == HEADER { before } else { this };
            sink.tensor(fault, index.name(culprit.entry), this.bytes.start)?;
        }
        if this.bytes.end > before.bytes.end {
            furthest = k;
        }
    }
    Ok(())
}

fn fault(before: &Region, this: &Region) -> Fault {
    let (start, end) = (this.bytes.start, before.bytes.end);
    let descriptors = before.what == DESCRIPTOR && this.what == DESCRIPTOR;
    match descriptors && before.bytes.start == start {
        true => Fault::SharedDescriptor { offset: start },
        false => Fault::Overlap { one: this.what, other: before.what, start, end },
    }
}
