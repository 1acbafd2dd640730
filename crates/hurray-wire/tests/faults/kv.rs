//! F-33 to F-41: the metadata section.

use super::container::file;
use crate::common::desc::Desc;
use crate::common::file::{build, tensor, Built};
use crate::common::first;
use crate::Case;

/// A file with this section; the count comes first.
fn section(count: u32, entries: &[&[u8]]) -> Built {
    let mut kv = count.to_le_bytes().to_vec();
    entries.iter().for_each(|e| kv.extend(*e));
    build(&[tensor("t", &Desc::dense(&[1]))], &kv)
}

fn entry(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut e = (key.len() as u16).to_le_bytes().to_vec();
    e.extend(key);
    e.extend(value);
    e
}

fn one(value: &[u8]) -> Built {
    section(1, &[&entry(b"k", value)])
}

pub fn cases() -> Vec<Case> {
    assert_eq!(first(&one(&[5, 1]).bytes), Ok(()));
    assert_eq!(first(&section(0, &[]).bytes), Ok(()), "a section without entries is one");
    let good = entry(b"k", &[5, 1]);
    vec![
        file("F-33", "one too many", &section(2, &[&good])),
        file("F-33", "2^32-1", &section(u32::MAX, &[&good])),
        file("F-34", "empty key", &section(1, &[&entry(b"", &[5, 1, 0])])),
        file("F-34", "key not UTF-8", &section(1, &[&entry(b"\xFF", &[5, 1])])),
        file("F-35", "twice", &section(2, &[&good, &good])),
        file("F-36", "tag 0", &one(&[0, 0])),
        file("F-36", "tag 8", &one(&[8, 0])),
        file("F-36", "private tag", &one(&[0xF0, 0])),
        file("F-36", "tag 0xFF", &one(&[0xFF, 0])),
        file("F-37", "bool 2", &one(&[5, 2])),
        file("F-37", "bool 2 in a list", &one(&[7, 5, 1, 0, 0, 0, 2])),
        file("F-38", "list of lists", &one(&[7, 7, 0, 0, 0, 0])),
        file("F-38", "list of 0", &one(&[7, 0, 0, 0, 0, 0])),
        file("F-39", "bools", &one(&[7, 5, 2, 0, 0, 0, 1])),
        file("F-39", "strings, 2^32-1", &one(&[7, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])),
        file("F-39", "int64", &one(&[7, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        file("F-40", "string not UTF-8", &one(&[1, 1, 0, 0, 0, 0xFF])),
        file("F-40", "string past the end", &one(&[1, 9, 0, 0, 0, b'x'])),
        file("F-40", "int64 cut", &one(&[2, 1, 2, 3])),
        file("F-40", "key cut", &section(1, &[&[9, 0, b'k', 5, 1]])),
        file("F-40", "count cut", &short()),
        file("F-41", "left over", &section(1, &[&good, &[0]])),
    ]
}

/// A section of 3 bytes has no count.
fn short() -> Built {
    build(&[tensor("t", &Desc::dense(&[1]))], &[0, 0, 0])
}
