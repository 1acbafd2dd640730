//! Reading items, each as soon as its last byte is there.

use super::frame::Input;
use super::{dynamic, synced, Item, Limits, Memory, StreamComposite};
use crate::compose::Assembly;
use crate::{check, Error, Fault};
use hurray_core::{LayoutDescriptor, TensorDescriptor};
use std::io::{ErrorKind, Read};

/// Reads one item after another. After an error in the middle of an item the position in the stream
/// is lost, and the reader is at its end.
pub struct StreamReader<R> {
    input: Input<R>,
    limits: Limits,
    cross_machine: bool,
    /// The descriptor that is being read.
    frame: Vec<u8>,
    ended: bool,
}

/// The heads that wait for members, outermost first.
type Open<M> = Vec<StreamComposite<M>>;

impl<R: Read> StreamReader<R> {
    /// A reader; with `cross_machine` it refuses buffers that are not producer-synced (S-11).
    pub fn new(from: R, limits: Limits, cross_machine: bool) -> Self {
        Self { input: Input::new(from), limits, cross_machine, frame: Vec::new(), ended: false }
    }

    /// Bytes taken from the input.
    pub fn position(&self) -> u64 {
        self.input.position
    }

    /// The input, of which nothing was read beyond the last item.
    pub fn into_inner(self) -> R {
        self.input.into_inner()
    }

    /// The next item, `None` at a clean end and after an error.
    ///
    /// # Errors
    /// [`Error::Io`] from the input or the memory; [`Error::Bad`] for the rules of stream.md §12
    /// and every rule of descriptors and composites, with the offset at which the tensor begins.
    pub fn next<M: Memory>(&mut self, memory: &mut M) -> Result<Option<Item<M::Buffer>>, Error> {
        if self.ended {
            return Ok(None);
        }
        let start = self.input.position;
        let item = self.item(memory);
        self.ended = match &item {
            Ok(item) => item.is_none(),
            // Nothing of the item has been taken: the position is known, and a later call goes on from it.
            Err(Error::Io(_)) => self.input.position != start,
            Err(_) => true,
        };
        item
    }

    /// Whether the end was reached, by the input's own or by an error.
    pub fn ended(&self) -> bool {
        self.ended
    }

    fn item<M: Memory>(&mut self, memory: &mut M) -> Result<Option<Item<M::Buffer>>, Error> {
        let mut assembly = Assembly::nested(self.limits.composite_depth);
        let mut open: Open<M::Buffer> = Vec::new();
        loop {
            let start = self.input.position;
            if !self.input.frame(&self.limits, &mut self.frame)? {
                return match assembly.claim() {
                    None => Ok(None),
                    Some((claimed, left)) => {
                        let following = u64::from(claimed - left);
                        Err(Input::<R>::bad(start, Fault::StreamTorn { claimed, following }))
                    }
                };
            }
            let descriptor = self.descriptor(&assembly).map_err(|fault| Input::<R>::bad(start, fault))?;
            let closed = assembly.accept(&descriptor);
            let mut complete = match descriptor.layout {
                LayoutDescriptor::Composite(_) => {
                    open.push(StreamComposite { head: descriptor, members: Vec::new() });
                    None
                }
                _ => {
                    let buffers = self.buffers(&descriptor, start, memory)?;
                    Some(Item::Tensor(descriptor, buffers))
                }
            };
            for _ in 0..closed {
                settle(&mut open, complete.take());
                complete = open.pop().map(Item::Composite);
            }
            if let Some(item) = settle(&mut open, complete) {
                return Ok(Some(item));
            }
        }
    }

    /// The descriptor in the frame, with everything checked that needs no data.
    fn descriptor(&self, assembly: &Assembly) -> Result<TensorDescriptor, Fault> {
        let descriptor = check::decode(&self.frame)?;
        check::all(&descriptor)?;
        if let Some(dim) = dynamic(&descriptor) {
            return Err(Fault::StreamDynamic { dim });
        }
        if self.cross_machine {
            synced(&descriptor)?;
        }
        self.sizes(&descriptor)?;
        assembly.admit(&descriptor).map_err(|fault| match fault {
            Fault::TooDeep { limit } => Fault::StreamDepth { limit },
            fault => fault,
        })?;
        Ok(descriptor)
    }

    /// S-7, S-8.
    fn sizes(&self, descriptor: &TensorDescriptor) -> Result<(), Fault> {
        let mut total = 0u64;
        for (buffer, handle) in descriptor.buffers.iter().enumerate() {
            let (size, limit) = (handle.byte_size(), self.limits.buffer_bytes);
            if size > limit {
                return Err(Fault::StreamBufferLimit { buffer, size, limit });
            }
            total = total.checked_add(size).ok_or(Fault::StreamTotal { buffer })?;
        }
        Ok(())
    }

    fn buffers<M: Memory>(
        &mut self,
        descriptor: &TensorDescriptor,
        start: u64,
        memory: &mut M,
    ) -> Result<Vec<M::Buffer>, Error> {
        let mut buffers = Vec::with_capacity(descriptor.buffers.len());
        for handle in &descriptor.buffers {
            let (needed, before) = (handle.byte_size(), self.input.position);
            let received = memory.receive(needed, &mut (&mut self.input).take(needed));
            let available = self.input.position - before;
            let cut = Fault::StreamTruncated { what: "a buffer", needed, available };
            buffers.push(received.map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof if available < needed => Input::<R>::bad(start, cut),
                _ => error.into(),
            })?);
            if available < needed {
                let short = "the memory took fewer bytes than the buffer has";
                return Err(std::io::Error::new(ErrorKind::InvalidInput, short).into());
            }
        }
        Ok(buffers)
    }
}

/// Gives an item to the innermost open head, or back where none is open.
fn settle<M>(open: &mut Open<M>, item: Option<Item<M>>) -> Option<Item<M>> {
    let item = item?;
    match open.last_mut() {
        Some(head) => {
            head.members.push(item);
            None
        }
        None => Some(item),
    }
}
