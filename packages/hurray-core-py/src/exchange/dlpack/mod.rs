//! DLPack 1.x, both ways, for memory that the CPU reaches.

mod abi;
mod export;
mod import;
mod managed;
mod method;

pub(crate) use export::device_type;
pub(crate) use import::from_dlpack;
pub(crate) use managed::Managed;
pub(crate) use method::install;
