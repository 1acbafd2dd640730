//! F-1 to F-29, F-31, F-32, F-42 to F-48: the file around the tensors.

use crate::common::desc::{head_desc, Desc};
use crate::common::file::{build, tensor, Built, Tensor};
use crate::common::{every, first};
use crate::Case;
use hurray_wire::{Container, Error};

/// A file case: both doors must find the code.
pub fn file(code: &'static str, what: &'static str, built: &Built) -> Case {
    bytes(code, what, &built.bytes)
}

pub fn bytes(code: &'static str, what: &'static str, bytes: &[u8]) -> Case {
    Case { code, what, found: first(bytes), every: Some(every(bytes)) }
}

/// What only a full verification looks for.
fn verified(code: &'static str, what: &'static str, built: &Built) -> Case {
    assert_eq!(first(&built.bytes), Ok(()), "{what} opens");
    let every = every(&built.bytes);
    let found = every.first().map_or(Ok(()), |c| Err((*c).to_owned()));
    Case { code, what, found, every: Some(every) }
}

fn two() -> Built {
    let a = tensor("a", &Desc::dense(&[2, 2]));
    let b = tensor("b", &Desc::dense(&[3]));
    let kv = [1, 0, 0, 0, 1, 0, b'k', 5, 1];
    let built = build(&[a, b], &kv);
    assert_eq!(first(&built.bytes), Ok(()));
    assert_eq!(every(&built.bytes), Vec::<&str>::new());
    built
}

pub fn cases() -> Vec<Case> {
    let mut all = header();
    all.extend(trailer());
    all.extend(index());
    all.extend(regions());
    all.extend(composites());
    all.extend(whole());
    all
}

fn header() -> Vec<Case> {
    let f = two();
    vec![
        file("F-1", "magic", &f.with(7, b"F")),
        bytes("F-1", "a short file of another kind", b"PK\x03\x04"),
        file("F-2", "major 2", &f.with(8, &[2])),
        file("F-3", "major 0", &f.with(8, &[0])),
        file("F-4", "flag bit 3", &f.with(12, &[0x0D])),
        file("F-4", "flag bit 31", &f.with(15, &[0x80])),
        file("F-5", "byte 10", &f.with(10, &[1])),
        file("F-5", "byte 63", &f.with(63, &[1])),
        file("F-6", "alignment 0", &f.with(16, &[0; 4])),
        file("F-6", "alignment 2048", &f.with(16, &2048u32.to_le_bytes())),
        file("F-6", "alignment 12288", &f.with(16, &12288u32.to_le_bytes())),
        file("F-6", "alignment 4 MiB", &f.with(16, &(1u32 << 22).to_le_bytes())),
        file("F-7", "first descriptor 56", &f.with(20, &[56])),
        file("F-7", "first descriptor 65", &f.with(20, &[65])),
        file("F-7", "first descriptor 2^63", &f.with(27, &[0x80])),
        bytes("F-8", "111 bytes", &f.bytes[..111]),
        bytes("F-8", "nothing", b""),
    ]
}

fn trailer() -> Vec<Case> {
    let f = two();
    let t = f.trailer;
    let no_crc = f.torn(12, &[0x01]);
    // Four bytes less of it, so that it still ends before the trailer.
    let shifted = f.torn(t, &(f.index as u64 + 4).to_le_bytes());
    let shifted = shifted.with(t + 8, &((t - f.index - 4) as u64).to_le_bytes());
    vec![
        file("F-9", "magic", &f.with(t + 36, b"X")),
        file("F-10", "reserved", &f.with(t + 32, &[1])),
        file("F-11", "length one too many", &f.with(t + 8, &((t - f.index + 1) as u64).to_le_bytes())),
        file("F-11", "sum wraps", &f.with(t, &(u64::MAX - 7).to_le_bytes())),
        file("F-11", "length 2^64-1", &f.with(t + 8, &[0xFF; 8])),
        file("F-12", "length 7", &f.with(t + 8, &7u64.to_le_bytes())),
        file("F-12", "offset 8", &f.with(t, &8u64.to_le_bytes())),
        file("F-12", "offset not of 8", &shifted),
        file("F-13", "index bit", &f.torn(f.index + 12, &[0xAA])),
        file("F-13", "stored sum", &f.torn(t + 28, &[1, 2, 3, 4])),
        file("F-14", "sum without flag", &no_crc),
        file("F-31", "length past the trailer", &f.with(t + 24, &[0xFF; 4])),
        file("F-31", "offset wraps", &f.with(t + 16, &(u64::MAX - 7).to_le_bytes())),
        file("F-31", "inside the header", &f.with(t + 16, &8u64.to_le_bytes())),
        file("F-31", "inside the index", &f.with(t + 16, &(f.index as u64).to_le_bytes())),
        file("F-32", "offset without length", &f.with(t + 24, &[0; 4])),
        file("F-32", "length without offset", &f.with(t + 16, &[0; 8])),
        file("F-32", "flag without either", &f.with(t + 16, &[0; 12])),
        file("F-32", "offset not of 8", &f.with(t + 16, &(f.kv as u64 + 1).to_le_bytes())),
    ]
}

