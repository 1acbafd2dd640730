//! Reserved layout tags: refused by the decoder and the writer, passed on by a relay
//! (layouts.md §12, descriptor.md §7, versioning.md §3).
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use hurray_core::{LayoutDescriptor, TensorDescriptor};
use hurray_wire::{check, Error, Fault, Writer};
use proptest::prelude::*;

const TAG: u8 = 0x0C;

fn unknown(payload: &[u8], sizes: &[u64]) -> Desc {
    Desc::new(F32, TAG, &[2, 3], sizes).payload(payload.to_vec())
}

fn raw(d: &TensorDescriptor) -> &[u8] {
    match &d.layout {
        LayoutDescriptor::Unknown(unknown) => &unknown.raw_bytes,
        other => panic!("{other:?}"),
    }
}

/// Pieces that look like parts of a descriptor.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    let table = [vec![1], handle(8).to_vec()].concat();
    let pieces = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        Just(table),
        Just(handle(1).to_vec()),
        Just(vec![1; 17]),
        Just(vec![0; 17]),
        Just(u32s(&[16])),
    ];
    prop::collection::vec(pieces, 0..4).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn at_version_1_0_the_table_stands_in_one_place(
        payload in payload(),
        sizes in prop::collection::vec(prop_oneof![Just(0u64), Just(1), Just(257), any::<u64>()], 1..6),
        shard in any::<bool>(),
        statistics in any::<bool>(),
    ) {
        let mut d = unknown(&payload, &sizes);
        if shard {
            d = d.shard(&[4, 4], &[1, 1]);
        }
        if statistics {
            d = d.statistics(0, 0);
        }
        let bytes = d.bytes();
        let relayed = check::decode_relayed(&bytes, None).unwrap();
        prop_assert!(relayed.whole);
        prop_assert_eq!(raw(&relayed.descriptor), &payload[..]);
        prop_assert_eq!(relayed.descriptor.buffers.len(), sizes.len());
        prop_assert_eq!(check::encode(&relayed.descriptor).unwrap(), bytes);
    }

    #[test]
    fn nothing_is_guessed(payload in payload(), trailing in payload(), minor in 0u8..2, scheme in any::<bool>()) {
        let mut d = unknown(&payload, &[8]);
        if scheme {
            d.element_type = I8;
            d = d.quantization(&per_tensor(1.0, 0));
        }
        d.version = (1, minor);
        if minor > 0 {
            d.sections.extend(&trailing);
        }
        let bytes = d.bytes();
        let relayed = check::decode_relayed(&bytes, None).unwrap();
        if relayed.whole {
            prop_assert_eq!(raw(&relayed.descriptor), &payload[..]);
            prop_assert_eq!(relayed.descriptor.buffers.len(), 1);
        } else {
            prop_assert_eq!(raw(&relayed.descriptor), &bytes[44..]);
            prop_assert!(relayed.descriptor.buffers.is_empty());
        }
        // Who knows the length need not look for it.
        let known = check::decode_relayed(&bytes, Some(payload.len())).unwrap();
        prop_assert!(known.whole);
        prop_assert_eq!(raw(&known.descriptor), &payload[..]);
    }

    #[test]
    fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..300), length in any::<Option<usize>>()) {
        let mut framed = b"HRRY\x01\x00".to_vec();
        framed.extend((noise.len() as u32 + 10).to_le_bytes());
        framed.extend(&noise);
        if let Some(tag) = framed.get_mut(15) {
            *tag = TAG;
        }
        let _ = check::decode_relayed(&framed, length);
    }
}

/// Crafted so that every place looks like a table: the search stays short.
#[test]
fn a_hostile_payload_costs_little() {
    let payload: Vec<u8> = (0..40_000).flat_map(|k: u32| (200_000 - 4 * k).to_le_bytes()).collect();
    let mut d = unknown(&payload, &[8]).quantization(&per_tensor(1.0, 0));
    d.element_type = I8;
    d.version = (1, 1);
    let bytes = d.bytes();
    let start = std::time::Instant::now();
    assert!(check::decode_relayed(&bytes, None).is_ok());
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn other_doors_stay_strict() {
    let d = unknown(b"ab", &[8]);
    assert_eq!(check::decode(&d.bytes()), Err(Fault::LayoutUnknown { tag: TAG }));
    let relayed = check::decode_relayed(&d.bytes(), None).unwrap().descriptor;
    assert_eq!(check::shape_tier(&relayed), Ok(()));
    assert_eq!(check::count_tier(&relayed), Ok(()));
    let mut writer = Writer::new(Vec::new(), vec![]).unwrap();
    match writer.put("w", &relayed, &[&vec![0; 8]]) {
        Err(Error::Bad(problem)) => assert_eq!(problem.fault, Fault::LayoutUnknown { tag: TAG }),
        other => panic!("{other:?}"),
    }
}

/// Only the tag is in the way of what a relay may take.
#[test]
fn what_every_descriptor_begins_with_is_checked() {
    for tag in [0x00, 0xFF] {
        let d = Desc::new(F32, tag, &[2], &[8]);
        assert_eq!(check::decode_relayed(&d.bytes(), None), Err(Fault::LayoutInvalid { tag }));
    }
    let mut flagged = unknown(b"", &[8]);
    flagged.flags = 0x20;
    assert_eq!(check::decode_relayed(&flagged.bytes(), None), Err(Fault::DescriptorFlags { flags: 0x20 }));
    let mut typed = unknown(b"", &[8]);
    typed.element_type = 0x52;
    assert_eq!(check::decode_relayed(&typed.bytes(), None), Err(Fault::TypeUnknown { tag: 0x52 }));
    let sound = Desc::dense(&[2]);
    assert_eq!(check::decode_relayed(&sound.bytes(), None).map(|r| r.descriptor), check::decode(&sound.bytes()));
}
