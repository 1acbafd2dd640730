//! D-15, L-12, L-13, L-19, L-29, L-39: buffers against what layout and shape reach, at the exact byte.

use super::descriptor::desc;
use crate::common::desc::*;
use crate::common::file::{build, tensor};
use crate::common::first;
use crate::Case;

/// The least sizes pass, larger ones pass, and one byte less in any buffer that needs any fails.
fn exact(code: &'static str, what: &'static str, d: &Desc, all: &mut Vec<Case>) {
    let sized = |change: &dyn Fn(usize, u64) -> u64| {
        let mut d = d.clone();
        for (j, h) in d.handles.iter_mut().enumerate() {
            let size = u64::from_le_bytes(h[..8].try_into().unwrap());
            h[..8].copy_from_slice(&change(j, size).to_le_bytes());
        }
        d
    };
    let opens = |d: &Desc| assert_eq!(first(&build(&[tensor("t", d)], &[]).bytes), Ok(()), "{what}");
    opens(d);
    opens(&sized(&|_, size| size + 24));
    for k in 0..d.handles.len() {
        if d.handles[k][..8] != [0; 8] {
            all.push(desc(code, what, &sized(&|j, size| size - u64::from(j == k))));
        }
    }
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    dense(&mut all);
    strided(&mut all);
    tiled(&mut all);
    curves(&mut all);
    sparse(&mut all);
    block_paged(&mut all);
    huge(&mut all);
    all
}

fn dense(all: &mut Vec<Case>) {
    for (element_type, n, size) in
        [(F32, 5, 20), (I8, 5, 5), (I4, 5, 3), (BOOL, 9, 2), (E2M3, 1, 3), (E2M3, 5, 6), (0x51, 3, 48)]
    {
        exact("L-12", "row-major", &Desc::new(element_type, 1, &[n], &[size]), all);
        exact("L-12", "column-major", &Desc::new(element_type, 2, &[1, n], &[size]), all);
        let offset = Desc::new(element_type, 1, &[n], &[size + 12]).byte_offset(12);
        exact("L-12", "behind byte_offset", &offset, all);
    }
    exact("L-12", "scalar", &Desc::new(F32, 1, &[], &[4]), all);
    exact("L-12", "private, 4 bits", &Desc::new(F32, 1, &[5], &[3]).extension(4, 2, 0, 0), all);
    exact("L-12", "private, 12 bits", &Desc::new(F32, 1, &[5], &[10]).extension(12, 1, 0, 0), all);
    exact("L-12", "empty", &Desc::new(F32, 1, &[0, 1 << 40, 1 << 40], &[0]), all);
    exact("L-12", "dynamic", &Desc::new(F32, 1, &[1 << 40, DYNAMIC], &[0]), all);
}

fn strided(all: &mut Vec<Case>) {
    let s = |ty, shape: &[u64], strides: &[i64], size| Desc::new(ty, 3, shape, &[size]).payload(i64s(strides));
    exact("L-13", "row-major strides", &s(F32, &[3, 4], &[4, 1], 48), all);
    exact("L-13", "holes", &s(F32, &[3, 4], &[8, 2], (16 + 6 + 1) * 4), all);
    exact("L-13", "broadcast", &s(F32, &[1 << 40, 4], &[0, 1], 16), all);
    exact("L-13", "negative", &s(F32, &[3, 4], &[-4, 1], 48).byte_offset(32), all);
    exact("L-13", "int4", &s(I4, &[3, 3], &[3, 1], 5), all);
    exact("L-13", "bool, negative", &s(BOOL, &[9], &[-1], 2).byte_offset(1), all);
    exact("L-13", "6 bits", &s(E2M3, &[3], &[4], 9), all);
    exact("L-13", "empty", &s(F32, &[0, 4], &[1 << 40, 1], 0), all);
    let below = |what, d: Desc| desc("L-13", what, &d);
    all.push(below("below the buffer", s(F32, &[3, 4], &[-4, 1], 480).byte_offset(28)));
    all.push(below("bool below the buffer", s(BOOL, &[9], &[-1], 80)));
    all.push(below("6 bits below", s(E2M3, &[2], &[-1], 80).byte_offset(2)));
    let all_ones = [1u64 << 63; 3];
    all.push(below("2^190", s(F32, &all_ones, &[i64::MAX; 3], 480)));
    all.push(below("-2^190", s(F32, &all_ones, &[i64::MIN; 3], 480)));
}

