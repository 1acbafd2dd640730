//! Foreign strided memory into a tensor: shared where the format can say it, else copied.

use std::sync::Arc;

use hurray_core::layout::StridedLayout;
use hurray_core::{ElementType, LayoutDescriptor, MIN_BUFFER_ALIGNMENT};
use pyo3::prelude::*;

use crate::bits;
use crate::buffer::{measured_alignment, Aligned, Buffer, Owner, View};
use crate::error::{BufferError, CopyRequiredError, InternalError, UnsupportedError};
use crate::tensor::{walk, Tensor};

/// Strided memory as its producer describes it.
pub(crate) struct Source<'a> {
    /// Element [0, …, 0].
    pub(crate) first: *mut u8,
    pub(crate) shape: &'a [usize],
    /// In bytes.
    pub(crate) strides: &'a [isize],
    pub(crate) itemsize: usize,
    pub(crate) ty: ElementType,
    pub(crate) readonly: bool,
}

/// The bytes from the first to the last element that strides reach, seen from element [0, …, 0].
struct Span {
    before: usize,
    len: usize,
}

/// Row-major strides in elements; `None` when a product overflows. Extents of 0 count as 1.
pub(crate) fn row_major_strides(shape: &[usize]) -> Option<Vec<isize>> {
    let mut strides = vec![0; shape.len()];
    let mut stride: isize = 1;
    for (slot, &dim) in strides.iter_mut().zip(shape).rev() {
        *slot = stride;
        stride = stride.checked_mul(isize::try_from(dim.max(1)).ok()?)?;
    }
    Some(strides)
}

impl Source<'_> {
    pub(crate) fn elements(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim))
    }

    /// `None` when the strides reach beyond the address space.
    fn span(&self) -> Option<Span> {
        let (mut low, mut high) = (0i128, 0i128);
        for (&dim, &stride) in self.shape.iter().zip(self.strides) {
            let reach = (dim.saturating_sub(1) as i128) * stride as i128;
            if reach < 0 {
                low += reach
            } else {
                high += reach
            }
        }
        let address = self.first as usize as i128;
        if address + low < 0 || address + high + self.itemsize as i128 > isize::MAX as i128 {
            return None;
        }
        Some(Span { before: (-low) as usize, len: (high - low) as usize + self.itemsize })
    }

    /// Bytes before element [0, …, 0], and bytes in all, that the strides reach.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        self.span().map(|span| (span.before, span.len))
    }

    /// The layout that says these strides; `None` where none does, a stride being no whole
    /// number of elements.
    pub(crate) fn layout(&self) -> Option<LayoutDescriptor> {
        let itemsize = self.itemsize as isize;
        let follows = |inner_first: &mut dyn Iterator<Item = (&usize, &isize)>| {
            let mut expected = itemsize;
            inner_first.filter(|(&dim, _)| dim != 1).all(|(&dim, &stride)| {
                let fits = stride == expected;
                expected = expected.saturating_mul(dim as isize);
                fits
            })
        };
        let pairs = || self.shape.iter().zip(self.strides);
        if self.shape.contains(&0) || follows(&mut pairs().rev()) {
            return Some(LayoutDescriptor::RowMajor);
        }
        if follows(&mut pairs()) {
            return Some(LayoutDescriptor::ColMajor);
        }
        let whole = self.strides.iter().all(|stride| stride % itemsize == 0);
        whole.then(|| {
            let strides = self.strides.iter().map(|stride| (stride / itemsize) as i64).collect();
            LayoutDescriptor::Strided(StridedLayout::new(strides))
        })
    }
}

/// What the memory is for, and what may be done to get it there.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    pub(crate) copy: Option<bool>,
    /// A byte an element becomes a bit an element.
    pub(crate) pack: bool,
    /// A file gives buffers an alignment of its own, and holds no gaps between elements.
    pub(crate) for_file: bool,
}

/// Where the elements have come to lie.
pub(crate) struct Placed {
    pub(crate) layout: LayoutDescriptor,
    pub(crate) byte_offset: u64,
    pub(crate) buffer: Buffer,
}

