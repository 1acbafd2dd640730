//! The statistics section (format: descriptor.md §6.3).

use hurray_core::{Statistics as Section, StatisticsMask as Mask};
use hurray_wire::check;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::argument;
use crate::error::{kind, InvalidDescriptorError};
use crate::float::exact;
use crate::int::within;

/// What a writer found out about a tensor's values; advice, never to be relied on (format:
/// descriptor.md §6.3).
///
/// Values are those of the dequantised data. What is not known is ``None``. Some go together, and are
/// all given or none: ``value_min``, ``value_max`` and ``value_abs_max``; ``value_mean`` and
/// ``value_stddev`` (of the population); ``nm_n`` and ``nm_m`` (N of M elements are kept); ``has_nan``
/// and ``has_inf``. ``nnz`` counts elements that are not zero, and is the layout's own for a sparse
/// tensor; ``sparsity_ratio`` is the share of zeros, 0 to 1.
///
/// Numbers are stored as float64; one that would have to be rounded is refused. Compared by value, a
/// NaN equal to a NaN; unhashable, as it holds floats.
///
/// Raises ``InvalidDescriptorError`` for a group that is not whole, ``sparsity_ratio`` outside 0 to 1,
/// a negative ``value_stddev``, and ``nm_n`` above ``nm_m``.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct Statistics {
    inner: Section,
}

/// The section that a `Statistics` holds; `TypeError` for anything else.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Section> {
    object
        .cast::<Statistics>()
        .map(|one| one.get().inner.clone())
        .map_err(|_| PyTypeError::new_err(format!("statistics is a hurray.Statistics(nnz=…, …), got {}", kind(object))))
}

/// The object of a section.
pub(crate) fn to_python(py: Python<'_>, section: &Section) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, Statistics { inner: section.clone() })?.into_any())
}

type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Whether a group is given; all of it or nothing.
fn whole(group: &[(&str, Given<'_, '_>)]) -> PyResult<bool> {
    let missing: Vec<&str> = group.iter().filter(|(_, given)| given.is_none()).map(|(name, _)| *name).collect();
    if missing.is_empty() || missing.len() == group.len() {
        return Ok(missing.is_empty());
    }
    let names: Vec<&str> = group.iter().map(|(name, _)| *name).collect();
    Err(InvalidDescriptorError::new_err(format!(
        "{} are known together or not at all (format: descriptor.md §6.3); {} is missing",
        names.join(", "),
        missing.join(", ")
    )))
}

fn float(given: Given<'_, '_>, name: &str) -> PyResult<f64> {
    given.map_or(Ok(0.0), |given| exact(given, name))
}

fn flag(given: Given<'_, '_>, name: &str) -> PyResult<bool> {
    given.map_or(Ok(false), |given| argument::flag(given, name))
}

/// What a careful codec keeps to when it writes (descriptor.md §8).
fn authored(s: &Section) -> Result<(), String> {
    if s.computed_mask.sparsity_valid() && !(0.0..=1.0).contains(&s.sparsity_ratio) {
        return Err(format!("sparsity_ratio is {:?}; it is the share of zeros, 0 to 1", s.sparsity_ratio));
    }
    if s.value_stddev < 0.0 {
        return Err(format!("value_stddev is {:?}; a standard deviation is not negative", s.value_stddev));
    }
    if s.nm_n > s.nm_m {
        return Err(format!("nm_n is {} and nm_m {}; N of M elements are kept", s.nm_n, s.nm_m));
    }
    Ok(())
}

impl Statistics {
    fn known<T>(&self, bit: u32, value: T) -> Option<T> {
        (self.inner.computed_mask.0 & bit != 0).then_some(value)
    }

