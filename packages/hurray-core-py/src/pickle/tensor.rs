//! Tensors: the descriptor, and each buffer out of band where the pickler takes it so (PEP 574).

use std::sync::{Arc, OnceLock};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Reduced;
use crate::buffer::Buffer;
use crate::descriptor::Descriptor;
use crate::error::guarded;
use crate::exchange::{filled, ingest};
use crate::tensor::Tensor;

/// The first protocol that knows buffers.
const WITH_BUFFERS: i64 = 5;

/// A buffer as an object that pickles, and comes back read-only or not as it was.
fn carried<'py>(py: Python<'py>, buffer: &Buffer, protocol: i64) -> PyResult<Bound<'py, PyAny>> {
    buffer.reachable("pickle")?;
    if protocol >= WITH_BUFFERS {
        let bytes = Bound::new(py, Tensor::bytes_over(py, buffer.clone())?)?;
        return py.import(intern!(py, "pickle"))?.getattr(intern!(py, "PickleBuffer"))?.call1((bytes,));
    }
    let bytes = buffer.bytes();
    let copy = |out: &mut [u8]| {
        py.detach(|| out.copy_from_slice(bytes));
        Ok(())
    };
    match buffer.readonly() {
        true => filled::bytes(py, bytes.len(), copy).map(Bound::into_any),
        false => filled::bytearray(py, bytes.len(), copy).map(Bound::into_any),
    }
}

#[pymethods]
impl Tensor {
    /// ``from_descriptor`` and its arguments. Protocol 5 hands each buffer over by reference: a pickler
    /// with a ``buffer_callback`` moves it without a copy, and the unpickled tensor shares what arrives
    /// aligned to 64 bytes. The device keeps its id.
    fn __reduce_ex__<'py>(slf: &Bound<'py, Self>, protocol: i64) -> Reduced<'py, (Descriptor, Bound<'py, PyTuple>)> {
        guarded(|| {
            let (py, this) = (slf.py(), slf.get());
            let buffers = this.buffers.iter().map(|buffer| carried(py, buffer, protocol));
            let buffers = PyTuple::new(py, buffers.collect::<PyResult<Vec<_>>>()?)?;
            let descriptor = Descriptor::new(Arc::clone(&this.descriptor), this.device.clone_ref(py));
            Ok((slf.get_type().getattr(intern!(py, "from_descriptor"))?, (descriptor, buffers)))
        })
    }

    /// Another tensor over the same memory.
    fn __copy__(&self, py: Python<'_>) -> Self {
        Self {
            descriptor: Arc::clone(&self.descriptor),
            buffers: self.buffers.clone(),
            device: self.device.clone_ref(py),
            grid: OnceLock::new(),
            verdict: crate::contents::Verdict::default(),
        }
    }

    /// The same tensor over memory of its own, which may be written.
    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        let _ = memo;
        guarded(|| ingest::copied(py, self))
    }
}