impl Placed {
    fn row_major(buffer: Buffer) -> Self {
        Self { layout: LayoutDescriptor::RowMajor, byte_offset: 0, buffer }
    }
}

/// Makes a tensor of `source`, deciding by `copy` (04-tables.md §2, copy on ingest).
///
/// # Safety
/// As for [`place`].
pub(crate) unsafe fn ingest(py: Python<'_>, source: Source<'_>, owner: Arc<Owner>, wish: Wish) -> PyResult<Tensor> {
    // SAFETY: the caller's promise.
    let placed = unsafe { place(py, &source, owner, wish)? };
    Tensor::dense(py, source.ty, source.shape, placed.layout, placed.byte_offset, placed.buffer)
}

/// Shares the source's memory or copies it.
///
/// # Safety
/// Every element that the source's shape and strides reach is valid memory for as long as `owner`
/// lives, and writable unless the source is read-only.
unsafe fn place(py: Python<'_>, source: &Source<'_>, owner: Arc<Owner>, wish: Wish) -> PyResult<Placed> {
    let too_far = || BufferError::new_err("the array's shape and strides reach beyond the address space");
    let elements = source.elements().ok_or_else(too_far)?;
    if elements == 0 {
        return Ok(Placed::row_major(Buffer::empty()));
    }
    if source.first.is_null() {
        return Err(BufferError::new_err("the producer names elements and no address"));
    }
    let span = source.span().ok_or_else(too_far)?;
    let base = source.first.wrapping_sub(span.before);
    // SAFETY: the span is what shape and strides reach, which the caller vouches for.
    let buffer = unsafe { Buffer::held(base, span.len, source.readonly, owner) };
    // What the source forbids to write stays so, unless a copy was asked for.
    let readonly = source.readonly && wish.copy != Some(true);
    let (layout, reason) = match wish.pack {
        true => (None, Some(String::from("bool is one bit an element in the format and one byte in the array"))),
        false => {
            let layout = source.layout().filter(|_| !wish.for_file || compact(source, &span, elements));
            let reason = if wish.for_file {
                layout.is_none().then(String::new)
            } else {
                unusable(base as usize, span.len, layout.is_none(), source)
            };
            (layout, reason)
        }
    };
    match (wish.copy, reason, layout) {
        (None | Some(false), None, Some(layout)) => Ok(Placed { layout, byte_offset: span.before as u64, buffer }),
        (Some(false), Some(reason), _) => Err(CopyRequiredError::new_err(format!(
            "copy=False, but {reason}; leave copy=None to copy it into memory of its own"
        ))),
        (_, _, layout) => {
            let placed = match wish.pack {
                true => packed(py, source, &span, &buffer, elements)?,
                false => copied_from(py, source, &span, &buffer, elements, layout)?,
            };
            Ok(Placed { buffer: placed.buffer.with_readonly(readonly), ..placed })
        }
    }
}

/// Whether the span holds no more than the elements: dense in some order, or a broadcast.
fn compact(source: &Source<'_>, span: &Span, elements: usize) -> bool {
    elements.checked_mul(source.itemsize).is_none_or(|bytes| span.len <= bytes)
}

/// Makes a tensor of what an object exports through the buffer protocol.
pub(crate) fn exported(py: Python<'_>, view: View, ty: ElementType, wish: Wish) -> PyResult<Tensor> {
    let shape = view.shape().to_vec();
    let placed = placed(py, view, ty, wish)?;
    Tensor::dense(py, ty, &shape, placed.layout, placed.byte_offset, placed.buffer)
}

/// What an object exports, where it is or as a copy.
pub(crate) fn placed(py: Python<'_>, view: View, ty: ElementType, wish: Wish) -> PyResult<Placed> {
    let owner = Arc::new(Owner::Exporter(view));
    let Owner::Exporter(view) = &*owner else { return Err(InternalError::new_err("an exporter lost its view")) };
    let source = Source {
        first: view.start(),
        shape: view.shape(),
        strides: view.strides(),
        itemsize: view.itemsize(),
        ty,
        readonly: view.readonly(),
    };
    // SAFETY: the buffer protocol promises valid memory at every index until the view is released,
    // which the owner does last; `readonly` is the exporter's own.
    unsafe { place(py, &source, Arc::clone(&owner), wish) }
}

