//! What must be read although it looks wrong, and that verification reports all that is wrong.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use common::file::{build, tensor, Built};
use common::{every, first};
use hurray_wire::{Container, KvValue};

const KV: [u8; 9] = [1, 0, 0, 0, 1, 0, b'k', 5, 1];

fn two() -> Built {
    build(&[tensor("a", &Desc::dense(&[2, 2])), tensor("b", &Desc::dense(&[3]))], &KV)
}

fn sound(what: &str, f: &Built) {
    assert_eq!(first(&f.bytes), Ok(()), "{what}");
    assert_eq!(every(&f.bytes), Vec::<&str>::new(), "{what}");
}

/// One byte more in front of the trailer, counted in the field at `length` of the trailer.
fn longer(f: &Built, length: usize) -> Built {
    let mut f = f.clone();
    f.bytes.insert(f.trailer, 7);
    f.trailer += 1;
    let old = f.bytes[f.trailer + length];
    f.with(f.trailer + length, &[old + 1])
}

/// file.md §11.1: hurray-io never sets the flag.
#[test]
fn metadata_without_its_flag() {
    let f = two().with(12, &[4]);
    sound("flag clear", &f);
    let c = Container::open(&f.bytes[..]).unwrap();
    assert_eq!(c.kv(), [("k".to_owned(), KvValue::Bool(true))]);
    sound("no checksum", &two().with(12, &[1]));
}

/// file.md §11.2: a head's data_offset says nothing.
#[test]
fn a_heads_data_offset() {
    let f = build(&[tensor("g", &head_desc(3, 0, 0, &[2])), tensor("t", &Desc::dense(&[1]))], &[]);
    for offset in [0, 1, 64, 4096, u64::MAX] {
        sound("data_offset", &f.with(f.field(0, 12), &offset.to_le_bytes()));
    }
}

/// file.md §11.8, versioning.md §4: a newer minor may append and may give reserved bytes a meaning.
#[test]
fn a_newer_minor() {
    let f = two();
    let newer = |f: &Built| f.with(9, &[3]);
    assert_eq!(Container::open(&newer(&f).bytes[..]).unwrap().version(), (1, 3));
    sound("minor 3", &newer(&f));
    sound("header bytes", &newer(&f).with(40, &[9]));
    sound("trailer bytes", &newer(&f).with(f.trailer + 32, &[9]));
    let index = longer(&f, 8);
    assert_eq!(first(&index.bytes), Err("F-16".to_owned()));
    sound("index", &newer(&index));
    // The metadata's own padding becomes its trailing bytes.
    let kv = f.with(f.trailer + 24, &[KV.len() as u8 + 3]);
    assert_eq!(first(&kv.bytes), Err("F-41".to_owned()));
    sound("metadata", &newer(&kv));
    let flags = newer(&f).with(12, &[0x0D]);
    assert_eq!(first(&flags.bytes), Err("F-4".to_owned()), "unknown flags never");
}

/// Entries in another order than the tensors they name.
#[test]
fn entries_against_the_order_of_offsets() {
    let swapped = build(&[tensor("b", &Desc::dense(&[3])), tensor("a", &Desc::dense(&[3]))], &[]);
    let entry = |i: usize| swapped.bytes[swapped.field(i, 0)..swapped.field(i, 28)].to_vec();
    let exchanged = swapped.torn(swapped.field(0, 0), &entry(1)).with(swapped.field(1, 0), &entry(0));
    sound("exchanged", &exchanged);
    let c = Container::open(&exchanged.bytes[..]).unwrap();
    assert!(c.entry(0).descriptor_offset > c.entry(1).descriptor_offset);
}

#[test]
fn verification_reports_every_problem() {
    let a = Desc::new(F32, 1, &[9], &[16]).byte_offset(20);
    let b = Desc::dense(&[3]).handle_byte(0, 14, 3).quantization(&per_tensor(1.0, 0));
    let f = build(&[tensor("a", &a), tensor("b", &b)], &KV);
    let f = f.torn(5, b"I").torn(10, &[1]).torn(40, &[1]).with(f.field(1, 28), &[1]);
    let f = f.with(f.data[0] - 1, &[1]).with(f.data[1] - 1, &[1]).with(f.kv + 8, &[2]);
    let found = every(&f.bytes);
    for code in ["F-5", "F-19", "F-37", "D-15", "L-12", "Q-7", "D-36", "F-46"] {
        assert!(found.contains(&code), "{code} in {found:?}");
    }
    assert_eq!(found.iter().filter(|c| **c == "F-46").count(), 2, "{found:?}");
    let problems = hurray_wire::verify(&f.bytes[..]).unwrap();
    let told = problems.iter().find(|p| p.fault.code() == "Q-7").unwrap();
    assert_eq!(told.tensor.as_deref(), Some("b"));
    assert!(told.to_string().contains("\"b\"") && told.to_string().contains("Q-7"));
}

#[test]
fn containers_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Container>();
    crosses::<hurray_wire::Error>();
}
