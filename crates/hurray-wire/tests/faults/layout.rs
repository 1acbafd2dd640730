//! L-1 to L-55 but the sizes and the contents: payloads, extents, composites.

use super::container::file;
use super::descriptor::desc;
use crate::common::desc::*;
use crate::common::file::{build, tensor, Built};
use crate::common::first;
use crate::Case;

pub fn cases() -> Vec<Case> {
    let mut all = tags();
    all.extend(tiled());
    all.extend(curves());
    all.extend(sparse());
    all.extend(paged_cases());
    all.extend(heads());
    all.extend(partitions());
    all.extend(overlays());
    all
}

fn ok(d: &Desc) {
    assert_eq!(first(&build(&[tensor("t", d)], &[]).bytes), Ok(()));
}

fn tags() -> Vec<Case> {
    let tag = |layout| Desc { layout, ..Desc::dense(&[3]) };
    let scalar = |layout, payload: &[u8]| Desc::new(F32, layout, &[], &[4]).payload(payload.to_vec());
    ok(&Desc::new(F32, 1, &[], &[4]));
    ok(&head_desc(3, 0, 0, &[]));
    ok(&tag(0xF3).payload(u64s(&[7]).into_iter().chain([2, 0, 0, 0, 9, 9]).collect()));
    vec![
        desc("L-1", "0x00", &tag(0)),
        desc("L-1", "0xFF", &tag(0xFF)),
        desc("L-2", "0x0C", &tag(0x0C)),
        desc("L-2", "0x41", &tag(0x41)),
        desc("L-2", "0x80", &tag(0x80)),
        desc("L-6", "column-major scalar", &scalar(2, &[])),
        desc("L-6", "strided scalar", &scalar(3, &[])),
        desc("L-6", "tiled scalar", &scalar(4, &[1, 1, 0, 0])),
        desc("L-6", "Morton scalar", &scalar(5, &[])),
        desc("L-6", "COO scalar", &Desc::new(F32, 6, &[], &[0, 0]).payload(coo(0, 0))),
        desc("L-6", "partition of a scalar", &head_desc(1, 0, 0, &[])),
        desc("D-1", "private payload past the end", &tag(0xF3).payload(vec![0xFF; 12])),
    ]
}

/// A tiling level: tile, outer and inner order, then whatever follows.
fn level(tile: &[u64], outer: u8, inner: u8, more: &[u8]) -> Vec<u8> {
    let mut b = u64s(tile);
    b.extend([outer, inner, 0, 0]);
    b.extend(more);
    b
}

fn tiled() -> Vec<Case> {
    let t = |payload| Desc::new(F32, 4, &[8, 8], &[256]).payload(payload);
    let nested = |depth: usize| {
        let mut payload = level(&[4, 4], 1, 1, &[]);
        (1..depth).for_each(|_| payload = level(&[4, 4], 1, 4, &payload));
        payload
    };
    let mut reserved = level(&[4, 4], 1, 1, &[]);
    reserved[18] = 1;
    ok(&t(level(&[4, 4], 2, 3, &i64s(&[1, 4]))));
    ok(&t(level(&[4, 4], 1, 4, &level(&[2, 2], 3, 1, &i64s(&[1, 2])))));
    ok(&t(nested(8)));
    vec![
        desc("L-14", "tile 0", &t(level(&[4, 0], 1, 1, &[]))),
        desc("L-14", "outer 4", &t(level(&[4, 4], 4, 1, &[]))),
        desc("L-14", "inner 5", &t(level(&[4, 4], 1, 5, &[]))),
        desc("L-14", "reserved", &t(reserved)),
        desc("L-15", "9 levels", &t(nested(9))),
        desc("L-16", "does not divide", &t(level(&[4, 4], 1, 4, &level(&[3, 2], 1, 1, &[])))),
        desc("L-16", "inner strides leave", &t(level(&[4, 4], 1, 3, &i64s(&[1, 5])))),
        desc("L-16", "inner strides negative", &t(level(&[4, 4], 1, 3, &i64s(&[-1, 4])))),
        desc("L-16", "nested outer strides leave", &t(level(&[4, 4], 1, 4, &level(&[2, 2], 3, 1, &i64s(&[1, 3]))))),
    ]
}

