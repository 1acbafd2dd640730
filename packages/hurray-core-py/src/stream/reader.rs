//! `StreamReader`: one item after another, each as soon as its last byte is there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use hurray_wire::{Error, Item, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arriving::Arriving;
use super::channel::Way;
use super::gate::Gate;
use super::home::Home;
use super::open::{opened, Opened};
use super::source::Source;
use super::wait::Patience;
use crate::argument;
use crate::buffer::Buffer;
use crate::composite::{Composite, Member};
use crate::descriptor::device_of;
use crate::error::{self, guarded, FileName, StreamError};
use crate::tensor::Tensor;

type Reader = Box<hurray_wire::StreamReader<Source>>;

/// Reads tensors from a stream, one at a time (format: stream.md §1 to §5; requirements: Streaming).
///
/// ``source`` is a path, a socket, a pipe, an open file, a descriptor (each duplicated: closing the reader
/// leaves the caller's open), or bytes that hold a stream. Iterating gives each tensor, and a composite with all of its
/// members as one item (04-tables section 3, ruling 1), as soon as its last byte
/// has arrived, in aligned memory of its own, and reads nothing beyond it. The end of the input between two
/// tensors ends the iteration; a closed reader is at its end as well.
///
/// ``max_descriptor_bytes`` (16 MiB), ``max_buffer_bytes`` (no limit) and ``max_composite_depth`` (64) bound
/// what a frame may claim; memory follows the bytes that arrive, never a claim. ``cross_machine=True`` refuses
/// buffers that are not producer-synced.
///
/// Raises ``StreamError`` for a stream that is cut short, malformed or over a limit,
/// ``InvalidDescriptorError`` and ``BufferError`` for a descriptor that breaks a rule, ``FileError`` when the
/// transport fails; ``code`` is the rule. An error in the middle of an item closes the reader. One before its
/// first byte (a timeout, Ctrl-C) leaves it usable.
#[pyclass(frozen, weakref, module = "hurray")]
pub(crate) struct StreamReader {
    gate: Gate<Option<Reader>>,
    closing: Arc<AtomicBool>,
    home: Home,
    name: FileName,
}

#[pymethods]
impl StreamReader {
    #[new]
    #[pyo3(signature = (
        source, *, max_descriptor_bytes=None, max_buffer_bytes=None, max_composite_depth=None, cross_machine=false
    ))]
    fn new(
        source: &Bound<'_, PyAny>,
        max_descriptor_bytes: Option<u64>,
        max_buffer_bytes: Option<u64>,
        max_composite_depth: Option<usize>,
        #[pyo3(from_py_with = argument::cross_machine)] cross_machine: bool,
    ) -> PyResult<Self> {
        guarded(|| {
            let default = Limits::default();
            let depth = max_composite_depth.unwrap_or(default.composite_depth);
            if depth > default.composite_depth {
                let most = default.composite_depth;
                return Err(PyValueError::new_err(format!("max_composite_depth is at most {most}; got {depth}")));
            }
            let limits = Limits {
                descriptor_bytes: max_descriptor_bytes.unwrap_or(default.descriptor_bytes),
                buffer_bytes: max_buffer_bytes.unwrap_or(default.buffer_bytes),
                composite_depth: depth,
            };
            let closing = Arc::new(AtomicBool::new(false));
            let patience = Patience { closing: Arc::clone(&closing), timeout: None };
            let (opened, name, ahead) = opened(source, Way::In, patience)?;
            let home = Home::here(matches!(opened, Opened::Channel(_)));
            let source = match opened {
                Opened::Channel(channel) => Source::Channel { ahead, taken: 0, channel },
                Opened::Memory(bytes) => Source::Memory { bytes, taken: 0 },
            };
            let reader = Box::new(hurray_wire::StreamReader::new(source, limits, cross_machine));
            Ok(Self { gate: Gate::new(Some(reader)), closing, home, name })
        })
    }

    /// Close the reader: its descriptor is released, and a thread that waits in it stops waiting. Idempotent.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.closing.store(true, Ordering::Release);
        let gone = if self.home.is_here() {
            self.gate.enter(py)?.value().take()
        } else {
            // A thread of the parent may have held it at the fork, and that thread is not here.
            self.gate.if_free().and_then(|mut turn| turn.value().take())
        };
        drop(gone);
        Ok(())
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            self.home.check()?;
            let item = self.next(py)?;
            item.map(|item| member(py, item).map(Member::into_object)).transpose()
        })
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (_kind, _value, _trace, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        let closed = if self.closing.load(Ordering::Acquire) { ", closed" } else { "" };
        format!("<hurray.StreamReader{closed}>")
    }
}

impl StreamReader {
    fn next(&self, py: Python<'_>) -> PyResult<Option<Item<Buffer>>> {
        let mut turn = self.gate.enter(py)?;
        let Some(reader) = turn.value() else { return Ok(None) };
        let read = py.detach(|| reader.next(&mut Arriving));
        let ended = reader.ended();
        let closed = self.closing.load(Ordering::Acquire);
        if ended || closed {
            *turn.value() = None;
        }
        drop(turn);
        match read {
            Ok(item) => Ok(item),
            Err(Error::Io(_)) if closed && !ended => Ok(None),
            Err(Error::Io(_)) if closed => {
                Err(StreamError::new_err("the reader was closed by another thread in the middle of a tensor"))
            }
            Err(failed) => Err(error::wire(py, failed, &self.name)),
        }
    }
}

/// A tensor, or a composite as one item (ruling 1). The reader's limit bounds how deep it is.
fn member(py: Python<'_>, item: Item<Buffer>) -> PyResult<Member<'_>> {
    match item {
        Item::Tensor(descriptor, buffers) => {
            let device = device_of(py, &descriptor)?;
            Tensor::over(descriptor, buffers.into_iter().collect(), device)?.object(py).map(Member::Tensor)
        }
        Item::Composite(composite) => {
            let members = composite.members.into_iter().map(|item| member(py, item)).collect::<PyResult<_>>()?;
            let made = Composite::assembled(py, Arc::new(composite.head), members)?;
            Bound::new(py, made).map(Member::Composite)
        }
    }
}
