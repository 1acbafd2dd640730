//! DLPack 1.x, both ways, for memory that the CPU reaches.

mod abi;
mod export;
mod import;
mod managed;

pub(crate) use export::{device_type, export, Request};
pub(crate) use import::from_dlpack;
pub(crate) use managed::Managed;