fn curves() -> Vec<Case> {
    let morton = |shape: &[u64], bits: &[u32]| Desc::new(F32, 5, shape, &[1 << 12]).payload(u32s(bits));
    let hilbert = |shape: &[u64], order, rank| Desc::new(F32, 0x40, shape, &[64]).payload(u32s(&[order, rank]));
    ok(&morton(&[4, 4], &[2, 2]));
    ok(&morton(&[1, 5], &[1, 3]));
    ok(&morton(&[DYNAMIC, 4], &[2, 2]));
    ok(&hilbert(&[4, 4], 2, 2));
    vec![
        desc("L-17", "0 bits", &morton(&[4, 4], &[2, 0])),
        desc("L-18", "5 in 2 bits", &morton(&[4, 5], &[2, 2])),
        desc("L-19", "65 bits", &morton(&[4, 4], &[2, 33])),
        desc("L-19", "2^32-1 bits", &morton(&[4, 4], &[u32::MAX, 2])),
        desc("L-20", "order 0", &hilbert(&[1, 1], 0, 2)),
        desc("L-20", "rank 1", &hilbert(&[4], 2, 1)),
        desc("L-21", "another rank", &hilbert(&[4, 4], 2, 3)),
        desc("L-21", "extent 5", &hilbert(&[4, 5], 2, 2)),
        desc("L-22", "66 bits", &hilbert(&[4, 4], 33, 2)),
        desc("L-22", "order 2^32-1", &hilbert(&[4, 4], u32::MAX, 2)),
    ]
}

fn sparse() -> Vec<Case> {
    let f = |layout, shape: &[u64], sizes: &[u64], payload| Desc::new(F32, layout, shape, sizes).payload(payload);
    let csr = |shape: &[u64], payload| f(7, shape, &[0, 0, 32], payload);
    let cube = [2u64, 2, 2];
    let tree = [0u64, 16, 0, 8, 0, 8, 0];
    let csf = |shape: &[u64], payload| f(9, shape, &tree, payload);
    let touched = |mut payload: Vec<u8>, at: usize| {
        payload[at] = 1;
        payload
    };
    ok(&csf(&cube, csf_(0, &[2, 0, 1])));
    let counted = f(6, &[9], &[8, 16], coo(2, 0)).statistics(0, 1);
    vec![
        desc("L-23", "COO", &f(6, &[9], &[0, 0], touched(coo(0, 0), 15))),
        desc("L-23", "CSR", &csr(&[3, 3], touched(compressed(0), 8))),
        desc("L-23", "CSC", &f(8, &[3, 3], &[0, 0, 32], touched(compressed(0), 15))),
        desc("L-23", "CSF", &csf(&cube, touched(csf_(0, &[0, 1, 2]), 20))),
        desc("L-24", "is_sorted 2", &f(6, &[9], &[0, 0], coo(0, 2))),
        desc("L-25", "CSR of rank 3", &csr(&[3, 3, 3], compressed(0))),
        desc("L-25", "CSC of rank 1", &f(8, &[3], &[0, 0, 32], compressed(0))),
        desc("L-26", "CSF of rank 2", &f(9, &[2, 2], &tree[..5], csf_(0, &[0, 1]))),
        desc("L-27", "twice", &csf(&cube, csf_(0, &[0, 1, 1]))),
        desc("L-27", "out of range", &csf(&cube, csf_(0, &[0, 1, 3]))),
        desc("L-27", "2^32-1, with a shard", &csf(&cube, csf_(0, &[0, 1, u32::MAX])).shard(&cube, &[0; 3])),
        desc("L-28", "CSF", &csf(&cube, csf_(0, &[0, 1, 2])).shard(&cube, &[0; 3])),
        desc("L-28", "block-paged", &page(4, 1, 0).shard(&[0, 2, 2], &[0; 3])),
        desc("L-30", "0 of 2", &counted),
    ]
}

fn csf_(nnz: u64, order: &[u32]) -> Vec<u8> {
    csf(nnz, order)
}

/// No tokens, H = D = 2, one sequence.
fn page(size: u32, pages: u64, axis: u32) -> Desc {
    Desc::new(F32, 10, &[0, 2, 2], &[0, 0, 8]).payload(paged(size, pages, axis, 1))
}

fn paged_cases() -> Vec<Case> {
    let touched = |at: usize, value: u8| {
        let mut d = page(4, 1, 0);
        d.payload[at] = value;
        d
    };
    ok(&page(4, 1, 0));
    let rank2 = Desc::new(F32, 10, &[0, 2], &[0, 0, 8]).payload(paged(4, 1, 0, 1));
    let int8 = |scheme: &[u8]| {
        let d = Desc::new(I8, 10, &[0, 2, 2], &[0, 0, 8, 8, 0]).payload(paged(4, 1, 0, 1));
        Desc { handles: d.handles[..4].to_vec(), ..d }.quantization(scheme)
    };
    let none = u32::MAX;
    let mut whole = int8(&per_block(1, 0, 4, 3, none, 1));
    whole.handles[3][0] = 8;
    ok(&whole);
    vec![
        desc("L-34", "rank 2", &rank2),
        desc("L-35", "page size 0", &page(0, 1, 0)),
        desc("L-35", "paged axis 1", &page(4, 1, 1)),
        desc("L-36", "role 3", &touched(20, 3)),
        desc("L-36", "index type 2", &touched(25, 2)),
        desc("L-37", "reserved", &touched(31, 1)),
        desc("L-40", "per-channel on axis 0", &int8(&per_channel(1, 0, 3, none))),
        desc("L-40", "per-block on axis 1", &int8(&per_block(1, 1, 4, 3, none, 1))),
        desc("L-40", "block of another size", &int8(&per_block(1, 0, 8, 3, none, 1))),
        desc("Q-6", "behind block-paged", &int8(&[4, 1, 1, 0, 0, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0])),
        desc("Q-1", "behind block-paged", &int8(&[])),
    ]
}

