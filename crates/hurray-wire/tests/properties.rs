//! Whatever is written is read back, whatever the names, shapes and metadata.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::samples::{filled, sources};
use hurray_core::layout::StridedLayout;
use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, Shape, SyncMode, TensorDescriptor};
use hurray_wire::{check, Container, KvArray, KvValue, Writer};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn element_type() -> impl Strategy<Value = ElementType> {
    prop::sample::select(vec![
        ElementType::Float32,
        ElementType::Int8,
        ElementType::Bool,
        ElementType::Int4,
        ElementType::Uint2,
        ElementType::Float6E2M3,
        ElementType::Complex128,
    ])
}

fn layout(rank: usize) -> impl Strategy<Value = LayoutDescriptor> {
    let strides = prop::collection::vec(-6i64..7, rank);
    prop_oneof![
        Just(LayoutDescriptor::RowMajor),
        Just(if rank > 0 { LayoutDescriptor::ColMajor } else { LayoutDescriptor::RowMajor }),
        strides.prop_map(|s| match s.is_empty() {
            true => LayoutDescriptor::RowMajor,
            false => LayoutDescriptor::Strided(StridedLayout::new(s)),
        }),
    ]
}

/// A descriptor with a buffer that is just large enough, found by the checks themselves.
fn fit(ty: ElementType, dims: &[u64], layout: &LayoutDescriptor, slack: u64) -> TensorDescriptor {
    let make = |offset: u64, size: u64| {
        let handle = BufferHandle::new(size, 64, DeviceTag::Cpu, SyncMode::ProducerSynced).unwrap();
        let shape = Shape::new(dims).unwrap();
        TensorDescriptor::new(1, 0, ty, shape, offset, layout.clone(), vec![handle], None, None, None, None).unwrap()
    };
    let offset = (0..).map(|k| k * 3).find(|&o| check::all(&make(o, 1 << 30)).is_ok()).unwrap();
    let (mut low, mut high) = (0, 1u64 << 30);
    while low < high {
        let mid = low + (high - low) / 2;
        match check::all(&make(offset, mid)) {
            Ok(()) => high = mid,
            Err(_) => low = mid + 1,
        }
    }
    make(offset, low + slack)
}

fn tensor() -> impl Strategy<Value = TensorDescriptor> {
    let dims = prop::collection::vec(0u64..6, 0..5);
    (dims, element_type(), 0u64..3)
        .prop_flat_map(|(dims, ty, slack)| layout(dims.len()).prop_map(move |l| fit(ty, &dims, &l, slack)))
}

fn value() -> impl Strategy<Value = KvValue> {
    let few = 0..4usize;
    prop_oneof![
        any::<String>().prop_map(KvValue::String),
        any::<i64>().prop_map(KvValue::Int64),
        any::<u64>().prop_map(KvValue::Uint64),
        (-1e300f64..1e300).prop_map(KvValue::Float64),
        any::<bool>().prop_map(KvValue::Bool),
        any::<Vec<u8>>().prop_map(KvValue::Bytes),
        prop::collection::vec(any::<String>(), few.clone()).prop_map(|v| KvValue::Array(KvArray::String(v))),
        prop::collection::vec(any::<i64>(), 1..4).prop_map(|v| KvValue::Array(KvArray::Int64(v))),
        prop::collection::vec(any::<u64>(), 1..4).prop_map(|v| KvValue::Array(KvArray::Uint64(v))),
        prop::collection::vec(-1e9f64..1e9, 1..4).prop_map(|v| KvValue::Array(KvArray::Float64(v))),
        prop::collection::vec(any::<bool>(), 1..4).prop_map(|v| KvValue::Array(KvArray::Bool(v))),
        prop::collection::vec(any::<Vec<u8>>(), 1..4).prop_map(|v| KvValue::Array(KvArray::Bytes(v))),
    ]
}

fn write(tensors: &BTreeMap<String, TensorDescriptor>, kv: &[(String, KvValue)]) -> Vec<u8> {
    let mut w = Writer::new(Vec::new(), kv.to_vec()).unwrap();
    for (k, (name, d)) in tensors.iter().enumerate() {
        w.put(name, d, &sources(&filled(d, k as u8))).unwrap();
    }
    w.finish().unwrap()
}

/// 300 in a test run; the fuzz session asks for many more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn what_is_written_is_read(
        tensors in prop::collection::btree_map(".{1,40}", tensor(), 0..6),
        kv in prop::collection::btree_map(".{1,20}", value(), 0..6),
    ) {
        let kv: Vec<_> = kv.into_iter().collect();
        let bytes = write(&tensors, &kv);
        prop_assert_eq!(&bytes, &write(&tensors, &kv));
        let c = Container::open(&bytes[..]).unwrap();
        prop_assert_eq!(c.kv(), &kv[..]);
        prop_assert_eq!(c.len(), tensors.len());
        for (k, (name, d)) in tensors.iter().enumerate() {
            prop_assert_eq!(c.find(name), Some(k));
            let located = c.tensor(&bytes[..], k).unwrap();
            prop_assert_eq!(&located.descriptor.shape, &d.shape);
            prop_assert_eq!(&located.descriptor.layout, &d.layout);
            prop_assert_eq!(located.descriptor.byte_offset, d.byte_offset);
            for (range, expected) in located.ranges.iter().zip(filled(d, k as u8)) {
                prop_assert_eq!(&bytes[range.start as usize..range.end as usize], &expected[..]);
            }
        }
        prop_assert_eq!(common::every(&bytes), Vec::<&str>::new());
    }

    #[test]
    fn random_bytes_in_the_descriptor_never_panic(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = check::decode(&noise);
        let mut framed = b"HRRY\x01\x00".to_vec();
        framed.extend((noise.len() as u32 + 10).to_le_bytes());
        framed.extend(&noise);
        if let Ok(d) = check::decode(&framed) {
            check::each(&d, &mut |fault| assert!(!fault.to_string().is_empty()));
        }
    }
}
