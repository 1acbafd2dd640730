//! The elements of a dense tensor as Python numbers.

use hurray_core::{ElementType, LayoutDescriptor};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::address::{Address, Element, BLOCK};
use super::Tensor;
use crate::error::UnsupportedError;
use crate::{layout, numbers};

/// Objects that a tensor may become whatever it holds.
const FREE: u128 = 1 << 20;

/// Why the logical values of a tensor cannot be read at all, to follow the name of the method that wants them.
#[cold]
pub(super) fn no_values(tensor: &Tensor) -> Option<String> {
    let d = &*tensor.descriptor;
    if let Some(reason) = tensor.unreadable() {
        return Some(reason);
    }
    if d.quantization.is_some() {
        return Some(String::from("would pass quantised codes off as numbers; t.buffer(0) gives the codes"));
    }
    if d.shape.has_dynamic() {
        return Some(crate::tensor::dynamic(&d.shape));
    }
    if layout::is_dense(&d.layout) {
        return None;
    }
    let (name, tag) = (layout::name(&d.layout), d.layout.tag());
    let reason = match &d.layout {
        LayoutDescriptor::BlockPaged(_) => format!("needs a dense layout, and {name} keeps the elements in pages"),
        LayoutDescriptor::Coo(_) | LayoutDescriptor::Csr(_) | LayoutDescriptor::Csc(_) | LayoutDescriptor::Csf(_) => {
            format!("needs a dense layout, and {name} stores some of the elements only")
        }
        _ => format!("needs a layout that the format describes, which {name} 0x{tag:02X} is not"),
    };
    Some(format!("{reason}; t.buffer(i) gives the bytes of its buffers"))
}

/// Why no number holds an element of this type exactly, if none does.
pub(super) fn no_number(ty: ElementType) -> Option<String> {
    match ty {
        ElementType::Float128 => Some(String::from("Python has no number that holds a float128 element exactly")),
        ElementType::Extension(tag) => {
            Some(format!("what the private element type 0x{tag:02X} means is agreed elsewhere"))
        }
        _ => None,
    }
}

/// Where the elements are, or why they cannot be had one by one.
pub(super) fn addressed(tensor: &Tensor, what: &str) -> PyResult<(Address, Element)> {
    let d = &*tensor.descriptor;
    if let Some(reason) = no_values(tensor) {
        return Err(UnsupportedError::new_err(format!("{what} {reason}")));
    }
    let found = Address::of(d).zip(Element::of(d));
    found.ok_or_else(|| {
        UnsupportedError::new_err(format!("{what} cannot address the shape {}, which exceeds memory", d.shape))
    })
}

/// `t.tolist()`.
pub(super) fn to_list<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let (address, element) = addressed(tensor, "tolist")?;
    let ty = tensor.descriptor.element_type;
    if let Some(reason) = no_number(ty).filter(|_| !address.shape().contains(&0)) {
        return Err(UnsupportedError::new_err(format!("tolist: {reason}; t.tobytes() gives the bytes")));
    }
    bounded(tensor, address.shape())?;
    let mut nesting = Nesting { py, bytes: tensor.buffers[0].bytes(), ty, address, element, index: Vec::new() };
    nesting.level(0)
}

/// A shape alone must not fill memory: an empty tensor and a broadcast hold less than they claim.
fn bounded(tensor: &Tensor, shape: &[usize]) -> PyResult<()> {
    let mut objects = 1u128;
    for &dim in shape.iter().take_while(|&&dim| dim > 0) {
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
struct Nesting<'a, 'py> {
    py: Python<'py>,
    bytes: &'a [u8],
    ty: ElementType,
    address: Address,
    element: Element,
    index: Vec<usize>,
}

impl<'py> Nesting<'_, 'py> {
    fn level(&mut self, level: usize) -> PyResult<Bound<'py, PyAny>> {
        let Some(&len) = self.address.shape().get(level) else {
            return self.number(self.address.at(&[]));
        };
        let list = PyList::empty(self.py);
        if level + 1 < self.address.shape().len() {
            for at in 0..len {
                self.index.push(at);
                list.append(self.level(level + 1)?)?;
                self.index.pop();
                self.py.check_signals()?;
            }
            return Ok(list.into_any());
        }
        let mut offsets = vec![0; len.min(BLOCK)];
        for from in (0..len).step_by(BLOCK) {
            let now = &mut offsets[..BLOCK.min(len - from)];
            self.address.row(&self.index, from, now);
            for &offset in &*now {
                list.append(self.number(offset)?)?;
            }
            self.py.check_signals()?;
        }
        Ok(list.into_any())
    }

    fn number(&self, offset: isize) -> PyResult<Bound<'py, PyAny>> {
        let value = match self.element.bytes() {
            Some(_) => numbers::whole(self.py, self.ty, &self.bytes[self.element.byte(offset)..])?,
            None => {
                let (start, at) = self.element.shared(offset);
                numbers::packed(self.py, self.ty, &self.bytes[start..], at)?
            }
        };
        value.ok_or_else(|| UnsupportedError::new_err(format!("tolist: no Python number for {}", self.ty)))
    }
}
