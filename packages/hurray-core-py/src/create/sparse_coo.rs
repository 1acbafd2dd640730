//! COO out of its arrays (format: layouts.md §7).

use hurray_core::layout::CooLayout;
use hurray_core::MIN_BUFFER_ALIGNMENT;
use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, MemoryClass, Shape, TensorDescriptor};
use hurray_wire::{check, Fault};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use smallvec::smallvec;

use super::place;
use crate::buffer::{Aligned, Buffer};
use crate::error::{self, guarded, CopyRequiredError, InvalidDescriptorError, UnsupportedError};
use crate::tensor::{self, Tensor};
use crate::{device, shape};

const CALL: &str = "sparse_coo";

/// A COO tensor of values and their coordinates (format: layouts.md §7; requirements: copy on ingest).
///
/// ``values`` is an array of one dimension with nnz elements, of any element type; ``indices`` one
/// of integers with the shape (nnz, rank), one row of coordinates for each value; both are whatever
/// ``asarray`` takes. ``shape`` is the shape of the tensor. uint64 and int64 indices are shared as
/// they are, narrower ones are widened, which is a copy; ``copy`` decides for each of the two arrays
/// by itself: ``None`` copies what cannot be shared, ``False`` raises ``CopyRequiredError`` instead,
/// ``True`` always copies.
///
/// Every coordinate is looked at: one outside the shape is refused (``InvalidDescriptorError``,
/// L-31), and the layout says ``is_sorted`` only where the entries are in strictly increasing order.
/// Entries that occur twice are wrapped as they are; ``save`` refuses them. Raises
/// ``InvalidDescriptorError`` as well for a dynamic dimension, and for arrays that do not go with
/// each other or the shape; ``UnsupportedError`` for indices that are no integers and for arrays
/// that are not plain numbers in CPU memory.
#[pyfunction]
#[pyo3(signature = (values, indices, shape, *, copy=None))]
pub(crate) fn sparse_coo(
    values: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    shape: &Bound<'_, PyAny>,
    copy: Option<bool>,
) -> PyResult<Tensor> {
    let py = values.py();
    guarded(|| {
        let shape = shape::from_python(shape)?;
        place::known("sparse_coo", "shape", &shape)?;
        let values = Part::of("values", values, copy)?;
        let indices = Part::of("indices", indices, copy)?;
        let (ty, index_type) = (values.descriptor().element_type, indices.descriptor().element_type);
        let nnz = agreeing(values.descriptor(), indices.descriptor(), &shape)?;
        let stored = values.dense()?;
        let tuples = match index_type {
            ElementType::Uint64 | ElementType::Int64 => indices.dense()?,
            _ => indices.widened()?,
        };
        let signed = index_type.is_signed();
        let is_sorted = py.detach(|| inspected(tuples.bytes(), shape.dims(), signed));
        let is_sorted = is_sorted.map_err(|outside| outside.raised(py, &shape))?;
        let handles = [&stored, &tuples].map(|buffer| tensor::cpu_handle(buffer.len(), buffer.alignment()));
        let handles = handles.into_iter().collect::<PyResult<Vec<BufferHandle>>>()?;
        let layout = LayoutDescriptor::Coo(CooLayout::new(nnz, is_sorted));
        let mut descriptor = tensor::plain(ty, shape, LayoutDescriptor::RowMajor, 0, handles[0])?;
        (descriptor.layout, descriptor.buffers) = (layout, handles);
        check::all(&descriptor).map_err(|fault| error::fault(py, &fault))?;
        let device = device::of(py, DeviceTag::Cpu, MemoryClass::Standard, 0)?;
        Tensor::over(descriptor, smallvec![stored, tuples], device)
    })
}

/// One of the arguments as a tensor of plain numbers in CPU memory.
struct Part<'py> {
    what: &'static str,
    tensor: Bound<'py, Tensor>,
    copy: Option<bool>,
    /// Whether the memory is the caller's.
    foreign: bool,
}

impl<'py> Part<'py> {
    fn of(what: &'static str, object: &Bound<'py, PyAny>, copy: Option<bool>) -> PyResult<Self> {
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

    fn descriptor(&self) -> &TensorDescriptor {
        &self.tensor.get().descriptor
    }

    /// The row-major bytes and nothing else, shared where that may be and they lie aligned.
    fn dense(&self) -> PyResult<Buffer> {
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
    fn widened(&self) -> PyResult<Buffer> {
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

/// nnz, where values, indices and shape go together.
fn agreeing(values: &TensorDescriptor, indices: &TensorDescriptor, shape: &Shape) -> PyResult<u64> {
    let refused = |text: String| Err(InvalidDescriptorError::new_err(format!("sparse_coo: {text}")));
    place::known("sparse_coo", "values.shape", &values.shape)?;
    place::known("sparse_coo", "indices.shape", &indices.shape)?;
    let rank = shape.rank() as u64;
    let &[nnz] = values.shape.dims() else {
        return refused(format!("values have one dimension, the entries; got shape {}", values.shape));
    };
    let &[rows, columns] = indices.shape.dims() else {
        return refused(format!("indices have two dimensions, (nnz, rank); got shape {}", indices.shape));
    };
    if (rows, columns) == (nnz, rank) {
        return Ok(nnz);
    }
    let way = if (columns, rows) == (nnz, rank) { "; transpose them: indices.T" } else { "" };
    refused(format!(
        "indices have the shape (nnz, rank), which is ({nnz}, {rank}) for {nnz} values and a shape of {rank} dimensions; got {}{way}",
        indices.shape
    ))
}

/// The first coordinate that does not lie in the shape.
struct Outside {
    entry: u64,
    dim: usize,
    index: u64,
    signed: bool,
}

impl Outside {
    fn raised(self, py: Python<'_>, shape: &Shape) -> PyErr {
        let fault = Fault::CooEntries { entry: self.entry, why: "lies outside the shape" };
        let index = if self.signed { i128::from(self.index as i64) } else { i128::from(self.index) };
        let error = error::fault(py, &fault);
        let text =
            format!("sparse_coo: {fault}: indices[{}, {}] is {index}, and the shape is {shape}", self.entry, self.dim);
        let named = InvalidDescriptorError::new_err(text);
        // Setting an attribute of a fresh exception of our own cannot fail in a way worth hiding it for.
        let _ = error.value(py).getattr("code").and_then(|code| named.value(py).setattr("code", code));
        named
    }
}

/// Whether the entries are strictly increasing; the first one outside the shape is an error.
fn inspected(bytes: &[u8], dims: &[u64], signed: bool) -> Result<bool, Outside> {
    let rank = dims.len();
    let mut sorted = true;
    let mut before = vec![0u64; rank];
    for (entry, tuple) in bytes.chunks_exact(8 * rank.max(1)).enumerate() {
        let mut order = std::cmp::Ordering::Equal;
        for (dim, word) in tuple.chunks_exact(8).enumerate() {
            let index = u64::from_le_bytes(word.try_into().unwrap_or_default());
            if index >= dims[dim] || (signed && index > i64::MAX as u64) {
                return Err(Outside { entry: entry as u64, dim, index, signed });
            }
            order = order.then(index.cmp(&before[dim]));
            before[dim] = index;
        }
        sorted &= entry == 0 || order.is_gt();
    }
    Ok(sorted)
}
