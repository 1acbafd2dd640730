//! The golden vectors: decoded to the manifest's values, encoded back to the same bytes.
#![allow(missing_docs, unreachable_pub)]

mod common;

use hurray_core::TensorDescriptor;
use hurray_wire::{check, Container, KvValue};
use serde_json::Value;
use std::path::PathBuf;

fn golden(file: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../../conformance/vectors/golden").join(file);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn manifest() -> Value {
    serde_json::from_slice(&golden("manifest.json")).unwrap()
}

fn list<'a>(v: &'a Value, key: &str) -> &'a Vec<Value> {
    v[key].as_array().unwrap()
}

fn numbers(v: &Value) -> Vec<u64> {
    v.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

fn same(d: &TensorDescriptor, expect: &Value) {
    let sizes: Vec<u64> = d.buffers.iter().map(|b| b.byte_size()).collect();
    assert_eq!(u64::from(d.version_major), expect["version_major"].as_u64().unwrap());
    assert_eq!(u64::from(d.version_minor), expect["version_minor"].as_u64().unwrap());
    assert_eq!(u64::from(d.element_type.tag()), expect["element_type_tag"].as_u64().unwrap());
    assert_eq!(d.shape.dims(), numbers(&expect["shape"]));
    assert_eq!(d.byte_offset, expect["byte_offset"].as_u64().unwrap());
    assert_eq!(u64::from(d.layout.tag()), expect["layout_tag"].as_u64().unwrap());
    assert_eq!(sizes, numbers(&expect["buffer_byte_sizes"]));
    assert_eq!(d.quantization.is_some(), expect["has_quantization"].as_bool().unwrap());
    assert_eq!(d.shard.is_some(), expect["has_shard"].as_bool().unwrap());
}

#[test]
fn descriptors() {
    let manifest = manifest();
    let all = list(&manifest, "descriptors");
    for case in all {
        let bytes = golden(case["file"].as_str().unwrap());
        let d = check::decode(&bytes).unwrap();
        check::all(&d).unwrap();
        same(&d, &case["expect"]);
        assert_eq!(d.encode().unwrap(), bytes);
    }
    println!("{} descriptors", all.len());
    assert_eq!(all.len(), 11);
}

#[test]
fn files() {
    let manifest = manifest();
    let all = list(&manifest, "files");
    for case in all {
        let bytes = golden(case["file"].as_str().unwrap());
        let c = Container::open(&bytes[..]).unwrap();
        let tensors = list(case, "tensors");
        assert_eq!(c.len(), tensors.len());
        for (i, t) in tensors.iter().enumerate() {
            assert_eq!(c.entry(i).name, t["name"].as_str().unwrap());
            assert_eq!(c.find(c.entry(i).name), Some(i));
            let located = c.tensor(&bytes[..], i).unwrap();
            assert_eq!(located.descriptor.shape.dims(), numbers(&t["shape"]));
            let range = located.ranges[0].clone();
            assert_eq!(range.end - range.start, t["data_bytes"].as_u64().unwrap());
            assert!(bytes[range.start as usize..range.end as usize].iter().all(|&b| b == 0));
        }
        kv(&c, list(case, "kv"));
        assert_eq!(common::every(&bytes), Vec::<&str>::new());
    }
    println!("{} files", all.len());
    assert_eq!(all.len(), 1);
}

fn kv(c: &Container, expect: &[Value]) {
    assert_eq!(c.kv().len(), expect.len());
    for ((key, value), e) in c.kv().iter().zip(expect) {
        assert_eq!(key, e["key"].as_str().unwrap());
        match value {
            KvValue::String(s) => assert_eq!(s, e["value_string"].as_str().unwrap()),
            KvValue::Int64(n) => assert_eq!(*n, e["value_int"].as_i64().unwrap()),
            other => panic!("{other:?}"),
        }
    }
}
