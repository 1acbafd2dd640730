//! A quantization section by itself: what is taken is written back, what is refused is refused for a rule.
#![allow(missing_docs, unreachable_pub)]

use hurray_core::QuantizationDescriptor;
use hurray_wire::{check, Fault};
use proptest::prelude::*;

const NO_BUFFER: u32 = u32::MAX;

/// Bytes that get as far as the payload more often than not.
fn section() -> impl Strategy<Value = Vec<u8>> {
    let tag = prop_oneof![8 => 1u8..6, 1 => any::<u8>()];
    let version = prop_oneof![8 => Just(1u8), 1 => any::<u8>()];
    let flags = prop_oneof![4 => Just(0u16), 4 => Just(1u16), 1 => any::<u16>()];
    let word = prop_oneof![
        4 => 0u32..4,
        4 => (0u32..32).prop_map(|bit| 1 << bit),
        2 => Just(NO_BUFFER),
        1 => any::<u32>(),
        // A scale of 0.5, a float32 type tag, and bytes that are reserved.
        2 => Just(0x3F00_0000),
    ];
    let rest = (prop::collection::vec(word, 3..6), prop::collection::vec(any::<u8>(), 0..6));
    (tag, version, flags, rest).prop_map(|(tag, version, flags, (words, tail))| {
        let mut bytes = vec![tag, version];
        bytes.extend(flags.to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(tail);
        bytes
    })
}

/// The words of a section that name parameter buffers (quantization.md §5 to §7).
fn indices(bytes: &[u8]) -> Vec<u32> {
    let at: &[usize] = match bytes[0] {
        2 => &[8, 12],
        3 => &[12, 16],
        _ => &[12],
    };
    at.iter().map(|&at| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())).collect()
}

fn judged(bytes: &[u8]) {
    match check::quantization(bytes) {
        Ok(scheme) => {
            let again = scheme.encode_to_vec();
            assert_eq!(again, bytes[..again.len()]);
            assert_eq!(QuantizationDescriptor::decode(bytes).ok(), Some((scheme, again.len())));
        }
        // The one rule that stands for whatever the core may refuse beyond the checks.
        Err(Fault::ParameterIndex { index, .. }) => {
            assert_eq!(index, NO_BUFFER);
            assert!(indices(bytes).contains(&NO_BUFFER), "{bytes:02x?}");
        }
        Err(fault) => assert!(fault.code().starts_with("Q-"), "{fault}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn likely_sections(bytes in section()) {
        judged(&bytes);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        judged(&bytes);
    }
}

#[test]
fn no_padding_is_looked_at() {
    let scheme = [4, 1, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0];
    let padded = [&scheme[..], &[0xFF; 9]].concat();
    assert_eq!(check::quantization(&padded), check::quantization(&scheme));
    assert!(check::quantization(&scheme).is_ok());
}