fn index() -> Vec<Case> {
    let f = two();
    let sorted = build(&[tensor("b", &Desc::dense(&[1])), tensor("a", &Desc::dense(&[1]))], &[]);
    // One byte more than the entries need, in front of the trailer.
    let mut longer = f.clone();
    longer.bytes.insert(f.trailer, 0);
    longer.trailer += 1;
    let length = (longer.trailer - f.index) as u64;
    vec![
        file("F-15", "one too many", &f.with(f.index, &3u64.to_le_bytes())),
        file("F-15", "2^64-1", &f.with(f.index, &[0xFF; 8])),
        file("F-16", "left over", &longer.with(longer.trailer + 8, &length.to_le_bytes())),
        file("F-16", "an entry less", &f.with(f.index, &1u64.to_le_bytes())),
        file("F-16", "name past the end", &f.with(f.entries[1], &[0xFF, 0xFF])),
        file("F-17", "empty name", &f.with(f.entries[1], &[0, 0])),
        file("F-17", "not UTF-8", &f.with(f.entries[1] + 2, &[0xFF])),
        file("F-18", "twice", &f.with(f.entries[1] + 2, b"a")),
        file("F-19", "flags", &f.with(f.field(1, 28), &[1])),
        file("F-20", "descending", &sorted.with(12, &[0x06])),
        file("F-20", "equal", &f.with(f.entries[1] + 2, b"a").with(12, &[0x07])),
    ]
}

fn regions() -> Vec<Case> {
    let f = two();
    let offset = |entry, value: u64| f.with(f.field(entry, 0), &value.to_le_bytes());
    let data = |entry, value: u64| f.with(f.field(entry, 12), &value.to_le_bytes());
    let length = |entry, value: u64| f.with(f.field(entry, 20), &value.to_le_bytes());
    let far = f.with(f.field(0, 8), &((f.kv - 64) as u32 + 1).to_le_bytes());
    let handle = f.descriptors[0] + 45;
    let empty = build(&[tensor("e", &Desc::dense(&[0, 4]))], &[]);
    vec![
        file("F-21", "entry longer", &f.with(f.field(0, 8), &62u32.to_le_bytes())),
        file("F-21", "entry shorter", &f.with(f.field(0, 8), &60u32.to_le_bytes())),
        file("F-22", "not of 8", &offset(0, 65)),
        file("F-22", "before the first", &f.with(20, &72u64.to_le_bytes())),
        file("F-23", "36 bytes", &f.with(f.field(0, 8), &36u32.to_le_bytes())),
        file("F-23", "past the region", &far),
        file("F-23", "offset wraps", &offset(1, u64::MAX - 7)),
        file("F-24", "data in the padding before it", &data(0, 2048)),
        file("F-24", "empty data at +8", &empty.with(empty.field(0, 12), &4104u64.to_le_bytes())),
        file("F-25", "length past the region", &length(1, 1 << 40)),
        file("F-25", "sum wraps", &data(1, u64::MAX - 4095)),
        file("F-25", "empty data past the region", &empty.with(empty.field(0, 12), &(1u64 << 40).to_le_bytes())),
        file("F-26", "length one too many", &length(1, 13)),
        file("F-26", "head with data", &head_with_data()),
        file("F-27", "buffer longer than its data", &f.with(handle, &[17])),
        file("F-27", "buffer of 2^64-1", &f.with(handle, &[0xFF; 8])),
        file("F-28", "data in the header", &data(0, 0)),
        file("F-28", "data over a descriptor", &data(0, f.data[1] as u64)),
        file("F-28", "descriptor inside another", &inside()),
        file("F-29", "one descriptor twice", &offset(1, 64)),
    ]
}

/// A composite head whose index entry claims data.
fn head_with_data() -> Built {
    let f = build(&[tensor("g", &head_desc(3, 0, 0, &[2]))], &[]);
    assert_eq!(first(&f.bytes), Ok(()));
    // The padding up to the index has room for it.
    f.with(f.field(0, 20), &3u64.to_le_bytes())
}

/// A second descriptor that begins inside the first's statistics.
fn inside() -> Built {
    let mut outer = Desc::dense(&[1]).section(8, &[0; 72]);
    outer.sections[8..16].copy_from_slice(b"HRRY\x01\0\0\0");
    let f = build(&[tensor("a", &outer), tensor("b", &Desc::dense(&[1]))], &[]);
    f.with(f.field(1, 0), &72u64.to_le_bytes())
}

fn composites() -> Vec<Case> {
    let group = |n| head_desc(3, 0, n, &[2]);
    let leaf = || tensor("leaf", &Desc::dense(&[1]));
    let names = ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"];
    let nest = |depth: usize| {
        let heads = names[..depth].iter().map(|n| tensor(n, &group(1)));
        build(&heads.chain([leaf()]).collect::<Vec<Tensor>>(), &[])
    };
    assert_eq!(first(&nest(8).bytes), Ok(()), "8 levels are fine");
    // The claim is met by count but not by nesting: the inner head takes the outer one's member.
    let starved = build(&[tensor("h0", &group(2)), tensor("h1", &group(1)), leaf()], &[]);
    vec![
        file("F-42", "no member follows", &build(&[tensor("h0", &group(1))], &[])),
        file("F-42", "2^32-2 claimed", &build(&[tensor("h0", &group(u32::MAX - 1)), leaf()], &[])),
        file("F-42", "the inner head takes it", &starved),
        file("F-43", "9 levels", &nest(9)),
    ]
}

fn whole() -> Vec<Case> {
    let f = two();
    let mut gap = Desc::dense(&[0]).bytes();
    gap.truncate(53);
    let shrunk = {
        let container = Container::open(&f.bytes[..]).unwrap();
        match container.recheck(&f.bytes[..f.bytes.len() - 1]) {
            Err(Error::Bad(p)) => Err(p.fault.code().to_owned()),
            other => Err(format!("{other:?}")),
        }
    };
    vec![
        verified("F-45", "a descriptor no entry names", &f.with(256, &gap)),
        verified("F-46", "padding before data", &f.with(f.data[0] - 1, &[1])),
        verified("F-46", "padding behind data", &f.with(f.data[1] + 12, &[1])),
        Case { code: "F-48", what: "a byte less than when opened", found: shrunk, every: None },
    ]
}
