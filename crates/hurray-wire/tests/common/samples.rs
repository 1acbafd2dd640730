//! Sound tensors of most kinds there are, and buffers to go with them.

use super::desc::*;
use hurray_core::TensorDescriptor;
use hurray_wire::Source;

pub fn decode(d: &Desc) -> TensorDescriptor {
    TensorDescriptor::decode(&d.bytes()).unwrap()
}

pub fn filled(d: &TensorDescriptor, seed: u8) -> Vec<Vec<u8>> {
    let one = |(j, size): (usize, u64)| (0..size).map(|k| (k as u8).wrapping_mul(7) ^ seed ^ (j as u8)).collect();
    d.buffers.iter().map(|b| b.byte_size()).enumerate().map(one).collect()
}

/// One tensor of most kinds there are.
pub fn tensors() -> Vec<(&'static str, TensorDescriptor)> {
    let none = u32::MAX;
    let all = [
        ("dense", Desc::dense(&[3, 4])),
        ("scalar", Desc::new(F32, 1, &[], &[4])),
        ("empty", Desc::dense(&[0, 4])),
        ("page", Desc::new(I8, 1, &[4096], &[4096])),
        ("page+1", Desc::new(I8, 1, &[4097], &[4097])),
        ("bool", Desc::new(BOOL, 1, &[10], &[2])),
        ("strided", Desc::new(F32, 3, &[3, 4], &[48]).payload(i64s(&[-4, 1])).byte_offset(32)),
        ("morton", Desc::new(F32, 5, &[4, 4], &[64]).payload(u32s(&[2, 2]))),
        ("coo", Desc::new(F32, 6, &[4, 5], &[8, 32]).payload(coo(2, 1))),
        ("csr", Desc::new(F32, 7, &[3, 3], &[8, 16, 32]).payload(compressed(2))),
        ("csf", Desc::new(F32, 9, &[2, 3, 4], &[0, 16, 0, 8, 0, 8, 0]).payload(csf(0, &[2, 0, 1]))),
        ("paged", Desc::new(F32, 10, &[9, 2, 3], &[480, 12, 12]).payload(paged(4, 5, 0, 2))),
        ("block", Desc::new(I8, 1, &[4, 8], &[32, 8]).quantization(&per_block(1, 1, 8, 1, none, 1))),
        ("stats", Desc::dense(&[5]).statistics(0, 4)),
        ("private", Desc::new(0, 1, &[5], &[3]).extension(4, 2, 0, 0)),
        ("名前", Desc::dense(&[1])),
    ];
    all.iter().map(|(name, d)| (*name, decode(d))).collect()
}

pub fn composite() -> (TensorDescriptor, TensorDescriptor, Vec<TensorDescriptor>) {
    let outer = decode(&head_desc(3, 0, 2, &[4, 4]));
    let inner = decode(&head_desc(1, 0, 2, &[4, 4]));
    let half = |at| Desc::dense(&[4, 2]).shard(&[4, 4], &[0, at]);
    let leaves = [half(0), half(2), Desc::dense(&[7])];
    (outer, inner, leaves.iter().map(decode).collect())
}

pub fn slices(buffers: &[Vec<u8>]) -> Vec<&[u8]> {
    buffers.iter().map(Vec::as_slice).collect()
}

pub fn sources(buffers: &[Vec<u8>]) -> Vec<&dyn Source> {
    buffers.iter().map(|b| b as &dyn Source).collect()
}
