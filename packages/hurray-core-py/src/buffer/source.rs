//! Buffers as what the file writer reads from.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use hurray_wire::Source;
use pyo3::prelude::*;
use rustix::io::Errno;

use super::Buffer;

/// How much is written between two looks at pending signals.
const STEP: usize = 8 << 20;
/// How much of a mapped file is brought in, written and given back at a time: few enough pages for the
/// processor's cache to hold what describes them.
const WINDOW: usize = 512 << 10;

impl Buffer {
    /// Passes the bytes on piece by piece, bringing mapped pages in before and giving them back behind.
    pub(crate) fn pass_on(&self, put: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let (mut watch, map) = (Watch::default(), self.map());
        for bytes in self.bytes().chunks(if map.is_some() { WINDOW } else { STEP }) {
            watch.look()?;
            if let Some(map) = map {
                map.bring_in(bytes.as_ptr(), bytes.len());
            }
            put(bytes).map_err(cut_off)?;
            if let Some(map) = map {
                map.give_back(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(())
    }
}

/// The system cannot read pages that a file has lost to somebody who cut it.
fn cut_off(error: io::Error) -> io::Error {
    match Errno::from_io_error(&error) {
        Some(Errno::FAULT) => io::ErrorKind::UnexpectedEof.into(),
        _ => error,
    }
}

impl Source for Buffer {
    fn len(&self) -> u64 {
        self.len as u64
    }

    fn file_range(&self) -> Option<(&File, u64)> {
        self.map()?.origin(self.start())
    }

    fn pause(&self) -> io::Result<()> {
        interrupted()
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.pass_on(&mut |bytes| out.write_all(bytes))
    }
}

/// How long a signal may wait. Looking takes the GIL, which others then have to do without.
const PATIENCE: Duration = Duration::from_millis(50);

/// Looks at pending signals now and then.
pub(crate) struct Watch(Instant);

impl Default for Watch {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Watch {
    pub(crate) fn look(&mut self) -> io::Result<()> {
        if self.0.elapsed() < PATIENCE {
            return Ok(());
        }
        self.0 = Instant::now();
        interrupted()
    }
}

thread_local! {
    /// What this thread was asked to call now and then while it writes.
    static TICK: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// Lets Ctrl-C end a long write, and who watches it look: a pending exception travels inside the error.
pub(crate) fn interrupted() -> io::Result<()> {
    Python::attach(|py| {
        py.check_signals()?;
        tick(py)
    })
    .map_err(io::Error::other)
}

/// Calls what was asked for, which is away meanwhile: it may write files of its own.
fn tick(py: Python<'_>) -> PyResult<()> {
    let Some(callable) = TICK.take() else { return Ok(()) };
    let called = callable.call0(py);
    TICK.set(Some(callable));
    called.map(|_| ())
}

/// Call ``work()``, and ``tick()`` on the same thread about twenty times a second while it writes much at once.
///
/// An exception that ``tick`` raises ends the writing, as Ctrl-C does. Returns what ``work`` does.
#[pyfunction]
#[pyo3(name = "_ticking")]
pub(crate) fn ticking<'py>(tick: Py<PyAny>, work: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let before = TICK.replace(Some(tick));
    let result = work.call0();
    TICK.set(before);
    result
}
