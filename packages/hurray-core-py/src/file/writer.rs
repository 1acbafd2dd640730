//! `FileWriter`: tensors into a file, one after another.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hurray_core::{ElementType, LayoutDescriptor, TensorDescriptor};
use hurray_wire::{check, AtomicFile, Source, Writer};
use pyo3::prelude::*;

use super::pieces::Pieces;
use super::{kv, mapped};
use crate::buffer::{self, Buffer};
use crate::error::{self, guarded, FileName, InvalidDescriptorError};
use crate::tensor::{self, Tensor};

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
/// ``durable=True`` also waits for the disk. Raises ``FileError``, which is a ``ValueError`` or
/// ``TypeError`` too where a name or ``kv`` is at fault, before a byte is written.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct FileWriter {
    state: Mutex<State>,
    name: FileName,
    durable: bool,
}

/// The path of a file to write, and what the user called it.
pub(super) fn target(path: &Bound<'_, PyAny>) -> PyResult<(PathBuf, FileName)> {
    let name = Some(path.clone().unbind());
    let os = path.py().import("os")?;
    let decoded: PathBuf = os.call_method1("fsdecode", (path,))?.extract()?;
    Ok((decoded, name))
}

/// A tensor out of whatever the caller hands over.
pub(super) fn tensor_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Tensor>> {
    if let Ok(tensor) = object.cast::<Tensor>() {
        return Ok(tensor.clone());
    }
    let made = object.py().import("hurray._ingest")?.call_method1("asarray", (object,))?;
    Ok(made.cast_into::<Tensor>()?)
}

/// float8_e8m0 reserves two codes that a writer must not store (format: element-types.md §4).
pub(super) fn no_reserved_codes(name: &str, descriptor: &TensorDescriptor, bytes: &[u8]) -> PyResult<()> {
    if descriptor.element_type != ElementType::Float8E8M0 {
        return Ok(());
    }
    match bytes.iter().position(|code| matches!(code, 0x00 | 0xFF)) {
        None => Ok(()),
        Some(at) => Err(InvalidDescriptorError::new_err(format!(
            "tensor {name:?}: byte {at} is 0x{:02X}, which float8_e8m0 reserves; store the tensor as uint8 to keep it",
            bytes[at]
        ))),
    }
}

impl FileWriter {
    fn with<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Output) -> Result<T, hurray_wire::Error> + Send,
    ) -> PyResult<T>
    where
        T: Send,
    {
        let done = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let State::Open(writer) = &mut *state else { return Err(matches!(*state, State::Broken)) };
            let result = work(writer);
            // What the caller handed over wrongly was refused before a byte; anything else tore the file.
            if matches!(result, Err(hurray_wire::Error::Io(_))) {
                *state = State::Broken;
            }
            Ok(result)
        });
        match done {
            Ok(result) => result.map_err(|failed| error::wire(py, failed, &self.name)),
            Err(true) => Err(error::mixed(py, "ValueError", String::from("an earlier write failed; this file will not appear"))),
            Err(false) => Err(error::mixed(py, "ValueError", String::from("the writer is closed"))),
        }
    }

    fn put(&self, py: Python<'_>, name: &str, descriptor: &TensorDescriptor, sources: &[&dyn Source]) -> PyResult<()> {
        self.with(py, |writer| writer.put(name, descriptor, sources))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let state = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *state, State::Closed)
        };
        match state {
            State::Closed => Ok(()),
            State::Broken => {
                Err(error::mixed(py, "ValueError", String::from("an earlier write failed; the file was not put in place")))
            }
            State::Open(writer) => finished(py, *writer, &self.name),
        }
    }
}

/// Index, trailer, and the rename that makes the file appear.
pub(super) fn finished(py: Python<'_>, writer: Output, name: &FileName) -> PyResult<()> {
    let done = py.detach(|| writer.finish().and_then(|file| file.commit().map_err(hurray_wire::Error::Io)));
    done.map_err(|failed| error::wire(py, failed, name))
}

