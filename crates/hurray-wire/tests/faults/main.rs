//! Every code of the checklists, from a crafted file or descriptor that breaks exactly that rule.

#![allow(missing_docs, unreachable_pub)]
#[path = "../common/mod.rs"]
mod common;

mod container;
mod contents;
mod descriptor;
mod kv;
mod layout;
mod quantization;
mod sizes;
mod stream;

use std::collections::BTreeSet;

/// One crafted input and the codes found in it.
pub struct Case {
    pub code: &'static str,
    pub what: &'static str,
    pub found: Result<(), String>,
    /// What a full verification found, where the input is a file.
    pub every: Option<Vec<&'static str>>,
}

fn cases() -> Vec<Case> {
    let groups = [
        container::cases(),
        kv::cases(),
        descriptor::cases(),
        layout::cases(),
        sizes::cases(),
        quantization::cases(),
        contents::cases(),
        stream::cases(),
    ];
    groups.into_iter().flatten().collect()
}

#[test]
fn each_case_is_found_at_once_and_by_verification() {
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        let first = case.found == Err(case.code.to_owned());
        let every = case.every.as_ref().is_none_or(|all| all.contains(&case.code));
        if !first || !every {
            let (code, what) = (case.code, case.what);
            wrong.push(format!("{code} {what}: {:?}, {:?}", case.found, case.every));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    println!("{} cases", cases.len());
    assert!(cases.len() > 150);
}

#[test]
fn every_code_has_a_case() {
    let covered: BTreeSet<_> = cases().iter().map(|c| c.code).collect();
    let all: BTreeSet<_> = hurray_wire::ALL_CODES.iter().copied().collect();
    assert_eq!(all.len(), hurray_wire::ALL_CODES.len(), "each code once");
    let missing: Vec<_> = all.difference(&covered).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
    let unknown: Vec<_> = covered.difference(&all).collect();
    assert!(unknown.is_empty(), "not a code: {unknown:?}");
    println!("{} codes", all.len());
}
