//! Contents: every broken place of a kind is counted, the first few are listed (layouts.md §13, V rules).

#![allow(missing_docs, unreachable_pub)]
mod common;

use common::desc::*;
use common::file::{build, tensor_with};
use hurray_core::TensorDescriptor;
use hurray_wire::{contents, verify, Finding, ReadAt};
use proptest::prelude::*;
use std::cell::Cell;
use std::io;

fn look(d: &Desc, buffers: &[Vec<u8>]) -> Vec<Finding> {
    let descriptor = TensorDescriptor::decode(&d.bytes()).unwrap();
    let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    let sources: Vec<&dyn ReadAt> = slices.iter().map(|s| s as &dyn ReadAt).collect();
    contents(&descriptor, &sources).unwrap()
}

fn texts(found: &[Finding]) -> Vec<String> {
    found.iter().map(|f| f.fault.to_string()).collect()
}

fn coo_of(shape: &[u64], sorted: u8, indices: &[u64]) -> (Desc, Vec<Vec<u8>>) {
    let nnz = (indices.len() / shape.len()) as u64;
    let buffers = vec![vec![0; 4 * nnz as usize], u64s(indices)];
    let sizes: Vec<u64> = buffers.iter().map(|b| b.len() as u64).collect();
    (Desc::new(F32, 6, shape, &sizes).payload(coo(nnz, sorted)), buffers)
}

fn csr_of(shape: [u64; 2], indices: &[u64], ptr: &[u64]) -> (Desc, Vec<Vec<u8>>) {
    let nnz = indices.len() as u64;
    let buffers = vec![vec![0; 4 * nnz as usize], u64s(indices), u64s(ptr)];
    let sizes: Vec<u64> = buffers.iter().map(|b| b.len() as u64).collect();
    (Desc::new(F32, 7, &shape, &sizes).payload(compressed(nnz)), buffers)
}

#[test]
fn the_first_four_of_a_kind_are_listed_and_the_rest_counted() {
    let (d, buffers) = csr_of([1, 10], &[10, 11, 12, 13, 14, 15, 16], &[0, 7]);
    let found = look(&d, &buffers);
    assert_eq!(found.len(), 4);
    assert_eq!(found[0].fault.to_string(), "buffer 1, position 0: 10, outside its dimension, whose size is 10");
    assert_eq!(found.iter().map(|f| f.more).collect::<Vec<_>>(), [0, 0, 0, 3]);
    let built = build(&[tensor_with("t", &d, buffers)], &[]);
    let problems = verify(&built.bytes[..]).unwrap();
    assert_eq!(problems.iter().map(|p| p.more).collect::<Vec<_>>(), [0, 0, 0, 3]);
    assert!(problems[3].to_string().contains("and 3 more like it [L-32]"), "{}", problems[3]);
}

#[test]
fn one_broken_place_hides_no_other() {
    let (d, buffers) = csr_of([4, 5], &[3, 0, 9, 2, 2], &[1, 3, 2, 5, 4]);
    assert_eq!(
        texts(&look(&d, &buffers)),
        [
            "buffer 2, position 0: 1, where the first pointer must be 0",
            "buffer 1, position 2: 9, outside its dimension, whose size is 5",
            "buffer 2, position 2: 2, below the pointer before it, 3",
            "buffer 2, position 4: 4, below the pointer before it, 5",
            "buffer 1, position 4: 2, a duplicate: the one before it in its slice is also 2",
            "buffer 2, position 4: 4, where the last pointer must be nnz, 5",
        ]
    );
    // A pointer beyond nnz does not make those behind it wrong.
    let (d, buffers) = csr_of([3, 9], &[3, 0, 7], &[0, 8, 2, 3]);
    assert_eq!(
        texts(&look(&d, &buffers)),
        [
            "buffer 2, position 1: 8, a pointer beyond the number of entries, 3",
            "buffer 1, position 1: 0, not in ascending order: the one before it in its slice is 3",
        ]
    );
}

#[test]
fn what_no_slice_reaches_is_an_entry_all_the_same() {
    let (d, buffers) = csr_of([1, 3], &[0, 5], &[0, 1]);
    let found = texts(&look(&d, &buffers));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.contains(&"buffer 1, position 1: 5, outside its dimension, whose size is 3".to_owned()));
}

#[test]
fn coordinates_are_compared_with_every_other() {
    let (d, buffers) = coo_of(&[3, 4], 1, &[2, 1, 0, 0, 0, 9, 2, 1, 0, 0, 0, 0]);
    assert_eq!(
        texts(&look(&d, &buffers)),
        [
            "buffer 1, entry 1: (0, 0) does not come after the entry before it, although the layout says is_sorted",
            "buffer 1, entry 4: (0, 0) does not come after the entry before it, although the layout says is_sorted",
            "buffer 1, entry 2: (0, 9) lies outside the shape",
            "buffer 1, entry 3: (2, 1) is a duplicate of entry 0",
            "buffer 1, entry 4: (0, 0) is a duplicate of entry 1",
            "buffer 1, entry 5: (0, 0) is a duplicate of entry 1",
        ]
    );
}

