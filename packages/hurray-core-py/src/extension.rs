//! The extension type section (format: descriptor.md §6.4, element-types.md §6).

use hurray_core::{ElementType, ExtensionTypeDescriptor as Section};
use hurray_wire::{check, Fault};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::argument;
use crate::error::{self, kind, InvalidDescriptorError};
use crate::int::within;

/// How a private element type (tags 0xF0 to 0xFE) is stored (format: element-types.md §6).
///
/// ``bit_width`` is 1, 2, 4 or a multiple of 8. An integer says ``is_signed``; a float (``is_float``)
/// says ``sign_bits`` (0 or 1), ``exponent_bits``, ``mantissa_bits``, ``exponent_bias``, ``has_nan`` and
/// ``has_inf``, which an integer leaves alone. ``packing_factor`` follows from the width. Compared by
/// value, hashable.
///
/// Raises ``InvalidDescriptorError`` for another width (D-48) and for fields of the other family.
#[pyclass(frozen, eq, hash, module = "hurray")]
#[derive(PartialEq, Eq)]
pub(crate) struct ExtensionType {
    inner: Section,
}

impl std::hash::Hash for ExtensionType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let x = &self.inner;
        (x.bit_width, x.packing_factor, x.is_float, x.is_signed, x.sign_bits).hash(state);
        (x.exponent_bits, x.mantissa_bits, x.exponent_bias, x.has_nan, x.has_inf).hash(state);
    }
}

/// The section that an `ExtensionType` holds; `TypeError` for anything else.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Section> {
    object.cast::<ExtensionType>().map(|one| one.get().inner.clone()).map_err(|_| {
        let text = "extension_type is a hurray.ExtensionType(bit_width)";
        PyTypeError::new_err(format!("{text}, got {}", kind(object)))
    })
}

/// The object of a section.
pub(crate) fn to_python(py: Python<'_>, section: &Section) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, ExtensionType { inner: section.clone() })?.into_any())
}

/// D-48, and widths that no whole number of bytes holds (element-types.md §8.7).
fn packing_factor(py: Python<'_>, bit_width: u32) -> PyResult<u8> {
    let factor = match bit_width {
        1 => 8,
        2 => 4,
        4 => 2,
        width if width >= 8 && width % 8 == 0 => 1,
        _ => {
            let text = format!("bit_width is {bit_width}; a private element type has 1, 2, 4 or a multiple of 8 bits");
            return Err(error::coded(py, &Fault::ExtensionPacking { bit_width, packing_factor: 1 }, text));
        }
    };
    Ok(factor)
}

/// Which fields an integer and a float have (descriptor.md §6.4).
fn family(x: &Section) -> Result<(), String> {
    if x.is_float {
        if x.is_signed {
            return Err(String::from("is_signed is for integers; a float states its sign with sign_bits=1"));
        }
        if x.sign_bits > 1 {
            return Err(format!("sign_bits is {}; a float has 0 or 1", x.sign_bits));
        }
        let stated = u32::from(x.sign_bits) + u32::from(x.exponent_bits) + u32::from(x.mantissa_bits);
        if stated > x.bit_width {
            let text = "sign_bits, exponent_bits and mantissa_bits add up to";
            return Err(format!("{text} {stated}, more than the bit_width of {}", x.bit_width));
        }
        return Ok(());
    }
    let stated = [
        ("sign_bits", x.sign_bits != 0),
        ("exponent_bits", x.exponent_bits != 0),
        ("mantissa_bits", x.mantissa_bits != 0),
        ("exponent_bias", x.exponent_bias != 0),
        ("has_nan", x.has_nan),
        ("has_inf", x.has_inf),
    ];
    match stated.iter().find(|(_, stated)| *stated) {
        Some((name, _)) => Err(format!("{name} is for floats; pass is_float=True, or leave it out")),
        None => Ok(()),
    }
}