fn tiled(all: &mut Vec<Case>) {
    let t = |shape: &[u64], tile: &[u64], outer: u8, more: &[u8], size| {
        let mut payload = u64s(tile);
        payload.extend([outer, 1, 0, 0]);
        payload.extend(more);
        Desc::new(F32, 4, shape, &[size]).payload(payload)
    };
    exact("L-12", "edge tiles are whole", &t(&[5, 6], &[2, 4], 1, &[], 6 * 8 * 4), all);
    exact("L-12", "one huge tile", &t(&[1], &[1 << 20], 2, &[], 4 << 20), all);
    exact("L-13", "tiles by strides", &t(&[4, 4], &[2, 2], 3, &i64s(&[3, 1]), 5 * 4 * 4), all);
    let back = t(&[4, 4], &[2, 2], 3, &i64s(&[-2, 1]), 4 * 16).byte_offset(32);
    exact("L-13", "tiles backwards", &back, all);
    let below = Desc { byte_offset: 28, ..back };
    all.push(desc("L-13", "tiles below the buffer", &below));
    all.push(desc("L-12", "tile of 2^126", &t(&[1, 1], &[1 << 63; 2], 1, &[], 64)));
}

fn curves(all: &mut Vec<Case>) {
    let m = |shape: &[u64], bits: &[u32], size| Desc::new(F32, 5, shape, &[size]).payload(u32s(bits));
    exact("L-12", "Morton", &m(&[4, 4], &[2, 2], 64), all);
    exact("L-12", "Morton, small shape", &m(&[1, 3], &[3, 3], 256), all);
    // Bits [1, 3] reach code 43 (layouts.md §16.1).
    exact("L-19", "Morton, unequal", &m(&[2, 8], &[1, 3], 44 * 4), all);
    exact("L-12", "Morton, empty", &m(&[0, 3], &[3, 3], 0), all);
    all.push(desc("L-12", "Morton, 64 bits", &m(&[4, 4], &[32, 32], 64)));
    let h = |order: u32, rank: usize, size| {
        let d = Desc::new(F32, 0x40, &vec![1 << order; rank], &[size]);
        d.payload(u32s(&[order, rank as u32]))
    };
    exact("L-12", "Hilbert", &h(2, 2, 64), all);
    exact("L-12", "Hilbert, rank 3", &h(1, 3, 32), all);
    all.push(desc("L-12", "Hilbert, 64 bits", &h(32, 2, 64)));
}

fn sparse(all: &mut Vec<Case>) {
    let s = |layout, shape: &[u64], sizes: &[u64], payload| Desc::new(F32, layout, shape, sizes).payload(payload);
    exact("L-29", "COO", &s(6, &[4, 5, 6], &[8, 48], coo(2, 0)), all);
    exact("L-29", "COO of int4", &Desc::new(I4, 6, &[9], &[2, 24]).payload(coo(3, 0)), all);
    exact("L-29", "CSR", &s(7, &[3, 5], &[8, 16, 32], compressed(2)), all);
    exact("L-29", "CSC", &s(8, &[3, 5], &[8, 16, 48], compressed(2)), all);
    exact("L-29", "CSR, no rows", &s(7, &[0, 5], &[0, 0, 8], compressed(0)), all);
    exact("L-29", "CSF", &s(9, &[2, 3, 4], &[12, 16, 8, 16, 8, 16, 24], csf(3, &[0, 1, 2])), all);
    exact("L-29", "CSF, nothing", &s(9, &[2, 3, 4], &[0, 16, 0, 8, 0, 8, 0], csf(0, &[0, 1, 2])), all);
    all.push(desc("L-29", "nnz 2^64-1", &s(6, &[4, 5], &[8, 48], coo(u64::MAX, 0))));
    all.push(desc("L-29", "2^63 rows", &s(7, &[1 << 63, 5], &[8, 16, 32], compressed(2))));
}

fn block_paged(all: &mut Vec<Case>) {
    let p = |tokens, sizes: &[u64]| Desc::new(F32, 10, &[tokens, 2, 3], sizes).payload(paged(4, 5, 0, 2));
    // 5 pages of 4 slots of 6 floats; 9 tokens take 3 pages at least.
    exact("L-39", "two sequences", &p(9, &[480, 12, 12]), all);
    let pool = |pages: u64| {
        let d = Desc::new(F32, 10, &[9, 2, 3], &[480, 12, 12]);
        d.payload(paged(4, pages, 0, 2))
    };
    all.push(desc("L-39", "2^64-1 pages", &pool(u64::MAX)));
    let tokens = Desc::new(F32, 10, &[u64::MAX - 1, 2, 3], &[480, 12, 12]);
    all.push(desc("L-39", "2^64-2 tokens", &tokens.payload(paged(4, 5, 0, 2))));
}

fn huge(all: &mut Vec<Case>) {
    for dim in [1 << 61, 1 << 62, 1 << 63, u64::MAX - 1] {
        all.push(desc("L-12", "one huge dim", &Desc::new(F32, 1, &[dim], &[16])));
        all.push(desc("L-12", "a product that wraps to 0", &Desc::new(F32, 1, &[dim, 8, 8], &[16])));
        all.push(desc("L-12", "64 huge dims", &Desc::new(I4, 1, &[dim; 64], &[16])));
    }
}
