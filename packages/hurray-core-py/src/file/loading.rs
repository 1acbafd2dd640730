//! `hurray.load` and `hurray.load_kv`: a whole file at once.

use hurray_wire::Container;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::kv;
use super::opened::{Found, Io, Opened};
use super::source::Named;
use crate::argument;
use crate::error::{self, guarded};

/// Tensors made before other threads get their turn.
const BATCH: usize = 256;

/// Load the tensors of a file, or those of ``names``, as a dict (requirements: Tensor Surface;
/// format: file.md).
///
/// ``io`` is as for :func:`open`: the default maps the file and reads nothing before it is touched.
/// Every descriptor is checked against its buffers first. Raises ``FileError`` (with ``code`` the
/// broken rule of the container, or the system's ``errno``), ``InvalidDescriptorError`` or
/// ``BufferError`` for a bad tensor, and a ``FileError`` that is a ``KeyError`` for a missing name.
#[pyfunction]
#[pyo3(signature = (path, *, names=None, io=String::from("mmap")), text_signature = "(path, *, names=None, io='mmap')")]
pub(crate) fn load<'py>(
    path: &Bound<'py, PyAny>,
    names: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = argument::io)] io: String,
) -> PyResult<Bound<'py, PyDict>> {
    guarded(|| {
        let py = path.py();
        let opened = Opened::new(py, Named::of(path)?, Io::of(&io, true)?)?;
        let indices = match names {
            None => (0..opened.container.len()).collect(),
            Some(names) => chosen(&opened, names)?,
        };
        opened.still_whole(py)?;
        let dict = PyDict::new(py);
        for batch in indices.chunks(batch_size(&io)) {
            let found = py.detach(|| opened.find(batch));
            let found = found.map_err(|failed| error::wire(py, failed, &opened.name))?;
            if found.iter().any(Found::is_head) {
                return match names {
                    None => opened.everything(py, &dict),
                    Some(_) => each(py, &opened, &indices, &dict),
                };
            }
            for tensor in opened.tensors(py, found)? {
                let (index, tensor) = tensor?;
                dict.set_item(opened.container.entry(index).name, tensor.object(py)?)?;
            }
            py.check_signals()?;
        }
        Ok(dict)
    })
}

/// Entries by name, composites among them; `made` are those that were made before the first head was met.
fn each<'py>(
    py: Python<'py>,
    opened: &Opened,
    indices: &[usize],
    made: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for &index in indices {
        let name = opened.container.entry(index).name;
        let object = made.get_item(name)?.map_or_else(|| opened.object(py, index), Ok)?;
        dict.set_item(name, object)?;
        py.check_signals()?;
    }
    Ok(dict)
}

/// What is read goes to the threads together.
fn batch_size(io: &str) -> usize {
    if io == "read" {
        usize::MAX
    } else {
        BATCH
    }
}

fn chosen(opened: &Opened, names: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    if names.is_instance_of::<PyString>() {
        let text = format!("names is a sequence of names; for one, pass [{}]", names.repr()?);
        return Err(pyo3::exceptions::PyTypeError::new_err(text));
    }
    let find = |name: PyResult<Bound<'_, PyAny>>| {
        let name = name?;
        let text: &str = name.extract().map_err(|_| {
            pyo3::exceptions::PyTypeError::new_err(format!("names holds {name}, a {}; names are str", name.get_type()))
        })?;
        opened.container.find(text).ok_or_else(|| {
            let count = opened.container.len();
            error::mixed(names.py(), "KeyError", format!("no tensor {text:?} in the file, which has {count}"))
        })
    };
    let items = names.try_iter().map_err(|_| {
        pyo3::exceptions::PyTypeError::new_err(format!("names is a sequence of names, got {}", error::kind(names)))
    })?;
    items.map(find).collect()
}

/// The metadata of a file as a dict, empty where it has none (requirements: File metadata).
///
/// The exact inverse of ``save(path, tensors, kv=...)``; a uint64 of another writer reads as an int. Raises
/// ``FileError`` for what cannot be read or breaks a rule of the container.
#[pyfunction]
pub(crate) fn load_kv<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    guarded(|| {
        let py = path.py();
        let Named { source, name } = Named::of(path)?;
        let container = py.detach(|| Container::open(&source));
        kv::to_python(py, container.map_err(|failed| error::wire(py, failed, &name))?.kv())
    })
}
