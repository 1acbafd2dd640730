//! `Tensor.validate`: the contents of a sparse, paged or quantised tensor, checked on demand.

use pyo3::prelude::*;

use super::Tensor;
use crate::contents;
use crate::error::{guarded, UnsupportedError};
use crate::file::Problem;

#[pymethods]
impl Tensor {
    /// Every rule of the format that the contents of the index, pointer and parameter buffers break, as
    /// a list of :class:`Problem`; empty for sound contents, and for a plain dense tensor, of which
    /// every bit pattern is legal (format: layouts.md §13 L-31 to L-33 and L-38, quantization.md §9
    /// element-types.md §4).
    ///
    /// Each message names the buffer, the position in it, counted in elements, and the value. Of places
    /// that break a rule in the same way the first four are listed, and ``more`` of the last one counts
    /// the rest. Looks anew at each call, without holding the GIL; Ctrl-C ends it. Raises
    /// ``UnsupportedError`` for memory that cannot be read here, ``MemoryError`` where the search for
    /// duplicates (16 bytes for each entry of a COO tensor that is in no order) does not fit.
    fn validate(&self, py: Python<'_>) -> PyResult<Vec<Problem>> {
        guarded(|| {
            if let Some(reason) = self.unreadable() {
                return Err(UnsupportedError::new_err(format!("validate() {reason}")));
            }
            let found = contents::findings(py, &self.descriptor, &self.buffers)?;
            self.verdict.set(found.is_empty(), &self.buffers);
            Ok(found.into_iter().map(Problem::from).collect())
        })
    }
}
