//! Exporters of the buffer protocol, which describe themselves.

use std::ffi::CStr;

use hurray_core::{ElementType, MIN_BUFFER_ALIGNMENT};
use pyo3::prelude::*;

use super::Tensor;
use crate::buffer::{Buffer, View};
use crate::dtype::element_type;
use crate::error::UnsupportedError;
use crate::exchange::ingest;

/// The buffer itself where its address will do, else an aligned copy.
pub(crate) fn aligned(py: Python<'_>, bytes: Buffer) -> PyResult<Buffer> {
    if bytes.len() == 0 || bytes.is_elsewhere() || bytes.alignment() >= MIN_BUFFER_ALIGNMENT {
        return Ok(bytes);
    }
    Ok(ingest::copied_buffer(py, &bytes)?.with_readonly(bytes.readonly()))
}

/// `Tensor.from_buffer(obj, dtype, copy=copy)`.
pub(super) fn from_exporter(
    object: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Tensor> {
    let py = object.py();
    let dtype = dtype.map(element_type).transpose()?;
    if let Ok(tensor) = object.cast::<Tensor>() {
        let tensor = tensor.get();
        let same = dtype.is_none_or(|ty| ty == tensor.descriptor.element_type);
        if same {
            return if copy == Some(true) { ingest::copied(py, tensor) } else { shared(py, tensor) };
        }
    }
    let view = View::get(object)?;
    let (format, itemsize) = (view.format(), view.itemsize());
    let (ty, pack) = match dtype {
        Some(ty) => (same_width(ty, itemsize)?, false),
        None => native(format, itemsize)?,
    };
    ingest::exported(py, view, ty, ingest::Wish { copy, pack, for_file: false })
}

fn shared(py: Python<'_>, tensor: &Tensor) -> PyResult<Tensor> {
    Tensor::over((*tensor.descriptor).clone(), tensor.buffers.clone(), tensor.device.clone_ref(py))
}

fn same_width(ty: ElementType, itemsize: usize) -> PyResult<ElementType> {
    if ty.bit_width() == 0 {
        return Err(UnsupportedError::new_err(format!(
            "a private element type needs its extension section, which no exporter has; \
             hurray.Tensor(buffer, dtype, shape, extension_type=...) takes {ty} elements"
        )));
    }
    if ty.bit_width() as usize != itemsize * 8 {
        return Err(UnsupportedError::new_err(format!(
            "elements of {itemsize} bytes cannot be read as {ty}, which has {} bits; hurray.Tensor(buffer, dtype, shape) takes packed bytes",
            ty.bit_width()
        )));
    }
    Ok(ty)
}

/// The type that a format names, and whether its elements are to be packed.
pub(crate) fn native(format: &CStr, itemsize: usize) -> PyResult<(ElementType, bool)> {
    let text = format.to_str().unwrap_or("");
    let code = text.strip_prefix(['@', '=', '<', '|']).unwrap_or(text);
    if text.starts_with(['>', '!']) && itemsize > 1 {
        return Err(UnsupportedError::new_err(format!(
            "format {text:?} is big-endian and the format is little-endian; convert it first, as a.astype(a.dtype.newbyteorder('<')) does"
        )));
    }
    let ty = match (code, itemsize) {
        ("?", 1) => return Ok((ElementType::Bool, true)),
        ("e", 2) => ElementType::Float16,
        ("f", 4) => ElementType::Float32,
        ("d", 8) => ElementType::Float64,
        ("Zf", 8) => ElementType::Complex64,
        ("Zd", 16) => ElementType::Complex128,
        ("b" | "h" | "i" | "l" | "q" | "n", _) => signed(itemsize).ok_or_else(|| unknown(text, itemsize))?,
        ("B" | "c" | "H" | "I" | "L" | "Q" | "N", _) => unsigned(itemsize).ok_or_else(|| unknown(text, itemsize))?,
        _ => return Err(unknown(text, itemsize)),
    };
    Ok((ty, false))
}

fn unknown(format: &str, itemsize: usize) -> PyErr {
    UnsupportedError::new_err(format!(
        "the format has no element type for items {format:?} of {itemsize} bytes; hurray.Tensor(buffer, dtype, shape) reads plain bytes"
    ))
}

fn signed(itemsize: usize) -> Option<ElementType> {
    Some(match itemsize {
        1 => ElementType::Int8,
        2 => ElementType::Int16,
        4 => ElementType::Int32,
        8 => ElementType::Int64,
        _ => return None,
    })
}

fn unsigned(itemsize: usize) -> Option<ElementType> {
    Some(match itemsize {
        1 => ElementType::Uint8,
        2 => ElementType::Uint16,
        4 => ElementType::Uint32,
        8 => ElementType::Uint64,
        _ => return None,
    })
}
