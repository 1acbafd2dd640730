//! D-1 to D-51: the descriptor's framing, sections and buffer table.

use super::container::file;
use crate::common::desc::{head_desc, Desc, DYNAMIC, F32};
use crate::common::file::{build, tensor, tensor_with};
use crate::common::first;
use crate::Case;
use hurray_core::{ShardDescriptor, TensorDescriptor};
use hurray_wire::check;

/// A file with one tensor, by its descriptor's parts.
pub fn desc(code: &'static str, what: &'static str, d: &Desc) -> Case {
    file(code, what, &build(&[tensor("t", d)], &[]))
}

/// A file with one tensor, by its descriptor's bytes.
fn raw(code: &'static str, what: &'static str, edit: impl Fn(&mut Vec<u8>)) -> Case {
    let d = Desc::dense(&[3, 4]);
    let mut t = tensor("t", &d);
    edit(&mut t.descriptor);
    file(code, what, &build(&[t], &[]))
}

/// The fault a descriptor's bytes have without a file around them.
fn alone(code: &'static str, what: &'static str, bytes: &[u8]) -> Case {
    Case { code, what, found: check::decode(bytes).map(drop).map_err(|f| f.code().into()), every: None }
}

pub fn cases() -> Vec<Case> {
    let mut all = framing();
    all.extend(table());
    all.extend(sections());
    all
}

fn framing() -> Vec<Case> {
    let good = Desc::dense(&[3, 4]);
    assert_eq!(first(&build(&[tensor("t", &good)], &[]).bytes), Ok(()));
    let bytes = good.bytes();
    let minor = Desc { version: (1, 1), ..good.clone() };
    let longer = |d: &Desc, more: &[u8], length: u8| {
        let mut b = d.bytes();
        b.extend(more);
        b[6] = length;
        b
    };
    let newer = longer(&minor, &[7, 7, 7], 64);
    assert!(check::decode(&newer).is_ok(), "a newer minor may have more");
    vec![
        alone("D-1", "9 bytes", &bytes[..9]),
        alone("D-1", "last byte missing", &bytes[..60]),
        alone("D-1", "minor 1, length past the bytes", &longer(&minor, &[], 80)),
        alone("D-1", "length 60", &longer(&good, &[], 60)),
        arity(),
        raw("D-2", "magic", |b| b[0] = b'X'),
        desc("D-3", "major 2", &Desc { version: (2, 0), ..good.clone() }),
        desc("D-4", "major 0", &Desc { version: (0, 0), ..good.clone() }),
        alone("D-5", "length 19", &longer(&good, &[], 19)),
        desc("D-6", "flag bit 5", &Desc { flags: 32, ..good.clone() }),
        desc("D-6", "flag bit 5, minor 1", &Desc { flags: 32, ..minor.clone() }),
        raw("D-7", "type 0", |b| b[14] = 0),
        raw("D-7", "type 0xFF", |b| b[14] = 0xFF),
        raw("D-8", "type 0x47", |b| b[14] = 0x47),
        raw("D-8", "type 0x80", |b| b[14] = 0x80),
        raw("D-8", "type 0x05", |b| b[14] = 0x05),
        raw("D-9", "private type without section", |b| b[14] = 0xF0),
        desc("D-9", "section without private type", &good.clone().section(4, &[0; 20])),
        desc("D-13", "rank 65", &Desc::dense(&[1; 65])),
        desc("D-51", "three bytes more", &Desc { sections: vec![0; 3], ..good.clone() }),
    ]
}

/// Only in memory can a per-dimension array have another length than the rank.
fn arity() -> Case {
    let mut d = TensorDescriptor::decode(&Desc::dense(&[3, 4]).bytes()).unwrap();
    d.shard = Some(ShardDescriptor::new(vec![8], vec![0]).unwrap());
    Case {
        code: "D-1",
        what: "a shard of rank 1 on a tensor of rank 2",
        found: check::all(&d).map_err(|f| f.code().into()),
        every: None,
    }
}

