//! What a writer takes: a tensor, or an array's bytes by reference.

use std::sync::Arc;

use hurray_core::{LayoutDescriptor, Shape, TensorDescriptor};
use hurray_wire::format::MAX_COMPOSITE_DEPTH;
use hurray_wire::{check, Fault, Source};
use pyo3::prelude::*;

use super::mapped;
use crate::buffer::{self, Buffer, View};
use crate::composite::Composite;
use crate::contents;
use crate::error::{self, InvalidDescriptorError};
use crate::exchange::ingest;
use crate::tensor::{self, Buffers, Tensor};

/// A descriptor and the buffers that go with it. The buffers of an array need no alignment in
/// memory, since the file gives them one.
pub(crate) struct Writable {
    pub(crate) descriptor: Arc<TensorDescriptor>,
    pub(crate) buffers: Buffers,
    /// The tensor that they are of, which remembers what was found in them.
    tensor: Option<Py<Tensor>>,
}

impl Writable {
    /// A tensor as it is; an array by reference where its bridge can say how, else as a tensor.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(tensor) = object.cast::<Tensor>() {
            return Self::tensor(tensor);
        }
        if let Some(array) = Self::array(object)? {
            return Ok(array);
        }
        let ingest = object.py().import("hurray._ingest")?;
        let borrowed = ingest.call_method1("borrow", (object,))?;
        if !borrowed.is_none() {
            let (bytes, dtype, shape, fortran): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, bool) =
                borrowed.extract()?;
            let layout = if fortran { LayoutDescriptor::ColMajor } else { LayoutDescriptor::RowMajor };
            return Self::packed(&bytes, &dtype, &shape, layout);
        }
        // Looking for its bridge may have been what made the class a trusted one.
        if let Some(array) = Self::array(object)? {
            return Ok(array);
        }
        let made = ingest.call_method1("asarray", (object,))?;
        Self::tensor(made.cast::<Tensor>()?)
    }

    /// A plain array, by reference where its elements lie without gaps, whatever its address.
    fn array(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if !tensor::is_trusted(object) {
            return Ok(None);
        }
        let Ok(view) = View::get(object) else { return Ok(None) };
        let Ok((ty, pack)) = tensor::native(view.format(), view.itemsize()) else { return Ok(None) };
        let dims: Vec<u64> = view.shape().iter().map(|&dim| dim as u64).collect();
        let wish = ingest::Wish { copy: None, pack, for_file: true };
        let placed = ingest::placed(object.py(), view, ty, wish)?;
        let alignment = if placed.buffer.len() == 0 { 1 } else { hurray_core::MIN_BUFFER_ALIGNMENT };
        let handle = tensor::cpu_handle(placed.buffer.len(), alignment)?;
        let shape = Shape::new(dims).map_err(tensor::invalid)?;
        let descriptor = tensor::plain(ty, shape, placed.layout, placed.byte_offset, handle)?;
        Ok(Some(Self::plain(descriptor, placed.buffer)))
    }

    /// What a name stands for in a file: one tensor, or a composite's head and members, named after their places.
    pub(crate) fn named(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Self)>> {
        let Ok(composite) = object.cast::<Composite>() else {
            let writable = Self::of(object).map_err(|refused| about(object.py(), name, &refused))?;
            return Ok(vec![(name.to_owned(), writable)]);
        };
        // Said before it is unfolded: members that are shared make many of few.
        if composite.get().depth() > MAX_COMPOSITE_DEPTH {
            let fault = error::fault(object.py(), &Fault::TooDeep { limit: MAX_COMPOSITE_DEPTH });
            return Err(about(object.py(), name, &fault));
        }
        let mut all = Vec::new();
        composite.get().pre_order(object.py(), &mut |place, descriptor, tensor| {
            let name = place.iter().fold(name.to_owned(), |name, at| format!("{name}.{at}"));
            let one = match tensor {
                Some(tensor) => {
                    Self { descriptor, ..Self::tensor(tensor).map_err(|why| about(tensor.py(), &name, &why))? }
                }
                None => Self { descriptor, buffers: Buffers::new(), tensor: None },
            };
            all.push((name, one));
            Ok(())
        })?;
        Ok(all)
    }

    fn tensor(object: &Bound<'_, Tensor>) -> PyResult<Self> {
        let tensor = object.get();
        tensor.buffers.iter().try_for_each(|buffer| buffer.reachable("a writer"))?;
        let (descriptor, buffers) = (Arc::clone(&tensor.descriptor), tensor.buffers.clone());
        Ok(Self { descriptor, buffers, tensor: Some(object.clone().unbind()) })
    }

    /// The elements' bytes, exactly, packed as the format packs them.
    pub(crate) fn packed(
        bytes: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
        layout: LayoutDescriptor,
    ) -> PyResult<Self> {
        let buffer = mapped(bytes, buffer::little_endian(bytes)?);
        let (descriptor, len) = packed_descriptor(dtype, shape, layout)?;
        if buffer.len() as u64 != len {
            let text = format!("the buffer holds {} bytes and the tensor takes {len}", buffer.len());
            return Err(error::BufferError::new_err(text));
        }
        Ok(Self::plain(descriptor, buffer))
    }

    fn plain(descriptor: TensorDescriptor, buffer: Buffer) -> Self {
        Self { descriptor: Arc::new(descriptor), buffers: std::iter::once(buffer).collect(), tensor: None }
    }

    pub(crate) fn sources(&self) -> Vec<&dyn Source> {
        self.buffers.iter().map(|buffer| buffer as &dyn Source).collect()
    }

    pub(crate) fn sizes(&self) -> Vec<u64> {
        self.buffers.iter().map(|buffer| buffer.len() as u64).collect()
    }

    /// Ruling 13: no writer takes contents that the format forbids. What was found sound is remembered
    /// with a tensor whose memory is read-only; memory of a device, or not yet settled, is passed on unseen.
    pub(crate) fn check_contents(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let tensor = self.tensor.as_ref().map(Py::get);
        if tensor.is_some_and(|tensor| tensor.verdict.sound() || tensor.unreadable().is_some()) {
            return Ok(());
        }
        let found = contents::findings(py, &self.descriptor, &self.buffers)?;
        if let Some(refused) = contents::refusal(py, name, &found) {
            return Err(refused);
        }
        if let Some(tensor) = tensor {
            tensor.verdict.set(true, &self.buffers);
        }
        Ok(())
    }
}

