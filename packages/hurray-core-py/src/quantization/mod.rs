//! Quantization schemes (format: quantization.md): what a section says, as value objects.

mod decode;
mod mxfp;
mod nf4;
mod per_block_affine;
mod per_channel_affine;
mod per_tensor_affine;

use hurray_core::{QuantizationDescriptor, TensorDescriptor};
use hurray_wire::{check, Fault};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pub(crate) use decode::decode_quantization;
pub(crate) use mxfp::Mxfp;
pub(crate) use nf4::Nf4;
pub(crate) use per_block_affine::PerBlockAffine;
pub(crate) use per_channel_affine::PerChannelAffine;
pub(crate) use per_tensor_affine::PerTensorAffine;

use crate::error::{self, kind};
use crate::int::within;

/// The scheme that one of the classes holds; `TypeError` for anything else.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<QuantizationDescriptor> {
    use QuantizationDescriptor as Q;
    if let Ok(scheme) = object.cast::<PerTensorAffine>() {
        return Ok(Q::PerTensorAffine(scheme.get().inner));
    }
    if let Ok(scheme) = object.cast::<PerChannelAffine>() {
        return Ok(Q::PerChannelAffine(scheme.get().inner));
    }
    if let Ok(scheme) = object.cast::<PerBlockAffine>() {
        return Ok(Q::PerBlockAffine(scheme.get().inner));
    }
    if let Ok(scheme) = object.cast::<Nf4>() {
        return Ok(Q::Nf4(scheme.get().inner));
    }
    if let Ok(scheme) = object.cast::<Mxfp>() {
        return Ok(Q::Mxfp(scheme.get().inner));
    }
    Err(PyTypeError::new_err(format!(
        "quantization is a scheme such as hurray.PerTensorAffine(0.5, 0) or hurray.NF4(0, 64, 1), got {}",
        kind(object)
    )))
}

/// The object of a section's scheme, of the class that the constructor accepts.
pub(crate) fn to_python(py: Python<'_>, scheme: &QuantizationDescriptor) -> PyResult<Py<PyAny>> {
    use QuantizationDescriptor as Q;
    Ok(match *scheme {
        Q::PerTensorAffine(inner) => Py::new(py, PerTensorAffine { inner })?.into_any(),
        Q::PerChannelAffine(inner) => Py::new(py, PerChannelAffine { inner })?.into_any(),
        Q::PerBlockAffine(inner) => Py::new(py, PerBlockAffine { inner })?.into_any(),
        Q::Nf4(inner) => Py::new(py, Nf4 { inner })?.into_any(),
        Q::Mxfp(inner) => Py::new(py, Mxfp { inner })?.into_any(),
    })
}

/// The scheme of a descriptor, which keeps its section as bytes.
pub(crate) fn section(py: Python<'_>, descriptor: &TensorDescriptor) -> PyResult<Option<QuantizationDescriptor>> {
    let Some(bytes) = &descriptor.quantization else { return Ok(None) };
    check::quantization(bytes).map(Some).map_err(|fault| error::fault(py, &fault))
}

fn encoded(py: Python<'_>, scheme: QuantizationDescriptor) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &scheme.encode_to_vec())
}

/// The position of a parameter buffer. The highest number says "none" on the wire (quantization.md §5).
fn buffer_index(given: &Bound<'_, PyAny>, name: &str) -> PyResult<u32> {
    within(given, name, 0, u32::MAX - 1)
}

fn axis(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    within(given, "axis", 0, u32::MAX)
}

/// Q-22, which every scheme with blocks words by its own bounds.
fn block_size(given: &Bound<'_, PyAny>, scheme: u8, low: u32, high: u32) -> PyResult<u32> {
    let block_size = within(given, "block_size", 0, u32::MAX)?;
    if block_size.is_power_of_two() && (low..=high).contains(&block_size) {
        return Ok(block_size);
    }
    let bounds = match high {
        u32::MAX => format!("{low} or more"),
        high => format!("{low} to {high}"),
    };
    let text = format!("block_size is {block_size}; this scheme takes a power of two, {bounds}");
    Err(error::coded(given.py(), &Fault::BlockSize { scheme, block_size }, text))
}
