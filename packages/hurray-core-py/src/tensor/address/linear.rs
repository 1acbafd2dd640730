//! row_major, col_major and strided (format: layouts.md §2, §3): one stride a dimension.

use hurray_core::layout::StridedLayout;

use super::Axis;

/// `st[r-1] = 1`, `st[k] = s[k+1]·st[k+1]`.
pub(super) fn row_major(shape: &[usize]) -> Option<Vec<Axis>> {
    let mut axes = run(shape.iter().rev())?;
    axes.reverse();
    Some(axes)
}

/// `st[0] = 1`, `st[k] = s[k-1]·st[k-1]`.
pub(super) fn col_major(shape: &[usize]) -> Option<Vec<Axis>> {
    run(shape.iter())
}

fn run<'a>(inner_first: impl Iterator<Item = &'a usize>) -> Option<Vec<Axis>> {
    let mut next = Some(1isize);
    inner_first
        .map(|&dim| {
            let stride = next?;
            next = isize::try_from(dim).ok().and_then(|dim| stride.checked_mul(dim));
            Some(Axis::Stride(stride))
        })
        .collect()
}

/// The strides as they stand, signed, in elements.
pub(super) fn strided(layout: &StridedLayout) -> Option<Vec<Axis>> {
    layout.strides.iter().map(|&stride| isize::try_from(stride).ok().map(Axis::Stride)).collect()
}
