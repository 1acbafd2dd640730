//! What a writer refuses before it writes.

use std::collections::HashSet;

use super::{too_large, Output, Writer};
use crate::check;
use crate::compose::Assembly;
use crate::format::{up, MAX_NAME, MIN_DATA_ALIGNMENT, PART_ALIGNMENT};
use crate::{Error, Fault, InputError, Problem};
use hurray_core::{LayoutDescriptor, TensorDescriptor, DYNAMIC};

/// The largest offset a file can have on any system.
const MAX_OFFSET: u64 = i64::MAX as u64;
/// More than any descriptor takes beyond its quantization section and private payload.
const DESCRIPTOR_ROOM: u64 = 1 << 16;

impl<W: Output> Writer<W> {
    /// The checks of [`put`](Self::put), writing nothing. `sizes` are the buffers' bytes.
    ///
    /// # Errors
    /// [`Error::Input`] or [`Error::Bad`], naming the tensor.
    pub fn check(&self, name: &str, descriptor: &TensorDescriptor, sizes: &[u64]) -> Result<(), Error> {
        self.check_after(&self.assembly, name, descriptor, sizes)
    }

    /// The checks of [`put`](Self::put) for tensors that will be put one after another, a composite's head and
    /// members among them, writing nothing.
    ///
    /// # Errors
    /// As [`check`](Self::check); F-42 where the last composite lacks members.
    pub fn check_all<'t>(
        &self,
        tensors: impl Iterator<Item = (&'t str, &'t TensorDescriptor, Vec<u64>)>,
    ) -> Result<(), Error> {
        let (mut assembly, mut names) = (self.assembly.clone(), HashSet::new());
        for (name, descriptor, sizes) in tensors {
            self.check_after(&assembly, name, descriptor, &sizes)?;
            if !names.insert(name) {
                return Err(InputError::DuplicateName { name: name.to_owned() }.into());
            }
            assembly.accept(descriptor);
        }
        match assembly.claim() {
            Some((claimed, left)) => {
                let fault = Fault::TornComposite { claimed, following: u64::from(claimed - left) };
                Err(Problem::new(fault, None, None).into())
            }
            None => Ok(()),
        }
    }

    fn check_after(
        &self,
        assembly: &Assembly,
        name: &str,
        descriptor: &TensorDescriptor,
        sizes: &[u64],
    ) -> Result<(), Error> {
        if self.broken {
            return Err(InputError::Broken.into());
        }
        self.check_name(name)?;
        let bad = |fault: Fault| Error::from(Problem::new(fault, Some(name), None));
        check::all(descriptor).map_err(bad)?;
        // A writer never emits a reserved tag (versioning.md §3), and no strict reader would take it (L-2).
        if let LayoutDescriptor::Unknown(unknown) = &descriptor.layout {
            return Err(bad(Fault::LayoutUnknown { tag: unknown.tag }));
        }
        if let Some(dim) = descriptor.shape.dims().iter().position(|&d| d == DYNAMIC) {
            let name = name.to_owned();
            return Err(InputError::DynamicShape { name, dim }.into());
        }
        check::authored(descriptor).map_err(|why| InputError::Unwritable { name: name.to_owned(), why })?;
        check_sizes(name, descriptor, sizes)?;
        assembly.admit(descriptor).map_err(bad)?;
        self.check_end(sizes).ok_or_else(|| too_large(name))
    }

    fn check_name(&self, name: &str) -> Result<(), InputError> {
        let length = name.len();
        let owned = || name.to_owned();
        match length {
            0 => Err(InputError::EmptyName),
            1..=MAX_NAME if self.index.find(name).is_some() => Err(InputError::DuplicateName { name: owned() }),
            1..=MAX_NAME => Ok(()),
            _ => Err(InputError::NameTooLong { name: owned(), length }),
        }
    }

    /// That every offset of the tensor stays one a file can have.
    fn check_end(&self, sizes: &[u64]) -> Option<()> {
        let mut end = up(self.out.position(), PART_ALIGNMENT)?.checked_add(DESCRIPTOR_ROOM)?;
        for &size in sizes {
            end = up(end, u64::from(MIN_DATA_ALIGNMENT))?.checked_add(size)?;
        }
        (end <= MAX_OFFSET).then_some(())
    }
}

pub(crate) fn check_sizes(name: &str, d: &TensorDescriptor, sizes: &[u64]) -> Result<(), InputError> {
    let (expected, found) = (d.buffers.len(), sizes.len());
    if expected != found {
        return Err(InputError::WrongBufferCount { name: name.to_owned(), expected, found });
    }
    for (buffer, (handle, &found)) in d.buffers.iter().zip(sizes).enumerate() {
        let expected = handle.byte_size();
        if expected != found {
            return Err(InputError::WrongBufferSize { name: name.to_owned(), buffer, expected, found });
        }
    }
    Ok(())
}
