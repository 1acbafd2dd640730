//! Every problem of a file, not only the first (file.md §10).

mod gaps;
mod part;
mod tensor;

use crate::check;
use crate::container::{self, Container};
use crate::read_at::ReadAt;
use crate::sink::Every;
use crate::{Error, Problem};
use std::borrow::Cow;
use std::io;
use std::ops::Range;

/// Reads a whole file and reports all that is wrong with it, in the order of reading: header,
/// trailer, index and metadata (F-1 to F-41), then each tensor (D-, L-, Q-rules, F-21 to F-27, and
/// the contents of index and parameter buffers), then composites (F-42, F-43, L-47 to L-52), then
/// padding (F-45, F-46). One problem per rule and place: a damaged index is one, not one per entry; of
/// places in a tensor's contents that break a rule in the same way the first few are listed, the rest counted.
///
/// # Errors
/// Only the transport's own; an unreadable file is no verdict on its bytes.
pub fn verify<S: ReadAt + ?Sized>(source: &S) -> io::Result<Vec<Problem>> {
    let mut sink = Every::default();
    match whole(source, &mut sink) {
        Ok(()) => Ok(sink.0),
        Err(Error::Io(error)) => Err(error),
        Err(Error::Bad(problem)) => {
            sink.0.push(*problem);
            Ok(sink.0)
        }
        // Nothing is written here.
        Err(Error::Input(input)) => Err(io::Error::other(input)),
    }
}

fn whole<S: ReadAt + ?Sized>(source: &S, sink: &mut Every) -> Result<(), Error> {
    let Some(container) = container::open(source, sink)? else {
        return Ok(());
    };
    let mut owned = container.sections();
    for i in 0..container.len() {
        owned.extend(tensor::check(&container, source, i, sink)?);
    }
    composites(&container, source, sink)?;
    gaps::check(source, &container, owned, sink)
}

impl Container {
    /// Header, metadata, index and trailer.
    fn sections(&self) -> Vec<Range<u64>> {
        let trailer = self.trailer();
        let end = self.size() - crate::format::TRAILER_LEN;
        vec![0..crate::format::HEADER_LEN, trailer.kv.clone(), trailer.index.clone(), end..self.size()]
    }
}

/// Membership; what a descriptor breaks by itself was reported with its tensor.
fn composites<S: ReadAt + ?Sized>(container: &Container, source: &S, sink: &mut Every) -> Result<(), Error> {
    container.gather(sink, |i, inside| {
        if !tensor::readable(container, i) || !inside && !container.is_head(source, i)? {
            return Ok(None);
        }
        let bytes = container.descriptor_bytes(source, i)?;
        let sound = check::decode(&bytes).ok();
        let sound = sound.filter(|d| check::shape_tier(d).is_ok() && check::count_tier(d).is_ok());
        Ok(sound.map(Cow::Owned))
    })?;
    Ok(())
}
