//! The native protocol: `__hurray__` and `from_hurray`, over the C ABI of hurray-ffi (requirements: Native
//! Interchange Protocol).

mod export;
mod import;
mod received;
mod sent;

use std::ffi::CStr;

pub(crate) use import::from_hurray;
pub(crate) use received::Received;

/// The name of a capsule that nobody has taken.
const NAME: &CStr = c"hurray_tensor";
/// Its name from then on.
const USED: &CStr = c"used_hurray_tensor";