#[pymethods]
impl ExtensionType {
    #[new]
    #[pyo3(
        signature = (bit_width, *, is_float=false, is_signed=false, sign_bits=None, exponent_bits=None,
            mantissa_bits=None, exponent_bias=None, has_nan=false, has_inf=false),
        text_signature = "(bit_width, *, is_float=False, is_signed=False, sign_bits=0, exponent_bits=0, \
            mantissa_bits=0, exponent_bias=0, has_nan=False, has_inf=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the fields of the section")]
    fn new(
        bit_width: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::is_float)] is_float: bool,
        #[pyo3(from_py_with = argument::is_signed)] is_signed: bool,
        sign_bits: Option<&Bound<'_, PyAny>>,
        exponent_bits: Option<&Bound<'_, PyAny>>,
        mantissa_bits: Option<&Bound<'_, PyAny>>,
        exponent_bias: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::has_nan)] has_nan: bool,
        #[pyo3(from_py_with = argument::has_inf)] has_inf: bool,
    ) -> PyResult<Self> {
        let py = bit_width.py();
        let bit_width = within(bit_width, "bit_width", 0, u32::MAX)?;
        let byte =
            |given: Option<&Bound<'_, PyAny>>, name| given.map_or(Ok(0), |given| within(given, name, 0, u8::MAX));
        let inner = Section {
            bit_width,
            packing_factor: packing_factor(py, bit_width)?,
            is_float,
            is_signed,
            sign_bits: byte(sign_bits, "sign_bits")?,
            exponent_bits: byte(exponent_bits, "exponent_bits")?,
            mantissa_bits: byte(mantissa_bits, "mantissa_bits")?,
            exponent_bias: exponent_bias.map_or(Ok(0), |given| within(given, "exponent_bias", 0, u32::MAX))?,
            has_nan,
            has_inf,
        };
        family(&inner).map_err(InvalidDescriptorError::new_err)?;
        Ok(Self { inner })
    }

    /// Bits of one element.
    #[getter]
    fn bit_width(&self) -> u32 {
        self.inner.bit_width
    }

    /// Elements that share a byte: 8, 4 or 2 below 8 bits, else 1.
    #[getter]
    fn packing_factor(&self) -> u8 {
        self.inner.packing_factor
    }

    /// Whether the elements are floats.
    #[getter]
    fn is_float(&self) -> bool {
        self.inner.is_float
    }

    /// Whether the elements are signed integers; a float says so by ``sign_bits``.
    #[getter]
    fn is_signed(&self) -> bool {
        self.inner.is_signed
    }

    /// Sign bits of a float, 0 or 1.
    #[getter]
    fn sign_bits(&self) -> u8 {
        self.inner.sign_bits
    }

    /// Exponent bits of a float.
    #[getter]
    fn exponent_bits(&self) -> u8 {
        self.inner.exponent_bits
    }

    /// Mantissa bits of a float, without the implied one.
    #[getter]
    fn mantissa_bits(&self) -> u8 {
        self.inner.mantissa_bits
    }

    /// What a float's exponent field is less the exponent.
    #[getter]
    fn exponent_bias(&self) -> u32 {
        self.inner.exponent_bias
    }

    /// Whether some codes of a float are not a number.
    #[getter]
    fn has_nan(&self) -> bool {
        self.inner.has_nan
    }

    /// Whether some codes of a float are infinite.
    #[getter]
    fn has_inf(&self) -> bool {
        self.inner.has_inf
    }

    /// Bytes that ``element_count`` contiguous elements take (format: element-types.md §5). A decoded
    /// width that is no multiple of 8 takes whole bytes.
    ///
    /// Raises ``OverflowError`` for a negative count or a size that 64 bits cannot hold.
    fn buffer_size_bytes(&self, element_count: &Bound<'_, PyAny>) -> PyResult<u64> {
        let count: u64 = within(element_count, "element_count", 0, u64::MAX)?;
        let size = check::storage_bytes(ElementType::Extension(0xF0), Some(&self.inner), u128::from(count));
        size.ok_or_else(|| {
            PyOverflowError::new_err(format!("{count} elements of {} bits exceed 2^64 bytes", self.inner.bit_width))
        })
    }

    fn __repr__(&self) -> String {
        let x = &self.inner;
        let said = |name: &str, value: bool| if value { format!(", {name}=True") } else { String::new() };
        let counted = |name: &str, value: u32| if value > 0 { format!(", {name}={value}") } else { String::new() };
        format!(
            "ExtensionType(bit_width={}{}{}{}{}{}{}{}{})",
            x.bit_width,
            said("is_float", x.is_float),
            said("is_signed", x.is_signed),
            counted("sign_bits", x.sign_bits.into()),
            counted("exponent_bits", x.exponent_bits.into()),
            counted("mantissa_bits", x.mantissa_bits.into()),
            counted("exponent_bias", x.exponent_bias),
            said("has_nan", x.has_nan),
            said("has_inf", x.has_inf),
        )
    }

    /// Any section that a descriptor may hold, for pickle: a reader accepts more than a writer may say.
    #[staticmethod]
    fn _restore(bit_width: u32, factor: u8, flags: (bool, bool, bool, bool), fields: (u8, u8, u8, u32)) -> Self {
        let ((is_float, is_signed, has_nan, has_inf), (sign_bits, exponent_bits, mantissa_bits, exponent_bias)) =
            (flags, fields);
        let packing_factor = factor;
        Self {
            inner: Section {
                bit_width,
                packing_factor,
                is_float,
                is_signed,
                sign_bits,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            },
        }
    }

    #[expect(clippy::type_complexity, reason = "what pickle wants")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (u32, u8, (bool, bool, bool, bool), (u8, u8, u8, u32)))> {
        let x = &slf.get().inner;
        let flags = (x.is_float, x.is_signed, x.has_nan, x.has_inf);
        let fields = (x.sign_bits, x.exponent_bits, x.mantissa_bits, x.exponent_bias);
        Ok((slf.get_type().getattr("_restore")?, (x.bit_width, x.packing_factor, flags, fields)))
    }
}
