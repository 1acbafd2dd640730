//! What a block-paged tensor's index buffers must hold (format: layouts.md §10).

use hurray_core::layout::BlockPagedLayout;
use hurray_core::ElementType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::args;
use crate::buffer::{self, Buffer, View};
use crate::tensor::{self, Tensor};

/// Items of a Python sequence between two looks at the signals.
const PIECE: usize = 1 << 16;

/// Index entries as they were handed over.
enum Entries {
    /// A buffer of integers of one type.
    Words(Buffer, ElementType),
    Ints(Vec<i128>),
}

impl Entries {
    /// Bytes are entries of the layout's index type; integers of another type count by their values.
    fn read(layout: &BlockPagedLayout, given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let view = match View::get(given) {
            Ok(view) => view,
            // Why the bytes of a tensor cannot be read is the tensor's to say.
            Err(refused) if given.is_instance_of::<Tensor>() => return Err(refused),
            Err(_) => return sequence(given, what).map(Self::Ints),
        };
        let itemsize = view.itemsize();
        let ty = match itemsize {
            1 if layout.block_table_index_type.element_bytes() == 4 => ElementType::Uint32,
            1 => ElementType::Uint64,
            _ => match tensor::native(view.format(), itemsize)? {
                (ty, false) if ty.is_integer() => ty,
                (ty, _) => return Err(PyTypeError::new_err(format!("{what} holds integers, got {ty}"))),
            },
        };
        drop(view);
        let bytes = buffer::contiguous(given)?;
        let width = width(ty);
        if bytes.len() % width != 0 {
            let text = format!("{what} has {} bytes, which are not whole entries of {width} bytes", bytes.len());
            return Err(args::refused(given.py(), "L-38", text));
        }
        Ok(Self::Words(bytes, ty))
    }

    fn len(&self) -> usize {
        match self {
            Self::Words(bytes, ty) => bytes.len() / width(*ty),
            Self::Ints(ints) => ints.len(),
        }
    }

    fn at(&self, index: usize) -> i128 {
        match self {
            Self::Words(bytes, ty) => {
                let width = width(*ty);
                let mut word = [0; 16];
                word[..width].copy_from_slice(&bytes.bytes()[index * width..][..width]);
                let value = i128::from_le_bytes(word);
                let unused = i128::BITS - 8 * width as u32;
                if ty.is_signed() {
                    value << unused >> unused
                } else {
                    value
                }
            }
            Self::Ints(ints) => ints[index],
        }
    }
}

fn width(ty: ElementType) -> usize {
    ty.bit_width() as usize / 8
}

fn sequence(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i128>> {
    let items = given.try_iter().map_err(|_| {
        let kind = args::kind(given);
        PyTypeError::new_err(format!("{what} is a buffer of index entries or a sequence of int, got {kind}"))
    })?;
    let mut ints = Vec::new();
    for (index, item) in items.enumerate() {
        if index % PIECE == 0 {
            given.py().check_signals()?;
        }
        let item = item?;
        // A negative one is an entry that is wrong, not one that is no entry.
        let signed = item.extract::<i64>().map(i128::from);
        ints.push(signed.or_else(|_| args::int::<u64>(&item, format_args!("{what}[{index}]")).map(i128::from))?);
    }
    Ok(ints)
}

/// The four invariants, up to the first that is broken: as a sentence with argument, position and value.
fn flaw(layout: &BlockPagedLayout, seq_ptr: &Entries, block_table: &Entries) -> Option<String> {
    let (found, seqs) = (seq_ptr.len(), u64::from(layout.num_seqs));
    if found as u64 != seqs + 1 {
        return Some(format!("seq_ptr has {found} entries; num_seqs={seqs} sequences have {}", seqs + 1));
    }
    let mut last = seq_ptr.at(0);
    if last != 0 {
        return Some(format!("seq_ptr[0] is {last}; the first sequence begins at 0"));
    }
    for index in 1..found {
        let next = seq_ptr.at(index);
        if next < last {
            return Some(format!("seq_ptr[{index}] is {next}, less than the {last} before it; it never decreases"));
        }
        last = next;
    }
    let pages = block_table.len();
    if last != pages as i128 {
        let text = "the last one is the length of block_table, without padding";
        return Some(format!("seq_ptr[{seqs}] is {last}, but block_table has {pages} entries; {text}"));
    }
    let most = match layout.block_table_index_type.element_bytes() {
        4 => i128::from(u32::MAX),
        _ => i128::from(u64::MAX),
    };
    // Two entries may name one page: that is how sequences share a prefix.
    (0..pages).map(|index| (index, block_table.at(index))).find_map(|(index, page)| match page {
        page if page < 0 || page >= i128::from(layout.num_pages) => {
            let pages = layout.num_pages;
            Some(format!("block_table[{index}] is {page}; the pool has num_pages={pages}, counted from 0"))
        }
        page if page > most => Some(format!("block_table[{index}] is {page}, more than the index type holds")),
        _ => None,
    })
}

/// L-38.
pub(super) fn validate(
    layout: &BlockPagedLayout,
    seq_ptr: &Bound<'_, PyAny>,
    block_table: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = seq_ptr.py();
    let (seq_ptr, block_table) =
        (Entries::read(layout, seq_ptr, "seq_ptr")?, Entries::read(layout, block_table, "block_table")?);
    match py.detach(|| flaw(layout, &seq_ptr, &block_table)) {
        None => Ok(()),
        Some(text) => Err(args::refused(py, "L-38", text)),
    }
}
