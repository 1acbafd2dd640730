//! hurray-io 0.1.0 reads our files and we read its.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::samples::{composite, filled, slices, sources, tensors};
use hurray_core::TensorDescriptor;
use hurray_io::file::{FileCompositeNode, FileItem, FileReader, FileWriter, FileWriterOptions, KvValue as PeerValue};
use hurray_wire::{Composite, Container, KvArray, KvValue, Member, Writer};
use std::future::Future;
use std::io::Cursor;

fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(future)
}

fn same_content(wire: &[u8], i: usize, c: &Container, d: &TensorDescriptor, seed: u8) {
    let located = c.tensor(wire, i).unwrap();
    assert_eq!(located.descriptor, *d);
    for (range, expected) in located.ranges.iter().zip(filled(d, seed)) {
        assert_eq!(wire[range.start as usize..range.end as usize], expected[..]);
    }
}

#[test]
fn we_read_theirs() {
    for (sorted, alignment) in [(false, 4096), (true, 65536)] {
        let options = FileWriterOptions { data_buffer_alignment: alignment, sorted_index: sorted };
        let wire = wait(async {
            let mut w = FileWriter::with_options(Vec::new(), options).await.unwrap();
            for (seed, (name, d)) in tensors().iter().enumerate() {
                let buffers = filled(d, seed as u8);
                w.write_tensor(name, d, &slices(&buffers)).await.unwrap();
            }
            w.finish(peer_kv()).await.unwrap()
        });
        let c = Container::open(&wire[..]).unwrap();
        assert_eq!(c.alignment(), alignment);
        assert_eq!(c.len(), tensors().len());
        for (seed, (name, d)) in tensors().iter().enumerate() {
            same_content(&wire, c.find(name).unwrap(), &c, d, seed as u8);
        }
        assert_eq!(c.find("nobody"), None);
        assert_eq!(c.kv(), our_kv());
        assert_eq!(c.composites(&wire[..]).unwrap(), vec![]);
        // The arbitrary bytes are no sound indices; the file around them is sound.
        let codes = common::every(&wire);
        assert!(codes.iter().all(|c| ["L-31", "L-32", "L-33", "L-38"].contains(c)), "{codes:?}");
    }
}

#[test]
fn they_read_ours() {
    let mut w = Writer::new(Vec::new(), our_kv()).unwrap();
    for (seed, (name, d)) in tensors().iter().enumerate() {
        let buffers = filled(d, seed as u8);
        w.put(name, d, &sources(&buffers)).unwrap();
    }
    let wire = w.finish().unwrap();
    wait(async {
        let mut r = FileReader::open(Cursor::new(wire)).await.unwrap();
        assert_eq!(r.kv(), peer_kv());
        let names: Vec<String> = r.tensor_names().map(str::to_owned).collect();
        assert!(names.iter().eq(tensors().iter().map(|(name, _)| name)));
        for (seed, (name, d)) in tensors().iter().enumerate() {
            let t = r.read_tensor(name).await.unwrap();
            assert_eq!(t.descriptor.shape, d.shape);
            assert_eq!(t.descriptor.layout, d.layout);
            assert_eq!(t.descriptor.quantization, d.quantization);
            let found: Vec<&[u8]> = t.buffers.iter().map(|b| &b[..]).collect();
            assert_eq!(found, slices(&filled(d, seed as u8)));
        }
    });
}

/// The buffers of the composite's leaves.
fn leaf_buffers() -> Vec<Vec<Vec<u8>>> {
    composite().2.iter().map(|d| filled(d, 5)).collect()
}

/// A group of (a partition of l and r) and x, by hurray-io.
fn their_composite(sorted_index: bool) -> Vec<u8> {
    let (outer, inner, leaves) = composite();
    let buffers = leaf_buffers();
    let parts: Vec<Vec<&[u8]>> = buffers.iter().map(|b| slices(b)).collect();
    let leaf = |k: usize, name| FileCompositeNode::Tensor { name, descriptor: &leaves[k], buffers: &parts[k] };
    let nested = [leaf(0, "l"), leaf(1, "r")];
    let members = [FileCompositeNode::Composite { name: "inner", head: &inner, members: &nested }, leaf(2, "x")];
    let options = FileWriterOptions { sorted_index, ..Default::default() };
    wait(async {
        let mut w = FileWriter::with_options(Vec::new(), options).await.unwrap();
        w.write_composite("outer", &outer, &members).await.unwrap();
        w.finish(vec![]).await.unwrap()
    })
}

