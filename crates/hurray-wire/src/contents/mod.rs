//! What the bytes of index and parameter buffers must hold (the V rules of layouts.md §13, and
//! quantization.md §9, Q-27 to Q-29).

mod compressed;
mod coo;
mod csf;
mod paged;
mod scales;
mod words;

use crate::check::parameters;
use crate::read_at::ReadAt;
use crate::{Error, Fault, Problem};
use hurray_core::{LayoutDescriptor, TensorDescriptor};
use std::io;

/// Why a look at the contents ended early.
pub(crate) enum Stop {
    Io(io::Error),
    Fault(Fault),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Checks the contents of a tensor that has passed [`crate::check::all`]: L-31, L-32, L-33, L-38,
/// `buffers` are those of the table, read 64 KiB at a time; only the duplicates
/// of an unsorted COO tensor need memory in proportion to its indices.
///
/// # Errors
/// [`Error::Bad`] with the first fault, [`Error::Io`] from a buffer.
pub fn contents(d: &TensorDescriptor, buffers: &[&dyn ReadAt]) -> Result<(), Error> {
    let mut first = None;
    each(d, buffers, &mut |fault| {
        first.get_or_insert(fault);
    })?;
    match first {
        Some(fault) => Err(Problem::new(fault, None, None).into()),
        None => Ok(()),
    }
}

/// Reports one fault for the layout's buffers and one for each parameter array.
pub(crate) fn each(d: &TensorDescriptor, buffers: &[&dyn ReadAt], report: &mut dyn FnMut(Fault)) -> io::Result<()> {
    let mut settle = |result| match result {
        Ok(()) => Ok(()),
        Err(Stop::Io(error)) => Err(error),
        Err(Stop::Fault(fault)) => {
            report(fault);
            Ok(())
        }
    };
    settle(layout(d, buffers))?;
    for parameter in parameters(d).unwrap_or_default() {
        settle(scales::check(d, &parameter, buffers))?;
    }
    Ok(())
}

fn layout(d: &TensorDescriptor, buffers: &[&dyn ReadAt]) -> Result<(), Stop> {
    let dims = d.shape.dims();
    match (&d.layout, buffers, dims) {
        (LayoutDescriptor::Coo(l), [_, indices, ..], _) => coo::check(l, dims, *indices),
        (LayoutDescriptor::Csr(l), [_, indices, ptr, ..], &[rows, columns]) => {
            compressed::check(l.nnz, rows, columns, *indices, *ptr)
        }
        (LayoutDescriptor::Csc(l), [_, indices, ptr, ..], &[rows, columns]) => {
            compressed::check(l.nnz, columns, rows, *indices, *ptr)
        }
        (LayoutDescriptor::Csf(l), [_, trees @ ..], _) => csf::check(l, dims, trees),
        (LayoutDescriptor::BlockPaged(l), [_, table, ptr, ..], _) => paged::check(l, *table, *ptr),
        _ => Ok(()),
    }
}
