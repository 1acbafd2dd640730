//! tiled, recursive (format: layouts.md §4).

use hurray_core::layout::{self, InnerStrides, OuterStrides, MAX_TILED_DEPTH, TAG_COL_MAJOR, TAG_ROW_MAJOR};
use hurray_core::layout::{TAG_STRIDED, TAG_TILED};
use hurray_core::LayoutDescriptor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::args::{self, Word};
use super::{holds, sound, to_python, Layout};
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

const OUTER: [(&str, u8); 3] = [("row_major", TAG_ROW_MAJOR), ("col_major", TAG_COL_MAJOR), ("strided", TAG_STRIDED)];
const INNER: [(&str, u8); 4] = [OUTER[0], OUTER[1], OUTER[2], ("tiled", TAG_TILED)];

/// An argument that one order needs and no other takes.
fn goes_with<T>(py: Python<'_>, what: &str, given: Option<T>, order: &str, wanted: bool) -> PyResult<Option<T>> {
    match (given, wanted) {
        (None, true) => Err(args::refused(py, "L-14", format!("{order} needs {what}, which is None"))),
        (Some(_), false) => {
            Err(args::refused(py, "L-14", format!("{what} is given without {order}, which it goes with")))
        }
        (given, _) => Ok(given),
    }
}

fn tiled(given: &Bound<'_, PyAny>) -> PyResult<Box<layout::TiledLayout>> {
    let inner = given.cast::<TiledLayout>().map_err(|_| {
        PyTypeError::new_err(format!("inner_tiled is a hurray.TiledLayout or None, got {}", args::kind(given)))
    })?;
    TiledLayout::held(inner).map(|held| Box::new(held.clone()))
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
        let tile_shape = args::ints::<u64>(tile_shape, "tile_shape")?;
        if tile_shape.is_empty() {
            return Err(args::refused(py, "L-6", "tile_shape is empty; a tiled tensor has at least one dimension"));
        }
        if let Some(dim) = tile_shape.iter().position(|&extent| extent == 0) {
            return Err(args::refused(py, "L-14", format!("tile_shape[{dim}] is 0; a tile has at least one element")));
        }
        let outer = outer_layout.one_of("outer_layout", &OUTER)?;
        let inner = inner_layout.one_of("inner_layout", &INNER)?;
        let strides = |given: Option<&Bound<'_, PyAny>>, what| {
            let strides = given.map(|given| args::ints::<i64>(given, what)).transpose()?;
            match strides {
                Some(strides) if strides.len() != tile_shape.len() => {
                    let (found, rank) = (strides.len(), tile_shape.len());
                    Err(args::refused(
                        py,
                        "D-1",
                        format!("{what} has {found} values, tile_shape {rank}; both have one per dimension"),
                    ))
                }
                strides => Ok(strides),
            }
        };
        let (outer_strides, inner_strides) =
            (strides(outer_strides, "outer_strides")?, strides(inner_strides, "inner_strides")?);
        let inner_tiled = inner_tiled.map(tiled).transpose()?;
        let outer_strides =
            goes_with(py, "outer_strides", outer_strides, "outer_layout='strided'", outer == TAG_STRIDED)?;
        let inner_strides =
            goes_with(py, "inner_strides", inner_strides, "inner_layout='strided'", inner == TAG_STRIDED)?;
        let inner_tiled = goes_with(py, "inner_tiled", inner_tiled, "inner_layout='tiled'", inner == TAG_TILED)?;
        if inner_tiled.as_ref().is_some_and(|nested| levels(nested).count() >= MAX_TILED_DEPTH) {
            return Err(args::refused(
                py,
                "L-15",
                format!("inner_tiled has {MAX_TILED_DEPTH} levels, which are all there may be"),
            ));
        }
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
        Ok(text(Self::held(slf)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
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

/// The levels from the outside in; one more than the format allows at most.
fn levels(outer: &layout::TiledLayout) -> impl Iterator<Item = &layout::TiledLayout> {
    std::iter::successors(Some(outer), |level| level.inner_tiled.as_deref()).take(MAX_TILED_DEPTH + 1)
}

/// Level after level, not by recursion: as deep as the format goes and no deeper.
fn text(outer: &layout::TiledLayout) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for level in levels(outer).take(MAX_TILED_DEPTH) {
        let order = |tag, all| args::name_of(tag, all).unwrap_or_default();
        let strides = |name, strides: Option<&Vec<i64>>| {
            strides.map_or_else(String::new, |s| format!(", {name}={}", args::tuple(s)))
        };
        out += if depth == 0 { "" } else { ", inner_tiled=" };
        out += &format!(
            "TiledLayout(tile_shape={}, outer_layout='{}', inner_layout='{}'{}{}",
            args::tuple(&level.tile_shape),
            order(level.outer_layout, &OUTER),
            order(level.inner_layout, &INNER),
            strides("outer_strides", level.outer_strides.as_ref().map(|s| &s.strides)),
            strides("inner_strides", level.inner_strides.as_ref().map(|s| &s.strides)),
        );
        depth += 1;
    }
    out + &")".repeat(depth)
}
