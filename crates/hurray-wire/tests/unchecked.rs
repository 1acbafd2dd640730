//! Descriptors built in memory can hold what no decoder lets in: each tier alone must stand it.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use common::samples::{decode, filled, slices, sources};
use hurray_core::{LayoutDescriptor, ShardDescriptor, TensorDescriptor};
use hurray_wire::{check, contents, Container, ReadAt, Writer};

fn endure(d: &TensorDescriptor) {
    let _ = (check::shape_tier(d), check::count_tier(d), check::size_tier(d));
    check::each(d, &mut |fault| drop(fault.to_string()));
    let buffers = filled(d, 0);
    let slices = slices(&buffers);
    let sources: Vec<&dyn ReadAt> = slices.iter().map(|s| s as &dyn ReadAt).collect();
    let _ = contents(d, &sources);
    assert!(check::all(d).is_err());
}

#[test]
fn each_tier_stands_alone() {
    let mut morton = decode(&Desc::new(F32, 5, &[4, 4], &[64]).payload(u32s(&[2, 2])));
    let LayoutDescriptor::Morton(m) = &mut morton.layout else { panic!() };
    m.morton_bits = vec![u32::MAX, 0, 7];
    endure(&morton);
    let mut hilbert = decode(&Desc::new(F32, 0x40, &[4, 4], &[64]).payload(u32s(&[2, 2])));
    let LayoutDescriptor::Hilbert(h) = &mut hilbert.layout else { panic!() };
    (h.hilbert_order, h.hilbert_rank) = (u32::MAX, u32::MAX);
    endure(&hilbert);
    let mut tree = decode(&Desc::new(F32, 9, &[2, 2, 2], &[0, 16, 0, 8, 0, 8, 0]).payload(csf(0, &[0, 1, 2])));
    let LayoutDescriptor::Csf(c) = &mut tree.layout else { panic!() };
    c.mode_order = vec![];
    endure(&tree);
    c_with(&mut tree, vec![u32::MAX; 70]);
    endure(&tree);
    let mut strided = decode(&Desc::new(F32, 3, &[4, 4], &[64]).payload(i64s(&[4, 1])));
    let LayoutDescriptor::Strided(s) = &mut strided.layout else { panic!() };
    s.strides = vec![i64::MIN];
    endure(&strided);
    let mut tiled = decode(&Desc::new(F32, 4, &[4, 4], &[64]).payload([u64s(&[2, 2]), vec![1, 1, 0, 0]].concat()));
    let LayoutDescriptor::Tiled(t) = &mut tiled.layout else { panic!() };
    t.tile_shape = vec![0];
    endure(&tiled);
    let mut quantized = decode(&Desc::new(I8, 1, &[4], &[4, 16, 16]).quantization(&per_channel(0, 0, 1, 2)));
    quantized.element_type = hurray_core::ElementType::Float128;
    endure(&quantized);
    quantized.buffers.clear();
    endure(&quantized);
}

fn c_with(d: &mut TensorDescriptor, order: Vec<u32>) {
    let LayoutDescriptor::Csf(c) = &mut d.layout else { panic!() };
    c.mode_order = order;
}

/// A member whose shard has another rank than its head.
#[test]
fn composites_of_anything() {
    let half = |at| decode(&Desc::dense(&[4, 2]).shard(&[4, 4], &[0, at]));
    let all = [decode(&head_desc(1, 0, 2, &[4, 4])), half(0), half(2)];
    let mut w = Writer::new(Vec::new(), vec![]).unwrap();
    for (name, d) in ["h", "l", "r"].iter().zip(&all) {
        w.put(name, d, &sources(&filled(d, 0))).unwrap();
    }
    let file = w.finish().unwrap();
    let c = Container::open(&file[..]).unwrap();
    assert_eq!(c.composites_of(&all).unwrap().len(), 1);
    let mut short = all.clone();
    short[1].shard = Some(ShardDescriptor { parent_shape: vec![4, 4], shard_offset: vec![0] });
    assert!(c.composites_of(&short).is_err());
    let mut flat = all.clone();
    flat[2].shape = hurray_core::Shape::new([8]).unwrap();
    assert!(c.composites_of(&flat).is_err());
}