#[test]
fn shapes_past_64_bits_are_compared_too() {
    let huge = [1 << 40, 1 << 40, 7];
    let (d, buffers) = coo_of(&huge, 0, &[5, 1 << 39, 2, 5, 1 << 38, 2, 5, 1 << 39, 2]);
    let twin = ["buffer 1, entry 2: (5, 549755813888, 2) is a duplicate of entry 0"];
    assert_eq!(texts(&look(&d, &buffers)), twin);
    // An empty dimension behind them, where nothing lies inside.
    let (d, mut buffers) = coo_of(&[1 << 40, 1 << 40, 0], 0, &[5, 5, 5, 1, 1, 1]);
    buffers[0].clear();
    let d = Desc::new(F32, 6, &d.shape, &[0, 48]).payload(coo(2, 0));
    assert_eq!(look(&d, &buffers).len(), 2);
}

#[test]
fn blocks_of_a_long_search_are_merged() {
    // More than two blocks of 2^20, in falling order, with one entry of each block again at the end.
    let count = 2_300_000u64;
    let again = [3u64, 1_200_000, 2_200_000];
    let indices: Vec<u64> = (0..count).rev().chain(again).collect();
    let (d, buffers) = coo_of(&[count], 0, &indices);
    let found = texts(&look(&d, &buffers));
    let entry = |place: u64| count - 1 - place;
    let expected = again
        .iter()
        .zip(count..)
        .map(|(&place, at)| format!("buffer 1, entry {at}: ({place}) is a duplicate of entry {}", entry(place)));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

/// Counts pauses, and ends the work at one of them.
struct Patient<'a>(&'a [u8], Cell<u32>);

impl ReadAt for Patient<'_> {
    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buf, offset)
    }

    fn pause(&self) -> io::Result<()> {
        self.1.set(self.1.get() - 1);
        match self.1.get() {
            0 => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_pause_can_end_sorting_and_merging() {
    let indices: Vec<u64> = (0..2_300_000).rev().collect();
    let (d, buffers) = coo_of(&[2_300_000], 0, &indices);
    let descriptor = TensorDescriptor::decode(&d.bytes()).unwrap();
    // Three blocks are sorted, and merged in three steps.
    for pauses in [1, 3, 5] {
        let indices = Patient(&buffers[1], Cell::new(pauses));
        let values = &buffers[0][..];
        let ended = contents(&descriptor, &[&values, &indices]).unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::Interrupted);
    }
}

#[test]
fn reserved_codes_are_looked_for_in_elements_alone() {
    const E8M0: u8 = 0x42;
    let strided = |strides: [i64; 2]| strides.iter().flat_map(|s| s.to_le_bytes()).collect::<Vec<u8>>();
    let codes = |layout, shape: &[u64], payload: Vec<u8>, bytes: &[u8]| {
        let d = Desc::new(E8M0, layout, shape, &[bytes.len() as u64]).payload(payload);
        texts(&look(&d, &[bytes.to_vec()]))
    };
    let bad =
        |at| [format!("buffer 0: byte {at} is 0xff, which float8_e8m0 reserves; store the tensor as uint8 to keep it")];
    assert_eq!(codes(1, &[2], vec![], &[1, 0xFF, 0]), bad(1));
    // Gaps, a broadcast dimension, and rows in falling order.
    assert_eq!(codes(3, &[2, 2], strided([4, 2]), &[1, 0, 1, 0, 1, 0, 0xFF]), bad(6));
    assert_eq!(codes(3, &[1 << 40, 2], strided([0, 1]), &[1, 0xFF]), bad(1));
    // A tile of 2 × 2 around a tensor of 1 × 3: padding is undefined.
    let tiles = [2u64, 2].iter().flat_map(|s| s.to_le_bytes()).chain([1, 1, 0, 0]).collect::<Vec<u8>>();
    assert_eq!(codes(4, &[1, 3], tiles, &[1, 2, 0, 0, 0xFF, 0, 0, 0]), bad(4));
}

proptest! {
    /// The search agrees with comparing every pair.
    #[test]
    fn duplicates_are_those_of_every_pair(indices in prop::collection::vec(0u64..5, 0..40), sorted in 0u8..2) {
        let indices = &indices[..indices.len() / 2 * 2];
        let (d, buffers) = coo_of(&[4, 4], sorted, indices);
        let tuples: Vec<_> = indices.chunks(2).collect();
        let outside = tuples.iter().filter(|t| t.contains(&4)).count() as u64;
        let again = |&at: &usize| !tuples[at].contains(&4) && tuples[..at].contains(&tuples[at]);
        let twice = (0..tuples.len()).filter(again).count() as u64;
        let falling = tuples.windows(2).filter(|w| sorted == 1 && w[0] > w[1]).count() as u64;
        let found = look(&d, &buffers);
        let total: u64 = found.iter().map(|f| 1 + f.more).sum();
        prop_assert_eq!(total, outside + twice + falling);
    }

    /// No pointers and indices, however wrong, are read outside their buffers.
    #[test]
    fn any_pointers_are_survived(
        ptr in prop::collection::vec(prop_oneof![0u64..8, any::<u64>()], 5),
        indices in prop::collection::vec(prop_oneof![0u64..6, any::<u64>()], 0..9),
    ) {
        let (d, buffers) = csr_of([4, 5], &indices, &ptr);
        let found = look(&d, &buffers);
        let nnz = indices.len() as u64;
        let sound = ptr[0] == 0 && ptr[4] == nnz && ptr.windows(2).all(|w| w[0] <= w[1])
            && ptr.windows(2).all(|w| indices[w[0] as usize..w[1] as usize].windows(2).all(|i| i[0] < i[1]))
            && indices.iter().all(|&i| i < 5);
        prop_assert_eq!(found.is_empty(), sound);
    }
}
