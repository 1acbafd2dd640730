//! Ones on a diagonal.

use hurray_core::{ElementType, Shape};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::code::code;
use super::elements::Elements;
use super::number::Number;
use super::place;
use crate::error::{guarded, InvalidDescriptorError};
use crate::int::shown;
use crate::tensor::{self, Tensor};

fn integer(what: &str, given: &Bound<'_, PyAny>) -> PyResult<i128> {
    let index = given.call_method0("__index__");
    let index = index.map_err(|_| PyTypeError::new_err(format!("eye: {what} is an int, got {}", given.get_type())))?;
    // Beyond 128 bits only the sign matters: no extent is that large, and no diagonal that far.
    Ok(index.extract().unwrap_or(if index.lt(0)? { i128::MIN } else { i128::MAX }))
}

fn extent(what: &str, given: &Bound<'_, PyAny>) -> PyResult<u64> {
    u64::try_from(integer(what, given)?).ok().filter(|&dim| dim != hurray_core::DYNAMIC).ok_or_else(|| {
        let given = shown(given);
        InvalidDescriptorError::new_err(format!("eye: {what} is {given}; an extent is 0 to 2^64 - 2"))
    })
}

/// A row-major matrix with ones on a diagonal and zeros elsewhere, float64 unless ``dtype`` says
/// otherwise (04-tables section 1).
///
/// ``n_cols`` is ``n_rows`` by default. ``k`` is the column of the diagonal's first element, less
/// its row: 0 is the main diagonal, a positive one lies above it; one that misses the matrix makes
/// no ones. Raises ``InvalidDescriptorError`` for a negative extent, and what ``zeros`` raises.
#[pyfunction]
#[pyo3(signature = (n_rows, n_cols=None, *, k=None, dtype=None, device=None), text_signature = "(n_rows, n_cols=None, *, k=0, dtype=None, device=None)")]
pub(crate) fn eye(
    n_rows: &Bound<'_, PyAny>,
    n_cols: Option<&Bound<'_, PyAny>>,
    k: Option<&Bound<'_, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tensor> {
    let py = n_rows.py();
    guarded(|| {
        let device = place::device(py, "eye", device)?;
        let ty = place::element_type("eye", dtype, ElementType::Float64)?;
        let rows = extent("n_rows", n_rows)?;
        let cols = n_cols.map_or(Ok(rows), |n_cols| extent("n_cols", n_cols))?;
        let k = k.map_or(Ok(0), |k| integer("k", k))?;
        let zero = code(ty, Number::Int(0));
        let one = zero.and_then(|_| code(ty, Number::Int(1))).map_err(|refusal| refusal.raised("eye"))?;
        let mut elements = Elements::zeroed("eye", ty, Shape::new([rows, cols]).map_err(tensor::invalid)?)?;
        if elements.count() > 0 {
            diagonal(py, &mut elements, rows.into(), cols.into(), k, one)?;
        }
        elements.tensor(device)
    })
}

fn diagonal(py: Python<'_>, elements: &mut Elements, rows: i128, cols: i128, k: i128, one: u128) -> PyResult<()> {
    let first = k.checked_neg().unwrap_or(i128::MAX).clamp(0, rows);
    let end = cols.saturating_sub(k).clamp(first, rows);
    for (done, row) in (first..end).enumerate() {
        // Inside the matrix, whose elements fit the address space.
        elements.put((row * cols + row + k) as usize, one);
        if done % (1 << 20) == 0 {
            py.check_signals()?;
        }
    }
    Ok(())
}
