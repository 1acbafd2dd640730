//! The protocols that hand memory to others and take it from them.
#![allow(unsafe_code)]

pub(crate) mod called;
pub(crate) mod dlpack;
pub(crate) mod fd;
pub(crate) mod filled;
pub(crate) mod ingest;
pub(crate) mod native;
pub(crate) mod pybuffer;
mod stream;
