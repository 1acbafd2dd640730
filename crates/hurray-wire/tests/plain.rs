//! The short way for plain descriptors gives what the core's decoder gives, for each byte that is changed.

#![allow(missing_docs, unreachable_pub)]
mod common;

use common::desc::*;
use hurray_core::TensorDescriptor;
use hurray_wire::check;

fn samples() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for layout in [1, 2] {
        for shape in [&[][..], &[0], &[7], &[4, 6], &[1, 2, 3, 4, 5, 6, 7, 8], &[1; 9], &[u64::MAX, 3]] {
            for size in [0, 24, 28, 95, 96] {
                all.push(Desc::new(F32, layout, shape, &[size]).bytes());
            }
        }
    }
    for offset in [0, 8, 9] {
        all.push(Desc::new(F32, 1, &[4], &[24]).byte_offset(offset).bytes());
    }
    all
}

/// What the general way says: the core, and the rules it lets pass.
fn agree(bytes: &[u8]) -> bool {
    let quick = check::decode(bytes);
    let length = bytes.get(6..10).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])) as usize;
    let core = TensorDescriptor::decode(bytes.get(..length).unwrap_or(bytes));
    match (&quick, &core) {
        (Ok(quick), Ok(core)) => assert_eq!(quick, core, "{bytes:02X?}"),
        // Some rules are the crate's own: no descriptor of theirs may come the short way.
        (Ok(_), Err(error)) => panic!("{error}: {bytes:02X?}"),
        (Err(_), _) => {}
    }
    if let Ok(d) = &quick {
        let tiers = check::shape_tier(d).and_then(|()| check::count_tier(d)).and_then(|()| check::size_tier(d));
        assert_eq!(check::all(d), tiers, "{bytes:02X?}");
    }
    quick.is_ok()
}

#[test]
fn both_ways_agree_on_every_changed_byte() {
    let (mut tried, mut taken) = (0, 0);
    for sample in samples() {
        assert!(agree(&sample));
        for at in 0..sample.len() {
            for value in [0, 1, 2, 3, 7, 0x20, 0x3F, 0x40, 0x41, 0x80, 0xF0, 0xFF] {
                let mut changed = sample.clone();
                changed[at] = value;
                tried += 1;
                taken += u32::from(agree(&changed));
            }
        }
        for length in 0..sample.len() {
            assert!(!agree(&sample[..length]), "cut at {length}");
        }
        // Bytes behind the descriptor's own are not looked at.
        assert!(agree(&[&sample[..], &[0xFF; 9]].concat()));
    }
    println!("{taken} of {tried} descriptors accepted");
    assert!(taken > 5000 && tried > taken);
}
