//! `FileWriter`: tensors into a file, one after another.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use hurray_wire::{AtomicFile, Source, Writer};
use pyo3::prelude::*;
use rustix::io::Errno;

use super::kv;
use super::pieces::Pieces;
use super::writable::{about, packed_descriptor, Writable};
use crate::argument;
use crate::error::{self, guarded, FileName};

type Output = Writer<AtomicFile>;

enum State {
    Open(Box<Output>),
    /// A write failed in the middle: the file cannot become whole any more.
    Broken,
    Closed,
}

/// Writes tensors into a new file one by one, holding one at a time (format: file.md §9).
///
/// The file appears at ``path``, or replaces what is there, when the writer is closed; until then,
/// and when the ``with`` block raises or the process dies, nothing is there but what was before.
/// ``durable=True`` also waits for the disk; ``check=False`` writes the contents of sparse, paged and
/// quantised tensors as they are. Raises ``FileError``, which is a ``ValueError`` or
/// ``TypeError`` too where a name or ``kv`` is at fault, before a byte is written.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct FileWriter {
    state: Mutex<State>,
    /// The thread that is at work on the state.
    holder: AtomicUsize,
    /// The growing file, until it is finished or given up; looked at without waiting for the state.
    growing: Mutex<Option<File>>,
    name: FileName,
    durable: bool,
    /// Whether contents are checked where a call does not say.
    check: bool,
}

/// The path of a file to write, and what the user called it.
pub(super) fn target(path: &Bound<'_, PyAny>) -> PyResult<(PathBuf, FileName)> {
    let name = Some(path.clone().unbind());
    let os = path.py().import("os")?;
    let decoded: PathBuf = os.call_method1("fsdecode", (path,))?.extract()?;
    if decoded.as_os_str().is_empty() {
        return Err(error::os(path.py(), Errno::NOENT.into(), &name));
    }
    Ok((decoded, name))
}

impl FileWriter {
    /// Runs `work` on the state, detached: whoever else wants it waits without holding anything up.
    fn locked<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> PyResult<T> {
        if self.holder.load(Ordering::Acquire) == this_thread() {
            return Err(refused(py, "the writer is busy: one of its own pieces or sources calls it"));
        }
        Ok(py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            self.holder.store(this_thread(), Ordering::Release);
            let result = work(&mut state);
            self.holder.store(NOBODY, Ordering::Release);
            result
        }))
    }

    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Output) -> Result<(), hurray_wire::Error> + Send,
    ) -> PyResult<()> {
        let done = self.locked(py, |state| {
            let State::Open(writer) = state else { return Err(matches!(state, State::Broken)) };
            let result = work(writer);
            // What the caller handed over wrongly was refused before a byte; anything else tore the file.
            if matches!(result, Err(hurray_wire::Error::Io(_))) {
                *state = State::Broken;
            }
            Ok(result)
        })?;
        match done {
            Ok(result) => result.map_err(|failed| error::wire(py, failed, &self.name)),
            Err(true) => Err(refused(py, "an earlier write failed; this file will not appear")),
            Err(false) => Err(refused(py, "the writer is closed")),
        }
    }

    fn put(&self, py: Python<'_>, name: &str, descriptor: &TensorDescriptor, sources: &[&dyn Source]) -> PyResult<()> {
        self.with(py, |writer| writer.put(name, descriptor, sources))
    }

    fn put_checked(&self, py: Python<'_>, name: &str, writable: &Writable, check: bool) -> PyResult<()> {
        if check {
            writable.check_contents(py, name)?;
        }
        self.put(py, name, &writable.descriptor, &writable.sources())
    }

    /// A composite, refused as a whole before a byte of it is written.
    fn put_all(&self, py: Python<'_>, all: &[(String, Writable)], check: bool) -> PyResult<()> {
        if check {
            all.iter().try_for_each(|(name, writable)| writable.check_contents(py, name))?;
        }
        self.with(py, |writer| {
            writer.check_all(all.iter().map(|(name, one)| (&**name, &*one.descriptor, one.sizes())))?;
            all.iter().try_for_each(|(name, one)| writer.put(name, &one.descriptor, &one.sources()))
        })
    }

    /// What is given up must not stay open: its bytes are on the disk for as long.
    fn let_go(&self) {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let done = self.locked(py, |state| {
            self.let_go();
            match std::mem::replace(state, State::Closed) {
                State::Open(writer) => Ok(finished(*writer)),
                State::Broken => Err(true),
                State::Closed => Err(false),
            }
        })?;
        match done {
            Ok(finished) => finished.map_err(|failed| error::wire(py, failed, &self.name)),
            Err(true) => Err(refused(py, "an earlier write failed; the file was not put in place")),
            Err(false) => Ok(()),
        }
    }
}

#[cold]
fn refused(py: Python<'_>, why: &str) -> PyErr {
    error::mixed(py, "ValueError", why.to_owned())
}

