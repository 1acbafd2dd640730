//! `hurray.save`: a mapping of tensors into a file, all checks before the first byte.

use hurray_wire::{AtomicFile, Writer};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::kv;
use super::writable::Writable;
use super::writer::{finished, target};
use crate::argument;
use crate::buffer::Watch;
use crate::error::{self, guarded};
use crate::int::shown;

/// Save a mapping of names to tensors, in its order, with metadata (format: file.md).
///
/// Values are tensors or whatever ``hurray.asarray`` takes. Atomic: a reader of the path sees the old
/// file or the new one, whole, also when the process is killed meanwhile; saving over the file that
/// the tensors are mapped from works. ``durable=True`` also waits for the disk. Names, metadata and
/// tensors are checked before the first byte; the same tensors always give the same file.
///
/// The contents of sparse, paged and quantised tensors are checked too, as :meth:`Tensor.validate`
/// does, unless that was done before with the same tensor: contents that the format forbids raise
/// ``InvalidDescriptorError`` with ``code`` the rule, and say what mends them (04-tables section 3, ruling 13).
/// ``check=False`` writes them as they are.
///
/// Raises ``FileError`` with the system's ``errno``, or as a ``ValueError``/``TypeError``/
/// ``OverflowError`` too where a name or ``kv`` is at fault, and ``InvalidDescriptorError`` for a
/// tensor that a file cannot hold (a dynamic dimension).
#[pyfunction]
#[pyo3(signature = (path, tensors, *, kv=None, durable=false, check=true))]
pub(crate) fn save(
    path: &Bound<'_, PyAny>,
    tensors: &Bound<'_, PyAny>,
    kv: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = argument::durable)] durable: bool,
    #[pyo3(from_py_with = argument::check)] check: bool,
) -> PyResult<()> {
    guarded(|| {
        let py = path.py();
        let (target, name) = target(path)?;
        let pairs = kv::from_python(kv)?;
        let tensors = collected(tensors)?;
        let dry = Writer::new(std::io::sink(), pairs.clone()).map_err(|bad| error::wire(py, bad, &None))?;
        let fits = dry.check_all(tensors.iter().map(|(key, tensor)| (&**key, &*tensor.descriptor, tensor.sizes())));
        fits.map_err(|bad| error::wire(py, bad, &None))?;
        if check {
            tensors.iter().try_for_each(|(key, tensor)| tensor.check_contents(py, key))?;
        }
        let file = AtomicFile::create(&target, durable).map_err(|failed| error::os(py, failed, &name))?;
        let mut writer = Writer::new(file, pairs).map_err(|failed| error::wire(py, failed, &name))?;
        let written = py.detach(|| put_all(&mut writer, &tensors));
        written.map_err(|failed| error::wire(py, failed, &name))?;
        py.detach(|| finished(writer)).map_err(|failed| error::wire(py, failed, &name))
    })
}

type Named = (String, Writable);

/// The entries of any mapping; a value that is no tensor is made one, or refused by its name.
fn collected(tensors: &Bound<'_, PyAny>) -> PyResult<Vec<Named>> {
    let py = tensors.py();
    let items = tensors.call_method0("items").map_err(|_| {
        let kind = tensors.get_type();
        pyo3::exceptions::PyTypeError::new_err(format!("tensors is a mapping of names to tensors, got {kind}"))
    })?;
    let mut named = Vec::new();
    for item in items.try_iter()? {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let Ok(text) = key.cast::<PyString>() else {
            let kind = key.get_type().name()?;
            let key = shown(&key);
            return Err(error::mixed(py, "TypeError", format!("tensor name of type {kind} is {key}; names are str")));
        };
        let Ok(text) = text.to_str() else {
            let text = format!("tensor name {} has a lone surrogate, which UTF-8 cannot hold", text.repr()?);
            return Err(error::mixed(py, "ValueError", text));
        };
        named.append(&mut Writable::named(text, &value)?);
    }
    Ok(named)
}

fn put_all(writer: &mut Writer<AtomicFile>, tensors: &[Named]) -> Result<(), hurray_wire::Error> {
    let mut watch = Watch::default();
    tensors.iter().try_for_each(|(name, writable)| {
        writer.put(name, &writable.descriptor, &writable.sources())?;
        Ok(watch.look()?)
    })
}
