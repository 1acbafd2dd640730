//! The elements of a dense tensor as Python numbers.

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Tensor;
use crate::error::UnsupportedError;
use crate::exchange::ingest;
use crate::{bits, layout, numbers};

/// Shape and strides, in elements, of a dense static layout.
pub(crate) struct Steps {
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
}

impl Steps {
    pub(crate) fn of(descriptor: &TensorDescriptor) -> Option<Self> {
        let dims = descriptor.shape.dims();
        let shape: Vec<usize> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect::<Option<_>>()?;
        if descriptor.shape.has_dynamic() {
            return None;
        }
        if dims.contains(&0) {
            // No element has an address, however far the other dimensions would reach.
            return Some(Self { strides: vec![0; shape.len()], shape });
        }
        let strides = match &descriptor.layout {
            LayoutDescriptor::RowMajor => ingest::row_major_strides(&shape)?,
            LayoutDescriptor::ColMajor => {
                let reversed: Vec<usize> = shape.iter().rev().copied().collect();
                ingest::row_major_strides(&reversed)?.into_iter().rev().collect()
            }
            LayoutDescriptor::Strided(strided) => strided.strides.iter().map(|&stride| stride as isize).collect(),
            _ => return None,
        };
        Some(Self { shape, strides })
    }
}

/// Where element `offset` of a tensor of whole-byte elements starts.
pub(crate) fn byte_of(descriptor: &TensorDescriptor, offset: isize) -> usize {
    let width = descriptor.element_type.bit_width() as isize / 8;
    (descriptor.byte_offset as usize).wrapping_add_signed(offset * width)
}

/// The code of element `offset` of a tensor of elements narrower than a byte.
pub(crate) fn code_of(bytes: &[u8], descriptor: &TensorDescriptor, offset: isize) -> u8 {
    let (from, at, bits) = packed_at(descriptor, offset);
    bits::element(&bytes[from..], at, bits)
}

/// The byte that holds element `offset`, or starts its group, and the element's place in there.
fn packed_at(descriptor: &TensorDescriptor, offset: isize) -> (usize, usize, usize) {
    let bits = descriptor.element_type.bit_width() as usize;
    let (per_group, group) = if bits == 6 { (4, 3) } else { (8 / bits as isize, 1) };
    let start = (descriptor.byte_offset as usize).wrapping_add_signed(offset.div_euclid(per_group) * group);
    (start, offset.rem_euclid(per_group) as usize, bits)
}

/// Objects that a tensor may become whatever it holds.
const FREE: u128 = 1 << 24;

/// `t.tolist()`.
pub(super) fn to_list<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let d = &*tensor.descriptor;
    if let Some(reason) = tensor.unreadable() {
        return Err(UnsupportedError::new_err(format!("tolist {reason}")));
    }
    if d.quantization.is_some() {
        return Err(UnsupportedError::new_err(
            "tolist would pass quantised codes off as numbers; t.buffer(0) gives the codes",
        ));
    }
    let steps = Steps::of(d).ok_or_else(|| UnsupportedError::new_err(tensor.no_grid("tolist")))?;
    bounded(tensor, &steps)?;
    nested(py, tensor, &steps, 0, 0)
}

/// A shape alone must not fill memory: an empty tensor and a broadcast hold less than they claim.
fn bounded(tensor: &Tensor, steps: &Steps) -> PyResult<()> {
    let mut objects = 1u128;
    for &dim in steps.shape.iter().take_while(|&&dim| dim > 0) {
        objects = objects.saturating_mul(dim as u128);
    }
    let held = 8 * tensor.buffers[0].len() as u128;
    if objects > held.max(FREE) {
        let text = format!("tolist would make {objects} objects of a tensor that holds {} bytes", held / 8);
        return Err(PyMemoryError::new_err(text));
    }
    Ok(())
}

/// One level of nesting a dimension, at most 64 deep.
fn nested<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    steps: &Steps,
    level: usize,
    offset: isize,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(&len) = steps.shape.get(level) else {
        return element(py, tensor, offset);
    };
    let list = PyList::empty(py);
    for at in 0..len as isize {
        list.append(nested(py, tensor, steps, level + 1, offset + at * steps.strides[level])?)?;
        py.check_signals()?;
    }
    Ok(list.into_any())
}

fn element<'py>(py: Python<'py>, tensor: &Tensor, offset: isize) -> PyResult<Bound<'py, PyAny>> {
    let d = &*tensor.descriptor;
    let bytes = tensor.buffers[0].bytes();
    let value = match d.element_type.bit_width() {
        0 => None,
        width if width < 8 => {
            let (from, at, _) = packed_at(d, offset);
            numbers::packed(py, d.element_type, &bytes[from..], at)?
        }
        _ => numbers::whole(py, d.element_type, &bytes[byte_of(d, offset)..])?,
    };
    value.ok_or_else(|| {
        let name = layout::name(&d.layout);
        UnsupportedError::new_err(format!(
            "Python has no number that holds a {} element exactly; t.buffer(0) gives the bytes of this {name} tensor",
            d.element_type
        ))
    })
}
