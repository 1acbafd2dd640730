//! Walking strided memory in row-major order.

/// Offsets of every element in row-major order, in the unit of `strides`.
pub(crate) fn offsets<'a>(shape: &'a [usize], strides: &'a [isize]) -> impl Iterator<Item = isize> + 'a {
    rows(shape, strides).flat_map(|row| (0..row.len as isize).map(move |at| row.start + at * row.stride))
}

/// The elements along the last dimension.
pub(crate) struct Row {
    pub(crate) start: isize,
    pub(crate) len: usize,
    pub(crate) stride: isize,
}

/// One row after another, in row-major order; a scalar is a row of one.
pub(crate) fn rows<'a>(shape: &'a [usize], strides: &'a [isize]) -> impl Iterator<Item = Row> + 'a {
    let outer = shape.len().saturating_sub(1);
    let (len, stride) = (shape.last().copied().unwrap_or(1), strides.last().copied().unwrap_or(0));
    let mut index = vec![0usize; outer];
    let mut next = (!shape.contains(&0)).then_some(0isize);
    std::iter::from_fn(move || {
        let start = next?;
        next = step(&mut index, &shape[..outer], &strides[..outer], start);
        Some(Row { start, len, stride })
    })
}

/// Advances an odometer; `None` after its last position.
fn step(index: &mut [usize], shape: &[usize], strides: &[isize], mut offset: isize) -> Option<isize> {
    for at in (0..index.len()).rev() {
        index[at] += 1;
        if index[at] < shape[at] {
            return Some(offset + strides[at]);
        }
        offset -= strides[at] * (index[at] as isize - 1);
        index[at] = 0;
    }
    None
}

/// Copies whole-byte elements into row-major order. `first` is where element [0, …, 0] lies.
pub(crate) fn gather(from: &[u8], first: usize, shape: &[usize], strides: &[isize], itemsize: usize, out: &mut [u8]) {
    let mut out = out;
    for row in rows(shape, strides) {
        let start = first.wrapping_add_signed(row.start);
        let (now, rest) = out.split_at_mut(row.len * itemsize);
        out = rest;
        if row.stride == itemsize as isize {
            now.copy_from_slice(&from[start..start + now.len()]);
            continue;
        }
        copy_row(from, start, row.stride, itemsize, now);
    }
}

/// One strided row; the widths that occur are spelled out so that each is a plain move.
fn copy_row(from: &[u8], start: usize, stride: isize, itemsize: usize, out: &mut [u8]) {
    match itemsize {
        1 => copy_fixed::<1>(from, start, stride, out),
        2 => copy_fixed::<2>(from, start, stride, out),
        4 => copy_fixed::<4>(from, start, stride, out),
        8 => copy_fixed::<8>(from, start, stride, out),
        16 => copy_fixed::<16>(from, start, stride, out),
        _ => {
            let mut at = start;
            for item in out.chunks_exact_mut(itemsize) {
                item.copy_from_slice(&from[at..at + itemsize]);
                at = at.wrapping_add_signed(stride);
            }
        }
    }
}

fn copy_fixed<const N: usize>(from: &[u8], start: usize, stride: isize, out: &mut [u8]) {
    let mut at = start;
    for item in out.chunks_exact_mut(N) {
        item.copy_from_slice(&from[at..at + N]);
        at = at.wrapping_add_signed(stride);
    }
}

/// Copies the whole-byte elements at `offsets`, in elements from the one at byte `first`.
pub(crate) fn collect(from: &[u8], first: usize, offsets: &[isize], itemsize: usize, out: &mut [u8]) {
    match itemsize {
        1 => collect_fixed::<1>(from, first, offsets, out),
        2 => collect_fixed::<2>(from, first, offsets, out),
        4 => collect_fixed::<4>(from, first, offsets, out),
        8 => collect_fixed::<8>(from, first, offsets, out),
        16 => collect_fixed::<16>(from, first, offsets, out),
        _ => {
            for (item, &offset) in out.chunks_exact_mut(itemsize).zip(offsets) {
                let at = first.wrapping_add_signed(offset.wrapping_mul(itemsize as isize));
                item.copy_from_slice(&from[at..at + itemsize]);
            }
        }
    }
}

fn collect_fixed<const N: usize>(from: &[u8], first: usize, offsets: &[isize], out: &mut [u8]) {
    for (item, &offset) in out.chunks_exact_mut(N).zip(offsets) {
        let at = first.wrapping_add_signed(offset.wrapping_mul(N as isize));
        item.copy_from_slice(&from[at..at + N]);
    }
}
