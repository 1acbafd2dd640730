//! `hurray.open`: a file as a lazy, read-only mapping of names to tensors.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PyTuple};

use super::entry::Entry;
use super::kv;
use super::opened::{Io, Opened};
use super::source::Named;
use crate::argument;
use crate::descriptor::Descriptor;
use crate::error::{self, guarded};

/// An open file: a read-only ``Mapping`` of names to tensors, in the file's order, each made when
/// asked for (format: file.md §5, §7). A composite's head is the composite; its members are entries as well. A context
/// manager; closing it leaves the tensors that it gave out alive. A closed file raises ``ValueError``.
#[pyclass(frozen, weakref, module = "hurray")]
pub(crate) struct File {
    opened: Mutex<Option<Arc<Opened>>>,
}

/// Open a file of tensors (format: file.md). Reads the index and no tensor.
///
/// ``io="mmap"`` maps the file: tensors are copy-on-write views of its pages, nothing is read before
/// it is touched, and writing to a tensor changes neither the file nor another tensor. Whoever cuts
/// the file short meanwhile takes its pages away, and touching one is a bus error (SIGBUS) that ends
/// the process; ``io="read"`` reads each tensor with several threads into aligned memory of its own
/// instead, and is the faster way on network disks and cold caches. ``writable=False`` maps
/// read-only; writers then give the pages back behind them.
///
/// ``path`` is a path, an open file, a descriptor, or bytes that hold a file's content. Raises
/// ``FileError`` when it cannot be read or breaks a rule of the container, with ``code`` the rule.
#[pyfunction]
#[pyo3(signature = (path, *, io=String::from("mmap"), writable=true), text_signature = "(path, *, io='mmap', writable=True)")]
pub(crate) fn open(
    path: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = argument::io)] io: String,
    #[pyo3(from_py_with = argument::writable)] writable: bool,
) -> PyResult<File> {
    guarded(|| {
        let io = Io::of(&io, writable)?;
        let opened = Opened::new(path.py(), Named::of(path)?, io)?;
        Ok(File { opened: Mutex::new(Some(Arc::new(opened))) })
    })
}

impl File {
    fn opened(&self) -> PyResult<Arc<Opened>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.clone().ok_or_else(|| PyValueError::new_err("the file is closed"))
    }

    /// The open file and the index entry of a name.
    fn found(&self, name: &str) -> PyResult<(Arc<Opened>, usize)> {
        let opened = self.opened()?;
        let index = opened.container.find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok((opened, index))
    }

    fn view<'py>(slf: &Bound<'py, Self>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.get().opened()?;
        slf.py().import(intern!(slf.py(), "_collections_abc"))?.getattr(class)?.call1((slf,))
    }
}

