//! What is asked of a producer, and its capsule.

use pyo3::exceptions::{PyBufferError, PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::abi;
use crate::device::Device;
use crate::error::{kind, BufferError, UnsupportedError};

/// A DLPack device: its type, and which one of that type.
pub(super) type Place = (i32, i32);

/// What `from_dlpack` was asked for, and what its producer says.
pub(super) struct Ask {
    /// Where the caller wants the tensor, if it says so and it is not there.
    pub(super) moved_to: Option<Place>,
    /// Where the producer says that it is; `None` where it does not say.
    pub(super) said: Option<Place>,
    pub(super) copy: Option<bool>,
}

impl Ask {
    /// Asks where the memory is, before anything is taken.
    pub(super) fn of(x: &Bound<'_, PyAny>, device: Option<&Device>, copy: Option<bool>) -> PyResult<Self> {
        unmasked(x)?;
        let wanted = device.map(wanted).transpose()?;
        let said = said(x)?;
        let here = said.unwrap_or((abi::CPU, 0));
        let same = |wanted: Place| wanted == here || wanted.0 == abi::CPU && here.0 == abi::CPU;
        let moved_to = wanted.filter(|&wanted| !same(wanted));
        known(moved_to.unwrap_or(here).0)?;
        Ok(Self { moved_to, said, copy })
    }

    /// Whether the producer makes the copy: its memory is not ours to read.
    pub(super) fn producer_copies(&self) -> bool {
        self.copy == Some(true) && self.said.is_some_and(|said| said.0 != abi::CPU) && self.moved_to.is_none()
    }

    /// The producer's capsule.
    pub(super) fn capsule<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
        let py = x.py();
        let method = x.getattr(intern!(py, "__dlpack__"))?;
        let keywords = PyDict::new(py);
        keywords.set_item(intern!(py, "max_version"), (abi::VERSION.major, abi::VERSION.minor))?;
        if let Some(place) = self.moved_to {
            keywords.set_item(intern!(py, "dl_device"), place)?;
        }
        if self.producer_copies() || self.moved_to.is_some() && self.copy.is_some() {
            keywords.set_item(intern!(py, "copy"), self.copy)?;
        }
        let plain = keywords.len() == 1;
        let made = match method.call((), Some(&keywords)) {
            // A producer from before 1.0 does not know the argument.
            Err(error) if plain && error.is_instance_of::<PyTypeError>(py) => method.call0(),
            Err(error) if !plain && declines(py, &error) => Err(self.declined(x, &error)),
            Err(error) if error.get_type(py).is(py.get_type::<PyBufferError>()) => Err(refused(py, &error)),
            other => other,
        }?;
        made.cast_into::<PyCapsule>().map_err(|error| {
            BufferError::new_err(format!("__dlpack__ returned a {}, not a capsule", kind(&error.into_inner())))
        })
    }

    fn declined(&self, x: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
        let way = match self.moved_to {
            Some(place) => format!("does not move its tensor to DLPack device {}", shown(place)),
            None => String::from("does not copy its tensor"),
        };
        let text = format!("the {} {way}: {}; do that with its framework first", kind(x), error.value(x.py()));
        let refused = UnsupportedError::new_err(text);
        refused.set_cause(x.py(), Some(error.clone_ref(x.py())));
        refused
    }

    /// The place that a capsule's own must be.
    pub(super) fn expected(&self) -> Option<Place> {
        self.moved_to.or(self.said)
    }
}

/// A place with the name that the format has for it.
pub(super) fn shown(place: Place) -> String {
    let name = Device::of_dlpack_type(place.0).map_or_else(String::new, |(tag, _)| format!(" ({tag})"));
    format!("{place:?}{name}")
}

/// DLPack hands out what is masked as if it were not.
fn unmasked(x: &Bound<'_, PyAny>) -> PyResult<()> {
    if x.get_type().getattr_opt(intern!(x.py(), "mask"))?.is_none() {
        return Ok(());
    }
    Err(UnsupportedError::new_err(format!(
        "a {} may have a mask, which DLPack would lose: pass its data, or its data and its mask as two tensors",
        kind(x)
    )))
}

/// A producer's own refusal, with the other way in.
fn refused(py: Python<'_>, error: &PyErr) -> PyErr {
    let text = format!(
        "the producer refuses: {}; hurray.asarray goes by the bridge of its library, which takes more or says how",
        error.value(py)
    );
    let refused = PyBufferError::new_err(text);
    refused.set_cause(py, Some(error.clone_ref(py)));
    refused
}

/// The kinds of exception by which a producer declines what it is asked for.
fn declines(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyBufferError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyNotImplementedError>(py)
}

fn wanted(device: &Device) -> PyResult<Place> {
    let kind = device.dlpack_type().ok_or_else(|| {
        let Device { tag, class, .. } = device;
        UnsupportedError::new_err(format!("DLPack has no device type for {tag} memory of class {class}"))
    })?;
    // A device's number fits, as its constructor checks.
    Ok((kind, device.device_id as i32))
}

fn said(x: &Bound<'_, PyAny>) -> PyResult<Option<Place>> {
    let py = x.py();
    if let Ok(method) = x.getattr(intern!(py, "__dlpack_device__")) {
        return Ok(Some(method.call0()?.extract()?));
    }
    if x.hasattr(intern!(py, "__dlpack__"))? {
        return Ok(None);
    }
    let kind = x.get_type();
    Err(PyTypeError::new_err(format!("{kind} has no __dlpack__; hurray.asarray takes other kinds of array")))
}

/// Whether the format has a name for a device type.
pub(super) fn known(kind: i32) -> PyResult<()> {
    if Device::of_dlpack_type(kind).is_some() {
        return Ok(());
    }
    Err(UnsupportedError::new_err(format!(
        "the tensor is on DLPack device type {kind}, which the format has no device tag for; copy it to the CPU first"
    )))
}
