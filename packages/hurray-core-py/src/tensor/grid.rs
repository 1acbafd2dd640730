//! The strided view of a tensor: what the buffer protocol and DLPack describe.

use hurray_core::{LayoutDescriptor, TensorDescriptor, DYNAMIC};
use smallvec::SmallVec;

/// Shape and strides of a tensor whose elements are whole bytes at regular strides.
pub(crate) struct Grid {
    /// Shape, strides in bytes, strides in elements, one after the other.
    numbers: SmallVec<[isize; 12]>,
    ndim: usize,
    itemsize: usize,
    elements: usize,
    /// Where element [0, …, 0] lies in buffer 0.
    first: usize,
}

impl Grid {
    /// The view of a descriptor; `None` where strides cannot say it.
    pub(crate) fn of(descriptor: &TensorDescriptor) -> Option<Self> {
        let bits = descriptor.element_type.bit_width() as usize;
        if bits < 8 || descriptor.quantization.is_some() {
            return None;
        }
        let (dims, itemsize) = (descriptor.shape.dims(), bits / 8);
        let ndim = dims.len();
        let mut numbers: SmallVec<[isize; 12]> = SmallVec::from_elem(0, 3 * ndim);
        let mut elements = 1usize;
        for (slot, &dim) in numbers.iter_mut().zip(dims) {
            *slot = isize::try_from(dim).ok().filter(|_| dim != DYNAMIC)?;
        }
        if dims.contains(&0) {
            elements = 0;
        } else {
            elements = dims.iter().try_fold(elements, |n, &dim| n.checked_mul(usize::try_from(dim).ok()?))?;
            isize::try_from(elements.checked_mul(itemsize)?).ok()?;
        }
        strides(&descriptor.layout, &mut numbers, ndim, elements == 0)?;
        for at in 0..ndim {
            numbers[ndim + at] = numbers[2 * ndim + at].checked_mul(itemsize as isize)?;
        }
        let first = usize::try_from(descriptor.byte_offset).ok()?;
        Some(Self { numbers, ndim, itemsize, elements, first })
    }

    pub(crate) fn ndim(&self) -> usize {
        self.ndim
    }

    pub(crate) fn itemsize(&self) -> usize {
        self.itemsize
    }

    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    pub(crate) fn bytes(&self) -> isize {
        (self.elements * self.itemsize) as isize
    }

    pub(crate) fn first(&self) -> usize {
        self.first
    }

    pub(crate) fn shape(&self) -> &[isize] {
        &self.numbers[..self.ndim]
    }

    pub(crate) fn byte_strides(&self) -> &[isize] {
        &self.numbers[self.ndim..2 * self.ndim]
    }

    pub(crate) fn strides(&self) -> &[isize] {
        &self.numbers[2 * self.ndim..]
    }

    pub(crate) fn c_contiguous(&self) -> bool {
        contiguous(self.elements, self.shape().iter().zip(self.strides()).rev())
    }

    pub(crate) fn f_contiguous(&self) -> bool {
        contiguous(self.elements, self.shape().iter().zip(self.strides()))
    }
}

/// Whether the dimensions, innermost first, follow on each other; one of extent 1 has no say.
fn contiguous<'a>(elements: usize, inner_first: impl Iterator<Item = (&'a isize, &'a isize)>) -> bool {
    let mut expected = 1;
    elements == 0
        || inner_first.filter(|(&dim, _)| dim != 1).all(|(&dim, &stride)| {
            let fits = stride == expected;
            expected *= dim;
            fits
        })
}

/// Fills the last third of `numbers` with strides in elements.
fn strides(layout: &LayoutDescriptor, numbers: &mut [isize], ndim: usize, empty: bool) -> Option<()> {
    let (shape, rest) = numbers.split_at_mut(ndim);
    let out = &mut rest[ndim..];
    let run = |out: &mut isize, dim: &isize, stride: &mut isize| -> Option<()> {
        *out = *stride;
        *stride = if empty { stride.saturating_mul((*dim).max(1)) } else { stride.checked_mul((*dim).max(1))? };
        Some(())
    };
    let mut stride = 1;
    match layout {
        LayoutDescriptor::RowMajor => {
            out.iter_mut().zip(shape.iter()).rev().try_for_each(|(out, dim)| run(out, dim, &mut stride))
        }
        LayoutDescriptor::ColMajor => {
            out.iter_mut().zip(shape.iter()).try_for_each(|(out, dim)| run(out, dim, &mut stride))
        }
        LayoutDescriptor::Strided(strided) => out.iter_mut().zip(&strided.strides).try_for_each(|(out, &stride)| {
            *out = isize::try_from(stride).ok()?;
            Some(())
        }),
        _ => None,
    }
}