    fn floats(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("sparsity_ratio", self.sparsity_ratio()),
            ("value_min", self.value_min()),
            ("value_max", self.value_max()),
            ("value_abs_max", self.value_abs_max()),
            ("value_mean", self.value_mean()),
            ("value_stddev", self.value_stddev()),
        ]
    }

    fn same(&self, other: &Self) -> bool {
        let mut floats = self.floats().into_iter().zip(other.floats()).map(|((_, a), (_, b))| (a, b));
        let alike = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
            (a, b) => a.is_none() && b.is_none(),
        };
        let rest = |s: &Self| (s.inner.computed_mask, s.nnz(), s.nm_n(), s.nm_m(), s.has_nan(), s.has_inf());
        rest(self) == rest(other) && floats.all(alike)
    }
}

#[pymethods]
impl Statistics {
    #[new]
    #[pyo3(signature = (*, nnz=None, sparsity_ratio=None, value_min=None, value_max=None, value_abs_max=None,
        value_mean=None, value_stddev=None, nm_n=None, nm_m=None, has_nan=None, has_inf=None))]
    #[expect(clippy::too_many_arguments, reason = "the fields of the section")]
    fn new(
        nnz: Given<'_, '_>,
        sparsity_ratio: Given<'_, '_>,
        value_min: Given<'_, '_>,
        value_max: Given<'_, '_>,
        value_abs_max: Given<'_, '_>,
        value_mean: Given<'_, '_>,
        value_stddev: Given<'_, '_>,
        nm_n: Given<'_, '_>,
        nm_m: Given<'_, '_>,
        has_nan: Given<'_, '_>,
        has_inf: Given<'_, '_>,
    ) -> PyResult<Self> {
        let range = [("value_min", value_min), ("value_max", value_max), ("value_abs_max", value_abs_max)];
        let groups = [
            (Mask::NNZ_VALID, nnz.is_some()),
            (Mask::SPARSITY_VALID, sparsity_ratio.is_some()),
            (Mask::VALUE_RANGE_VALID, whole(&range)?),
            (Mask::VALUE_STATS_VALID, whole(&[("value_mean", value_mean), ("value_stddev", value_stddev)])?),
            (Mask::NM_SPARSITY_VALID, whole(&[("nm_n", nm_n), ("nm_m", nm_m)])?),
            (Mask::NAN_INF_VALID, whole(&[("has_nan", has_nan), ("has_inf", has_inf)])?),
        ];
        let mask = groups.iter().filter(|(_, given)| *given).fold(0, |mask, (bit, _)| mask | bit);
        let byte = |given: Given<'_, '_>, name: &str| given.map_or(Ok(0), |given| within(given, name, 0, u8::MAX));
        let inner = Section {
            computed_mask: Mask(mask),
            nnz: nnz.map_or(Ok(0), |given| within(given, "nnz", 0, u64::MAX))?,
            sparsity_ratio: float(sparsity_ratio, "sparsity_ratio")?,
            value_min: float(value_min, "value_min")?,
            value_max: float(value_max, "value_max")?,
            value_abs_max: float(value_abs_max, "value_abs_max")?,
            value_mean: float(value_mean, "value_mean")?,
            value_stddev: float(value_stddev, "value_stddev")?,
            nm_n: byte(nm_n, "nm_n")?,
            nm_m: byte(nm_m, "nm_m")?,
            has_nan: flag(has_nan, "has_nan")?,
            has_inf: flag(has_inf, "has_inf")?,
        };
        authored(&inner).map_err(InvalidDescriptorError::new_err)?;
        Ok(Self { inner })
    }

    /// Which groups are known, one bit each: 0 nnz, 1 sparsity_ratio, 2 range, 3 mean and deviation,
    /// 4 N:M sparsity, 5 NaN and infinity.
    #[getter]
    fn computed_mask(&self) -> u32 {
        self.inner.computed_mask.0
    }

    /// Elements that are not zero.
    #[getter]
    fn nnz(&self) -> Option<u64> {
        self.known(Mask::NNZ_VALID, self.inner.nnz)
    }

    /// Share of the elements that are zero, 0 to 1.
    #[getter]
    fn sparsity_ratio(&self) -> Option<f64> {
        self.known(Mask::SPARSITY_VALID, self.inner.sparsity_ratio)
    }

    /// Smallest value.
    #[getter]
    fn value_min(&self) -> Option<f64> {
        self.known(Mask::VALUE_RANGE_VALID, self.inner.value_min)
    }

    /// Largest value.
    #[getter]
    fn value_max(&self) -> Option<f64> {
        self.known(Mask::VALUE_RANGE_VALID, self.inner.value_max)
    }

    /// Largest magnitude.
    #[getter]
    fn value_abs_max(&self) -> Option<f64> {
        self.known(Mask::VALUE_RANGE_VALID, self.inner.value_abs_max)
    }

    /// Mean of the values.
    #[getter]
    fn value_mean(&self) -> Option<f64> {
        self.known(Mask::VALUE_STATS_VALID, self.inner.value_mean)
    }

    /// Standard deviation of the values, of the population.
    #[getter]
    fn value_stddev(&self) -> Option<f64> {
        self.known(Mask::VALUE_STATS_VALID, self.inner.value_stddev)
    }

    /// N of an N:M sparsity, 0 for not applicable.
    #[getter]
    fn nm_n(&self) -> Option<u8> {
        self.known(Mask::NM_SPARSITY_VALID, self.inner.nm_n)
    }

    /// M of an N:M sparsity, 0 for not applicable.
    #[getter]
    fn nm_m(&self) -> Option<u8> {
        self.known(Mask::NM_SPARSITY_VALID, self.inner.nm_m)
    }

    /// Whether a value is NaN.
    #[getter]
    fn has_nan(&self) -> Option<bool> {
        self.known(Mask::NAN_INF_VALID, self.inner.has_nan)
    }

    /// Whether a value is infinite.
    #[getter]
    fn has_inf(&self) -> Option<bool> {
        self.known(Mask::NAN_INF_VALID, self.inner.has_inf)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.same(other.get()))
    }

    fn __repr__(&self) -> String {
        let number = |value: f64| match value {
            v if v.is_finite() => format!("{v:?}"),
            v => format!(
                "float('{}')",
                if v.is_nan() {
                    "nan"
                } else if v > 0.0 {
                    "inf"
                } else {
                    "-inf"
                }
            ),
        };
        let truth = |value: bool| String::from(if value { "True" } else { "False" });
        let mut said = vec![("nnz", self.nnz().map(|n| n.to_string()))];
        said.extend(self.floats().map(|(name, value)| (name, value.map(number))));
        said.push(("nm_n", self.nm_n().map(|n| n.to_string())));
        said.push(("nm_m", self.nm_m().map(|n| n.to_string())));
        said.push(("has_nan", self.has_nan().map(truth)));
        said.push(("has_inf", self.has_inf().map(truth)));
        let said: Vec<String> =
            said.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))).collect();
        format!("Statistics({})", said.join(", "))
    }

    /// Any section that a descriptor may hold, for pickle: a reader accepts more than a writer may say.
    #[staticmethod]
    fn _restore(mask: u32, nnz: u64, floats: (f64, f64, f64, f64, f64, f64), rest: (u8, u8, bool, bool)) -> Self {
        let (sparsity_ratio, value_min, value_max, value_abs_max, value_mean, value_stddev) = floats;
        let (nm_n, nm_m, has_nan, has_inf) = rest;
        Self {
            inner: Section {
                computed_mask: Mask(mask & check::KNOWN_STATISTICS),
                nnz,
                sparsity_ratio,
                value_min,
                value_max,
                value_abs_max,
                value_mean,
                value_stddev,
                nm_n,
                nm_m,
                has_nan,
                has_inf,
            },
        }
    }

    #[expect(clippy::type_complexity, reason = "what pickle wants")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (u32, u64, (f64, f64, f64, f64, f64, f64), (u8, u8, bool, bool)))> {
        let s = &slf.get().inner;
        let floats = (s.sparsity_ratio, s.value_min, s.value_max, s.value_abs_max, s.value_mean, s.value_stddev);
        let rest = (s.nm_n, s.nm_m, s.has_nan, s.has_inf);
        Ok((slf.get_type().getattr("_restore")?, (s.computed_mask.0, s.nnz, floats, rest)))
    }
}
