//! The elements of a dense tensor in row-major order, as bytes, piece by piece.

use std::io;
use std::os::fd::OwnedFd;

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use hurray_wire::{check, Source};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use super::address::{Address, Element};
use super::values::no_values;
use super::{walk, Grid, Tensor};
use crate::bits;
use crate::buffer::{interrupted, Aligned, Buffer, Watch};
use crate::error::{self, guarded, BufferError, UnsupportedError};
use crate::exchange::filled;
use crate::{file, layout};

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
    if let Some(region) = whole(tensor, len) {
        return region.pass_on(put);
    }
    let (Some(address), Some(element)) = (Address::of(d), Element::of(d)) else { return Ok(()) };
    let from = tensor.buffers[0].bytes();
    match (element.bytes(), address.strides()) {
        (Some(width), Some(strides)) => gathered(from, element, (address.shape(), &strides), width, put),
        (Some(width), None) => scattered(from, element, &address, width, put),
        (None, _) => packed(from, element, &address, put),
    }
}

/// As `in_order`, where the last byte holds nothing but elements: what else is in there is no tensor's.
fn whole(tensor: &Tensor, len: usize) -> Option<Buffer> {
    let d = &*tensor.descriptor;
    let bits = Element::of(d).map_or(0, |element| element.bits as u64);
    let ragged = check::element_count(&d.shape).is_some_and(|count| bits < 8 && !(count % 8 * bits).is_multiple_of(8));
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

/// Whole-byte elements at strides.
fn gathered(
    from: &[u8],
    element: Element,
    (shape, strides): (&[usize], &[isize]),
    width: usize,
    put: &mut Put<'_>,
) -> io::Result<()> {
    let mut staged = Staged::new(put, width);
    for row in walk::rows(shape, strides) {
        let mut done = 0;
        while done < row.len {
            let room = staged.room()?;
            let count = (row.len - done).min(room.len() / width);
            let start = element.byte(row.start + done as isize * row.stride);
            let out = &mut room[..count * width];
            walk::gather(from, start, &[count], &[row.stride * width as isize], width, out);
            staged.filled(count * width);
            done += count;
        }
    }
    staged.finish()
}

/// Whole-byte elements that no strides find.
fn scattered(from: &[u8], element: Element, address: &Address, width: usize, put: &mut Put<'_>) -> io::Result<()> {
    let mut staged = Staged::new(put, width);
    address.blocks(|base, offsets| {
        let mut rest = offsets;
        while !rest.is_empty() {
            let room = staged.room()?;
            let (now, later) = rest.split_at(rest.len().min(room.len() / width));
            let first = element.byte(base);
            walk::collect(from, first, now, width, &mut room[..now.len() * width]);
            staged.filled(now.len() * width);
            rest = later;
        }
        Ok::<_, io::Error>(())
    })?;
    staged.finish()
}

/// Elements of `width` bytes on their way, handed over when there are many.
struct Staged<'a, 'b> {
    put: &'a mut Put<'b>,
    bytes: Vec<u8>,
    width: usize,
    filled: usize,
    /// Bytes since the last look at pending signals.
    unseen: usize,
    watch: Watch,
}

impl<'a, 'b> Staged<'a, 'b> {
    fn new(put: &'a mut Put<'b>, width: usize) -> Self {
        let bytes = vec![0; STAGE.max(width)];
        Self { put, bytes, width, filled: 0, unseen: 0, watch: Watch::default() }
    }

    /// Room for one element at least, and for no more than may pass between two looks.
    fn room(&mut self) -> io::Result<&mut [u8]> {
        if self.unseen >= LOOK * self.width {
            self.watch.look()?;
            self.unseen = 0;
        }
        if self.bytes.len() - self.filled < self.width {
            (self.put)(&self.bytes[..self.filled])?;
            self.filled = 0;
        }
        let end = self.bytes.len().min(self.filled + LOOK * self.width);
        Ok(&mut self.bytes[self.filled..end])
    }

    fn filled(&mut self, more: usize) {
        self.filled += more;
        self.unseen += more;
    }

    fn finish(self) -> io::Result<()> {
        (self.put)(&self.bytes[..self.filled])
    }
}

/// Repacks elements narrower than a byte.
fn packed(from: &[u8], element: Element, address: &Address, put: &mut Put<'_>) -> io::Result<()> {
    let bits = element.bits as u32;
    // Eight elements fill whole bytes at every width: 1, 2, 4 and 6 bits.
    let mut watch = Watch::default();
    let mut staged = Vec::with_capacity(PIECE);
    let (mut word, mut held) = (0u64, 0);
    address.blocks(|base, offsets| {
        for offset in offsets {
            word |= u64::from(element.code(from, base + offset)) << (held * bits);
            held += 1;
            if held == 8 {
                staged.extend_from_slice(&word.to_le_bytes()[..bits as usize]);
                (word, held) = (0, 0);
            }
        }
        if staged.len() + PIECE / 8 > PIECE {
            watch.look()?;
            put(&staged)?;
            staged.clear();
        }
        Ok::<_, io::Error>(())
    })?;
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

impl Tensor {
    /// The packed elements where they lie in row-major order, for whoever takes a tensor as bytes.
    pub(super) fn packed_bytes(&self) -> PyResult<Buffer> {
        let what = "a tensor given as a buffer";
        let len = checked_len(self, what)?;
        in_order(self, len).ok_or_else(|| {
            let name = layout::name(&self.descriptor.layout);
            BufferError::new_err(format!("{what} has its elements in row-major order, which this {name} one has not; give t.buffer(0) for its bytes"))
        })
    }
}

/// The length of the row-major bytes, or why there are none.
fn checked_len(tensor: &Tensor, what: &str) -> PyResult<usize> {
    let d = &*tensor.descriptor;
    if let Some(reason) = no_values(tensor) {
        return Err(UnsupportedError::new_err(format!("{what} {reason}")));
    }
    let len = packed_len(d).filter(|_| Element::of(d).is_some() && Address::of(d).is_some()).ok_or_else(|| {
        UnsupportedError::new_err(format!("{what} cannot address the shape {}, which exceeds memory", d.shape))
    })?;
    in_memory(len, what)
}

/// A length that one object of Python's can have.
fn in_memory(len: u64, what: &str) -> PyResult<usize> {
    let fits = isize::try_from(len).ok().and_then(|len| usize::try_from(len).ok());
    fits.ok_or_else(|| PyMemoryError::new_err(format!("{what}: {len} bytes exceed memory")))
}

/// `t.tobytes()`.
pub(super) fn to_bytes<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyBytes>> {
    let len = checked_len(tensor, "tobytes")?;
    filled::bytes(py, len, |out| copy_into(py, tensor, out))
}

fn copy_into(py: Python<'_>, tensor: &Tensor, out: &mut [u8]) -> PyResult<()> {
    let len = out.len();
    let copy = || {
        let mut rest = out;
        let mut put = |bytes: &[u8]| {
            let (now, later) = std::mem::take(&mut rest).split_at_mut(bytes.len());
            now.copy_from_slice(bytes);
            rest = later;
            Ok(())
        };
        feed(tensor, len, &mut put)
    };
    // Other threads need not notice a small one.
    let done = if len < PIECE { copy() } else { py.detach(copy) };
    done.map_err(|error| error::os(py, error, &None))
}

/// The region that holds the elements in row-major order and nothing else, where one does.
pub(crate) fn row_major_region(tensor: &Tensor, what: &str) -> PyResult<Option<Buffer>> {
    Ok(in_order(tensor, checked_len(tensor, what)?))
}

/// The elements in row-major order in aligned memory of their own.
pub(crate) fn row_major_copy(py: Python<'_>, tensor: &Tensor, what: &str) -> PyResult<Buffer> {
    let mut memory = Aligned::zeroed(checked_len(tensor, what)?)?;
    copy_into(py, tensor, memory.bytes_mut())?;
    Ok(Buffer::owned(memory))
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
    let (Some(address), Some(element)) = (Address::of(d), Element::of(d)) else {
        return Err(UnsupportedError::new_err(tensor.no_grid("unpack")));
    };
    let count = in_memory(check::element_count(&d.shape).unwrap_or(u64::MAX), "unpack")?;
    let region = in_order(tensor, count.div_ceil(8));
    let bytes = tensor.buffers[0].bytes();
    filled::bytearray(py, count, |out| {
        let fill = move || {
            let mut watch = Watch::default();
            if let Some(region) = region {
                for (packed, slots) in region.bytes().chunks(PIECE).zip(out.chunks_mut(8 * PIECE)) {
                    watch.look()?;
                    bits::unpack(packed, slots);
                }
                return Ok(());
            }
            let mut slots = out.iter_mut();
            address.blocks(|base, offsets| {
                for (offset, slot) in offsets.iter().zip(slots.by_ref()) {
                    *slot = element.code(bytes, base + offset);
                }
                watch.look()
            })
        };
        let done: io::Result<()> = if count < PIECE { fill() } else { py.detach(fill) };
        done.map_err(|error| error::os(py, error, &None))
    })
}

/// Write all bytes of anything contiguous to an open file or a descriptor, without holding the GIL.
///
/// Pages of a ``FileMap``, or of a file opened with ``writable=False``, are given back behind the
/// writing. Returns the number of bytes (format: file.md §9). Raises ``FileError`` with the
/// system's ``errno``, ``TypeError`` for what is no open file.
#[pyfunction]
pub(crate) fn write_all(py: Python<'_>, file: &Bound<'_, PyAny>, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| {
        let bytes = file::mapped(buffer, crate::buffer::contiguous(buffer)?);
        let sink = Sink::of(file)?;
        py.detach(|| pass(&bytes, &sink)).map_err(|error| error::os(py, error, &None))?;
        Ok(bytes.len())
    })
}
