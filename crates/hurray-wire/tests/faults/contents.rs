//! L-31, L-32, L-33, L-38, Q-27 to Q-29: what index and parameter buffers hold.

use crate::common::desc::*;
use crate::common::file::{build, tensor_with};
use crate::common::{every, first};
use crate::Case;
use hurray_core::TensorDescriptor;
use hurray_wire::{contents, ReadAt};

/// One tensor with these buffers; found both in memory and by a full verification of a file.
fn case(code: &'static str, what: &'static str, d: &Desc, buffers: Vec<Vec<u8>>) -> Case {
    Case { code, what, found: in_memory(d, &buffers), every: Some(in_file(d, buffers)) }
}

fn ok(what: &str, d: &Desc, buffers: Vec<Vec<u8>>) {
    assert_eq!(in_memory(d, &buffers), Ok(()), "{what}");
    assert_eq!(in_file(d, buffers), Vec::<&str>::new(), "{what}");
}

fn in_memory(d: &Desc, buffers: &[Vec<u8>]) -> Result<(), String> {
    let descriptor = TensorDescriptor::decode(&d.bytes()).unwrap();
    let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    let sources: Vec<&dyn ReadAt> = slices.iter().map(|s| s as &dyn ReadAt).collect();
    match contents(&descriptor, &sources).unwrap().first() {
        None => Ok(()),
        Some(first) => Err(first.fault.code().to_owned()),
    }
}

fn in_file(d: &Desc, buffers: Vec<Vec<u8>>) -> Vec<&'static str> {
    let built = build(&[tensor_with("t", d, buffers)], &[]);
    assert_eq!(first(&built.bytes), Ok(()));
    every(&built.bytes)
}

fn sizes(buffers: &[Vec<u8>]) -> Vec<u64> {
    buffers.iter().map(|b| b.len() as u64).collect()
}

pub fn cases() -> Vec<Case> {
    let mut all = coo_cases();
    all.extend(compressed_cases());
    all.extend(csf_cases());
    all.extend(paged_cases());
    all.extend(scale_cases());
    all
}

fn coo_cases() -> Vec<Case> {
    let make = |sorted, indices: &[u64]| {
        let nnz = indices.len() as u64 / 2;
        let buffers = vec![vec![0; 4 * nnz as usize], u64s(indices)];
        let d = Desc::new(F32, 6, &[3, 4], &sizes(&buffers)).payload(coo(nnz, sorted));
        (d, buffers)
    };
    let bad = |what, sorted, indices: &[u64]| {
        let (d, buffers) = make(sorted, indices);
        case("L-31", what, &d, buffers)
    };
    for (sorted, indices) in [(1, [0u64, 3, 1, 0, 2, 3]), (0, [2, 3, 0, 3, 1, 0])] {
        let (d, buffers) = make(sorted, &indices);
        ok("COO", &d, buffers);
    }
    // More than one piece of 64 KiB.
    let many: Vec<u64> = (0..20_000).flat_map(|i| [i, 0]).collect();
    let buffers = vec![vec![0; 80_000], u64s(&many)];
    let long = Desc::new(F32, 6, &[20_000, 1], &sizes(&buffers)).payload(coo(20_000, 1));
    ok("long COO", &long, buffers.clone());
    let mut late = buffers;
    late[1][16 * 19_999] = 0;
    late[1][16 * 19_999 + 1] = 0;
    vec![
        bad("outside", 0, &[0, 4]),
        bad("2^64-1", 0, &[u64::MAX, 0]),
        bad("twice, unsorted", 0, &[1, 1, 0, 0, 1, 1]),
        bad("twice, sorted", 1, &[1, 1, 1, 1]),
        bad("descending", 1, &[1, 1, 1, 0]),
        case("L-31", "in the last piece", &long, late),
    ]
}

fn compressed_cases() -> Vec<Case> {
    let make = |layout, indices: &[u64], ptr: &[u64]| {
        let nnz = indices.len() as u64;
        let buffers = vec![vec![0; 4 * nnz as usize], u64s(indices), u64s(ptr)];
        let shape = if layout == 7 { [4, 5] } else { [5, 4] };
        let d = Desc::new(F32, layout, &shape, &sizes(&buffers)).payload(compressed(nnz));
        (d, buffers)
    };
    let mut all = Vec::new();
    for layout in [7, 8] {
        let mut bad = |what, indices: &[u64], ptr: &[u64]| {
            let (d, buffers) = make(layout, indices, ptr);
            all.push(case("L-32", what, &d, buffers));
        };
        bad("first pointer", &[0, 3, 2, 1, 4], &[1, 2, 3, 5, 5]);
        bad("falling pointer", &[0, 3, 2, 1, 4], &[0, 3, 2, 5, 5]);
        bad("pointer beyond nnz", &[0, 3, 2, 1, 4], &[0, 2, 3, 6, 6]);
        bad("last pointer", &[0, 3, 2, 1, 4], &[0, 2, 3, 4, 4]);
        bad("index outside", &[0, 5, 2, 1, 4], &[0, 2, 3, 5, 5]);
        bad("unordered", &[3, 0, 2, 1, 4], &[0, 2, 3, 5, 5]);
        bad("twice", &[3, 3, 2, 1, 4], &[0, 2, 3, 5, 5]);
        let (d, mut buffers) = make(layout, &[0, 3, 2, 1, 4], &[0, 2, 3, 5, 5]);
        ok("layouts.md §8", &d, buffers.clone());
        // Slack behind the indices means nothing.
        buffers[1].extend([0xFF; 8]);
        let slack = Desc::new(F32, layout, &d.shape, &sizes(&buffers)).payload(compressed(5));
        ok("slack", &slack, buffers);
    }
    all
}

