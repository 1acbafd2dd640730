//! S-1 to S-15, from streams that break exactly that rule (stream.md §12).

use crate::common::desc::*;
use crate::Case;
use hurray_wire::{Error, Heap, Limits, StreamReader};

/// The code of the first fault, by taking every item.
fn read(bytes: &[u8], limits: Limits, cross_machine: bool) -> Result<(), String> {
    let mut reader = StreamReader::new(bytes, limits, cross_machine);
    loop {
        match reader.next(&mut Heap) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(Error::Bad(problem)) => return Err(problem.fault.code().to_owned()),
            Err(other) => return Err(format!("{other:?}")),
        }
    }
}

fn case(code: &'static str, what: &'static str, bytes: &[u8]) -> Case {
    let limits = Limits { descriptor_bytes: 1 << 10, buffer_bytes: 1 << 20, composite_depth: 3 };
    Case { code, what, found: read(bytes, limits, true), every: None }
}

/// A float32 tensor with its data.
fn whole(shape: &[u64]) -> Vec<u8> {
    let mut bytes = Desc::dense(shape).bytes();
    bytes.resize(bytes.len() + 4 * shape.iter().product::<u64>() as usize, 7);
    bytes
}

fn group(members: u32) -> Vec<u8> {
    head_desc(3, 0, members, &[4]).bytes()
}

pub fn cases() -> Vec<Case> {
    let sound = whole(&[2, 3]);
    let unlimited = Limits::default();
    assert_eq!(read(&[sound.clone(), group(1), sound.clone()].concat(), unlimited, true), Ok(()));
    assert_eq!(read(&[], unlimited, true), Ok(()));
    let waiting = Desc::dense(&[2]).handle_byte(0, 12, 1).handle_byte(0, 13, 1);
    let two = Desc::new(F32, 6, &[4], &[1 << 63, 1 << 63]).payload(coo(1, 0));
    vec![
        case("S-1", "inside the first ten bytes", &sound[..7]),
        case("S-1", "inside the descriptor", &sound[..45]),
        case("S-1", "inside a buffer", &sound[..sound.len() - 1]),
        case("S-2", "no descriptor at all", b"GET / HTTP/1.1"),
        case("S-2", "one wrong byte", b"HRRX"),
        case("S-2", "padding behind a tensor", &[sound.clone(), vec![0; 3]].concat()),
        case("S-5", "a descriptor above the limit", &Desc::dense(&[1]).quantization(&[0; 2000]).bytes()),
        case("S-7", "a buffer above the limit", &Desc::dense(&[1 << 20]).bytes()),
        Case {
            code: "S-8",
            what: "buffers of 2^64 bytes together",
            found: read(&two.bytes(), unlimited, true),
            every: None,
        },
        case("S-10", "a dynamic dimension with data", &Desc::new(F32, 1, &[DYNAMIC], &[8]).bytes()),
        case("S-11", "an event of another machine", &waiting.bytes()),
        case("S-13", "one member of two", &[group(2), sound.clone()].concat()),
        case("S-13", "a nested head without its members", &[group(1), group(1)].concat()),
        case("S-15", "four heads where three are allowed", &[group(1), group(1), group(1), group(1), sound].concat()),
        case(
            "D-4",
            "an old version, before its length is believed",
            b"HRRY\x00\x01\xFF\xFF\xFF\xFF______________________________",
        ),
        case("D-5", "a length below any descriptor's", &[b"HRRY\x01\x00\x05\0\0\0".to_vec(), vec![0; 40]].concat()),
        case("L-12", "a buffer that is too small for the shape", &Desc::new(F32, 1, &[4], &[15]).bytes()),
        case(
            "L-52",
            "a partition with a gap",
            &[head_desc(1, 0, 1, &[4]).bytes(), Desc::dense(&[2]).shard(&[4], &[0]).bytes(), vec![0; 8]].concat(),
        ),
    ]
}
