//! `hurray.verify`: every rule that a file breaks.

use hurray_wire::Finding;
use pyo3::prelude::*;

use super::source::Named;
use crate::buffer::Watched;
use crate::error::{self, guarded};

/// One broken rule of the format, by the code of the format's reject checklists (format: file.md §10).
#[pyclass(frozen, get_all, eq, hash, module = "hurray")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Problem {
    /// The rule's id, such as "F-11", "D-15", "L-12" or "Q-25".
    pub(crate) code: &'static str,
    /// What was claimed, what is there, and the way out where there is one.
    pub(crate) message: String,
    /// Absolute offset in the file, in bytes, where one can be named.
    pub(crate) offset: Option<u64>,
    /// The tensor, where there is one.
    pub(crate) name: Option<String>,
    /// How many further places break the rule in the same way and are not listed.
    pub(crate) more: u64,
}

impl From<hurray_wire::Problem> for Problem {
    fn from(problem: hurray_wire::Problem) -> Self {
        let hurray_wire::Problem { fault, tensor, offset, more } = problem;
        Self { offset, name: tensor, ..Finding { fault, more }.into() }
    }
}

impl From<Finding> for Problem {
    fn from(Finding { fault, more }: Finding) -> Self {
        let message = match more {
            0 => fault.to_string(),
            more => format!("{fault}; and {more} more like it"),
        };
        Self { code: fault.code(), message, offset: None, name: None, more }
    }
}

#[pymethods]
impl Problem {
    fn __repr__(&self) -> String {
        format!("Problem(code={:?}, message={:?})", self.code, self.message)
    }

    fn __str__(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" tensor {name:?}")).unwrap_or_default();
        let offset = self.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
        format!("{}{name}{offset}: {}", self.code, self.message)
    }
}

/// Every structural rule that the file breaks, an empty list for a good file (format: file.md §10).
///
/// Reads the whole file, a piece at a time: container, index, metadata, every descriptor against its
/// buffers, composites, padding, and the contents of index and scale buffers, as
/// :meth:`Tensor.validate` does. Ctrl-C ends it. Raises ``FileError`` only when the file cannot be read.
#[pyfunction]
pub(crate) fn verify(path: &Bound<'_, PyAny>) -> PyResult<Vec<Problem>> {
    guarded(|| {
        let py = path.py();
        let Named { source, name } = Named::of(path)?;
        let found = py.detach(|| hurray_wire::verify(&Watched::new(source)));
        let found = found.map_err(|failed| error::os(py, failed, &name))?;
        Ok(found.into_iter().map(Problem::from).collect())
    })
}
