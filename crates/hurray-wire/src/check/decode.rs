//! Bytes to descriptor: `hurray_core`'s decoder, and what it lets pass (descriptor.md §11).

use super::{bools, core_error, plain, rank};
use crate::bytes::{bytes4, u32_at};
use crate::format::{DESCRIPTOR_FIXED, DESCRIPTOR_PREFIX};
use crate::Fault;
use hurray_core::{TensorDescriptor, MAGIC};

/// Decodes one descriptor that fills `bytes`, applying every rule of descriptor.md §8 that needs
/// neither sizes nor counts. Bytes behind the descriptor's own length are not looked at.
///
/// D-40, L-4 and L-7 are truncations and carry `D-1`.
pub fn decode(bytes: &[u8]) -> Result<TensorDescriptor, Fault> {
    if let Some(descriptor) = plain::read(bytes) {
        return Ok(descriptor);
    }
    let own = own(bytes)?;
    let descriptor = TensorDescriptor::decode(own).map_err(|e| core_error::fault(e, own))?;
    rank::version(&descriptor)?;
    bools::bools(&descriptor, own)?;
    Ok(descriptor)
}

/// The descriptor's own bytes, without what follows them.
pub fn own(bytes: &[u8]) -> Result<&[u8], Fault> {
    let length = prefix(bytes)?;
    let (needed, available) = (u64::from(length), bytes.len() as u64);
    bytes.get(..length as usize).ok_or(Fault::Truncated { needed, available })
}

/// D-1, D-2, D-3, D-5: what must hold before the length may be believed.
pub(crate) fn prefix(bytes: &[u8]) -> Result<u32, Fault> {
    let available = bytes.len() as u64;
    if bytes.len() < DESCRIPTOR_PREFIX {
        let needed = DESCRIPTOR_PREFIX as u64;
        return Err(Fault::Truncated { needed, available });
    }
    let found = bytes4(bytes, 0);
    if found != MAGIC {
        return Err(Fault::DescriptorMagic { found });
    }
    let (major, minor) = (bytes[4], bytes[5]);
    match major {
        0 => return Err(Fault::DescriptorTooOld { major, minor }),
        1 => {}
        _ => return Err(Fault::DescriptorTooNew { major, minor }),
    }
    let length = u32_at(bytes, 6);
    match (length as usize) < DESCRIPTOR_FIXED {
        true => Err(Fault::DescriptorShort { length }),
        false => Ok(length),
    }
}
