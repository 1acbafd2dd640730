//! Where the tensors lie: bounds, alignment, and that no two regions overlap (F-22 to F-29).

use super::header::Header;
use super::index::{Index, Slot};
use super::trailer::Trailer;
use crate::format::{PART_ALIGNMENT, SMALLEST_DESCRIPTOR};
use crate::sink::Sink;
use crate::{Error, Fault};
use std::ops::Range;

/// A stretch of the file that one part owns.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub bytes: Range<u64>,
    pub what: &'static str,
    /// The entry it belongs to.
    pub entry: usize,
}

const DESCRIPTOR: &str = "a descriptor";
const DATA: &str = "a tensor's data";

/// Checks every entry against the tensor region, then against each other. Returns the entries by
/// ascending descriptor_offset, or `None` where that is the index order.
pub(crate) fn check(
    index: &Index,
    header: &Header,
    trailer: &Trailer,
    sink: &mut dyn Sink,
) -> Result<Option<Vec<usize>>, Error> {
    let end = trailer.region_end();
    let mut placed = true;
    for (i, slot) in index.slots.iter().enumerate() {
        for fault in bounds(slot, header.first_descriptor, end).into_iter().flatten() {
            placed = false;
            sink.tensor(fault, index.names.get(i), slot.descriptor_offset)?;
        }
    }
    let order = order(&index.slots);
    if placed && !disjoint(index, order.as_deref()) {
        overlaps(index, sink)?;
    }
    Ok(order)
}

/// F-22, F-23, F-25. The end of the region is a real offset, so what fits it cannot wrap.
fn bounds(slot: &Slot, first: u64, end: u64) -> [Option<Fault>; 3] {
    let (offset, length) = (slot.descriptor_offset, slot.descriptor_length);
    let fits = |offset: u64, length: u64| offset.checked_add(length).is_some_and(|e| e <= end);
    let place = offset < first || offset % PART_ALIGNMENT != 0;
    let bound = length < SMALLEST_DESCRIPTOR || !fits(offset, u64::from(length));
    // Without data the offset may be a composite head's, which says nothing (file.md §11.2).
    let data = slot.data_length > 0 && !fits(slot.data_offset, slot.data_length);
    [
        place.then_some(Fault::DescriptorOffset { offset, first }),
        bound.then_some(Fault::DescriptorBounds { offset, length, end }),
        data.then_some(Fault::DataBounds { offset: slot.data_offset, length: slot.data_length, end }),
    ]
}

fn order(slots: &[Slot]) -> Option<Vec<usize>> {
    if slots.is_sorted_by_key(|s| s.descriptor_offset) {
        return None;
    }
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_unstable_by_key(|&i| slots[i].descriptor_offset);
    Some(order)
}

/// The usual file: each tensor's descriptor, then its data, then the next. One pass, nothing stored.
fn disjoint(index: &Index, order: Option<&[usize]>) -> bool {
    let mut end = crate::format::HEADER_LEN;
    let mut follows = |region: Region| {
        let fine = region.bytes.start >= end;
        end = region.bytes.end;
        fine
    };
    (0..index.slots.len()).map(|k| order.map_or(k, |o| o[k])).all(|i| of(index, i).all(&mut follows))
}

/// Descriptor and, if there is any, data of an entry whose bounds hold.
pub(crate) fn of(index: &Index, entry: usize) -> impl Iterator<Item = Region> {
    let slot = index.slots[entry];
    let region =
        move |start: u64, length: u64, what| Region { bytes: start..start.saturating_add(length), what, entry };
    let descriptor = region(slot.descriptor_offset, u64::from(slot.descriptor_length), DESCRIPTOR);
    let data = region(slot.data_offset, slot.data_length, DATA);
    std::iter::once(descriptor).chain((slot.data_length > 0).then_some(data))
}

/// F-28 and F-29, by sorting all regions. Index and KV lie behind the tensor region by F-23, F-25.
fn overlaps(index: &Index, sink: &mut dyn Sink) -> Result<(), Error> {
    let header = Region { bytes: 0..crate::format::HEADER_LEN, what: "the header", entry: usize::MAX };
    let mut regions = vec![header];
    regions.extend((0..index.slots.len()).flat_map(|i| of(index, i)));
    regions.sort_unstable_by_key(|r| (r.bytes.start, r.what, r.entry));
    // The region that reaches furthest so far: what begins before its end lies inside it.
    let mut furthest = 0;
    for k in 1..regions.len() {
        let (before, this) = (&regions[furthest], &regions[k]);
        if this.bytes.start < before.bytes.end {
            let fault = fault(before, this);
            sink.tensor(fault, index.names.get(this.entry), this.bytes.start)?;
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
