//! The one place where errors become Python exceptions. The classes live in `hurray._exceptions`.

use std::any::Any;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};

use hurray_wire::{Error, Fault, InputError, Problem, Tier};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use rustix::io::Errno;

pyo3::import_exception!(hurray._exceptions, BufferError);
pyo3::import_exception!(hurray._exceptions, CopyRequiredError);
pyo3::import_exception!(hurray._exceptions, FileError);
pyo3::import_exception!(hurray._exceptions, InternalError);
pyo3::import_exception!(hurray._exceptions, InvalidDescriptorError);
pyo3::import_exception!(hurray._exceptions, RankError);
pyo3::import_exception!(hurray._exceptions, StreamError);
pyo3::import_exception!(hurray._exceptions, UnsupportedError);
pyo3::import_exception!(hurray._exceptions, ViewError);

/// What the user called the file, for messages.
pub(crate) type FileName = Option<Py<PyAny>>;

/// A broken rule of a descriptor, raised by the class that its tier demands.
pub(crate) fn fault(py: Python<'_>, fault: &Fault) -> PyErr {
    coded(py, fault, fault.to_string())
}

/// A broken rule in a file, naming the file.
pub(crate) fn problem(py: Python<'_>, problem: &Problem, name: &FileName) -> PyErr {
    let text = match name {
        Some(name) => format!("{}: {problem}", display(py, name)),
        None => problem.to_string(),
    };
    coded(py, &problem.fault, text)
}

/// A broken rule in words that say more than the rule's own.
pub(crate) fn coded(py: Python<'_>, fault: &Fault, text: String) -> PyErr {
    let error = match fault.tier() {
        Tier::Container => FileError::new_err(text),
        Tier::Descriptor => InvalidDescriptorError::new_err(text),
        Tier::Stream => StreamError::new_err(text),
        Tier::BufferSize => BufferError::new_err(text),
    };
    // Setting an attribute of a fresh exception of our own cannot fail in a way worth hiding it for.
    let _ = error.value(py).setattr("code", fault.code());
    error
}

/// Whatever `hurray_wire` refuses.
pub(crate) fn wire(py: Python<'_>, error: Error, name: &FileName) -> PyErr {
    match error {
        Error::Io(error) => os(py, error, name),
        Error::Bad(bad) => problem(py, &bad, name),
        Error::Input(bad) => input(py, &bad),
    }
}

/// What a caller handed a writer wrongly.
pub(crate) fn input(py: Python<'_>, error: &InputError) -> PyErr {
    match error {
        InputError::WrongBufferSize { .. } => BufferError::new_err(error.to_string()),
        InputError::DynamicShape { .. } | InputError::WrongBufferCount { .. } | InputError::Unwritable { .. } => {
            InvalidDescriptorError::new_err(error.to_string())
        }
        _ => mixed(py, "ValueError", error.to_string()),
    }
}

/// A `FileError` that is also the built-in `kind`: what was handed over is at fault, not the file.
pub(crate) fn mixed(py: Python<'_>, kind: &str, text: String) -> PyErr {
    made(py, "input_error", (kind, text))
}

/// A refusal of the operating system, with its number and the file's name.
pub(crate) fn os(py: Python<'_>, error: io::Error, name: &FileName) -> PyErr {
    // What was found out without a system call has the number that the call would have given.
    let implied = (error.kind() == io::ErrorKind::IsADirectory).then(|| Errno::ISDIR.raw_os_error());
    if let Some(number) = error.raw_os_error().or(implied) {
        let message = io::Error::from_raw_os_error(number).to_string();
        let text = message.split(" (os error").next().unwrap_or_default().to_owned();
        return made(py, "file_error", (number, text, name.as_ref()));
    }
    if error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) {
        return carried(error);
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => shorter(py, name),
        io::ErrorKind::OutOfMemory => PyMemoryError::new_err(error.to_string()),
        _ => match name {
            Some(name) => FileError::new_err(format!("{}: {error}", display(py, name))),
            None => FileError::new_err(error.to_string()),
        },
    }
}

/// F-48: a file that ends before what its own index names.
fn shorter(py: Python<'_>, name: &FileName) -> PyErr {
    let name = name.as_ref().map_or_else(String::new, |name| format!("{}: ", display(py, name)));
    let error = FileError::new_err(format!(
        "{name}the file ends before the bytes that were to be read; it is shorter than it was when it was opened"
    ));
    // Setting an attribute of a fresh exception of our own cannot fail in a way worth hiding it for.
    let _ = error.value(py).setattr("code", "F-48");
    error
}

/// A Python exception that travelled inside an I/O error, such as an interrupt.
fn carried(error: io::Error) -> PyErr {
    let text = error.to_string();
    match error.into_inner().map(|inner| inner.downcast::<PyErr>()) {
        Some(Ok(inner)) => *inner,
        _ => InternalError::new_err(text),
    }
}

fn made<'py, A>(py: Python<'py>, function: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let made = py
        .import("hurray._exceptions")
        .and_then(|module| module.getattr(PyString::new(py, function)))
        .and_then(|function| function.call1(arguments));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn display(py: Python<'_>, name: &Py<PyAny>) -> String {
    name.bind(py).str().map_or_else(|_| String::from("file"), |text| text.to_string_lossy().into_owned())
}

/// The same exception, saying what it is about.
pub(crate) fn about(py: Python<'_>, what: &str, refused: &PyErr) -> PyErr {
    let said = PyErr::from_type(refused.get_type(py), format!("{what}: {}", refused.value(py)));
    said.set_cause(py, refused.cause(py));
    if let Ok(code) = refused.value(py).getattr("code") {
        // Setting an attribute of a fresh exception of our own cannot fail in a way worth hiding it for.
        let _ = said.value(py).setattr("code", code);
    }
    said
}

/// The name of an object's class, for messages.
pub(crate) fn kind(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| String::from("object"), |name| name.to_string())
}

/// Runs a door of the module; a panic becomes `InternalError` (requirements: Error Handling).
pub(crate) fn guarded<T>(door: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(door)).unwrap_or_else(|panic| Err(internal(&*panic)))
}

fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| String::from("unknown panic"));
    InternalError::new_err(format!("internal error, please report it: {text}"))
}

/// Panics inside a door, for the test that no panic gets through.
#[pyfunction]
pub(crate) fn _panic(text: String) -> PyResult<()> {
    guarded(|| panic!("{text}"))
}
