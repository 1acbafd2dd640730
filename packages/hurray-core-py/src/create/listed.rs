//! Python numbers, and lists of them, as a tensor (04-tables.md §1, asarray).

use hurray_core::{ElementType, Shape, MAX_RANK};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyRange, PyTuple};

use super::code::code;
use super::elements::Elements;
use super::number::Number;
use super::place;
use crate::argument;
use crate::error::{guarded, kind, CopyRequiredError, InvalidDescriptorError};
use crate::tensor::Tensor;

const CALL: &str = "asarray";
/// How many numbers are read between two looks at pending signals.
const PIECE: usize = 1 << 16;

/// Where in the nested lists a value lies, as Python would write it.
#[derive(Default)]
struct Place(Vec<usize>);

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("obj")?;
        self.0.iter().try_for_each(|index| write!(f, "[{index}]"))
    }
}

/// What is nested: everything else is a number, or refused as one.
fn is_nested(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyRange>()
}

/// The numbers of nested sequences of one length at each depth, in row-major order.
///
/// `__index__` and `item` of a number may run any code, so lengths are compared at every step.
struct Walk<'a, F> {
    extents: &'a [usize],
    place: Place,
    seen: usize,
    visit: F,
}

impl<F: FnMut(&Place, Number) -> PyResult<()>> Walk<'_, F> {
    fn number(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.seen += 1;
        if self.seen.is_multiple_of(PIECE) {
            value.py().check_signals()?;
        }
        // The place is put into words only for a refusal.
        let number = Number::of("", value).or_else(|_| Number::of(&self.place.to_string(), value))?;
        (self.visit)(&self.place, number)
    }

    fn value(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let depth = self.place.0.len();
        let Some(&extent) = self.extents.get(depth) else {
            return match is_nested(value) {
                true => Err(self.ragged(format_args!("is a {} where others are numbers", kind(value)))),
                false => self.number(value),
            };
        };
        if !is_nested(value) {
            return Err(self.ragged(format_args!("is no list where others hold {extent} values")));
        }
        let len = length(value)?;
        if len != extent {
            return Err(self.ragged(format_args!("has {len} values where others have {extent}")));
        }
        let mut read = 0;
        for (index, item) in value.try_iter()?.enumerate() {
            self.place.0.push(index);
            self.value(&item?)?;
            self.place.0.pop();
            read = index + 1;
        }
        match read == extent {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("{CALL}: {} changed while it was read", self.place))),
        }
    }

    fn ragged(&self, why: std::fmt::Arguments<'_>) -> PyErr {
        PyValueError::new_err(format!("{CALL}: {} {why}; a tensor has one length at each depth", self.place))
    }
}

/// The length at each depth, by the first value of each, and whether the last of them is a range's.
fn extents(obj: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, bool)> {
    let (mut extents, mut value, mut ranged) = (Vec::new(), obj.clone(), false);
    while is_nested(&value) {
        if extents.len() == MAX_RANK {
            return Err(InvalidDescriptorError::new_err(format!(
                "{CALL}: obj is nested more than {MAX_RANK} deep, the format's limit of dimensions (D-13)"
            )));
        }
        let len = length(&value)?;
        ranged = value.is_instance_of::<PyRange>();
        extents.push(len);
        if len == 0 {
            break;
        }
        value = value.get_item(0)?;
    }
    Ok((extents, ranged))
}

/// A range may be longer than any memory.
fn length(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.len().map_err(|error| match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => PyOverflowError::new_err(format!("{CALL}: obj holds {value}, whose values exceed the address space")),
        false => error,
    })
}

/// The narrowest kind that holds all numbers: bool, int64 or uint64, float64, complex128.
#[derive(Default)]
struct Kinds {
    widest: Option<Number>,
    ints: Option<(i128, i128)>,
}

impl Kinds {
    fn add(&mut self, number: Number) {
        let rank = |number: &Number| match number {
            Number::Bool(_) => 0,
            Number::Int(_) => 1,
            Number::Float(_) => 2,
            Number::Complex(..) => 3,
        };
        if self.widest.as_ref().is_none_or(|widest| rank(widest) < rank(&number)) {
            self.widest = Some(number);
        }
        if let Number::Int(value) = number {
            let (low, high) = self.ints.unwrap_or((value, value));
            self.ints = Some((low.min(value), high.max(value)));
        }
    }

    fn element_type(&self) -> PyResult<ElementType> {
        let Some(widest) = self.widest else { return Ok(ElementType::Float64) };
        match (widest, self.ints) {
            (Number::Int(_), Some((low, high))) if i64::try_from(low).is_err() || i64::try_from(high).is_err() => {
                if u64::try_from(low).is_ok() && u64::try_from(high).is_ok() {
                    return Ok(ElementType::Uint64);
                }
                let ints = if low == high { format!("the int {low}") } else { format!("ints from {low} to {high}") };
                Err(PyOverflowError::new_err(format!(
                    "{CALL}: obj holds {ints}, which neither int64 nor uint64 spans; float() of each makes float64"
                )))
            }
            (widest, _) => Ok(widest.element_type()),
        }
    }
}

/// A number, or lists, tuples and ranges of numbers, as a row-major tensor in memory of its own.
#[pyfunction]
#[pyo3(signature = (obj, dtype=None, device=None, copy=None))]
pub(crate) fn _listed(
    obj: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = argument::copy)] copy: Option<bool>,
) -> PyResult<Tensor> {
    let py = obj.py();
    guarded(|| {
        if !is_nested(obj) {
            // A single object that is no number is refused by the caller's words, not by those of a number.
            Number::of("obj", obj)?;
        }
        if copy == Some(false) {
            return Err(CopyRequiredError::new_err(format!(
                "{CALL}: copy=False, but a Python {} has no memory that a tensor could share; leave copy=None",
                kind(obj)
            )));
        }
        let device = place::device(py, CALL, device)?;
        let (extents, ranged) = extents(obj)?;
        let asked = dtype.map(|asked| place::element_type(CALL, Some(asked), ElementType::Float64)).transpose()?;
        let dims: Vec<u64> = extents.iter().map(|&extent| extent as u64).collect();
        let shape = Shape::new(dims).map_err(|error| InvalidDescriptorError::new_err(error.to_string()))?;
        // What does not fit is refused before its numbers are looked at: a range has them for nothing.
        let least = asked.unwrap_or(if ranged { ElementType::Int64 } else { ElementType::Bool });
        drop(Elements::zeroed(CALL, least, shape.clone())?);
        let mut kinds = Kinds::default();
        let mut look = |_: &Place, number: Number| {
            kinds.add(number);
            Ok(())
        };
        Walk { extents: &extents, place: Place::default(), seen: 0, visit: &mut look }.value(obj)?;
        let ty = match asked {
            Some(ty) => ty,
            None => kinds.element_type()?,
        };
        let mut elements = Elements::zeroed(CALL, ty, shape)?;
        let (mut index, count) = (0, elements.count());
        let mut write = |place: &Place, number: Number| {
            let code = code(ty, number).map_err(|refusal| refusal.raised(&format!("{CALL}: {place}")))?;
            if index == count {
                return Err(PyValueError::new_err(format!("{CALL}: {place} was not there when obj was counted")));
            }
            elements.put(index, code);
            index += 1;
            Ok(())
        };
        Walk { extents: &extents, place: Place::default(), seen: 0, visit: &mut write }.value(obj)?;
        elements.tensor(device)
    })
}