#[pymethods]
impl FileWriter {
    #[new]
    #[pyo3(signature = (path, *, kv=None, durable=false))]
    fn new(path: &Bound<'_, PyAny>, kv: Option<&Bound<'_, PyAny>>, durable: bool) -> PyResult<Self> {
        guarded(|| {
            let py = path.py();
            let (target, name) = target(path)?;
            let pairs = kv::from_python(kv)?;
            // Refuses bad metadata before anything is created.
            Writer::new(std::io::sink(), pairs.clone()).map_err(|bad| error::wire(py, bad, &None))?;
            let file = AtomicFile::create(&target, durable).map_err(|failed| error::os(py, failed, &name))?;
            let writer = Writer::new(file, pairs).map_err(|failed| error::wire(py, failed, &name))?;
            Ok(Self { state: Mutex::new(State::Open(Box::new(writer))), name, durable })
        })
    }

    /// Write a tensor, or whatever ``hurray.asarray`` takes, under a name.
    ///
    /// All of its buffers are written, by reference, without holding the GIL. A refused name or tensor
    /// leaves the writer usable; a failed write does not.
    fn write(&self, name: &str, tensor: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let tensor = tensor_of(tensor)?;
            let this = tensor.get();
            if let Some(first) = this.buffers.first() {
                no_reserved_codes(name, &this.descriptor, first.bytes())?;
            }
            let sources: Vec<&dyn Source> = this.buffers.iter().map(|buffer| buffer as &dyn Source).collect();
            self.put(tensor.py(), name, &this.descriptor, &sources)
        })
    }

    /// Write a row-major tensor from bytes of any alignment, by reference.
    ///
    /// ``buffer`` holds exactly the elements' bytes, packed as the format packs them.
    fn write_buffer(
        &self,
        name: &str,
        buffer: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| {
            let bytes: Buffer = mapped(buffer, buffer::contiguous(buffer)?);
            let (descriptor, len) = row_major(dtype, shape)?;
            if bytes.len() as u64 != len {
                let text = format!("tensor {name:?}: the buffer holds {} bytes and the tensor takes {len}", bytes.len());
                return Err(error::BufferError::new_err(text));
            }
            no_reserved_codes(name, &descriptor, bytes.bytes())?;
            self.put(buffer.py(), name, &descriptor, &[&bytes])
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
            let (descriptor, len) = row_major(dtype, shape)?;
            self.put(pieces.py(), name, &descriptor, &[&Pieces::new(pieces, len)?])
        })
    }

    /// Finish the file and put it in place. Calling it again does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| self.finish(py))
    }

    /// Give up: nothing appears at the path.
    fn abort(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Closed;
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
            self.abort();
            return Ok(());
        }
        self.close(py)
    }

    fn __repr__(&self) -> String {
        let durable = if self.durable { ", durable" } else { "" };
        format!("<hurray.FileWriter{durable}>")
    }
}

/// The descriptor of a plain row-major tensor, and how many bytes it takes.
fn row_major(dtype: &Bound<'_, PyAny>, shape: &Bound<'_, PyAny>) -> PyResult<(TensorDescriptor, u64)> {
    let (ty, shape) = (tensor::element_type(dtype)?, crate::shape::from_python(shape)?);
    let count = check::element_count(&shape);
    let len = count.and_then(|count| check::storage_bytes(ty, None, u128::from(count))).filter(|_| ty.bit_width() > 0);
    let len = len.ok_or_else(|| {
        InvalidDescriptorError::new_err(format!("{ty} elements of shape {shape} have no size in bytes that 64 bits hold"))
    })?;
    let alignment = if len == 0 { 1 } else { hurray_core::MIN_BUFFER_ALIGNMENT };
    let handle = tensor::cpu_handle(usize::try_from(len)?, alignment)?;
    Ok((tensor::plain(ty, shape, LayoutDescriptor::RowMajor, 0, handle)?, len))
}
