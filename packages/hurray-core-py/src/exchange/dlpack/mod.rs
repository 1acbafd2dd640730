//! DLPack 1.x, both ways. Memory of another device is described and handed on, never read.

mod abi;
mod ask;
mod elsewhere;
mod export;
mod import;
mod managed;
mod method;

pub(crate) use export::device_type;
pub(crate) use import::from_dlpack;
pub(crate) use managed::Managed;
pub(crate) use method::install;
