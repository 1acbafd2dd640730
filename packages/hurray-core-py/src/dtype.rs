//! Element types (format: element-types.md). One object per tag, for the life of the process.

use hurray_core::ElementType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::InvalidDescriptorError;

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

    /// The type of that name. Raises ``InvalidDescriptorError`` for a name that the format lacks.
    #[staticmethod]
    fn from_name(py: Python<'_>, name: &str) -> PyResult<Py<Dtype>> {
        let named = table(py)?.iter().flatten().find(|dtype| {
            let ty = dtype.get().ty;
            !matches!(ty, ElementType::Extension(_)) && ty.to_string() == name
        });
        named.map(|dtype| dtype.clone_ref(py)).ok_or_else(|| {
            let known: Vec<_> = known(py).unwrap_or_default();
            InvalidDescriptorError::new_err(format!(
                "unknown element type {name:?}; the format has {}, and private types by tag",
                known.join(", ")
            ))
        })
    }

    /// The type of that tag. Raises ``InvalidDescriptorError`` for a reserved or invalid tag.
    #[staticmethod]
    fn from_tag(py: Python<'_>, tag: i64) -> PyResult<Py<Dtype>> {
        let entry = usize::try_from(tag).ok().and_then(|tag| table(py).ok()?.get(tag)?.as_ref());
        entry
            .map(|dtype| dtype.clone_ref(py))
            .ok_or_else(|| InvalidDescriptorError::new_err(format!("{tag:#04x} is not an assigned element type tag")))
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

fn known(py: Python<'_>) -> PyResult<Vec<String>> {
    let named = |ty: &ElementType| !matches!(ty, ElementType::Extension(_));
    Ok(table(py)?.iter().flatten().map(|dtype| dtype.get().ty).filter(named).map(|ty| ty.to_string()).collect())
}

/// Bytes that ``count`` contiguous elements take, packed as the format packs them
/// (format: element-types.md §5; requirements: Buffer sizing).
///
/// Raises ``OverflowError`` for a negative count or a size that 64 bits cannot hold, and
/// ``UnsupportedError`` for a private type, whose width only its extension section knows.
#[pyfunction]
pub(crate) fn buffer_size_bytes(dtype: &Bound<'_, Dtype>, count: u64) -> PyResult<u64> {
    let ty = dtype.get().ty;
    if matches!(ty, ElementType::Extension(_)) {
        return Err(crate::error::UnsupportedError::new_err(
            "a private element type has no size of its own; its extension section states one",
        ));
    }
    hurray_wire::check::storage_bytes(ty, None, u128::from(count)).ok_or_else(|| {
        pyo3::exceptions::PyOverflowError::new_err(format!("{count} elements of {ty} exceed 2^64 bytes"))
    })
}
