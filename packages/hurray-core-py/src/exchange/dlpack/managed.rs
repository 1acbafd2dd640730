//! A managed tensor that a producer handed over: released once, on drop.

use std::ptr::NonNull;

use pyo3::prelude::*;

use crate::buffer::trash;

use super::abi::{DlTensor, Legacy, Version, Versioned, FLAG_COPIED, FLAG_READ_ONLY};

/// The producer's structure, of either kind, which we own.
pub(crate) struct Managed(pub(super) Kind);

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Versioned(NonNull<Versioned>),
    Legacy(NonNull<Legacy>),
}

// SAFETY: DLPack lets the deleter be called from any thread; nothing else is touched through us.
unsafe impl Send for Managed {}
// SAFETY: as above; shared use reads constant fields alone.
unsafe impl Sync for Managed {}

impl Managed {
    /// The tensor inside; `None` for a major version whose layout is not known.
    pub(super) fn tensor(&self) -> Option<&DlTensor> {
        match &self.0 {
            // SAFETY: the version comes first in every version of the structure, and the rest of it
            // is read only where the major version is the one that is known here.
            Kind::Versioned(managed) => unsafe {
                let known = managed.as_ref().version.major == super::abi::VERSION.major;
                if known {
                    Some(&managed.as_ref().tensor)
                } else {
                    None
                }
            },
            // SAFETY: the capsule's name says that it is this structure, which has no versions.
            Kind::Legacy(managed) => unsafe { Some(&managed.as_ref().tensor) },
        }
    }

    pub(super) fn version(&self) -> Option<Version> {
        match &self.0 {
            // SAFETY: as in `tensor`.
            Kind::Versioned(managed) => Some(unsafe { managed.as_ref().version }),
            Kind::Legacy(_) => None,
        }
    }

    /// Whether the producer forbids writing. A legacy capsule cannot say so.
    pub(super) fn readonly(&self) -> bool {
        match &self.0 {
            // SAFETY: as in `tensor`; called for a known major version.
            Kind::Versioned(managed) => unsafe { managed.as_ref().flags & FLAG_READ_ONLY != 0 },
            Kind::Legacy(_) => false,
        }
    }
}

impl Managed {
    /// Whether the producer says that the memory is a copy made for this capsule.
    pub(super) fn copied(&self) -> bool {
        match &self.0 {
            // SAFETY: as in `readonly`.
            Kind::Versioned(managed) => unsafe { managed.as_ref().flags & FLAG_COPIED != 0 },
            Kind::Legacy(_) => false,
        }
    }
}

/// Calls the producer's deleter.
fn release(kind: Kind) {
    match kind {
        // SAFETY: we own the structure and call its deleter once; the specification keeps the
        // deleter's place in every version.
        Kind::Versioned(managed) => unsafe {
            if let Some(deleter) = managed.as_ref().deleter {
                deleter(managed.as_ptr());
            }
        },
        // SAFETY: as above.
        Kind::Legacy(managed) => unsafe {
            if let Some(deleter) = managed.as_ref().deleter {
                deleter(managed.as_ptr());
            }
        },
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        let kind = self.0;
        // Producers written for Python drop references without attaching; at exit nobody is left to tell.
        trash::release(move || {
            Python::try_attach(|_| release(kind));
        });
    }
}
