//! Writing tensors, each handed over before the call returns.

use super::{dynamic, synced};
use crate::compose::Assembly;
use crate::write::{canonical, check_sizes};
use crate::{check, Error, Fault, InputError, Problem, Source};
use hurray_core::{LayoutDescriptor, TensorDescriptor};
use std::io::{self, Write};

/// Writes one tensor after another. Holds one descriptor, and the data of small tensors while they
/// are on their way.
pub struct StreamWriter<W> {
    to: Counted<W>,
    cross_machine: bool,
    assembly: Assembly,
    /// A small tensor in one piece.
    piece: Vec<u8>,
    /// Tensors written, which is how the next one is called in a refusal.
    count: u64,
    broken: bool,
}

/// Up to here a tensor goes out in one write, data and all.
const SMALL: u64 = 64 << 10;

impl<W: Write> StreamWriter<W> {
    /// A writer; with `cross_machine` it refuses buffers that are not producer-synced (S-11).
    pub fn new(to: W, cross_machine: bool) -> Self {
        Self {
            to: Counted { to, count: 0 },
            cross_machine,
            assembly: Assembly::default(),
            piece: Vec::new(),
            count: 0,
            broken: false,
        }
    }

    /// The output.
    pub fn get_ref(&self) -> &W {
        &self.to.to
    }

    /// Whether an earlier failure left a part of a tensor in the output.
    pub fn broken(&self) -> bool {
        self.broken
    }

    /// Writes one tensor. A composite head has no buffers, and its members are the tensors put
    /// next; what breaks a composite is refused here as well (layouts.md §11).
    ///
    /// # Errors
    /// [`Error::Input`] or [`Error::Bad`] with nothing of the tensor written; [`Error::Io`] from
    /// the output or a source, after which a stream that has a part of the tensor cannot be completed.
    pub fn put(&mut self, descriptor: &TensorDescriptor, buffers: &[&dyn Source]) -> Result<(), Error> {
        self.check(descriptor, buffers)?;
        let why = "its descriptor does not fit the 4 GiB that its length field counts";
        let encoded = canonical::encode(descriptor).map_err(|_| InputError::Unwritable { name: self.name(), why })?;
        let before = self.to.count;
        let written = self.write(&encoded, buffers);
        self.broken = written.is_err() && self.to.count != before;
        written?;
        self.assembly.accept(descriptor);
        self.count += 1;
        Ok(())
    }

    fn check(&self, descriptor: &TensorDescriptor, buffers: &[&dyn Source]) -> Result<(), Error> {
        let sizes: Vec<u64> = buffers.iter().map(|buffer| buffer.len()).collect();
        self.check_after(&self.assembly, descriptor, &sizes)
    }

    /// The checks of [`put`](Self::put) for tensors that will be put one after another, a composite's head and
    /// members among them, writing nothing.
    ///
    /// # Errors
    /// As [`put`](Self::put); S-13 where the last composite lacks members.
    pub fn check_all<'t>(&self, tensors: impl Iterator<Item = (&'t TensorDescriptor, Vec<u64>)>) -> Result<(), Error> {
        let mut assembly = self.assembly.clone();
        for (descriptor, sizes) in tensors {
            self.check_after(&assembly, descriptor, &sizes)?;
            assembly.accept(descriptor);
        }
        whole_composite(&assembly)
    }

    fn check_after(&self, assembly: &Assembly, descriptor: &TensorDescriptor, sizes: &[u64]) -> Result<(), Error> {
        if self.broken {
            return Err(InputError::Broken.into());
        }
        let bad = |fault| Error::from(Problem::new(fault, None, None));
        check::all(descriptor).map_err(bad)?;
        // No reader could know the buffers' sizes (stream.md §2), so no writer emits a reserved tag.
        if let LayoutDescriptor::Unknown(unknown) = &descriptor.layout {
            return Err(bad(Fault::LayoutUnknown { tag: unknown.tag }));
        }
        if let Some(dim) = dynamic(descriptor) {
            return Err(InputError::DynamicShape { name: self.name(), dim }.into());
        }
        check::authored(descriptor).map_err(|why| InputError::Unwritable { name: self.name(), why })?;
        if self.cross_machine {
            synced(descriptor).map_err(bad)?;
        }
        check_sizes(&self.name(), descriptor, sizes)?;
        assembly.admit(descriptor).map_err(bad)
    }

    fn name(&self) -> String {
        format!("#{}", self.count)
    }

    fn write(&mut self, encoded: &[u8], buffers: &[&dyn Source]) -> Result<(), Error> {
        let total = buffers.iter().fold(0u64, |total, buffer| total.saturating_add(buffer.len()));
        if total > SMALL {
            self.to.write_all(encoded)?;
            for buffer in buffers {
                whole(*buffer, &mut self.to)?;
            }
            return Ok(());
        }
        self.piece.clear();
        self.piece.extend_from_slice(encoded);
        for buffer in buffers {
            whole(*buffer, &mut self.piece)?;
        }
        Ok(self.to.write_all(&self.piece)?)
    }

    /// Ends the stream, which has no mark of its own for that, and hands the output back.
    ///
    /// # Errors
    /// [`Error::Input`] after an earlier failure; [`Error::Bad`] S-13 if the last composite lacks
    /// members; [`Error::Io`] from the output.
    pub fn finish(mut self) -> Result<W, Error> {
        self.complete()?;
        self.to.flush()?;
        Ok(self.to.to)
    }

    /// Whether the stream could end here: no write failed, and no composite is open.
    ///
    /// # Errors
    /// As [`finish`](Self::finish), but for the output's own.
    pub fn complete(&self) -> Result<(), Error> {
        if self.broken {
            return Err(InputError::Broken.into());
        }
        whole_composite(&self.assembly)
    }
}

/// S-13: no composite lacks members.
fn whole_composite(assembly: &Assembly) -> Result<(), Error> {
    match assembly.claim() {
        None => Ok(()),
        Some((claimed, left)) => {
            let following = u64::from(claimed - left);
            Err(Problem::new(Fault::StreamTorn { claimed, following }, None, None).into())
        }
    }
}

/// Knows whether a failed write has left anything behind.
struct Counted<W> {
    to: W,
    count: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A source, held to the length it gave.
fn whole<W: Write + ?Sized>(source: &dyn Source, to: &mut W) -> io::Result<()> {
    let mut exact = crate::write::Exact::new(to, source.len());
    source.write_to(&mut exact)?;
    exact.finished(source.len())
}