fn heads() -> Vec<Case> {
    let h = |rule, op, n| head_desc(rule, op, n, &[4, 4]);
    let mut reserved = h(3, 0, 0);
    reserved.payload[2] = 1;
    vec![
        desc("L-43", "rule 0", &h(0, 0, 0)),
        desc("L-43", "rule 4", &h(4, 0, 0)),
        desc("L-43", "private rule", &h(0xF0, 0, 0)),
        desc("L-43", "rule 0xFF", &h(0xFF, 0, 0)),
        desc("L-44", "partition with add", &h(1, 2, 1)),
        desc("L-44", "overlay with 0", &h(2, 0, 1)),
        desc("L-44", "overlay with 3", &h(2, 3, 1)),
        desc("L-45", "reserved", &reserved),
        desc("L-45", "open", &h(3, 0, u32::MAX)),
        desc("L-53", "empty overlay", &h(2, 1, 0)),
        desc("L-55", "dynamic partition", &head_desc(1, 0, 0, &[DYNAMIC])),
        desc("L-55", "dynamic overlay", &head_desc(2, 1, 1, &[4, DYNAMIC])),
    ]
}

const NAMES: [&str; 4] = ["m0", "m1", "m2", "m3"];

/// A head over these members.
fn composed(head: &Desc, members: &[Desc]) -> Built {
    let members = NAMES.iter().zip(members).map(|(n, d)| tensor(n, d));
    build(&[tensor("head", head)].into_iter().chain(members).collect::<Vec<_>>(), &[])
}

fn partitions() -> Vec<Case> {
    let head = head_desc(1, 0, 2, &[4, 4]);
    let half = |at| Desc::dense(&[4, 2]).shard(&[4, 4], &[0, at]);
    let case = |code, what, a: Desc, b: Desc| file(code, what, &composed(&head, &[a, b]));
    let ints = Desc::new(0x14, 1, &[4, 2], &[32]);
    let quantized = Desc::new(I8, 1, &[4, 2], &[8]).quantization(&per_tensor(1.0, 0));
    assert_eq!(first(&composed(&head, &[half(0), half(2)]).bytes), Ok(()));
    let decodes = quantized.clone().shard(&[4, 4], &[0, 0]);
    assert_eq!(first(&composed(&head, &[decodes.clone(), half(2)]).bytes), Ok(()));
    let int_head = Desc { element_type: 0x14, ..head_desc(1, 0, 1, &[4, 2]) };
    let huge = head_desc(1, 0, 1, &[1 << 63, 4]);
    let corner = Desc::dense(&[1, 4]).shard(&[1 << 63, 4], &[0, 0]);
    vec![
        case("L-47", "no shard", half(0), Desc::dense(&[4, 2])),
        case("L-47", "another parent", half(0), Desc::dense(&[4, 2]).shard(&[4, 8], &[0, 2])),
        case("L-48", "int32 in float32", half(0), ints.shard(&[4, 4], &[0, 2])),
        file("L-48", "decoded float32 in int32", &composed(&int_head, &[quantized.shard(&[4, 2], &[0, 0])])),
        case("L-51", "member section", half(0), half(2).member(0)),
        case("L-52", "overlap", half(0), half(1)),
        case("L-52", "gap", half(0), Desc::dense(&[4, 1]).shard(&[4, 4], &[0, 2])),
        case("L-52", "empty box inside", half(0), Desc::dense(&[0, 2]).shard(&[4, 4], &[1, 0])),
        file("L-52", "gap in 2^65 elements", &composed(&huge, &[corner])),
        file("L-52", "no member, not empty", &composed(&head_desc(1, 0, 0, &[4]), &[])),
        file("L-51", "group member section", &composed(&head_desc(3, 0, 1, &[4]), &[half(0).member(1)])),
    ]
}

fn overlays() -> Vec<Case> {
    let head = head_desc(2, 1, 2, &[4, 4]);
    let base = || Desc::dense(&[4, 4]).shard(&[4, 4], &[0, 0]);
    let patch = || Desc::dense(&[2, 2]).shard(&[4, 4], &[1, 1]);
    let case = |what, a: Desc, b: Desc| file("L-49", what, &composed(&head, &[a, b]));
    let fine = composed(&head, &[base().member(1), patch().member(0)]);
    assert_eq!(first(&fine.bytes), Ok(()));
    vec![
        case("no section", base(), patch().member(0)),
        case("correction first", base().member(0), patch().member(0)),
        case("two bases", base().member(1), patch().member(1)),
        case("base does not span", patch().member(1), patch().member(0)),
        case("nested head", base().member(1), head_desc(3, 0, 0, &[2, 2]).shard(&[4, 4], &[0, 0])),
    ]
}
