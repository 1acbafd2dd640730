//! An index large enough that hashes of names agree in part.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::head_desc;
use common::samples::decode;
use hurray_wire::{Container, Error, InputError, Writer};

const COUNT: usize = 200_000;

#[test]
fn every_name_is_found_and_no_other() {
    // Empty groups are the smallest tensors: no data, so no padding to a page.
    let d = decode(&head_desc(3, 0, 0, &[]));
    let name = |i: usize| format!("layer.{}", i * 7919 % COUNT);
    let mut w = Writer::new(Vec::new(), vec![]).unwrap();
    for i in 0..COUNT {
        w.put(&name(i), &d, &[]).unwrap();
    }
    match w.check(&name(COUNT / 2), &d, &[]) {
        Err(Error::Input(e)) => assert_eq!(*e, InputError::DuplicateName { name: name(COUNT / 2) }),
        other => panic!("{other:?}"),
    }
    let file = w.finish().unwrap();
    let c = Container::open(&file[..]).unwrap();
    assert_eq!(c.len(), COUNT);
    for i in 0..COUNT {
        assert_eq!(c.find(&name(i)), Some(i));
        assert_eq!(c.find(&format!("{}x", name(i))), None);
    }
}
