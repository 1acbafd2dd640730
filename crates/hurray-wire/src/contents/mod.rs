//! What the bytes of index and parameter buffers must hold (the V rules of layouts.md §13, and
//! quantization.md §9, Q-27 to Q-29).

mod codes;
mod compressed;
mod coo;
mod csf;
mod findings;
mod paged;
mod scales;
mod slices;
mod twins;
mod words;

use crate::check::parameters;
use crate::read_at::ReadAt;
use findings::Findings;
use hurray_core::{ElementType, LayoutDescriptor, TensorDescriptor};
use std::io;

pub use findings::Finding;
pub(crate) use slices::{TWICE, UNORDERED};

/// Whether any rule is about what the tensor's bytes hold: not so for plain dense tensors.
pub fn has_content_rules(d: &TensorDescriptor) -> bool {
    let indexed = matches!(
        d.layout,
        LayoutDescriptor::Coo(_)
            | LayoutDescriptor::Csr(_)
            | LayoutDescriptor::Csc(_)
            | LayoutDescriptor::Csf(_)
            | LayoutDescriptor::BlockPaged(_)
    );
    indexed || d.element_type == ElementType::Float8E8M0 || parameters(d).is_ok_and(|arrays| !arrays.is_empty())
}

/// Every rule that the contents of a tensor break, which has passed [`crate::check::all`]: L-31, L-32,
/// L-33, L-38, Q-27, Q-28, Q-29. Of places that break a rule in the same way the first few are listed,
/// the rest counted.
///
/// `buffers` are those of the table, read 64 KiB at a time; only the search for duplicates in a COO
/// tensor whose entries are in no order needs memory in proportion to its indices. The sources'
/// [`pause`](ReadAt::pause) is called between steps.
///
/// # Errors
/// Those of the buffers.
pub fn contents(d: &TensorDescriptor, buffers: &[&dyn ReadAt]) -> io::Result<Vec<Finding>> {
    let mut findings = Findings::default();
    layout(d, buffers, &mut findings)?;
    if let (ElementType::Float8E8M0, Some(&data)) = (d.element_type, buffers.first()) {
        codes::check(d, data, &mut findings)?;
    }
    for parameter in parameters(d).unwrap_or_default() {
        scales::check(d, &parameter, buffers, &mut findings)?;
    }
    Ok(findings.into_list())
}

fn layout(d: &TensorDescriptor, buffers: &[&dyn ReadAt], findings: &mut Findings) -> io::Result<()> {
    let dims = d.shape.dims();
    match (&d.layout, buffers, dims) {
        (LayoutDescriptor::Coo(l), [_, indices, ..], _) => coo::check(l, dims, *indices, findings),
        (LayoutDescriptor::Csr(l), [_, indices, ptr, ..], &[rows, columns]) => {
            compressed::check(l.nnz, [rows, columns], *indices, *ptr, findings)
        }
        (LayoutDescriptor::Csc(l), [_, indices, ptr, ..], &[rows, columns]) => {
            compressed::check(l.nnz, [columns, rows], *indices, *ptr, findings)
        }
        (LayoutDescriptor::Csf(l), [_, trees @ ..], _) => csf::check(l, dims, trees, findings),
        (LayoutDescriptor::BlockPaged(l), [_, table, ptr, ..], _) => paged::check(l, *table, *ptr, findings),
        _ => Ok(()),
    }
}
