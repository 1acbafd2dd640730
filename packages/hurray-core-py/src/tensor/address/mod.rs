//! Where the elements of a dense tensor lie: element offsets, counted from byte_offset
//! (format: layouts.md §2–§6).

mod curve;
mod element;
mod hilbert;
mod linear;
mod morton;
mod rows;
mod tiled;

use hurray_core::{LayoutDescriptor, TensorDescriptor};

pub(super) use element::Element;
use hilbert::Hilbert;
use morton::Spread;
pub(super) use rows::BLOCK;
use tiled::Steps;

/// The offset of every element of a dense, static shape. A descriptor that was checked reaches no
/// element outside its buffer; reading is bounds-checked all the same.
pub(super) struct Address {
    shape: Vec<usize>,
    place: Place,
}

enum Place {
    /// The offset is a sum of what each index contributes by itself.
    Axes(Vec<Axis>),
    Hilbert(Hilbert),
}

/// What the index along one dimension contributes to the offset.
enum Axis {
    Stride(isize),
    Tiles(Steps),
    Bits(Spread),
}

impl Axis {
    fn at(&self, index: usize) -> isize {
        match self {
            Self::Stride(stride) => index as isize * stride,
            Self::Tiles(steps) => steps.at(index),
            Self::Bits(spread) => spread.at(index),
        }
    }
}

impl Address {
    /// `None` for a dynamic shape, a layout that is not dense, and what exceeds the address space.
    pub(super) fn of(d: &TensorDescriptor) -> Option<Self> {
        let dims = d.shape.dims();
        if d.shape.has_dynamic() {
            return None;
        }
        let shape: Vec<usize> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect::<Option<_>>()?;
        use LayoutDescriptor as L;
        let dense =
            matches!(d.layout, L::RowMajor | L::ColMajor | L::Strided(_) | L::Tiled(_) | L::Morton(_) | L::Hilbert(_));
        if dense && shape.contains(&0) {
            // No element has an address, however far the other dimensions would reach.
            let axes = shape.iter().map(|_| Axis::Stride(0)).collect();
            return Some(Self { shape, place: Place::Axes(axes) });
        }
        let place = match &d.layout {
            L::RowMajor => Place::Axes(linear::row_major(&shape)?),
            L::ColMajor => Place::Axes(linear::col_major(&shape)?),
            L::Strided(strided) => Place::Axes(linear::strided(strided)?),
            L::Tiled(tiled) => Place::Axes(tiled::axes(tiled, &shape)?),
            L::Morton(morton) => Place::Axes(morton::axes(morton)),
            L::Hilbert(hilbert) => Place::Hilbert(Hilbert::new(hilbert)),
            _ => return None,
        };
        Some(Self { shape, place })
    }

    /// `count` elements one after the other: what a sparse layout stores.
    pub(super) fn run(count: usize) -> Self {
        Self { shape: vec![count], place: Place::Axes(vec![Axis::Stride(1)]) }
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The strides, in elements, where they say it all.
    pub(super) fn strides(&self) -> Option<Vec<isize>> {
        let Place::Axes(axes) = &self.place else { return None };
        let stride = |axis: &Axis| match axis {
            Axis::Stride(stride) => Some(*stride),
            _ => None,
        };
        axes.iter().map(stride).collect()
    }

    /// The offset of one element; every index lies inside its dimension.
    pub(super) fn at(&self, index: &[usize]) -> isize {
        match &self.place {
            Place::Axes(axes) => axes.iter().zip(index).map(|(axis, &at)| axis.at(at)).sum(),
            Place::Hilbert(hilbert) => hilbert.at(index),
        }
    }
}
