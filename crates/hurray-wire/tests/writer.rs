//! The writer: what it refuses, what a failing output does to it, and that its files depend on
//! nothing but the tensors.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use common::samples::{decode, filled, sources, tensors};
use hurray_core::{BufferHandle, DeviceTag, SyncMode, TensorDescriptor};
use hurray_wire::{Container, Error, InputError, KvArray, KvValue, Output, Source, Writer};
use std::io::{self, ErrorKind, Write};

fn input(result: Result<(), Error>) -> InputError {
    match result {
        Err(Error::Input(e)) => *e,
        other => panic!("{other:?}"),
    }
}

fn code(result: Result<(), Error>) -> &'static str {
    match result {
        Err(Error::Bad(p)) => {
            assert!(p.tensor.is_some(), "{p} names the tensor");
            p.fault.code()
        }
        other => panic!("{other:?}"),
    }
}

/// Puts a tensor into a fresh writer that already holds "taken"; the bytes written must not change.
fn refused(name: &str, d: &TensorDescriptor, buffers: &[&dyn Source]) -> Result<(), Error> {
    let mut out = Vec::new();
    let mut w = Writer::new(&mut out, vec![]).unwrap();
    let taken = decode(&Desc::dense(&[1]));
    w.put("taken", &taken, &[&vec![0; 4]]).unwrap();
    let sizes: Vec<u64> = buffers.iter().map(|b| b.len()).collect();
    let checked = format!("{:?}", w.check(name, d, &sizes));
    let result = w.put(name, d, buffers);
    assert_eq!(checked, format!("{result:?}"), "check and put agree");
    // A refusal leaves the writer as it was: what follows is a sound file.
    w.put("after", &taken, &[&vec![0; 4]]).unwrap();
    w.finish().unwrap();
    assert_eq!(Container::open(&out[..]).unwrap().len(), 2);
    result
}

#[test]
fn names_and_sizes() {
    let d = decode(&Desc::dense(&[2]));
    let eight: &dyn Source = &vec![0u8; 8];
    let nine: &dyn Source = &vec![0u8; 9];
    assert_eq!(input(refused("", &d, &[eight])), InputError::EmptyName);
    assert!(matches!(input(refused("taken", &d, &[eight])), InputError::DuplicateName { .. }));
    let long = "x".repeat(65536);
    assert!(matches!(input(refused(&long, &d, &[eight])), InputError::NameTooLong { length: 65536, .. }));
    let wrong = input(refused("t", &d, &[nine]));
    assert!(matches!(wrong, InputError::WrongBufferSize { buffer: 0, expected: 8, found: 9, .. }));
    assert!(matches!(input(refused("t", &d, &[])), InputError::WrongBufferCount { expected: 1, found: 0, .. }));
    let dynamic = decode(&Desc::new(F32, 1, &[2, DYNAMIC], &[8]));
    assert!(matches!(input(refused("t", &dynamic, &[eight])), InputError::DynamicShape { dim: 1, .. }));
    let huge = decode(&Desc::new(I8, 1, &[1], &[i64::MAX as u64]));
    let endless: &dyn Source = &Endless;
    assert!(matches!(input(refused("t", &huge, &[endless])), InputError::FileTooLarge { .. }));
}

struct Endless;

impl Source for Endless {
    fn len(&self) -> u64 {
        i64::MAX as u64
    }

    fn write_to(&self, _: &mut dyn Write) -> io::Result<()> {
        unreachable!("refused before")
    }
}

#[test]
fn rules_of_the_format() {
    let eight: &dyn Source = &vec![0u8; 8];
    let short = decode(&Desc::new(F32, 1, &[3], &[8]));
    assert_eq!(code(refused("t", &short, &[eight])), "L-12");
    let mut old = decode(&Desc::dense(&[2]));
    old.version_major = 0;
    assert_eq!(code(refused("t", &old, &[eight])), "D-4");
    let mut mask = decode(&Desc::dense(&[2]).statistics(0, 0));
    mask.statistics.as_mut().unwrap().computed_mask.0 = 64;
    assert_eq!(code(refused("t", &mask, &[eight])), "D-47");
    let negative = decode(&Desc::dense(&[2]).statistics(0, 8).clone());
    let mut negative = negative;
    negative.statistics.as_mut().unwrap().value_stddev = -1.0;
    assert!(matches!(input(refused("t", &negative, &[eight])), InputError::Unwritable { .. }));
    let odd = decode(&Desc::new(0, 1, &[4], &[8]).extension(12, 1, 0, 0));
    assert!(matches!(input(refused("t", &odd, &[eight])), InputError::Unwritable { .. }));
}

#[test]
fn metadata() {
    let refused = |kv: Vec<(String, KvValue)>| {
        let mut out = Vec::new();
        let result = Writer::new(&mut out, kv).map(drop);
        assert_eq!(out.len(), 0, "nothing is written");
        input(result)
    };
    let yes = || KvValue::Bool(true);
    assert_eq!(refused(vec![(String::new(), yes())]), InputError::EmptyKey);
    let twice = vec![("k".to_owned(), yes()), ("k".to_owned(), yes())];
    assert_eq!(refused(twice), InputError::DuplicateKey { key: "k".into() });
    assert!(matches!(refused(vec![("x".repeat(65536), yes())]), InputError::KeyTooLong { .. }));
    // An empty list of anything is the one empty list (ruling 16).
    let kv = vec![("k".to_owned(), KvValue::Array(KvArray::Int64(vec![])))];
    let bytes = Writer::new(Vec::new(), kv).unwrap().finish().unwrap();
    let c = Container::open(&bytes[..]).unwrap();
    assert_eq!(c.kv()[0].1, KvValue::Array(KvArray::String(vec![])));
    assert_eq!(c.flags(), 5);
    let empty = Writer::new(Vec::new(), vec![]).unwrap().finish().unwrap();
    assert_eq!(empty.len(), 112, "the smallest file there is");
    assert!(Container::open(&empty[..]).unwrap().is_empty());
}