/// The same by us.
fn our_composite() -> Vec<u8> {
    let (outer, inner, leaves) = composite();
    let mut w = Writer::new(Vec::new(), vec![]).unwrap();
    w.put("outer", &outer, &[]).unwrap();
    w.put("inner", &inner, &[]).unwrap();
    for ((name, d), b) in ["l", "r", "x"].iter().zip(&leaves).zip(leaf_buffers()) {
        w.put(name, d, &sources(&b)).unwrap();
    }
    w.finish().unwrap()
}

/// The composite with its parts at these positions.
fn at(outer: usize, inner: usize, l: usize, r: usize, x: usize) -> Vec<Composite> {
    let nested = Composite { head: inner, members: vec![Member::Tensor(l), Member::Tensor(r)] };
    vec![Composite { head: outer, members: vec![Member::Composite(nested), Member::Tensor(x)] }]
}

#[test]
fn composites_both_ways() {
    let leaves = composite().2;
    for wire in [our_composite(), their_composite(false)] {
        let c = Container::open(&wire[..]).unwrap();
        assert_eq!(c.composites(&wire[..]).unwrap(), at(0, 1, 2, 3, 4));
        assert_eq!(common::every(&wire), Vec::<&str>::new());
        (0..3).for_each(|k| same_content(&wire, k + 2, &c, &leaves[k], 5));
    }
    // The head is followed at once by the next descriptor in ours, by padding in theirs.
    let second = |wire: &[u8]| Container::open(wire).unwrap().entry(1).descriptor_offset;
    assert_eq!((second(&our_composite()), second(&their_composite(false))), (120, 4096));
    wait(async {
        let mut r = FileReader::open(Cursor::new(our_composite())).await.unwrap();
        let read = r.read_composite("outer").await.unwrap();
        assert_eq!(read.members.len(), 2);
        match &read.members[1] {
            FileItem::Tensor(t) => assert_eq!(t.buffers[0][..], leaf_buffers()[2][0][..]),
            other => panic!("{other:?}"),
        }
    });
}

/// A sorted index permutes the entries and nothing else: inner, l, outer, r, x.
#[test]
fn composites_under_a_sorted_index() {
    let wire = their_composite(true);
    let c = Container::open(&wire[..]).unwrap();
    let expected = at(2, 0, 1, 3, 4);
    assert_eq!(c.composites(&wire[..]).unwrap(), expected);
    let descriptors: Vec<_> = (0..5).map(|i| c.tensor(&wire[..], i).unwrap().descriptor).collect();
    assert_eq!(c.composites_of(&descriptors).unwrap(), expected);
    assert_eq!(common::every(&wire), Vec::<&str>::new());
}

fn our_kv() -> Vec<(String, KvValue)> {
    let entry = |key: &str, value| (key.to_owned(), value);
    vec![
        entry("string", KvValue::String("grüße".into())),
        entry("int", KvValue::Int64(-5)),
        entry("uint", KvValue::Uint64(u64::MAX)),
        entry("float", KvValue::Float64(-0.5)),
        entry("bool", KvValue::Bool(true)),
        entry("bytes", KvValue::Bytes(vec![0, 255])),
        entry("strings", KvValue::Array(KvArray::String(vec!["a".into(), String::new()]))),
        entry("ints", KvValue::Array(KvArray::Int64(vec![1, -1]))),
        entry("bools", KvValue::Array(KvArray::Bool(vec![true, false, true]))),
    ]
}

fn peer_kv() -> Vec<(String, PeerValue)> {
    let entry = |key: &str, value| (key.to_owned(), value);
    let bools = [true, false, true].map(PeerValue::Bool).to_vec();
    vec![
        entry("string", PeerValue::String("grüße".into())),
        entry("int", PeerValue::Int64(-5)),
        entry("uint", PeerValue::Uint64(u64::MAX)),
        entry("float", PeerValue::Float64(-0.5)),
        entry("bool", PeerValue::Bool(true)),
        entry("bytes", PeerValue::Bytes(vec![0, 255])),
        entry("strings", PeerValue::Array(["a", ""].map(|s| PeerValue::String(s.into())).to_vec())),
        entry("ints", PeerValue::Array([1, -1].map(PeerValue::Int64).to_vec())),
        entry("bools", PeerValue::Array(bools)),
    ]
}
