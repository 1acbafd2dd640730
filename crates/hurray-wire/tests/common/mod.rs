//! Helpers of several test binaries; none uses all of them.
#![allow(dead_code)]

pub mod desc;
pub mod file;
pub mod samples;

use hurray_wire::{verify, Container, Error};

/// The first fault of a file, by opening it, reading each tensor and gathering composites.
pub fn first(bytes: &[u8]) -> Result<(), String> {
    let code = |e: Error| match e {
        Error::Bad(problem) => problem.fault.code().to_owned(),
        other => format!("{other:?}"),
    };
    let container = Container::open(bytes).map_err(code)?;
    for i in 0..container.len() {
        container.tensor(bytes, i).map_err(code)?;
    }
    container.composites(bytes).map_err(code)?;
    Ok(())
}

/// Every fault of a file.
pub fn every(bytes: &[u8]) -> Vec<&'static str> {
    let problems = verify(bytes).expect("slices do not fail");
    problems.iter().map(|p| p.fault.code()).collect()
}
