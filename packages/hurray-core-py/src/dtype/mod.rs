//! Element types (format: element-types.md). One object per tag, for the life of the process.

mod alias;
mod argument;

use hurray_core::ElementType;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

pub(crate) use argument::{argument, element_type};

use crate::error::{InvalidDescriptorError, UnsupportedError};
use crate::int::within;

/// An element type of the format (format: element-types.md §2). A singleton: compare with ``is``.
#[pyclass(frozen, module = "hurray")]
pub(crate) struct Dtype {
    pub(crate) ty: ElementType,
}

static TABLE: PyOnceLock<Vec<Option<Py<Dtype>>>> = PyOnceLock::new();

fn table(py: Python<'_>) -> PyResult<&Vec<Option<Py<Dtype>>>> {
    TABLE.get_or_try_init(py, || {
        (0..=u8::MAX)
            .map(|tag| ElementType::from_tag(tag).ok().map(|ty| Py::new(py, Dtype { ty })).transpose())
            .collect()
    })
}

/// The singleton of a type.
pub(crate) fn of(py: Python<'_>, ty: ElementType) -> PyResult<Py<Dtype>> {
    let entry = table(py)?[usize::from(ty.tag())].as_ref();
    entry.map(|dtype| dtype.clone_ref(py)).ok_or_else(|| InvalidDescriptorError::new_err("no such element type"))
}

/// The name that the format gives a type; every private one is an "extension".
pub(crate) fn name(ty: ElementType) -> String {
    match ty {
        ElementType::Extension(_) => String::from("extension"),
        ty => ty.to_string(),
    }
}

#[pymethods]
impl Dtype {
    /// The name in the format, such as ``"float32"``; ``"extension"`` for every private type.
    #[getter]
    fn name(&self) -> String {
        name(self.ty)
    }

    /// The type tag on the wire, 0 to 255.
    #[getter]
    fn tag(&self) -> u8 {
        self.ty.tag()
    }

    /// Bits of one element; 0 for a private type, whose width its extension section states.
    #[getter]
    fn bit_width(&self) -> u32 {
        self.ty.bit_width()
    }

    /// 1 for a core type, 2 for an optional or private one.
    #[getter]
    fn tier(&self) -> u8 {
        self.ty.tier()
    }

    /// Natural alignment of one element, in bytes.
    #[getter]
    fn element_alignment(&self) -> usize {
        self.ty.element_alignment()
    }

    /// Whether the type is floating-point or complex.
    #[getter]
    fn is_float(&self) -> bool {
        self.ty.is_float()
    }

    /// Whether the type is an integer; bool is not.
    #[getter]
    fn is_integer(&self) -> bool {
        self.ty.is_integer()
    }

    /// Whether the type has a sign.
    #[getter]
    fn is_signed(&self) -> bool {
        self.ty.is_signed()
    }

    /// Whether several elements share a byte.
    #[getter]
    fn is_sub_byte(&self) -> bool {
        self.ty.is_sub_byte()
    }

    /// Whether the type is one of tier 1, whose names the array ecosystem shares.
    #[getter]
    fn is_array_api(&self) -> bool {
        self.ty.tier() == 1
    }

    /// Bytes of one element; ``None`` where several share a byte, and for a private type.
    #[getter]
    fn itemsize(&self) -> Option<u32> {
        let bits = self.ty.bit_width();
        (bits >= 8).then_some(bits / 8)
    }

