//! `StreamWriter`: each tensor is handed over before `write` returns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use hurray_core::LayoutDescriptor;
use hurray_wire::Error;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

use super::channel::Way;
use super::destination::Destination;
use super::gate::Gate;
use super::home::Home;
use super::open::{opened, Opened};
use super::wait::Patience;
use crate::argument;
use crate::composite::Composite;
use crate::error::{self, guarded, kind, FileName, InternalError, StreamError};
use crate::file::pieces::Pieces;
use crate::file::writable::{about, packed_descriptor, Writable};

type Writer = Box<hurray_wire::StreamWriter<Destination>>;

struct State {
    /// Gone once the stream is finished or broken.
    writer: Option<Writer>,
    broken: bool,
    /// Tensors written, which is how messages call the next one.
    count: u64,
}

/// Writes tensors into a stream, one at a time (format: stream.md §1; requirements: Streaming).
///
/// ``destination`` is a path (created, or cut to nothing), a socket, a pipe, an open file or a descriptor, each
/// duplicated: finishing the stream leaves the caller's open. Without one the stream is built in memory and
/// ``getvalue()`` returns it. ``write`` has handed all bytes over to the system when it returns. A stream has no
/// mark at its end: the reader sees the end when the last descriptor of the transport is closed.
///
/// ``cross_machine=True`` refuses buffers that are not producer-synced; otherwise such tensors are relayed as
/// they are. ``check=False`` writes the contents of sparse, paged and quantised tensors as they are.
///
/// Raises ``FileError`` with the system's ``errno`` when the transport fails, and ``StreamError`` for what is
/// written after ``finish`` or after a failure that left a part of a tensor in the stream.
#[pyclass(frozen, weakref, module = "hurray")]
pub(crate) struct StreamWriter {
    gate: Gate<State>,
    closing: Arc<AtomicBool>,
    home: Home,
    name: FileName,
    memory: Option<Py<PyAny>>,
    check: bool,
}

impl StreamWriter {
    fn with(
        &self,
        py: Python<'_>,
        tensors: u64,
        work: impl FnOnce(&mut Writer) -> Result<(), Error> + Send,
    ) -> PyResult<()> {
        self.home.check()?;
        let mut turn = self.gate.enter(py)?;
        let state = turn.value();
        let writer = state.writer.as_mut().ok_or_else(|| ended(state.broken))?;
        let done = py.detach(|| work(writer));
        state.count += if done.is_ok() { tensors } else { 0 };
        let closed = self.closing.load(Ordering::Acquire);
        // A composite that lacks members cannot be gone on from either.
        if writer.complete().is_err() {
            state.broken = true;
            state.writer = None;
        }
        drop(turn);
        match done {
            Err(Error::Io(_)) if closed => Err(StreamError::new_err("the writer was closed by another thread")),
            done => done.map_err(|failed| error::wire(py, failed, &self.name)),
        }
    }

    /// A composite, refused as a whole before a byte of it is written.
    fn put_all(&self, py: Python<'_>, all: &[(String, Writable)]) -> PyResult<()> {
        if let [(_, one)] = all {
            return self.with(py, 1, |writer| writer.put(&one.descriptor, &one.sources()));
        }
        self.with(py, all.len() as u64, |writer| {
            writer.check_all(all.iter().map(|(_, one)| (&*one.descriptor, one.sizes())))?;
            all.iter().try_for_each(|(_, one)| writer.put(&one.descriptor, &one.sources()))
        })
    }

    /// What the next tensor is called in messages.
    fn next_name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("#{}", self.gate.enter(py)?.value().count))
    }

    /// Lets go of the transport. Whether the stream is whole.
    fn release(&self, py: Python<'_>) -> PyResult<bool> {
        let (gone, broken) = if self.home.is_here() {
            let mut turn = self.gate.enter(py)?;
            let state = turn.value();
            (state.writer.take(), state.broken)
        } else {
            // A thread of the parent may have held it at the fork, and that thread is not here.
            (self.gate.if_free().and_then(|mut turn| turn.value().writer.take()), false)
        };
        drop(gone);
        Ok(!broken)
    }
}

fn ended(broken: bool) -> PyErr {
    StreamError::new_err(match broken {
        true => "an earlier write failed in the middle of a tensor; the stream cannot be completed",
        false => "the stream is finished",
    })
}

