//! An open container and the memory that its tensors will live in.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::vec;

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use hurray_wire::{Container, Located};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::parallel;
use super::source::{Named, Source};
use crate::buffer::{Aligned, Buffer, Map};
use crate::descriptor::device_of;
use crate::error::{self, FileName};
use crate::tensor::Tensor;

/// Where the bytes of tensors come to lie.
enum Memory {
    /// In pages of the file itself.
    Mapped(Buffer),
    /// In pages of the file that are written to apart: which entries have been handed out.
    Private(Buffer, Taken),
    /// In allocations of our own, read when asked for.
    Read,
    /// In the caller's bytes.
    Given(Buffer),
}

/// Which entries have been handed out, a bit each.
struct Taken(Box<[AtomicU64]>);

impl Taken {
    fn of(entries: usize) -> Self {
        Self((0..entries.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Whether the entry is handed out for the first time, which it is once.
    fn first(&self, entry: usize) -> bool {
        let bit = 1 << (entry % 64);
        self.0[entry / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

/// How a caller wants bytes brought in: the `io` and `writable` arguments.
#[derive(Clone, Copy)]
pub(crate) enum Io {
    Private,
    Shared,
    Read,
}

impl Io {
    pub(crate) fn of(io: &str, writable: bool) -> PyResult<Self> {
        match io {
            "mmap" if writable => Ok(Self::Private),
            "mmap" => Ok(Self::Shared),
            "read" => Ok(Self::Read),
            other => Err(PyValueError::new_err(format!("io is 'mmap' or 'read', got {other:?}"))),
        }
    }
}

/// A tensor of the file: its position in the index, what it declares, and where its buffers lie.
pub(crate) struct Found {
    index: usize,
    descriptor: Arc<TensorDescriptor>,
    ranges: Vec<Range<u64>>,
}

impl Found {
    pub(super) fn is_head(&self) -> bool {
        matches!(self.descriptor.layout, LayoutDescriptor::Composite(_))
    }

    pub(super) fn descriptor(&self) -> Arc<TensorDescriptor> {
        Arc::clone(&self.descriptor)
    }

    pub(super) fn into_descriptor(self) -> Arc<TensorDescriptor> {
        self.descriptor
    }
}

pub(crate) struct Opened {
    pub(crate) container: Container,
    pub(crate) source: Source,
    pub(crate) name: FileName,
    memory: Memory,
}

impl Opened {
    pub(crate) fn new(py: Python<'_>, named: Named, io: Io) -> PyResult<Self> {
        let Named { source, name } = named;
        let container = py.detach(|| Container::open(&source));
        let container = container.map_err(|failed| error::wire(py, failed, &name))?;
        let memory = memory(&source, io, container.len()).map_err(|failed| error::os(py, failed, &name))?;
        Ok(Self { container, source, name, memory })
    }

    /// Where the tensor lies, everything about it checked.
    pub(crate) fn locate(&self, index: usize) -> Result<Located, hurray_wire::Error> {
        self.container.tensor(&self.source, index)
    }

    /// As `locate`, for many.
    pub(crate) fn find(&self, indices: &[usize]) -> Result<Vec<Found>, hurray_wire::Error> {
        let mut scratch = Vec::new();
        let mut found = |&index: &usize| {
            let Located { descriptor, ranges } = self.container.tensor_through(&self.source, index, &mut scratch)?;
            Ok(Found { index, descriptor: Arc::new(descriptor), ranges })
        };
        indices.iter().map(&mut found).collect()
    }

    /// Raises if the file has become shorter than it was when its offsets were checked (F-48).
    pub(crate) fn still_whole(&self, py: Python<'_>) -> PyResult<()> {
        self.container.recheck(&self.source).map_err(|failed| error::wire(py, failed, &self.name))
    }

    /// The tensors of `found`, none of them a composite's head, read together where they are read at all.
    pub(crate) fn tensors<'a>(
        &'a self,
        py: Python<'a>,
        found: Vec<Found>,
    ) -> PyResult<impl Iterator<Item = PyResult<(usize, Tensor)>> + 'a> {
        let mut filled = match self.memory {
            Memory::Read => self.fill(py, &found)?.into_iter(),
            _ => Vec::new().into_iter(),
        };
        Ok(found.into_iter().map(move |found| Ok((found.index, self.tensor(py, found, &mut filled)?))))
    }

    fn tensor(&self, py: Python<'_>, found: Found, filled: &mut vec::IntoIter<Buffer>) -> PyResult<Tensor> {
        let mapped = self.mapped(py, &found)?;
        let buffer = |range: &Range<u64>| match &self.memory {
            Memory::Mapped(whole) => Ok(part(whole, range)),
            Memory::Private(whole, _) => Ok(match &mapped {
                Some((own, start)) => part(own, &(range.start - start..range.end - start)),
                None => part(whole, range),
            }),
            Memory::Given(whole) => crate::tensor::aligned(py, part(whole, range)),
            Memory::Read => Ok(filled.next().unwrap_or_else(Buffer::empty)),
        };
        let buffers = found.ranges.iter().map(buffer).collect::<PyResult<_>>()?;
        let device = device_of(py, &found.descriptor)?;
        Tensor::over(found.descriptor, buffers, device)
    }

    /// A map of the tensor's own and the offset at which it starts, where the tensor was handed out
    /// before: writing to one must leave the other alone.
    fn mapped(&self, py: Python<'_>, found: &Found) -> PyResult<Option<(Buffer, u64)>> {
        let (Memory::Private(_, taken), Source::File(file)) = (&self.memory, &self.source) else { return Ok(None) };
        if taken.first(found.index) {
            return Ok(None);
        }
        let start = found.ranges.first().map_or(0, |range| range.start);
        let end = found.ranges.last().map_or(0, |range| range.end);
        let map = Map::private_part(file, start, (end - start) as usize);
        Ok(Some((Buffer::mapped(map.map_err(|failed| error::os(py, failed, &self.name))?), start)))
    }

    fn fill(&self, py: Python<'_>, found: &[Found]) -> PyResult<Vec<Buffer>> {
        let ranges = || found.iter().flat_map(|found| &found.ranges);
        let allocate = |range: &Range<u64>| Aligned::zeroed((range.end - range.start) as usize);
        let mut memory = ranges().map(allocate).collect::<PyResult<Vec<_>>>()?;
        let jobs = memory.iter_mut().zip(ranges()).map(|(memory, range)| (memory.bytes_mut(), range.start)).collect();
        py.detach(|| parallel::read(&self.source, jobs)).map_err(|failed| error::os(py, failed, &self.name))?;
        let buffer = |memory: Aligned, range: &Range<u64>| {
            if range.is_empty() {
                Buffer::empty()
            } else {
                Buffer::owned(memory)
            }
        };
        let ranges: Vec<Range<u64>> = ranges().cloned().collect();
        Ok(memory.into_iter().zip(&ranges).map(|(memory, range)| buffer(memory, range)).collect())
    }
}

/// A checked range of the file, as memory.
fn part(whole: &Buffer, range: &Range<u64>) -> Buffer {
    if range.is_empty() {
        return Buffer::empty();
    }
    whole.part(range.start as usize, (range.end - range.start) as usize)
}

fn memory(source: &Source, io: Io, entries: usize) -> std::io::Result<Memory> {
    Ok(match (source, io) {
        (Source::Memory(buffer), _) => Memory::Given(buffer.clone()),
        (Source::File(_), Io::Read) => Memory::Read,
        (Source::File(file), Io::Private) => Memory::Private(Buffer::mapped(Map::private(file)?), Taken::of(entries)),
        (Source::File(file), Io::Shared) => Memory::Mapped(Buffer::mapped(Map::shared(file)?)),
    })
}
