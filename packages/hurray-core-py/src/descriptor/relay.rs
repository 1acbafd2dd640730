//! What a descriptor was read from, where encoding it anew would lose some (format: versioning.md §6, layouts.md §12).

use std::sync::Arc;

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use hurray_wire::{check, Fault};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{device_of, Descriptor};
use crate::buffer;
use crate::error::{self, UnsupportedError};

/// How a descriptor goes back to the wire.
#[derive(Default, PartialEq)]
pub(crate) enum Relay {
    /// As it says itself.
    #[default]
    Own,
    /// As it was read: a newer minor version had more to say.
    Longer(Box<[u8]>),
    /// As it was read: under an unknown layout the parts could not be told apart.
    Undivided(Box<[u8]>),
}

impl Relay {
    pub(super) fn read(&self) -> Option<&[u8]> {
        match self {
            Self::Own => None,
            Self::Longer(read) | Self::Undivided(read) => Some(read),
        }
    }
}

/// What the bytes start with, checked. `unknown` is the length of an unknown layout's bytes, if that is known.
pub(crate) fn read(data: &Bound<'_, PyAny>, permissive: bool, unknown: Option<usize>) -> PyResult<Descriptor> {
    let py = data.py();
    let held;
    // What is most often given needs no view that holds it.
    let bytes = match data.cast::<PyBytes>() {
        Ok(bytes) => bytes.as_bytes(),
        Err(_) => {
            held = buffer::contiguous(data)?;
            held.bytes()
        }
    };
    let refused = |fault| match fault {
        Fault::LayoutUnknown { .. } => {
            let text = format!("{fault}; a newer release may know it, and permissive=True keeps it for a relay");
            error::coded(py, &fault, text)
        }
        fault => error::fault(py, &fault),
    };
    // Behind its pointer at once: moving a descriptor about takes longer than checking it.
    let (inner, whole) = if permissive {
        let check::Relayed { descriptor, whole } = check::decode_relayed(bytes, unknown).map_err(refused)?;
        (Arc::new(descriptor), whole)
    } else {
        (Arc::new(check::decode(bytes).map_err(refused)?), true)
    };
    let tiers = if whole { check::all } else { check::shape_tier };
    tiers(&inner).map_err(refused)?;
    let device = device_of(py, &inner)?;
    let mut decoded = Descriptor::new(inner, device);
    // At minor 0 nothing is left over, so that what was divided is what was read.
    if decoded.inner.version_minor > 0 || !whole {
        let own = check::own(bytes).map_err(refused)?;
        if !whole {
            decoded.relay = Relay::Undivided(own.into());
        } else if decoded.bytes()? != own {
            decoded.relay = Relay::Longer(own.into());
        }
    }
    Ok(decoded)
}

impl Descriptor {
    /// The descriptor with its buffers and sections; an error where they could not be told apart.
    pub(crate) fn whole(&self) -> PyResult<&Arc<TensorDescriptor>> {
        match self.relay {
            Relay::Undivided(_) => Err(UnsupportedError::new_err(format!(
                "where layout 0x{:02X} ends and the buffer table begins cannot be told; version, shape, dtype, \
                 byte_offset, layout and encode() are all there is of the descriptor",
                self.inner.layout.tag()
            ))),
            _ => Ok(&self.inner),
        }
    }

    /// Bytes of an unknown layout, for a way to this process that need not look for its end.
    pub(crate) fn unknown_len(&self) -> Option<usize> {
        match (&self.inner.layout, &self.relay) {
            (LayoutDescriptor::Unknown(unknown), Relay::Own | Relay::Longer(_)) => Some(unknown.raw_bytes.len()),
            _ => None,
        }
    }
}