#[pymethods]
impl StreamWriter {
    #[new]
    #[pyo3(signature = (destination=None, *, cross_machine=false, check=true))]
    fn new(
        py: Python<'_>,
        destination: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::cross_machine)] cross_machine: bool,
        #[pyo3(from_py_with = argument::check)] check: bool,
    ) -> PyResult<Self> {
        guarded(|| {
            let closing = Arc::new(AtomicBool::new(false));
            let (to, name, memory) = match destination {
                None => {
                    let memory = py.import("io")?.getattr("BytesIO")?.call0()?.unbind();
                    (Destination::Memory(memory.clone_ref(py)), None, Some(memory))
                }
                Some(destination) => {
                    let patience = Patience { closing: Arc::clone(&closing), timeout: None };
                    match opened(destination, Way::Out, patience)? {
                        (Opened::Channel(channel), name, _) => (Destination::Channel(channel), name, None),
                        _ => return Err(InternalError::new_err("bytes are no destination")),
                    }
                }
            };
            let writer = Some(Box::new(hurray_wire::StreamWriter::new(to, cross_machine)));
            let gate = Gate::new(State { writer, broken: false, count: 0 });
            Ok(Self { gate, closing, home: Home::here(memory.is_none()), name, memory, check })
        })
    }

    /// Write a tensor, a Composite, or whatever ``hurray.asarray`` takes, with all of its buffers.
    ///
    /// What is refused leaves the stream as it was. Contents that the format forbids are refused too, as by
    /// :func:`save`; ``check`` says otherwise for this tensor than for the whole writer (04-tables.md §3,
    /// ruling 13).
    #[pyo3(signature = (item, *, check=None))]
    fn write(
        &self,
        item: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::check_or_none)] check: Option<bool>,
    ) -> PyResult<()> {
        guarded(|| {
            let py = item.py();
            self.home.check()?;
            let all = Writable::named(&self.next_name(py)?, item)?;
            if check.unwrap_or(self.check) {
                all.iter().try_for_each(|(name, one)| one.check_contents(py, name))?;
            }
            self.put_all(py, &all)
        })
    }

    /// Write a composite, its head and then every member. ``write`` takes one too; this takes nothing else.
    ///
    /// Raises ``TypeError`` for what is no Composite, and what ``write`` raises.
    #[pyo3(signature = (composite, *, check=None))]
    fn write_composite(
        &self,
        composite: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::check_or_none)] check: Option<bool>,
    ) -> PyResult<()> {
        if !composite.is_instance_of::<Composite>() {
            let text = format!("composite is a hurray.Composite, got {}; write() takes a tensor", kind(composite));
            return Err(PyTypeError::new_err(text));
        }
        self.write(composite, check)
    }

    /// Write a row-major tensor from bytes of any alignment, by reference.
    ///
    /// ``buffer`` holds exactly the elements' bytes, packed as the format packs them (element-types.md §3); the pages of
    /// a ``FileMap`` are given back as they are passed. Raises ``BufferError`` for another number of bytes, and what
    /// ``write`` raises.
    fn write_buffer(
        &self,
        buffer: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| {
            let (py, name) = (buffer.py(), self.next_name(buffer.py())?);
            let writable = Writable::packed(buffer, dtype, shape, LayoutDescriptor::RowMajor);
            let all = [(name.clone(), writable.map_err(|refused| about(py, &name, &refused))?)];
            if self.check {
                all[0].1.check_contents(py, &name)?;
            }
            self.put_all(py, &all)
        })
    }

    /// Write a row-major tensor from consecutive pieces of its bytes, each any buffer.
    ///
    /// Raises ``ValueError`` when the pieces do not add up to the tensor's bytes; the stream is broken then. Raises what
    /// ``write`` raises (element-types.md §3).
    fn write_pieces(
        &self,
        pieces: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| {
            let (descriptor, len) = packed_descriptor(dtype, shape, LayoutDescriptor::RowMajor)?;
            let pieces_of = Pieces::new(pieces, len)?;
            self.with(pieces.py(), 1, |writer| writer.put(&descriptor, &[&pieces_of]))
        })
    }

    /// Finish the stream and release the transport. Calling it again does nothing.
    ///
    /// Raises ``StreamError`` when an earlier write left a part of a tensor in the stream.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| match self.release(py)? {
            true => Ok(()),
            false => Err(ended(true)),
        })
    }

    /// Release the transport, whatever became of the stream; a thread that waits in a write stops waiting.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.closing.store(true, Ordering::Release);
        guarded(|| self.release(py).map(|_| ()))
    }

    /// The stream as bytes, of a writer without a destination; repeatable, and no copy once it is finished.
    ///
    /// Raises ``StreamError`` for a writer with a destination, and when a write failed in the middle.
    fn getvalue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let Some(memory) = &self.memory else {
                return Err(StreamError::new_err("getvalue() is for a writer in memory; this one has a destination"));
            };
            if self.gate.enter(py)?.value().broken {
                return Err(ended(true));
            }
            memory.bind(py).call_method0(intern!(py, "getvalue"))
        })
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (kind, _value, _trace, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        _value: Option<&Bound<'_, PyAny>>,
        _trace: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        match kind {
            Some(_) => self.close(py),
            None => self.finish(py),
        }
    }

    fn __repr__(&self) -> String {
        let place = if self.memory.is_some() { " in memory" } else { "" };
        format!("<hurray.StreamWriter{place}>")
    }
}
