//! The buffers of sparse and block-paged layouts (layouts.md §7–§10). Larger ones are fine.

use super::extent::nnz;
use super::packing::{product, Packing};
use crate::{buffer_role, layout_name, Fault};
use hurray_core::{BlockPagedLayout, LayoutDescriptor, TensorDescriptor, DYNAMIC};

/// Bytes of an index or pointer of the sparse layouts (layouts.md §1).
pub(crate) const INDEX_BYTES: u64 = 8;

/// L-29.
pub(super) fn sparse(d: &TensorDescriptor) -> Result<(), Fault> {
    for (buffer, needed) in needs(d).into_iter().enumerate() {
        let byte_size = d.buffers.get(buffer).map_or(0, |h| h.byte_size());
        if u128::from(byte_size) < needed {
            let (role, layout) = (buffer_role(&d.layout, buffer), layout_name(&d.layout));
            return Err(Fault::SparseBuffer { buffer, role, layout, needed, byte_size });
        }
    }
    Ok(())
}

/// Bytes each buffer needs at least, in order.
fn needs(d: &TensorDescriptor) -> Vec<u128> {
    let stored = u128::from(nnz(&d.layout).unwrap_or(0));
    let packing = Packing::of(d.element_type, d.extension_type.as_ref());
    let values = match d.shape.is_empty_tensor() {
        true => 0,
        false => packing.map_or(0, |p| p.storage(stored)),
    };
    let indices = |n: u128| n.saturating_mul(u128::from(INDEX_BYTES));
    let dims = d.shape.dims();
    match &d.layout {
        LayoutDescriptor::Coo(_) => {
            let coordinates = stored.saturating_mul(dims.len() as u128);
            vec![values, indices(coordinates)]
        }
        LayoutDescriptor::Csr(_) => vec![values, indices(stored), indices(pointers(dims, 0))],
        LayoutDescriptor::Csc(_) => vec![values, indices(stored), indices(pointers(dims, 1))],
        LayoutDescriptor::Csf(_) => csf(values, stored, dims.len()),
        _ => Vec::new(),
    }
}

fn pointers(dims: &[u64], major: usize) -> u128 {
    match dims.get(major) {
        Some(&m) if m != DYNAMIC => u128::from(m) + 1,
        _ => 0,
    }
}

/// Only the first pointers and the last coordinates follow from nnz; between them there is at
/// least one node per level. The data tells the rest (L-33).
fn csf(values: u128, stored: u128, rank: usize) -> Vec<u128> {
    let index = u128::from(INDEX_BYTES);
    let nodes = stored.min(1);
    let mut needs = vec![values];
    for level in 0..rank {
        let parents = if level == 0 { 1 } else { nodes };
        let coordinates = if level + 1 == rank { stored } else { nodes };
        needs.push((parents + 1) * index);
        needs.push(coordinates.saturating_mul(index));
    }
    needs
}

/// L-39.
pub(super) fn paged(d: &TensorDescriptor, b: &BlockPagedLayout) -> Result<(), Fault> {
    let dims = d.shape.dims();
    let width = b.block_table_index_type.element_bytes() as u128;
    let tokens = dims.first().copied().filter(|&n| n != DYNAMIC).unwrap_or(0);
    // Sequences may waste part of their last page, so the table has at least this many pages.
    let pages = u128::from(tokens).div_ceil(u128::from(b.page_size.max(1)));
    let needs = [pool(d, b), pages * width, (u128::from(b.num_seqs) + 1) * width];
    for (buffer, needed) in needs.into_iter().enumerate() {
        let byte_size = d.buffers.get(buffer).map_or(0, |h| h.byte_size());
        if u128::from(byte_size) < needed {
            let role = buffer_role(&d.layout, buffer);
            return Err(Fault::PagedBuffer { buffer, role, needed, byte_size });
        }
    }
    Ok(())
}

fn pool(d: &TensorDescriptor, b: &BlockPagedLayout) -> u128 {
    let per_token = d.shape.dims().get(1..).unwrap_or_default();
    if d.shape.is_empty_tensor() || per_token.contains(&DYNAMIC) {
        return 0;
    }
    let sizes = per_token.iter().copied();
    let elements = product(sizes.chain([b.num_pages, u64::from(b.page_size)]));
    Packing::of(d.element_type, d.extension_type.as_ref()).map_or(0, |p| p.storage(elements))
}
