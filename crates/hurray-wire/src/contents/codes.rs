//! The two codes of float8_e8m0 that no element may be (element-types.md §4; as Q-29 for scales).

use super::findings::Findings;
use super::words::Words;
use crate::check;
use crate::read_at::ReadAt;
use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor};
use std::io;

/// Looks at the elements alone: what lies between them, in tiles and strides, is undefined. Of a paged
/// tensor the slots in use are not known.
pub(super) fn check(d: &TensorDescriptor, data: &dyn ReadAt, findings: &mut Findings) -> io::Result<()> {
    let mut look = |at, found| {
        if matches!(found, 0x00 | 0xFF) {
            findings.add(0, "code", || Fault::ReservedCode { at, found });
        }
    };
    let stored = match &d.layout {
        LayoutDescriptor::Coo(l) => Some(l.nnz),
        LayoutDescriptor::Csr(l) => Some(l.nnz),
        LayoutDescriptor::Csc(l) => Some(l.nnz),
        LayoutDescriptor::Csf(l) => Some(l.nnz),
        LayoutDescriptor::RowMajor | LayoutDescriptor::ColMajor => check::element_count(&d.shape),
        _ => None,
    };
    if let Some(count) = stored {
        let mut words = Words::new(data, d.byte_offset, count, 1);
        for at in 0..count {
            look(d.byte_offset + at, words.take()? as u8);
        }
        return Ok(());
    }
    // Of a dimension with stride 0 there is one element.
    let once = |(k, &dim): (usize, &u64)| match &d.layout {
        LayoutDescriptor::Strided(l) if l.strides.get(k) == Some(&0) => dim.min(1),
        _ => dim,
    };
    let dims: Vec<u64> = d.shape.dims().iter().enumerate().map(once).collect();
    let count = check::product(dims.iter().copied());
    // A shape whose elements share bytes in another way may be larger than anything that could be walked.
    if d.shape.has_dynamic() || count > u128::from(data.size()?) {
        return Ok(());
    }
    let mut index = vec![0; dims.len()];
    for _ in 0..count {
        let Some(at) = address(d, &index) else {
            return Ok(());
        };
        let mut byte = [0];
        data.read_exact_at(&mut byte, at)?;
        look(at, byte[0]);
        advance(&mut index, &dims);
    }
    Ok(())
}

/// The next index, the last dimension first.
fn advance(index: &mut [u64], dims: &[u64]) {
    for (place, &dim) in index.iter_mut().zip(dims).rev() {
        *place += 1;
        if *place < dim {
            return;
        }
        *place = 0;
    }
}

/// The byte of an element, for a layout with a formula.
fn address(d: &TensorDescriptor, index: &[u64]) -> Option<u64> {
    match &d.layout {
        LayoutDescriptor::Strided(l) => {
            let steps = l.strides.iter().zip(index);
            let offset: i128 = steps.map(|(&stride, &i)| i128::from(stride) * i128::from(i)).sum();
            u64::try_from(i128::from(d.byte_offset) + offset).ok()
        }
        layout => d.byte_offset.checked_add(layout.element_offset(index, &d.shape).ok()?),
    }
}