#[pymethods]
impl File {
    /// The file's metadata, a new dict in the file's order.
    #[getter]
    fn kv<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        kv::to_python(py, self.opened()?.container.kv())
    }

    /// (major, minor) of the container format.
    #[getter]
    fn version(&self) -> PyResult<(u8, u8)> {
        Ok(self.opened()?.container.version())
    }

    /// Size of the whole file in bytes.
    #[getter]
    fn size(&self) -> PyResult<u64> {
        Ok(self.opened()?.container.size())
    }

    /// The file flags (format: file.md §2).
    #[getter]
    fn flags(&self) -> PyResult<u32> {
        Ok(self.opened()?.container.flags())
    }

    /// The alignment of buffers in the file, in bytes.
    #[getter]
    fn alignment(&self) -> PyResult<u32> {
        Ok(self.opened()?.container.alignment())
    }

    /// Whether ``close`` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// What the file declares of a tensor. Raises ``KeyError`` for a name that it lacks, ``InvalidDescriptorError`` or
    /// ``FileError`` for a descriptor that breaks a rule.
    fn descriptor(&self, py: Python<'_>, name: &str) -> PyResult<Descriptor> {
        guarded(|| {
            let (opened, index) = self.found(name)?;
            let located = opened.locate(index).map_err(|failed| error::wire(py, failed, &opened.name))?;
            Descriptor::decoded(py, located.descriptor)
        })
    }

    /// The bytes of a tensor's descriptor as they stand in the file, unchecked. Raises ``KeyError`` for a name that it lacks.
    fn descriptor_bytes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| {
            let (opened, index) = self.found(name)?;
            let bytes = opened.container.descriptor_bytes(&opened.source, index);
            Ok(PyBytes::new(py, &bytes.map_err(|failed| error::wire(py, failed, &opened.name))?))
        })
    }

    /// Where a tensor lies in the file. Raises ``KeyError`` for a name that it lacks.
    fn entry(&self, name: &str) -> PyResult<Entry> {
        guarded(|| {
            let (opened, index) = self.found(name)?;
            let starts = opened.locate(index).map(|located| located.ranges).unwrap_or_default();
            let buffer_offsets = starts.iter().map(|range| range.start).collect();
            let entry = opened.container.entry(index);
            Ok(Entry {
                name: entry.name.to_owned(),
                descriptor_offset: entry.descriptor_offset,
                descriptor_length: entry.descriptor_length,
                data_offset: entry.data_offset,
                data_length: entry.data_length,
                buffer_offsets,
            })
        })
    }

    /// Whether a name is a composite's head, whose members are entries of their own. Raises as ``descriptor`` does.
    fn is_composite(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        guarded(|| {
            let (opened, index) = self.found(name)?;
            let located = opened.locate(index).map_err(|failed| error::wire(py, failed, &opened.name))?;
            Ok(located.descriptor.layout.is_virtual())
        })
    }

    /// The names of a composite's members, in order (format: file.md §7). A member that is a composite has members of
    /// its own.
    ///
    /// Raises ``KeyError`` for a name that the file lacks, ``ValueError`` for a tensor that is no composite's head, and
    /// ``FileError`` for a torn composite.
    fn members<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let (opened, index) = self.found(name)?;
            let located = opened.locate(index).map_err(|failed| error::wire(py, failed, &opened.name))?;
            if !located.descriptor.layout.is_virtual() {
                return Err(PyValueError::new_err(format!("{name:?} is a tensor, which has no members")));
            }
            PyTuple::new(py, opened.member_names(py, index)?)
        })
    }

    /// Close the file; tensors that were taken out of it stay.
    fn close(&self) {
        // Let go of after the lock: giving many pages back lets other threads run, and they may ask for it.
        let gone = self.opened.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(gone);
    }

    /// The tensor of a name; for a composite's head the composite, with all of its members.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let missing = || PyKeyError::new_err(name.clone().unbind());
            let (opened, index) = self.found(name.extract().map_err(|_| missing())?)?;
            opened.still_whole(py)?;
            opened.object(py, index)
        })
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let opened = self.opened()?;
        Ok(name.extract::<&str>().is_ok_and(|name| opened.container.find(name).is_some()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let opened = self.opened()?;
        let names = (0..opened.container.len()).map(|index| opened.container.entry(index).name);
        PyList::new(py, names.collect::<Vec<_>>())?.try_iter()
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.opened()?.container.len())
    }

    /// The names, in the file's order.
    fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "KeysView")
    }

    /// The tensors, each made when it is reached.
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "ValuesView")
    }

    /// Pairs of name and tensor, each tensor made when it is reached.
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "ItemsView")
    }

    /// The tensor of a name, or ``default`` where the file lacks it. Raises what reading the tensor raises.
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let this = slf.get();
        if !this.__contains__(key)? {
            return Ok(default);
        }
        this.__getitem__(slf.py(), key).map(Some)
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().opened()?;
        Ok(slf)
    }

    #[pyo3(signature = (_kind, _value, _trace, /))]
    fn __exit__(&self, _kind: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>, _trace: &Bound<'_, PyAny>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        match self.opened() {
            Err(_) => String::from("<closed hurray.File>"),
            Ok(opened) => {
                format!("<hurray.File of {} tensors, {} bytes>", opened.container.len(), opened.container.size())
            }
        }
    }
}