    /// ``"f"`` float, ``"c"`` complex, ``"i"`` signed and ``"u"`` unsigned integer, ``"b"`` bool;
    /// ``None`` for a private type.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        Some(match self.ty {
            ElementType::Extension(_) => return None,
            ElementType::Bool => "b",
            ElementType::Complex64 | ElementType::Complex128 => "c",
            ty if ty.is_float() => "f",
            ty if ty.is_signed() => "i",
            _ => "u",
        })
    }

    /// The type string of the array interface, such as ``"<f4"``; ``None`` for a type that it lacks, and
    /// for bool, which it keeps in bytes and the format in bits.
    #[getter]
    fn typestr(&self) -> Option<String> {
        alias::typestr(self.ty)
    }

    /// The type of that name, or of a name that others give it.
    ///
    /// Taken are the format's names; the array interface's codes, with or without a byte order (``"f4"``,
    /// ``"<f4"``, ``"|u1"``, ``"c8"``); the letters of ``struct`` (``"f"``, ``"B"``); ``"half"``,
    /// ``"single"``, ``"double"``, ``"bool_"``, ``"bf16"`` and the like; and the small floats' longer names
    /// (``"float8_e4m3fn"``). Not taken are names that mean several types, such as ``"float"``.
    ///
    /// Raises ``InvalidDescriptorError`` for another name, ``UnsupportedError`` for a big-endian one.
    #[staticmethod]
    fn from_name(py: Python<'_>, #[pyo3(from_py_with = crate::argument::name)] name: String) -> PyResult<Py<Dtype>> {
        of(py, argument::by_name(&name)?)
    }

    /// The type that ``obj`` means: a ``Dtype``, a name that ``from_name`` takes, another library's type
    /// object (by its ``name``, or its class name), or one of the classes ``bool``, ``int`` (int64),
    /// ``float`` (float64) and ``complex`` (complex128). What every ``dtype`` argument takes.
    ///
    /// Raises ``TypeError`` for another object, ``InvalidDescriptorError`` for a name that the format
    /// lacks, ``UnsupportedError`` for a big-endian type and for one that only shares its name.
    #[staticmethod]
    fn of(obj: &Bound<'_, PyAny>) -> PyResult<Py<Dtype>> {
        of(obj.py(), element_type(obj)?)
    }

    /// The type of that tag. Raises ``InvalidDescriptorError`` for a reserved or invalid tag.
    #[staticmethod]
    fn from_tag(py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<Py<Dtype>> {
        let tag: i64 = within(tag, "tag", i64::MIN, i64::MAX)?;
        let entry = usize::try_from(tag).ok().and_then(|tag| table(py).ok()?.get(tag)?.as_ref());
        entry.map(|dtype| dtype.clone_ref(py)).ok_or_else(|| {
            InvalidDescriptorError::new_err(match u8::try_from(tag) {
                Ok(tag) => format!("tag 0x{tag:02X} is no element type of the format (format: element-types.md §2)"),
                Err(_) => format!("tag is {tag}; a tag is a byte, 0 to 255"),
            })
        })
    }

    fn __repr__(&self) -> String {
        match self.ty {
            ElementType::Extension(tag) => format!("hurray.Dtype.from_tag(0x{tag:02X})"),
            ty if ty.tier() == 1 => format!("hurray.{ty}"),
            ty => format!("hurray.dtype.{ty}"),
        }
    }

    fn __str__(&self) -> String {
        match self.ty {
            ElementType::Extension(tag) => format!("extension(0x{tag:02X})"),
            ty => ty.to_string(),
        }
    }

    fn __reduce__(slf: Bound<'_, Self>) -> PyResult<(Bound<'_, PyAny>, (u8,))> {
        let tag = slf.get().ty.tag();
        Ok((slf.get_type().getattr("from_tag")?, (tag,)))
    }
}

/// Bytes that ``count`` contiguous elements take, packed as the format packs them
/// (format: element-types.md §5; requirements: Buffer sizing).
///
/// Raises ``OverflowError`` for a negative count or a size that 64 bits cannot hold, and
/// ``UnsupportedError`` for a private type, whose width only its extension section knows.
#[pyfunction]
pub(crate) fn buffer_size_bytes(dtype: &Bound<'_, PyAny>, count: &Bound<'_, PyAny>) -> PyResult<u64> {
    let (ty, count): (_, u64) = (element_type(dtype)?, within(count, "count", 0, u64::MAX)?);
    if matches!(ty, ElementType::Extension(_)) {
        return Err(UnsupportedError::new_err(
            "a private element type has no size of its own; hurray.ExtensionType.buffer_size_bytes knows it",
        ));
    }
    hurray_wire::check::storage_bytes(ty, None, u128::from(count))
        .ok_or_else(|| PyOverflowError::new_err(format!("{count} elements of {ty} exceed 2^64 bytes")))
}
