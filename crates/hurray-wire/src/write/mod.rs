//! The forward-only writer (file.md §9).

pub(crate) mod canonical;
mod checks;
mod ends;
mod out;
mod output;
mod source;

pub(crate) use checks::check_sizes;
pub(crate) use out::Exact;
pub use output::Output;
pub use source::Source;

use crate::compose::Assembly;
use crate::format::{MIN_DATA_ALIGNMENT, PART_ALIGNMENT};
use crate::index::{Index, Slot};
use crate::kv::{self, KvValue};
use crate::{Error, Fault, InputError, Problem};
use hurray_core::TensorDescriptor;
use out::Out;

/// Writes one file from front to back. Holds the index and one descriptor, never a tensor's data.
///
/// Everything that can be checked is checked before the first byte it concerns: metadata in
/// [`new`](Self::new), a tensor in [`put`](Self::put). After a failed write the writer is of no
/// use any more, and [`finish`](Self::finish) says so.
pub struct Writer<W: Output> {
    out: Out<W>,
    kv: Vec<u8>,
    /// In write order.
    index: Index,
    assembly: Assembly,
    broken: bool,
}

impl<W: Output> Writer<W> {
    /// Checks the metadata and writes the header.
    ///
    /// # Errors
    /// [`Error::Input`] naming the key, before the first byte; [`Error::Io`] from `out`.
    pub fn new(out: W, kv: Vec<(String, KvValue)>) -> Result<Self, Error> {
        let kv = kv::write::encode(&kv)?;
        let mut out = Out::new(out);
        out.put(&ends::header(!kv.is_empty()))?;
        Ok(Self { out, kv, index: Index::default(), assembly: Assembly::default(), broken: false })
    }

    /// Writes one tensor. A composite head has no buffers, and its members are the tensors put
    /// next; what breaks a composite is refused here as well (layouts.md §11).
    ///
    /// # Errors
    /// [`Error::Input`] or [`Error::Bad`] naming the tensor, with nothing of it written;
    /// [`Error::Io`] from the output or a source.
    pub fn put(&mut self, name: &str, descriptor: &TensorDescriptor, buffers: &[&dyn Source]) -> Result<(), Error> {
        let sizes: Vec<u64> = buffers.iter().map(|b| b.len()).collect();
        self.check(name, descriptor, &sizes)?;
        let encoded = canonical::encode(descriptor).map_err(|_| too_large(name))?;
        // Only a put that ran to its end clears this again.
        self.broken = true;
        let slot = self.write(&encoded, buffers, &sizes)?;
        self.index.push(name, &slot);
        self.assembly.accept(descriptor);
        self.broken = false;
        Ok(())
    }

    fn write(&mut self, encoded: &[u8], buffers: &[&dyn Source], sizes: &[u64]) -> Result<Slot, Error> {
        self.out.pad(PART_ALIGNMENT)?;
        let descriptor_offset = self.out.position();
        self.out.put(encoded)?;
        let mut data_offset = None;
        for (buffer, &size) in buffers.iter().zip(sizes) {
            self.out.pad(u64::from(MIN_DATA_ALIGNMENT))?;
            data_offset.get_or_insert(self.out.position());
            self.out.source(*buffer, size)?;
        }
        let end = self.out.position();
        // A head's data_offset means nothing; the descriptor's end is sensible (file.md §9).
        let data_offset = data_offset.unwrap_or(end);
        Ok(Slot {
            descriptor_offset,
            descriptor_length: encoded.len() as u32,
            data_offset,
            data_length: end - data_offset,
        })
    }

    /// Writes metadata, index and trailer, flushes, and hands the output back.
    ///
    /// # Errors
    /// [`Error::Input`] after an earlier failure; [`Error::Bad`] F-42 if the last composite lacks
    /// members; [`Error::Io`] from the output.
    pub fn finish(mut self) -> Result<W, Error> {
        if self.broken {
            return Err(InputError::Broken.into());
        }
        if let Some((claimed, left)) = self.assembly.claim() {
            let following = u64::from(claimed - left);
            let fault = Fault::TornComposite { claimed, following };
            return Err(Problem::new(fault, None, None).into());
        }
        self.out.pad(PART_ALIGNMENT)?;
        let kv_offset = self.out.position();
        self.out.put(&self.kv)?;
        self.out.pad(PART_ALIGNMENT)?;
        let index_offset = self.out.position();
        let index = self.index.finish();
        self.out.put(index)?;
        let crc = crc32c::crc32c(index);
        let index_length = index.len() as u64;
        let kv = match self.kv.len() {
            0 => (0, 0),
            length => (kv_offset, length as u32),
        };
        let trailer = ends::trailer((index_offset, index_length), kv, crc);
        self.out.put(&trailer)?;
        Ok(self.out.finish()?)
    }
}

fn too_large(name: &str) -> Error {
    let name = name.to_owned();
    InputError::FileTooLarge { name }.into()
}
