//! Chosen elements for people to look at: no more is read than is shown.

use hurray_core::{ElementType, LayoutDescriptor};
use hurray_wire::check;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::address::{Address, Element};
use super::values::no_number;
use super::Tensor;
use crate::error::{guarded, UnsupportedError};
use crate::{bits, decimal, layout, numbers};

/// Why the elements are not shown, in a few words, if they are not.
#[cold]
fn hidden(tensor: &Tensor) -> Option<String> {
    let d = &*tensor.descriptor;
    if !tensor.device.get().is_cpu() {
        return Some(format!("in {} memory", tensor.device.get().tag));
    }
    if tensor.unreadable().is_some() {
        return Some(String::from("not synchronised by its producer"));
    }
    if d.shape.has_dynamic() {
        return Some(String::from("a dimension is dynamic"));
    }
    if d.quantization.is_some() {
        return Some(String::from("quantised codes"));
    }
    match (&d.layout, d.element_type) {
        (LayoutDescriptor::BlockPaged(_), _) => return Some(String::from("elements in pages")),
        (layout, _) if !layout::is_dense(layout) && check::nnz(layout).is_none() => {
            return Some(format!("layout 0x{:02X} is agreed elsewhere", layout.tag()))
        }
        _ => {}
    }
    no_number(d.element_type).filter(|_| d.element_type != ElementType::Float128)
}

fn chosen<'py>(py: Python<'py>, tensor: &Tensor, places: &[Vec<usize>]) -> PyResult<Bound<'py, PyList>> {
    let d = &*tensor.descriptor;
    if let Some(reason) = hidden(tensor) {
        return Err(UnsupportedError::new_err(format!("no values to show: {reason}")));
    }
    let address = match check::nnz(&d.layout) {
        Some(nnz) => usize::try_from(nnz).ok().map(Address::run),
        None => Address::of(d),
    };
    let found = address.zip(Element::of(d));
    let (address, element) = found.ok_or_else(|| UnsupportedError::new_err("no values to show: too large"))?;
    let inside = |(places, &len): (&Vec<usize>, &usize)| places.iter().all(|&place| place < len);
    if places.len() != address.shape().len() || !places.iter().zip(address.shape()).all(inside) {
        return Err(PyIndexError::new_err("places outside the tensor"));
    }
    let list = PyList::empty(py);
    if places.iter().any(Vec::is_empty) {
        return Ok(list);
    }
    let bytes = tensor.buffers[0].bytes();
    // An empty shape lets the values' buffer be shorter than the entries that its layout counts.
    if check::nnz(&d.layout).is_some_and(|nnz| (bytes.len() as u128 * 8) < u128::from(nnz) * element.bits as u128) {
        return Err(UnsupportedError::new_err("no values to show: the buffer holds fewer than are counted"));
    }
    let mut at = vec![0; places.len()];
    loop {
        let index: Vec<usize> = at.iter().zip(places).map(|(&at, places)| places[at]).collect();
        list.append(item(py, d.element_type, bytes, element, address.at(&index))?)?;
        let Some(axis) = (0..at.len()).rev().find(|&axis| at[axis] + 1 < places[axis].len()) else {
            return Ok(list);
        };
        at[axis] += 1;
        at[axis + 1..].fill(0);
    }
}

/// An element as an int or a bool, as the text of a float, or as two of a complex number; a float128 as
/// its bytes.
fn item<'py>(
    py: Python<'py>,
    ty: ElementType,
    bytes: &[u8],
    element: Element,
    offset: isize,
) -> PyResult<Bound<'py, PyAny>> {
    let value = if element.bytes().is_some() {
        let bytes = &bytes[element.byte(offset)..];
        if ty == ElementType::Float128 {
            return Ok(PyBytes::new(py, &bytes[..16]).into_any());
        }
        match decimal::float(ty, bytes) {
            Some([Some(one), None]) => return Ok(PyString::new(py, &one).into_any()),
            Some(both) => return Ok(PyTuple::new(py, both)?.into_any()),
            None => numbers::whole(py, ty, bytes)?,
        }
    } else {
        let (start, at) = element.shared(offset);
        let bytes = &bytes[start..];
        match decimal::packed(ty, bits::element(bytes, at, element.bits)) {
            Some(text) => return Ok(PyString::new(py, &text).into_any()),
            None => numbers::packed(py, ty, bytes, at)?,
        }
    };
    value.ok_or_else(|| UnsupportedError::new_err(format!("no values to show: {ty}")))
}

#[pymethods]
impl Tensor {
    /// Why the elements are not shown, in a few words; ``None`` where they are.
    fn _hidden(&self) -> Option<String> {
        hidden(self)
    }

    /// The elements at the outer product of ``places``, one list of indices a dimension, in row-major
    /// order; of a sparse tensor the stored values at ``places[0]``. Integers and bools as they are,
    /// floats as the text of their shortest digits, complex numbers as two of them, float128 as bytes.
    fn _chosen<'py>(&self, py: Python<'py>, places: Vec<Vec<usize>>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| chosen(py, self, &places))
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("hurray._show")?.call_method1("tensor_repr", (slf,))
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("hurray._show")?.call_method1("tensor_str", (slf,))
    }
}
