//! COO out of its arrays (format: layouts.md §7).

use hurray_core::layout::CooLayout;
use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, MemoryClass, Shape, TensorDescriptor};
use hurray_wire::{check, Fault};
use pyo3::prelude::*;
use smallvec::smallvec;

use super::part::Part;
use super::place;
use crate::argument;
use crate::error::{self, guarded, InvalidDescriptorError};
use crate::tensor::{self, Tensor};
use crate::{device, shape};

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
    #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
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
        let index = if self.signed { i128::from(self.index as i64) } else { i128::from(self.index) };
        let fault = Fault::CooOutside { buffer: 1, entry: self.entry, found: index.to_string() };
        let text = format!(
            "sparse_coo: entry {} lies outside the shape: indices[{}, {}] is {index}, and the shape is {shape}",
            self.entry, self.entry, self.dim
        );
        error::coded(py, &fault, text)
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
