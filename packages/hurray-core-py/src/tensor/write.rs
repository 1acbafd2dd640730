//! The elements of a dense tensor in row-major order, as bytes, piece by piece.

use std::io;
use std::os::fd::OwnedFd;

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use hurray_wire::{check, Source};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use super::values::{byte_of, code_of, Steps};
use super::{walk, Grid, Tensor};
use crate::bits;
use crate::buffer::{interrupted, Buffer, Watch};
use crate::error::{self, guarded, UnsupportedError};
use crate::file;

/// How much is repacked, or handed to a Python `write`, at a time.
const PIECE: usize = 1 << 20;
/// How much is gathered before it is written.
const STAGE: usize = 128 << 10;
/// Elements between two looks at pending signals: each may be a page fault that reads ahead.
const LOOK: usize = 512;

/// Bytes that the elements take, packed; `None` beyond 64 bits, dynamic, or private.
pub(super) fn packed_len(descriptor: &TensorDescriptor) -> Option<u64> {
    let count = check::element_count(&descriptor.shape).filter(|_| !descriptor.shape.has_dynamic())?;
    check::storage_bytes(descriptor.element_type, descriptor.extension_type.as_ref(), u128::from(count))
}

/// Where the bytes go.
pub(crate) enum Sink {
    Descriptor(OwnedFd),
    Method(Py<PyAny>),
}

impl Sink {
    /// The sink of an open file or a descriptor, whose position it shares.
    pub(crate) fn of(file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = file.py();
        let target = py.import("hurray._sources")?.call_method1("sink", (file,))?;
        Ok(match target.extract::<i32>() {
            Ok(number) => Self::Descriptor(file::duplicate(py, number)?),
            Err(_) => Self::Method(target.unbind()),
        })
    }

    /// Writes all of `bytes`; called with the interpreter detached or not.
    pub(crate) fn put(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Descriptor(fd) => file::write_fd(fd, bytes),
            Self::Method(method) => bytes
                .chunks(PIECE)
                .try_for_each(|piece| Python::attach(|py| call(method.bind(py), piece)).map_err(io::Error::other)),
        }
    }
}

/// Hands a piece to a Python `write`, which may take it in parts.
fn call(method: &Bound<'_, PyAny>, mut piece: &[u8]) -> PyResult<()> {
    let py = method.py();
    while !piece.is_empty() {
        py.check_signals()?;
        let taken = method.call1((PyBytes::new(py, piece),))?;
        let taken = if taken.is_none() { piece.len() } else { taken.extract::<usize>()?.min(piece.len()) };
        if taken == 0 {
            return Err(crate::error::FileError::new_err("the file's write() takes no more bytes"));
        }
        piece = &piece[taken..];
    }
    Ok(())
}

type Put<'a> = dyn FnMut(&[u8]) -> io::Result<()> + 'a;

/// Passes a region on to a sink, from file to file where both are files.
fn pass(buffer: &Buffer, sink: &Sink) -> io::Result<()> {
    if let (Sink::Descriptor(fd), Some((file, offset))) = (sink, buffer.file_range()) {
        if buffer.len() >= PIECE && hurray_wire::copy_range(file, offset, fd, buffer.len() as u64, &mut interrupted)? {
            return Ok(());
        }
    }
    buffer.pass_on(&mut |bytes| sink.put(bytes))
}

/// Feeds the row-major elements to `put`. The tensor has been found readable and dense.
fn feed(tensor: &Tensor, len: usize, put: &mut Put<'_>) -> io::Result<()> {
    let d = &*tensor.descriptor;
    let buffer = &tensor.buffers[0];
    if let Some(region) = whole(tensor, len) {
        return region.pass_on(put);
    }
    let Some(steps) = Steps::of(d) else { return Ok(()) };
    match tensor.grid() {
        Some(grid) => gathered(buffer.bytes(), d, &steps, grid.itemsize(), put),
        None => packed(buffer.bytes(), d, &steps, put),
    }
}

/// As `in_order`, where the last byte holds nothing but elements: what else is in there is no tensor's.
fn whole(tensor: &Tensor, len: usize) -> Option<Buffer> {
    let d = &*tensor.descriptor;
    let bits = u64::from(d.element_type.bit_width());
    let ragged = check::element_count(&d.shape).is_some_and(|count| bits < 8 && count % 8 * bits % 8 != 0);
    if ragged {
        None
    } else {
        in_order(tensor, len)
    }
}

/// The region that holds the elements in row-major order already, where one does.
fn in_order(tensor: &Tensor, len: usize) -> Option<Buffer> {
    let d = &*tensor.descriptor;
    if len == 0 {
        return Some(Buffer::empty());
    }
    let in_order = matches!(d.layout, LayoutDescriptor::RowMajor) || tensor.grid().is_some_and(Grid::c_contiguous);
    in_order.then(|| tensor.buffers[0].part(d.byte_offset as usize, len))
}

