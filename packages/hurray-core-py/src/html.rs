//! What notebooks ask for; the tables are made by `hurray._html`.

use pyo3::prelude::*;

use crate::descriptor::Descriptor;
use crate::file::File;
use crate::tensor::Tensor;

fn made<'py>(function: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.py().import("hurray._html")?.call_method1(function, (object,))
}

#[pymethods]
impl Tensor {
    /// A table for notebooks: what the tensor is, and a preview of its values. HTML that needs nothing
    /// from elsewhere.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        made("tensor_html", slf.as_any())
    }
}

#[pymethods]
impl Descriptor {
    /// A table for notebooks: everything that the descriptor declares.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        made("descriptor_html", slf.as_any())
    }
}

#[pymethods]
impl File {
    /// A table for notebooks: the names in the file, at most 100 of them, and what each tensor is.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        made("file_html", slf.as_any())
    }
}