/// The same exception, saying which tensor it is about.
pub(crate) fn about(py: Python<'_>, name: &str, refused: &PyErr) -> PyErr {
    error::about(py, &format!("tensor {name:?}"), refused)
}

/// The descriptor of a tensor without strides of its own, and how many bytes it takes.
pub(crate) fn packed_descriptor(
    dtype: &Bound<'_, PyAny>,
    shape: &Bound<'_, PyAny>,
    layout: LayoutDescriptor,
) -> PyResult<(TensorDescriptor, u64)> {
    let (ty, shape) = (crate::dtype::element_type(dtype)?, crate::shape::from_python(shape)?);
    let count = check::element_count(&shape).filter(|_| !shape.has_dynamic());
    let len = count.and_then(|count| check::storage_bytes(ty, None, u128::from(count))).filter(|_| ty.bit_width() > 0);
    let len = len.ok_or_else(|| {
        let text = format!("{ty} elements of shape {shape} have no size in bytes that 64 bits hold");
        InvalidDescriptorError::new_err(text)
    })?;
    let alignment = if len == 0 { 1 } else { hurray_core::MIN_BUFFER_ALIGNMENT };
    let handle = tensor::cpu_handle(usize::try_from(len)?, alignment)?;
    Ok((tensor::plain(ty, shape, layout, 0, handle)?, len))
}
