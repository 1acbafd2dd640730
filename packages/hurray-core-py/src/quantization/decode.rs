//! A standalone quantization section (requirements: Standalone quantization sections).

use hurray_wire::check;
use pyo3::prelude::*;

use crate::error::{self, guarded};
use crate::{buffer, quantization};

/// The scheme that ``data``, a quantization section without its length prefix, begins with: an object
/// of the class that the scheme tag names.
///
/// Bytes behind the scheme's own length are padding or fields of a newer version and are ignored
/// (format: quantization.md §1). Raises ``InvalidDescriptorError`` with ``code`` the broken rule
/// (quantization.md §9); private schemes are refused with Q-3.
#[pyfunction]
pub(crate) fn decode_quantization(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    guarded(|| {
        let bytes = buffer::contiguous(data)?;
        let scheme = check::quantization(bytes.bytes()).map_err(|fault| error::fault(py, &fault))?;
        quantization::to_python(py, &scheme)
    })
}
