//! One tensor: descriptor, place, contents.

use super::part::Part;
use crate::container::{own_length, place, Container};
use crate::format::SMALLEST_DESCRIPTOR;
use crate::read_at::ReadAt;
use crate::sink::{Every, Sink};
use crate::{check, contents, Error, Fault, Finding, Problem};
use hurray_core::TensorDescriptor;
use std::ops::Range;

/// Whether the descriptor's bytes lie where a descriptor may be; the index check reported it if not.
pub(super) fn readable(container: &Container, i: usize) -> bool {
    let entry = container.entry(i);
    let end = container.trailer().region_end();
    let stop = entry.descriptor_offset.checked_add(u64::from(entry.descriptor_length));
    entry.descriptor_length >= SMALLEST_DESCRIPTOR && stop.is_some_and(|stop| stop <= end)
}

/// Reports what is wrong with entry `i` and returns the ranges it owns.
pub(super) fn check<S: ReadAt + ?Sized>(
    container: &Container,
    source: &S,
    i: usize,
    sink: &mut Every,
) -> Result<Vec<Range<u64>>, Error> {
    if !readable(container, i) {
        return Ok(Vec::new());
    }
    let entry = container.entry(i);
    let at = entry.descriptor_offset;
    let mut report = |fault: Fault| sink.tensor(fault, entry.name, at);
    let bytes = container.descriptor_bytes(source, i)?;
    let mut owned = Vec::new();
    owned.push(at..at + bytes.len() as u64);
    let whole = entry.data_offset..entry.data_offset.saturating_add(entry.data_length);
    if let Err(fault) = own_length(&entry, &bytes) {
        report(fault)?;
    }
    let descriptor = match check::decode(&bytes) {
        Ok(descriptor) => descriptor,
        Err(fault) => {
            report(fault)?;
            owned.push(whole);
            return Ok(owned);
        }
    };
    let mut faults = Vec::new();
    check::each(&descriptor, &mut |fault| faults.push(fault));
    let sound = faults.is_empty();
    let mut found = Vec::new();
    let end = container.trailer().region_end();
    match place(&descriptor, &entry, container.alignment(), end) {
        Ok(ranges) => {
            if sound {
                found = inside(&descriptor, source, &ranges)?;
            }
            owned.extend(ranges);
        }
        Err(fault) => {
            faults.push(fault);
            owned.push(whole);
        }
    }
    faults.into_iter().try_for_each(report)?;
    for Finding { fault, more } in found {
        let problem = Problem::new(fault, Some(entry.name), Some(at));
        sink.problem(Problem { more, ..problem })?;
    }
    Ok(owned)
}

/// What the bytes of index and parameter buffers break.
fn inside<S: ReadAt + ?Sized>(d: &TensorDescriptor, source: &S, ranges: &[Range<u64>]) -> Result<Vec<Finding>, Error> {
    let parts = ranges.iter().cloned();
    let parts: Vec<_> = parts.map(|range| Part { source, range }).collect();
    let buffers: Vec<&dyn ReadAt> = parts.iter().map(|part| part as &dyn ReadAt).collect();
    Ok(contents(d, &buffers)?)
}
