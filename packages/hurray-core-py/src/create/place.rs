//! Where a new tensor goes, and of which shape and type it may be.

use hurray_core::{DeviceTag, ElementType, MemoryClass, Shape, DYNAMIC};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::device::{self, Device};
use crate::error::{InvalidDescriptorError, UnsupportedError};
use crate::{dtype, shape};

/// The device of a new tensor: plain CPU memory, which is the only one that is allocated here.
pub(super) fn device(py: Python<'_>, call: &str, asked: Option<&Bound<'_, PyAny>>) -> PyResult<Py<Device>> {
    match device::argument(asked)? {
        Some(asked) => on(call, asked.as_unbound(), py),
        None => device::of(py, DeviceTag::Cpu, MemoryClass::Standard, 0),
    }
}

/// The same for a device that is known.
pub(super) fn on(call: &str, asked: &Py<Device>, py: Python<'_>) -> PyResult<Py<Device>> {
    let (tag, class) = (asked.get().tag, asked.get().class);
    if (tag, class) == (DeviceTag::Cpu, MemoryClass::Standard) {
        return Ok(asked.clone_ref(py));
    }
    let place = match class {
        MemoryClass::Standard => tag.to_string(),
        class => format!("{class} {tag}"),
    };
    Err(UnsupportedError::new_err(format!(
        "{call} allocates plain CPU memory and cannot allocate {place} memory; make the tensor with a framework of that device, or pass device=hurray.device.cpu"
    )))
}

/// The element type asked for, `default` where none is.
pub(super) fn element_type(
    call: &str,
    asked: Option<&Bound<'_, PyAny>>,
    default: ElementType,
) -> PyResult<ElementType> {
    let ty = asked.map_or(Ok(default), dtype::element_type)?;
    if let ElementType::Extension(tag) = ty {
        return Err(UnsupportedError::new_err(format!(
            "{call} knows neither the width nor the values of the private element type 0x{tag:02X}; hurray.Tensor(buffer, dtype, shape) takes bytes of it"
        )));
    }
    Ok(ty)
}

/// A shape without dynamic dimensions; an int is a shape of one dimension.
pub(super) fn shape(call: &str, given: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let alone = given.hasattr("__index__")? && !given.hasattr("__iter__")?;
    let shape = if alone {
        shape::from_python(PyTuple::new(given.py(), [given])?.as_any())?
    } else {
        shape::from_python(given)?
    };
    known(call, "shape", &shape)?;
    Ok(shape)
}

/// Requirements, Dynamic dimensions: refused with the call and the index.
pub(super) fn known(call: &str, what: &str, shape: &Shape) -> PyResult<()> {
    match shape.dims().iter().position(|&dim| dim == DYNAMIC) {
        None => Ok(()),
        Some(index) => Err(InvalidDescriptorError::new_err(format!(
            "{call} needs every extent, and {what}[{index}] is None, a dynamic dimension; hurray.Tensor(buffer, dtype, shape) takes one"
        ))),
    }
}