/// The example of layouts.md §9.
fn csf_example() -> Vec<Vec<u64>> {
    vec![
        vec![0, 4],
        vec![0, 1, 2, 3],
        vec![0, 1, 3, 4, 5],
        vec![1, 0, 1, 1, 0],
        vec![0, 1, 2, 3, 4, 5],
        vec![1, 0, 2, 1, 2],
    ]
}

fn csf_cases() -> Vec<Case> {
    let make = |nnz: u64, trees: &[Vec<u64>]| {
        let mut buffers = vec![vec![0; 4 * nnz as usize]];
        buffers.extend(trees.iter().map(|t| u64s(t)));
        let d = Desc::new(F32, 9, &[2, 3, 4], &sizes(&buffers)).payload(csf(nnz, &[2, 0, 1]));
        (d, buffers)
    };
    let bad = |what, tree: usize, at: usize, value| {
        let mut trees = csf_example();
        trees[tree][at] = value;
        let (d, buffers) = make(5, &trees);
        case("L-33", what, &d, buffers)
    };
    let (d, buffers) = make(5, &csf_example());
    ok("layouts.md §9", &d, buffers);
    let empty = [vec![0, 0], vec![], vec![0], vec![], vec![0], vec![]];
    let (d, buffers) = make(0, &empty);
    ok("no entry", &d, buffers);
    let mut short = csf_example();
    short[4].truncate(4);
    let (d, buffers) = make(5, &short);
    vec![
        bad("first pointer", 2, 0, 1),
        bad("falling pointer", 2, 2, 0),
        bad("beyond the coordinates", 0, 1, 9),
        bad("outside", 1, 3, 4),
        bad("unordered siblings", 3, 2, 0),
        bad("leaves", 4, 5, 4),
        case("L-33", "pointers too short", &d, buffers),
    ]
}

fn paged_cases() -> Vec<Case> {
    let make = |table: &[u32], ptr: &[u32]| {
        let buffers = vec![vec![0; 5 * 4 * 6 * 4], u32s(table), u32s(ptr)];
        let d = Desc::new(F32, 10, &[9, 2, 3], &sizes(&buffers));
        (d.payload(paged(4, 5, 0, 2)), buffers)
    };
    let bad = |what, table: &[u32], ptr: &[u32]| {
        let (d, buffers) = make(table, ptr);
        case("L-38", what, &d, buffers)
    };
    let (d, buffers) = make(&[0, 1, 0], &[0, 2, 3]);
    ok("layouts.md §10", &d, buffers);
    vec![
        bad("first pointer", &[0, 1, 0], &[1, 2, 3]),
        bad("falling pointer", &[0, 1, 0], &[0, 3, 2]),
        bad("beyond the table", &[0, 1, 0], &[0, 2, 4]),
        bad("no such page", &[0, 5, 0], &[0, 2, 3]),
    ]
}

fn scale_cases() -> Vec<Case> {
    let f32s = |v: [f32; 2]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let i32s = |v: [i32; 2]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let make = |ty, columns: u64, data: usize, scheme: Vec<u8>, parameters: Vec<Vec<u8>>| {
        let mut buffers = vec![vec![0; data]];
        buffers.extend(parameters);
        let d = Desc::new(ty, 1, &[2, columns], &sizes(&buffers)).quantization(&scheme);
        (d, buffers)
    };
    let channel =
        |scales: [f32; 2], zeros: [i32; 2]| make(I8, 8, 16, per_channel(0, 0, 1, 2), vec![f32s(scales), i32s(zeros)]);
    let block = |ty, scales: &[u8]| {
        let scheme = per_block(1, 1, 8, 1, u32::MAX, ty);
        make(I8, 8, 16, scheme, vec![scales.to_vec()])
    };
    let nf4 = |scales| make(U4, 8, 8, scaled(4, 1, 8, 1), vec![f32s(scales)]);
    let mxfp = |scales: [u8; 2]| make(I8, 16, 32, scaled(5, 1, 16, 1), vec![scales.to_vec()]);
    let shared = [f32s([1.0, 2.0]), i32s([0, 128])].concat();
    let shared = make(I8, 8, 16, per_channel(0, 0, 1, 1), vec![shared]);
    let bad = |code, what, (d, buffers): (Desc, Vec<Vec<u8>>)| case(code, what, &d, buffers);
    for (d, buffers) in [
        channel([-1.0, 1e-40], [-128, 127]),
        block(1, &[0x00, 0x3C, 0x01, 0x80]),
        block(2, &[0x80, 0x3F, 0x7F, 0x7F]),
        nf4([0.0, 1.0]),
        mxfp([1, 0xFE]),
    ] {
        ok("parameters", &d, buffers);
    }
    vec![
        bad("Q-27", "zero", channel([1.0, 0.0], [0, 0])),
        bad("Q-27", "infinite", channel([1.0, f32::INFINITY], [0, 0])),
        bad("Q-27", "not a number", channel([1.0, f32::NAN], [0, 0])),
        bad("Q-27", "float16 infinity", block(1, &[0x00, 0x3C, 0x00, 0x7C])),
        bad("Q-27", "float16 minus zero", block(1, &[0x00, 0x3C, 0x00, 0x80])),
        bad("Q-27", "bfloat16 NaN", block(2, &[0x80, 0x3F, 0x81, 0x7F])),
        bad("Q-27", "NF4 negative", nf4([1.0, -1.0])),
        bad("Q-28", "zero point 128", channel([1.0, 1.0], [0, 128])),
        bad("Q-28", "shared buffer", shared),
        bad("Q-29", "byte 0", mxfp([1, 0])),
        bad("Q-29", "byte 0xFF", mxfp([0xFF, 1])),
    ]
}
