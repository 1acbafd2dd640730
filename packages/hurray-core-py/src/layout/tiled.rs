//! tiled, recursive (format: layouts.md §4).

use hurray_core::layout::{self, InnerStrides, OuterStrides};
use hurray_core::LayoutDescriptor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::args::{self, Word};
use super::tiling::{self, INNER, OUTER};
use super::{holds, sound, to_python, Layout, Reduced};
use crate::tensor;

/// Dense, in tiles that are stored whole; a tile may be tiled again, up to 8 levels (format: layouts.md §4).
///
/// ``tile_shape`` is the extent of a tile per dimension, in elements, 1 or more. ``outer_layout`` orders the
/// tiles: ``"row_major"``, ``"col_major"`` or ``"strided"``. ``inner_layout`` orders the elements of a tile:
/// one of those or ``"tiled"``. ``outer_strides`` are in tiles, ``inner_strides`` in elements (not bytes as
/// NumPy's), signed, 0 repeats; each is given exactly with ``"strided"``. ``inner_tiled`` is given exactly
/// with ``"tiled"`` and must divide the tile around it.
///
/// Raises ``InvalidDescriptorError`` for what breaks L-14 to L-16, ``OverflowError`` for a number that 64 bits
/// cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct TiledLayout;

holds!(TiledLayout: Tiled(layout::TiledLayout));

type Nested = Option<Box<layout::TiledLayout>>;

fn nested(given: Option<&Bound<'_, PyAny>>) -> PyResult<Nested> {
    let Some(given) = given else { return Ok(None) };
    let inner = given.cast::<TiledLayout>().map_err(|_| {
        PyTypeError::new_err(format!("inner_tiled is a hurray.TiledLayout or None, got {}", args::kind(given)))
    })?;
    TiledLayout::held(inner).map(|held| Some(Box::new(held.clone())))
}

fn strides(given: Option<&Bound<'_, PyAny>>, what: &str) -> PyResult<Option<Vec<i64>>> {
    given.map(|given| args::ints(given, what)).transpose()
}

#[pymethods]
impl TiledLayout {
    #[new]
    #[pyo3(
        signature = (tile_shape, outer_layout=Word::Default("row_major"), inner_layout=Word::Default("row_major"),
                     outer_strides=None, inner_strides=None, inner_tiled=None),
        text_signature = "(tile_shape, outer_layout='row_major', inner_layout='row_major', outer_strides=None, \
                          inner_strides=None, inner_tiled=None)"
    )]
    fn new(
        py: Python<'_>,
        tile_shape: &Bound<'_, PyAny>,
        outer_layout: Word<'_>,
        inner_layout: Word<'_>,
        outer_strides: Option<&Bound<'_, PyAny>>,
        inner_strides: Option<&Bound<'_, PyAny>>,
        inner_tiled: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let tile_shape = args::ints(tile_shape, "tile_shape")?;
        let outer = outer_layout.one_of("outer_layout", &OUTER)?;
        let inner = inner_layout.one_of("inner_layout", &INNER)?;
        let outer_strides = strides(outer_strides, "outer_strides")?;
        let inner_strides = strides(inner_strides, "inner_strides")?;
        let inner_tiled = nested(inner_tiled)?;
        let parts = tiling::Parts { tile_shape: &tile_shape, outer, inner };
        parts
            .check(outer_strides.as_deref(), inner_strides.as_deref(), inner_tiled.as_deref())
            .map_err(|(code, text)| args::refused(py, code, text))?;
        let (outer_strides, inner_strides) =
            (outer_strides.map(OuterStrides::new), inner_strides.map(InnerStrides::new));
        let layout = layout::TiledLayout::new(tile_shape, outer, inner, outer_strides, inner_strides, inner_tiled)
            .map_err(tensor::invalid)?;
        Ok(sound(py, LayoutDescriptor::Tiled(Box::new(layout)))?.add_subclass(Self))
    }

    /// Elements of a tile per dimension.
    #[getter]
    fn tile_shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(slf.py(), &Self::held(slf)?.tile_shape)
    }

    /// The order of the tiles: ``"row_major"``, ``"col_major"`` or ``"strided"``.
    #[getter]
    fn outer_layout(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        Ok(args::name_of(Self::held(slf)?.outer_layout, &OUTER))
    }

    /// The order of the elements inside a tile: ``"row_major"``, ``"col_major"``, ``"strided"`` or ``"tiled"``.
    #[getter]
    fn inner_layout(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        Ok(args::name_of(Self::held(slf)?.inner_layout, &INNER))
    }

    /// Strides from tile to tile, in tiles; ``None`` unless ``outer_layout`` is ``"strided"``.
    #[getter]
    fn outer_strides<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let strides = Self::held(slf)?.outer_strides.as_ref();
        strides.map(|outer| PyTuple::new(slf.py(), &outer.strides)).transpose()
    }

    /// Strides inside a tile, in elements; ``None`` unless ``inner_layout`` is ``"strided"``.
    #[getter]
    fn inner_strides<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let strides = Self::held(slf)?.inner_strides.as_ref();
        strides.map(|inner| PyTuple::new(slf.py(), &inner.strides)).transpose()
    }

    /// The tiling of a tile; ``None`` unless ``inner_layout`` is ``"tiled"``.
    #[getter]
    fn inner_tiled(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let nested = Self::held(slf)?.inner_tiled.as_ref();
        nested.map(|nested| to_python(slf.py(), &LayoutDescriptor::Tiled(nested.clone()))).transpose()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(tiling::text(Self::held(slf)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let arguments = (
            Self::tile_shape(slf)?,
            Self::outer_layout(slf)?,
            Self::inner_layout(slf)?,
            Self::outer_strides(slf)?,
            Self::inner_strides(slf)?,
            Self::inner_tiled(slf)?,
        );
        Ok((slf.get_type().into_any(), arguments.into_pyobject(slf.py())?))
    }
}