/// The same file, whatever the memory's alignment and the descriptor's history.
#[test]
fn same_tensors_same_bytes() {
    let write = |change: &dyn Fn(&mut TensorDescriptor)| {
        let mut w = Writer::new(Vec::new(), vec![]).unwrap();
        for (name, mut d) in tensors() {
            let buffers = filled(&d, 3);
            change(&mut d);
            w.put(name, &d, &sources(&buffers)).unwrap();
        }
        w.finish().unwrap()
    };
    let plain = write(&|_| {});
    assert_eq!(plain, write(&|d| d.version_minor = 1));
    let aligned = |d: &mut TensorDescriptor| {
        let handle = |h: &BufferHandle| {
            BufferHandle::new(h.byte_size(), 4096, DeviceTag::Cpu, SyncMode::ProducerSynced).unwrap()
        };
        d.buffers = d.buffers.iter().map(handle).collect();
    };
    assert_eq!(plain, write(&aligned));
    let c = Container::open(&plain[..]).unwrap();
    for i in 0..c.len() {
        for h in c.tensor(&plain[..], i).unwrap().descriptor.buffers {
            assert_eq!(h.alignment(), if h.is_empty() { 1 } else { 64 });
        }
    }
}

#[test]
fn composites() {
    let half = |at| decode(&Desc::dense(&[4, 2]).shard(&[4, 4], &[0, at]));
    let bytes = vec![0u8; 32];
    let mut w = Writer::new(Vec::new(), vec![]).unwrap();
    w.put("head", &decode(&head_desc(1, 0, 2, &[4, 4])), &[]).unwrap();
    assert_eq!(code(w.put("x", &decode(&Desc::dense(&[8])), &[&bytes])), "L-47");
    w.put("left", &half(0), &[&bytes]).unwrap();
    // The last member closes the partition: a wrong one is refused, and the right one still fits.
    assert_eq!(code(w.put("x", &half(1), &[&bytes])), "L-52");
    w.put("right", &half(2), &[&bytes]).unwrap();
    let file = w.finish().unwrap();
    assert_eq!(Container::open(&file[..]).unwrap().composites(&file[..]).unwrap().len(), 1);
    let mut torn = Writer::new(Vec::new(), vec![]).unwrap();
    torn.put("head", &decode(&head_desc(3, 0, 1, &[4])), &[]).unwrap();
    match torn.finish() {
        Err(Error::Bad(p)) => assert_eq!(p.fault.code(), "F-42"),
        other => panic!("{other:?}"),
    }
    let mut deep = Writer::new(Vec::new(), vec![]).unwrap();
    for k in 0..8 {
        deep.put(&k.to_string(), &decode(&head_desc(3, 0, 1, &[4])), &[]).unwrap();
    }
    assert_eq!(code(deep.put("9", &decode(&head_desc(3, 0, 1, &[4])), &[])), "F-43");
}

/// Fails with `StorageFull` after so many bytes.
struct Full(usize);

impl Output for Full {}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.0);
        self.0 -= n;
        match n {
            0 if !bytes.is_empty() => Err(ErrorKind::StorageFull.into()),
            n => Ok(n),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn fill(out: Full) -> Result<(), Error> {
    let kv = vec![("k".to_owned(), KvValue::Bool(true))];
    let mut w = Writer::new(out, kv)?;
    for (name, d) in tensors().iter().take(4) {
        if let Err(e) = w.put(name, d, &sources(&filled(d, 0))) {
            assert_eq!(input(w.put("more", d, &sources(&filled(d, 0)))), InputError::Broken);
            assert!(matches!(w.finish(), Err(Error::Input(b)) if *b == InputError::Broken));
            return Err(e);
        }
    }
    w.finish().map(drop)
}

#[test]
fn a_full_disk_at_any_byte() {
    let mut length = 0;
    while let Err(e) = fill(Full(length)) {
        match e {
            Error::Io(e) => assert_eq!(e.kind(), ErrorKind::StorageFull),
            other => panic!("{other:?}"),
        }
        // Every byte of header and first descriptor, then a step that meets no alignment.
        length += if length < 200 { 1 } else { 61 };
    }
    println!("a file of {length} bytes");
    assert!(length > 8192);
}

/// Says one length and gives another.
struct Liar(u64, usize);

impl Source for Liar {
    fn len(&self) -> u64 {
        self.0
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&vec![1; self.1])
    }
}

#[test]
fn a_source_is_held_to_its_length() {
    let d = decode(&Desc::dense(&[2]));
    for given in [0, 7, 9, 100] {
        let mut w = Writer::new(Vec::new(), vec![]).unwrap();
        assert!(matches!(w.put("t", &d, &[&Liar(8, given)]), Err(Error::Io(_))), "{given}");
        assert!(matches!(w.finish(), Err(Error::Input(_))));
    }
    let mut w = Writer::new(Vec::new(), vec![]).unwrap();
    w.put("t", &d, &[&Liar(8, 8)]).unwrap();
    w.finish().unwrap();
}