/// No thread has this number.
const NOBODY: usize = 0;

/// A number that no other living thread has.
fn this_thread() -> usize {
    thread_local!(static PLACE: u8 = const { 0 });
    PLACE.with(|place| std::ptr::from_ref(place) as usize)
}

/// Index, trailer, and the rename that makes the file appear.
pub(super) fn finished(writer: Output) -> Result<(), hurray_wire::Error> {
    writer.finish().and_then(|file| file.commit().map_err(hurray_wire::Error::Io))
}

#[pymethods]
impl FileWriter {
    #[new]
    #[pyo3(signature = (path, *, kv=None, durable=false, check=true))]
    fn new(
        path: &Bound<'_, PyAny>,
        kv: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durable)] durable: bool,
        #[pyo3(from_py_with = argument::check)] check: bool,
    ) -> PyResult<Self> {
        guarded(|| {
            let py = path.py();
            let (target, name) = target(path)?;
            let pairs = kv::from_python(kv)?;
            // Refuses bad metadata before anything is created.
            Writer::new(std::io::sink(), pairs.clone()).map_err(|bad| error::wire(py, bad, &None))?;
            let file = AtomicFile::create(&target, durable).map_err(|failed| error::os(py, failed, &name))?;
            let growing = file.watched().map_err(|failed| error::os(py, failed, &name))?;
            let writer = Writer::new(file, pairs).map_err(|failed| error::wire(py, failed, &name))?;
            Ok(Self {
                growing: Mutex::new(Some(growing)),
                state: Mutex::new(State::Open(Box::new(writer))),
                holder: AtomicUsize::new(NOBODY),
                name,
                durable,
                check,
            })
        })
    }

    /// Write a tensor, a Composite, or whatever ``hurray.asarray`` takes, under a name; a composite's members are
    /// written behind it as ``{name}.{index}``.
    ///
    /// All of its buffers are written, by reference, without holding the GIL. A refused name or tensor
    /// leaves the writer usable; a failed write does not.
    ///
    /// Contents that the format forbids are refused before a byte of the tensor is written, as by
    /// :func:`save`; ``check`` says otherwise for this tensor than for the whole writer.
    #[pyo3(signature = (name, tensor, *, check=None))]
    fn write(
        &self,
        name: &str,
        tensor: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::check_or_none)] check: Option<bool>,
    ) -> PyResult<()> {
        guarded(|| {
            let (py, check) = (tensor.py(), check.unwrap_or(self.check));
            let all = Writable::named(name, tensor)?;
            let [(name, writable)] = &all[..] else { return self.put_all(py, &all, check) };
            self.put_checked(py, name, writable, check)
        })
    }

    /// Write a row-major tensor from bytes of any alignment, by reference.
    ///
    /// ``buffer`` holds exactly the elements' bytes, packed as the format packs them (element-types.md §3). Raises
    /// ``BufferError`` for another number of bytes, and what ``write`` raises.
    fn write_buffer(
        &self,
        name: &str,
        buffer: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| {
            let py = buffer.py();
            let writable = Writable::packed(buffer, dtype, shape, LayoutDescriptor::RowMajor);
            self.put_checked(py, name, &writable.map_err(|refused| about(py, name, &refused))?, self.check)
        })
    }

    /// Write a row-major tensor from consecutive pieces of its bytes, each any buffer.
    ///
    /// Raises ``ValueError`` when the pieces do not add up to the tensor's bytes; the file then does
    /// not appear.
    fn write_pieces(
        &self,
        name: &str,
        pieces: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| {
            let (descriptor, len) = packed_descriptor(dtype, shape, LayoutDescriptor::RowMajor)?;
            self.put(pieces.py(), name, &descriptor, &[&Pieces::new(pieces, len)?])
        })
    }

    /// Bytes of the file that are written; the last MiB of small ones may still be on its way.
    ///
    /// Waits for nobody: another thread may be in the middle of a large tensor. Raises ``ValueError`` when
    /// the writer is closed.
    fn tell(&self, py: Python<'_>) -> PyResult<u64> {
        // Exceptions are made after the lock: making one may let another thread run, which may ask here.
        let looked = self.growing.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(File::metadata);
        let metadata = looked.ok_or_else(|| refused(py, "the writer is closed"))?;
        Ok(metadata.map_err(|failed| error::os(py, failed, &self.name))?.len())
    }

    /// Finish the file and put it in place. Calling it again does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| self.finish(py))
    }

    /// Give up: nothing appears at the path.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        self.locked(py, |state| {
            self.let_go();
            *state = State::Closed;
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
        if kind.is_some() {
            return self.abort(py);
        }
        self.close(py)
    }

    fn __repr__(&self) -> String {
        let durable = if self.durable { ", durable" } else { "" };
        format!("<hurray.FileWriter{durable}>")
    }
}
