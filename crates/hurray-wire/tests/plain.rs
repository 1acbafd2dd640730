//! The short way of decoding a common descriptor never says anything that the long way does not.
#![allow(missing_docs, unreachable_pub)]

use hurray_wire::check;
use proptest::prelude::*;

/// A descriptor of one row-major CPU buffer (descriptor.md §9), or nearly so.
fn common() -> impl Strategy<Value = Vec<u8>> {
    let ty = prop_oneof![8 => prop::sample::select(vec![1u8, 3, 0x10, 0x20, 0x44, 0x48, 0x51]), 1 => any::<u8>()];
    let dim = prop_oneof![12 => 0u64..6, 1 => Just(u64::MAX), 1 => Just(1 << 62), 1 => any::<u64>()];
    let size = prop_oneof![4 => 0u64..400, 1 => any::<u64>()];
    let offset = prop_oneof![4 => Just(0u64), 2 => 0u64..64, 1 => any::<u64>()];
    let alignment = prop_oneof![6 => prop::sample::select(vec![64u32, 4096]), 1 => 0u32..130];
    let tail = prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(any::<u8>(), 1..9)];
    (ty, prop::collection::vec(dim, 0..10), size, offset, alignment, tail).prop_map(
        |(ty, dims, size, offset, alignment, tail)| {
            let length = 29 + 8 * dims.len() + 16;
            let mut bytes = b"HRRY\x01\x00".to_vec();
            bytes.extend((length as u32).to_le_bytes());
            bytes.extend([0, 0, 0, 0, ty, 1]);
            bytes.extend((dims.len() as u32).to_le_bytes());
            bytes.extend(dims.iter().flat_map(|dim| dim.to_le_bytes()));
            bytes.extend(offset.to_le_bytes());
            bytes.push(1);
            bytes.extend(size.to_le_bytes());
            bytes.extend(alignment.to_le_bytes());
            bytes.extend([0; 4]);
            assert_eq!(bytes.len(), length);
            bytes.extend(tail);
            bytes
        },
    )
}

fn same(bytes: &[u8]) -> bool {
    let long = check::decode(bytes).and_then(|d| check::all(&d).map(|()| d));
    let short = check::decode_checked(bytes);
    assert_eq!(short, long, "{bytes:02x?}");
    long.is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn whole(bytes in common()) {
        same(&bytes);
    }

    #[test]
    fn damaged(bytes in common(), at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = bytes;
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = value;
        }
        same(&bytes);
    }
}

#[test]
fn every_byte_of_the_worked_example() {
    let mut example = b"HRRY\x01\x00\x3d\0\0\0\0\0\0\0\x03\x01\x02\0\0\0".to_vec();
    example.extend([3u64, 4, 0].iter().flat_map(|word| word.to_le_bytes()));
    example.push(1);
    example.extend(48u64.to_le_bytes());
    example.extend([64, 0, 0, 0, 0, 0, 0, 0]);
    assert!(same(&example));
    let mut taken = 0;
    for at in 0..example.len() {
        for value in 0..=u8::MAX {
            let mut changed = example.clone();
            changed[at] = value;
            taken += usize::from(same(&changed));
        }
    }
    assert!(taken > example.len(), "{taken}");
}
