//! Files cut short at every length and flipped at every bit: no panic, and nothing wrong believed.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::samples::{filled, sources, tensors};
use hurray_wire::{verify, Container, KvArray, KvValue, Located, Writer};

/// A file of a few tensors, small but for the padding that the format demands.
fn small() -> Vec<u8> {
    let kv = vec![
        ("key".to_owned(), KvValue::String("value".into())),
        ("list".to_owned(), KvValue::Array(KvArray::Int64(vec![1, 2]))),
    ];
    let mut w = Writer::new(Vec::new(), kv).unwrap();
    for (name, d) in tensors().iter().filter(|(n, _)| ["dense", "scalar", "coo"].contains(n)) {
        w.put(name, d, &sources(&filled(d, 1))).unwrap();
    }
    w.finish().unwrap()
}

/// Everything a reader believes of a file, its flags and version aside.
type Belief = (Vec<(String, KvValue)>, u32, Vec<(String, Located)>);

fn belief(bytes: &[u8]) -> Option<Belief> {
    let c = Container::open(bytes).ok()?;
    let mut tensors = Vec::new();
    for i in 0..c.len() {
        let located = c.tensor(bytes, i).ok()?;
        let fits = |r: &std::ops::Range<u64>| r.start <= r.end && r.end <= bytes.len() as u64;
        assert!(located.ranges.iter().all(fits), "ranges lie in the file");
        tensors.push((c.entry(i).name.to_owned(), located));
    }
    c.composites(bytes).ok()?;
    Some((c.kv().to_vec(), c.alignment(), tensors))
}

#[test]
fn cut_at_every_length() {
    let whole = small();
    assert!(belief(&whole).is_some());
    for length in 0..whole.len() {
        assert_eq!(belief(&whole[..length]), None, "{length} bytes");
        assert!(!verify(&whole[..length]).unwrap().is_empty(), "{length} bytes");
    }
    println!("{} lengths", whole.len());
}

#[test]
fn flipped_at_every_bit() {
    let whole = small();
    let sound = belief(&whole).unwrap();
    let c = Container::open(&whole[..]).unwrap();
    let descriptor = |at: u64| {
        let within = |e: hurray_wire::Entry<'_>| {
            (e.descriptor_offset..e.descriptor_offset + u64::from(e.descriptor_length)).contains(&at)
        };
        (0..c.len()).any(|i| within(c.entry(i)))
    };
    let index = u64_at(&whole, whole.len() - 40);
    let metadata = u64_at(&whole, whole.len() - 24)..index;
    let (mut refused, mut harmless) = (0, 0);
    for at in 0..whole.len() {
        // Padding has many bytes and one rule: a bit of each byte is enough there.
        let padding =
            whole[at] == 0 && whole[at.saturating_sub(64)..(at + 64).min(whole.len())].iter().all(|&b| b == 0);
        for bit in if padding { at % 8..at % 8 + 1 } else { 0..8 } {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let found = belief(&bytes);
            let verdict = verify(&bytes[..]).unwrap();
            // Neither descriptors nor metadata have a checksum: another sound value is possible
            // there, and nothing else may change.
            let at = at as u64;
            match found {
                None => refused += 1,
                Some(found) if metadata.contains(&at) => assert_eq!(found.2, sound.2),
                Some(found) if descriptor(at) => {
                    assert_eq!((&found.0, found.1), (&sound.0, sound.1));
                    assert_eq!(found.2.len(), sound.2.len());
                }
                Some(found) => {
                    assert_eq!(found, sound, "byte {at}, bit {bit}");
                    harmless += 1;
                    let data = sound.2.iter().flat_map(|(_, l)| &l.ranges).any(|r| r.contains(&at));
                    let free = (9..10).contains(&at) || (12..13).contains(&at) || (28..36).contains(&at);
                    assert!(data || free || !verdict.is_empty(), "padding at {at} is verified");
                }
            }
        }
    }
    println!("{refused} refused, {harmless} harmless");
    assert!(refused > 2000, "{refused}");
}

fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(b[at..at + 8].try_into().unwrap())
}