fn table() -> Vec<Case> {
    let good = Desc::dense(&[3, 4]);
    let two = |d: Desc| Desc { handles: vec![d.handles[0]; 2], ..d };
    let cuda = |d: Desc, b| d.handle_byte(b, 12, 1);
    let coo = || Desc::new(F32, 6, &[4], &[4, 8]).payload(crate::common::desc::coo(1, 0));
    let ok = |d: &Desc| assert_eq!(first(&build(&[tensor("t", d)], &[]).bytes), Ok(()));
    ok(&coo());
    ok(&cuda(good.clone(), 0).handle_byte(0, 14, 3));
    ok(&good.clone().handle_byte(0, 12, 0xF0).handle_byte(0, 14, 0xF1));
    vec![
        desc("D-15", "byte_offset 49 of 48", &good.clone().byte_offset(49)),
        desc("D-15", "empty tensor, byte_offset 1", &Desc::dense(&[0]).byte_offset(1)),
        desc("D-16", "COO with byte_offset", &coo().byte_offset(4)),
        desc("D-29", "no buffer", &Desc { handles: vec![], ..good.clone() }),
        desc("D-31", "two buffers", &two(good.clone())),
        desc("D-31", "COO with one", &Desc { handles: good.handles.clone(), ..coo() }),
        desc("D-32", "alignment 0", &good.clone().handle_byte(0, 8, 0)),
        desc("D-32", "alignment 96", &good.clone().handle_byte(0, 8, 96)),
        desc("D-32", "alignment 32", &good.clone().handle_byte(0, 8, 32)),
        desc("D-33", "device 9", &good.clone().handle_byte(0, 12, 9)),
        desc("D-33", "device 0xFF", &good.clone().handle_byte(0, 12, 0xFF)),
        desc("D-34", "sync 3", &good.clone().handle_byte(0, 13, 3)),
        desc("D-34", "CPU with sync 1", &good.clone().handle_byte(0, 13, 1)),
        desc("D-35", "class 4", &good.clone().handle_byte(0, 14, 4)),
        desc("D-35", "class 0xFF", &good.clone().handle_byte(0, 14, 0xFF)),
        desc("D-36", "CPU peer", &good.clone().handle_byte(0, 14, 3)),
        desc("D-36", "WebGPU unified", &good.clone().handle_byte(0, 12, 5).handle_byte(0, 14, 2)),
        desc("D-36", "private class on CUDA", &cuda(good.clone(), 0).handle_byte(0, 14, 0xF0)),
        desc("D-36", "private device, unified", &good.clone().handle_byte(0, 12, 0xF0).handle_byte(0, 14, 2)),
        desc("D-37", "reserved", &good.clone().handle_byte(0, 15, 1)),
        desc("D-38", "two devices", &cuda(coo(), 1)),
        desc("D-38", "two classes", &coo().handle_byte(1, 14, 1)),
    ]
}

fn sections() -> Vec<Case> {
    let good = Desc::dense(&[3, 4]);
    let dynamic = Desc::new(F32, 1, &[3, DYNAMIC], &[48]);
    let member = tensor("m", &good.clone().member(1));
    let mut reserved = good.clone().member(1);
    reserved.sections[15] = 1;
    assert_eq!(first(&build(&[member], &[]).bytes), Ok(()));
    let private = Desc::new(0xF0, 1, &[3], &[3]);
    vec![
        desc("D-44", "past the parent", &good.clone().shard(&[8, 8], &[6, 0])),
        desc("D-44", "sum wraps", &good.clone().shard(&[8, 8], &[u64::MAX - 1, 0])),
        desc("D-45", "dynamic shape", &dynamic.shard(&[8, DYNAMIC], &[0, 0])),
        desc("D-45", "dynamic parent", &good.clone().shard(&[8, DYNAMIC], &[0, 0])),
        desc("D-47", "mask bit 6", &good.clone().statistics(0, 64)),
        desc("D-47", "reserved 4", &good.clone().statistics(4, 1)),
        desc("D-47", "reserved 71", &good.clone().statistics(71, 1)),
        desc("D-47", "has_nan 2", &good.clone().statistics(66, 2)),
        desc("D-48", "7 bits", &private.clone().extension(7, 1, 0, 0)),
        desc("D-48", "0 bits", &private.clone().extension(0, 1, 0, 0)),
        desc("D-48", "4 bits, one to a byte", &private.clone().extension(4, 1, 0, 0)),
        desc("D-48", "16 bits, two to a byte", &private.clone().extension(16, 2, 0, 0)),
        desc("D-48", "reserved", &private.clone().extension(8, 1, 10, 1)),
        desc("D-48", "is_float 2", &private.clone().extension(8, 1, 5, 2)),
        desc("D-48", "is_float 2 before a member section", &private.extension(8, 1, 5, 2).member(1)),
        desc("L-50", "role 2", &good.clone().member(2)),
        desc("L-50", "reserved", &reserved),
        desc("L-41", "head with a buffer", &Desc { handles: good.handles.clone(), ..head_desc(3, 0, 0, &[2]) }),
        desc("L-41", "head with byte_offset", &head_desc(3, 0, 0, &[2]).byte_offset(1)),
        desc("L-42", "head with member section", &head_desc(3, 0, 0, &[2]).member(1)),
        desc("L-42", "head with quantization", &head_desc(3, 0, 0, &[2]).quantization(&[])),
        file(
            "D-1",
            "quantization past the end",
            &build(&[tensor_with("t", &good.section(1, &[9, 0, 0, 0]), vec![vec![0; 48]])], &[]),
        ),
    ]
}