fn gathered(from: &[u8], d: &TensorDescriptor, steps: &Steps, itemsize: usize, put: &mut Put<'_>) -> io::Result<()> {
    let mut watch = Watch::default();
    let mut staged = vec![0; STAGE];
    let (mut filled, mut unseen) = (0, 0);
    for row in walk::rows(&steps.shape, &steps.strides) {
        let mut done = 0;
        while done < row.len {
            let count = (row.len - done).min((STAGE - filled) / itemsize).min(LOOK);
            let start = byte_of(d, row.start + done as isize * row.stride);
            let out = &mut staged[filled..filled + count * itemsize];
            walk::gather(from, start, &[count], &[row.stride * itemsize as isize], itemsize, out);
            (done, filled, unseen) = (done + count, filled + count * itemsize, unseen + count);
            if unseen >= LOOK {
                watch.look()?;
                unseen = 0;
            }
            if STAGE - filled < itemsize {
                put(&staged[..filled])?;
                filled = 0;
            }
        }
    }
    put(&staged[..filled])
}

/// Repacks elements narrower than a byte.
fn packed(from: &[u8], d: &TensorDescriptor, steps: &Steps, put: &mut Put<'_>) -> io::Result<()> {
    let bits = d.element_type.bit_width();
    // Eight elements fill whole bytes at every width: 1, 2, 4 and 6 bits.
    let mut watch = Watch::default();
    let mut staged = Vec::with_capacity(PIECE);
    let (mut word, mut held) = (0u64, 0);
    for offset in walk::offsets(&steps.shape, &steps.strides) {
        word |= u64::from(code_of(from, d, offset)) << (held * bits);
        held += 1;
        if held == 8 {
            staged.extend_from_slice(&word.to_le_bytes()[..bits as usize]);
            (word, held) = (0, 0);
        }
        if staged.len() + 8 > PIECE {
            watch.look()?;
            put(&staged)?;
            staged.clear();
        }
    }
    staged.extend_from_slice(&word.to_le_bytes()[..tail_len(held, bits)]);
    put(&staged)
}

/// Bytes of the last, partial run; 6-bit elements are stored by whole groups of four.
fn tail_len(held: u32, bits: u32) -> usize {
    match bits {
        6 => held.div_ceil(4) as usize * 3,
        _ => (held * bits).div_ceil(8) as usize,
    }
}

/// The length of the row-major bytes, or why there are none.
fn checked_len(tensor: &Tensor, what: &str) -> PyResult<usize> {
    let d = &*tensor.descriptor;
    let refused = || UnsupportedError::new_err(tensor.no_grid(what));
    if tensor.unreadable().is_some() || d.quantization.is_some() || Steps::of(d).is_none() {
        return Err(refused());
    }
    let len = packed_len(d).ok_or_else(refused)?;
    usize::try_from(len).map_err(|_| PyMemoryError::new_err(format!("{what}: {len} bytes exceed memory")))
}

/// `t.tobytes()`.
pub(super) fn to_bytes<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyBytes>> {
    let len = checked_len(tensor, "tobytes")?;
    PyBytes::new_with(py, len, |out| {
        let mut rest = out;
        let mut put = |bytes: &[u8]| {
            let (now, later) = std::mem::take(&mut rest).split_at_mut(bytes.len());
            now.copy_from_slice(bytes);
            rest = later;
            Ok(())
        };
        feed(tensor, len, &mut put).map_err(|error| error::os(py, error, &None))
    })
}

/// `t.tofile(file)`.
pub(super) fn to_file(py: Python<'_>, tensor: &Tensor, file: &Bound<'_, PyAny>) -> PyResult<usize> {
    let len = checked_len(tensor, "tofile")?;
    let sink = Sink::of(file)?;
    let done = py.detach(|| match whole(tensor, len) {
        Some(region) => pass(&region, &sink),
        None => feed(tensor, len, &mut |bytes| sink.put(bytes)),
    });
    done.map_err(|error| error::os(py, error, &None))?;
    Ok(len)
}

/// `t.unpack()`: bool elements as bytes.
pub(super) fn unpacked<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyByteArray>> {
    let d = &*tensor.descriptor;
    if d.element_type != hurray_core::ElementType::Bool {
        return Err(UnsupportedError::new_err(format!("unpack is for bool tensors; this one is {}", d.element_type)));
    }
    checked_len(tensor, "unpack")?;
    let Some(steps) = Steps::of(d) else { return Err(UnsupportedError::new_err(tensor.no_grid("unpack"))) };
    let count = check::element_count(&d.shape).and_then(|count| usize::try_from(count).ok());
    let count = count.ok_or_else(|| PyMemoryError::new_err("unpack: the elements exceed memory"))?;
    PyByteArray::new_with(py, count, |out| {
        if let Some(region) = in_order(tensor, count.div_ceil(8)) {
            bits::unpack(region.bytes(), out);
            return Ok(());
        }
        let bytes = tensor.buffers[0].bytes();
        for (slot, offset) in out.iter_mut().zip(walk::offsets(&steps.shape, &steps.strides)) {
            *slot = code_of(bytes, d, offset);
        }
        Ok(())
    })
}

/// Write all bytes of anything contiguous to an open file or a descriptor, without holding the GIL.
///
/// Pages of a ``FileMap``, or of a file opened with ``writable=False``, are given back behind the
/// writing. Returns the number of bytes. Raises ``FileError`` with the system's ``errno``.
#[pyfunction]
pub(crate) fn write_all(py: Python<'_>, file: &Bound<'_, PyAny>, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| {
        let bytes = file::mapped(buffer, crate::buffer::contiguous(buffer)?);
        let sink = Sink::of(file)?;
        py.detach(|| pass(&bytes, &sink)).map_err(|error| error::os(py, error, &None))?;
        Ok(bytes.len())
    })
}
