//! An array that becomes a buffer of a sparse tensor: shared, packed or widened (requirements: copy on ingest).

use hurray_core::{ElementType, TensorDescriptor, MIN_BUFFER_ALIGNMENT};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffer::{Aligned, Buffer};
use crate::error::{CopyRequiredError, UnsupportedError};
use crate::tensor::{self, Tensor};

const CALL: &str = "sparse_coo";

/// One of the arguments as a tensor of plain numbers in CPU memory.
pub(super) struct Part<'py> {
    what: &'static str,
    tensor: Bound<'py, Tensor>,
    copy: Option<bool>,
    /// Whether the memory is the caller's.
    foreign: bool,
}

impl<'py> Part<'py> {
    pub(super) fn of(what: &'static str, object: &Bound<'py, PyAny>, copy: Option<bool>) -> PyResult<Self> {
        let py = object.py();
        let is_tensor = object.is_instance_of::<Tensor>();
        let options = PyDict::new(py);
        // A tensor is cut to its elements when it is copied, which is not done here.
        options.set_item("copy", copy.filter(|copy| !copy || !is_tensor))?;
        let tensor = py.import("hurray._ingest")?.getattr("asarray")?.call((object,), Some(&options));
        let tensor = tensor.map_err(|error| naming(py, what, error))?;
        let part = Self { what, tensor: tensor.cast_into()?, copy, foreign: copy != Some(true) || is_tensor };
        let d = part.descriptor();
        let problem = if let Some(reason) = part.tensor.get().unreadable() {
            reason
        } else if d.quantization.is_some() {
            String::from("a COO tensor of quantised values has their parameters, which hurray.Tensor takes")
        } else if matches!(d.element_type, ElementType::Extension(_)) {
            String::from("a private element type has no width of its own; hurray.Tensor takes one with its section")
        } else {
            return Ok(part);
        };
        Err(UnsupportedError::new_err(format!("sparse_coo: {what}: {problem}")))
    }

    pub(super) fn descriptor(&self) -> &TensorDescriptor {
        &self.tensor.get().descriptor
    }

    /// The row-major bytes and nothing else, shared where that may be and they lie aligned.
    pub(super) fn dense(&self) -> PyResult<Buffer> {
        let region = tensor::row_major_region(self.tensor.get(), CALL)?;
        let reason = match region {
            Some(region) if region.len() == 0 || region.alignment() >= MIN_BUFFER_ALIGNMENT => {
                if self.copy != Some(true) || !self.foreign {
                    return Ok(region);
                }
                String::new()
            }
            Some(region) => {
                format!("are aligned to {} bytes and the format needs {MIN_BUFFER_ALIGNMENT}", region.alignment())
            }
            None => String::from("do not lie in row-major order without gaps"),
        };
        self.refuse_if_to_be_shared(&reason)?;
        let copied = tensor::row_major_copy(self.tensor.py(), self.tensor.get(), CALL)?;
        Ok(copied.with_readonly(self.stays_readonly()))
    }

    /// Integers of fewer bits as uint64.
    pub(super) fn widened(&self) -> PyResult<Buffer> {
        let (py, ty) = (self.tensor.py(), self.descriptor().element_type);
        if !ty.is_integer() || ty.bit_width() < 8 {
            return Err(UnsupportedError::new_err(format!(
                "sparse_coo: indices are integers of 8 to 64 bits, and these are {ty}; cast them with the library that made them"
            )));
        }
        self.refuse_if_to_be_shared(&format!("are {ty} and the format has uint64"))?;
        let narrow = match tensor::row_major_region(self.tensor.get(), CALL)? {
            Some(region) => region,
            None => tensor::row_major_copy(py, self.tensor.get(), CALL)?,
        };
        let width = ty.bit_width() as usize / 8;
        let len = (narrow.len() / width).checked_mul(8);
        let mut memory = Aligned::zeroed(len.ok_or_else(|| PyMemoryError::new_err("the indices exceed memory"))?)?;
        let out = memory.bytes_mut();
        py.detach(|| widen(narrow.bytes(), width, ty.is_signed(), out));
        let buffer = if len == Some(0) { Buffer::empty() } else { Buffer::owned(memory) };
        Ok(buffer.with_readonly(self.stays_readonly()))
    }

    fn refuse_if_to_be_shared(&self, reason: &str) -> PyResult<()> {
        if self.copy != Some(false) {
            return Ok(());
        }
        let what = self.what;
        Err(CopyRequiredError::new_err(format!(
            "sparse_coo: copy=False, but {what} {reason}; leave copy=None to copy them into memory of their own"
        )))
    }

    /// What may not be written to stays so, unless a copy was asked for.
    fn stays_readonly(&self) -> bool {
        self.copy != Some(true) && self.tensor.get().readonly()
    }
}

/// The same refusal, saying which of the two arrays it is about.
fn naming(py: Python<'_>, what: &str, error: PyErr) -> PyErr {
    let text = format!("sparse_coo: {what}: {}", error.value(py));
    let named = if error.is_instance_of::<CopyRequiredError>(py) {
        CopyRequiredError::new_err(text)
    } else if error.is_instance_of::<UnsupportedError>(py) {
        UnsupportedError::new_err(text)
    } else if error.get_type(py).is(py.get_type::<PyTypeError>()) {
        PyTypeError::new_err(text)
    } else {
        return error;
    };
    named.set_cause(py, Some(error));
    named
}

fn widen(narrow: &[u8], width: usize, signed: bool, wide: &mut [u8]) {
    for (from, to) in narrow.chunks_exact(width).zip(wide.chunks_exact_mut(8)) {
        to[..width].copy_from_slice(from);
        if signed && from[width - 1] >> 7 == 1 {
            to[width..].fill(0xFF);
        }
    }
}
