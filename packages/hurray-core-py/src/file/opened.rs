//! An open container and the memory that its tensors will live in.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use hurray_core::LayoutDescriptor;
use hurray_wire::{Container, Located};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::parallel;
use super::source::{Named, Source};
use crate::buffer::{Aligned, Buffer, Map};
use crate::descriptor::device_of;
use crate::error::{self, FileName, UnsupportedError};
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

    /// Raises if the file has become shorter than it was when its offsets were checked (F-48).
    pub(crate) fn still_whole(&self, py: Python<'_>) -> PyResult<()> {
        self.container.recheck(&self.source).map_err(|failed| error::wire(py, failed, &self.name))
    }

    /// The tensors of `located`, read together where they are read at all.
    pub(crate) fn tensors(&self, py: Python<'_>, located: Vec<(usize, Located)>) -> PyResult<Vec<Tensor>> {
        let mut filled = match self.memory {
            Memory::Read => self.fill(py, &located)?.into_iter(),
            _ => Vec::new().into_iter(),
        };
        let tensors = located.into_iter().map(|(index, located)| {
            self.no_head(index, &located)?;
            let mapped = self.mapped(py, index, &located)?;
            let buffers = located.ranges.iter().map(|range| match &self.memory {
                Memory::Mapped(whole) => Ok(part(whole, range)),
                Memory::Private(..) => Ok(part(&mapped.0, &(range.start - mapped.1..range.end - mapped.1))),
                Memory::Given(whole) => crate::tensor::aligned(py, part(whole, range)),
                Memory::Read => Ok(filled.next().unwrap_or_else(Buffer::empty)),
            });
            let buffers = buffers.collect::<PyResult<_>>()?;
            let device = device_of(py, &located.descriptor)?;
            Tensor::over(located.descriptor, buffers, device)
        });
        tensors.collect()
    }

    /// The map that a tensor's buffers lie in, and the offset in the file at which it starts: a map of
    /// its own when the tensor was handed out before, so that writing to one leaves the other alone.
    fn mapped(&self, py: Python<'_>, index: usize, located: &Located) -> PyResult<(Buffer, u64)> {
        let Memory::Private(whole, taken) = &self.memory else { return Ok((Buffer::empty(), 0)) };
        let first = taken.first(index);
        let (Source::File(file), false) = (&self.source, first) else { return Ok((whole.clone(), 0)) };
        let start = located.ranges.first().map_or(0, |range| range.start);
        let end = located.ranges.last().map_or(0, |range| range.end);
        let map = Map::private_part(file, start, (end - start) as usize);
        Ok((Buffer::mapped(map.map_err(|failed| error::os(py, failed, &self.name))?), start))
    }

    /// Composite heads have members where a tensor has data.
    fn no_head(&self, index: usize, located: &Located) -> PyResult<()> {
        if !matches!(located.descriptor.layout, LayoutDescriptor::Composite(_)) {
            return Ok(());
        }
        Err(UnsupportedError::new_err(format!(
            "{:?} is a composite, which this release does not load yet; its members load by their own names",
            self.container.entry(index).name
        )))
    }

    fn fill(&self, py: Python<'_>, located: &[(usize, Located)]) -> PyResult<Vec<Buffer>> {
        let ranges = || located.iter().flat_map(|(_, located)| &located.ranges);
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