/// Why memory cannot be used as it is.
fn unusable(address: usize, len: usize, inexpressible: bool, source: &Source<'_>) -> Option<String> {
    if inexpressible {
        return Some(format!(
            "the strides {:?} (bytes) are no whole numbers of {}-byte elements, which is what the format's strides count",
            source.strides, source.itemsize
        ));
    }
    let alignment = measured_alignment(address, len);
    (alignment < MIN_BUFFER_ALIGNMENT)
        .then(|| format!("the memory is aligned to {alignment} bytes and the format needs {MIN_BUFFER_ALIGNMENT}"))
}

fn copied_from(
    py: Python<'_>,
    source: &Source<'_>,
    span: &Span,
    from: &Buffer,
    elements: usize,
    layout: Option<LayoutDescriptor>,
) -> PyResult<Placed> {
    let bytes = elements
        .checked_mul(source.itemsize)
        .ok_or_else(|| pyo3::exceptions::PyMemoryError::new_err("the array's elements exceed memory"))?;
    // Copying the span keeps the layout, a broadcast included; a span with wide gaps is gathered.
    let whole = layout.filter(|_| span.len <= bytes);
    let mut memory = Aligned::zeroed(if whole.is_some() { span.len } else { bytes })?;
    let out = memory.bytes_mut();
    let Source { shape, strides, itemsize, .. } = source;
    py.detach(|| match whole {
        Some(_) => out.copy_from_slice(from.bytes()),
        None => walk::gather(from.bytes(), span.before, shape, strides, *itemsize, out),
    });
    let buffer = Buffer::owned(memory);
    Ok(match whole {
        Some(layout) => Placed { layout, byte_offset: span.before as u64, buffer },
        None => Placed::row_major(buffer),
    })
}

/// A byte an element into a bit an element, row-major.
fn packed(py: Python<'_>, source: &Source<'_>, span: &Span, from: &Buffer, elements: usize) -> PyResult<Placed> {
    let mut memory = Aligned::zeroed(elements.div_ceil(8))?;
    let out = memory.bytes_mut();
    let in_order = span.len == elements && source.layout() == Some(LayoutDescriptor::RowMajor);
    let Source { shape, strides, .. } = source;
    let other = py.detach(|| {
        if in_order {
            return bits::pack_slice(from.bytes(), out);
        }
        let offsets = walk::offsets(shape, strides);
        bits::pack(offsets.map(|offset| from.bytes()[span.before.wrapping_add_signed(offset)]), out)
    });
    if other > 1 {
        return Err(UnsupportedError::new_err(
            "a bool array holds a byte other than 0 and 1, which one bit cannot hold; pass array != 0",
        ));
    }
    Ok(Placed::row_major(Buffer::owned(memory)))
}

/// A private copy of a tensor, buffer by buffer: same descriptor but for alignment, writable.
pub(crate) fn copied(py: Python<'_>, tensor: &Tensor) -> PyResult<Tensor> {
    let buffers = tensor.buffers.iter().map(|buffer| copied_buffer(py, buffer)).collect::<PyResult<_>>()?;
    Tensor::over((*tensor.descriptor).clone(), buffers, tensor.device.clone_ref(py))
}

/// The same bytes in an aligned allocation, writable.
pub(crate) fn copied_buffer(py: Python<'_>, buffer: &Buffer) -> PyResult<Buffer> {
    if buffer.len() == 0 {
        return Ok(Buffer::empty());
    }
    buffer.reachable("a copy")?;
    let mut memory = Aligned::zeroed(buffer.len())?;
    let out = memory.bytes_mut();
    py.detach(|| out.copy_from_slice(buffer.bytes()));
    Ok(Buffer::owned(memory))
}
