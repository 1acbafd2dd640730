//! Opening: header, trailer, index and metadata, each checked before the next is believed.

use super::header::Header;
use super::regions;
use super::trailer::{Trailer, CRC_AT};
use super::Container;
use crate::format::{FLAG_INDEX_CRC, HEADER_LEN, SMALLEST_FILE, TRAILER_LEN};
use crate::index::Index;
use crate::read_at::{read_vec, ReadAt};
use crate::sink::Sink;
use crate::{kv, Error, Fault};

/// Reads everything but the tensors; `None` when too little of it can be read. Faults go to the sink.
pub(crate) fn open<S: ReadAt + ?Sized>(source: &S, sink: &mut dyn Sink) -> Result<Option<Container>, Error> {
    let size = source.size()?;
    let Some((header, trailer)) = ends(source, size, sink)? else {
        return Ok(None);
    };
    let bytes = read_vec(source, trailer.index.start, length(&trailer.index))?;
    let index = match checksum_holds(&bytes, size, &header, &trailer, sink)? {
        true => Index::parse(bytes, trailer.index.start, &header, sink)?,
        false => Index::default(),
    };
    let mut kv = Vec::new();
    if !trailer.kv.is_empty() {
        let bytes = read_vec(source, trailer.kv.start, length(&trailer.kv))?;
        kv = kv::read::parse(&bytes, trailer.kv.start, header.is_newer(), sink)?;
    }
    let by_offset = regions::check(&index, &header, &trailer, sink)?;
    Ok(Some(Container { header, trailer, index, kv, by_offset, size }))
}

fn ends<S: ReadAt + ?Sized>(source: &S, size: u64, sink: &mut dyn Sink) -> Result<Option<(Header, Trailer)>, Error> {
    // The magic first: of a short file that is something else, that is what should be said.
    let mut head = [0; HEADER_LEN as usize];
    let have = size.min(HEADER_LEN) as usize;
    source.read_exact_at(&mut head[..have], 0)?;
    if size < SMALLEST_FILE {
        let magic = crate::format::FILE_MAGIC;
        let prefix = magic.len().min(have);
        if head[..prefix] != magic[..prefix] {
            let found = crate::bytes::bytes8(&head, 0);
            sink.fault(Fault::FileMagic { found }, 0)?;
        } else {
            sink.fault(Fault::FileTooShort { size }, 0)?;
        }
        return Ok(None);
    }
    let end = size - TRAILER_LEN;
    let Some(header) = Header::parse(&head, end, sink)? else {
        return Ok(None);
    };
    let mut tail = [0; TRAILER_LEN as usize];
    source.read_exact_at(&mut tail, end)?;
    let trailer = Trailer::parse(&tail, end, &header, sink)?;
    Ok(trailer.map(|trailer| (header, trailer)))
}

fn length(range: &std::ops::Range<u64>) -> u64 {
    range.end - range.start
}

/// F-13, before a byte of the index is parsed.
fn checksum_holds(
    bytes: &[u8],
    size: u64,
    header: &Header,
    trailer: &Trailer,
    sink: &mut dyn Sink,
) -> Result<bool, Error> {
    let stored = trailer.crc;
    if !header.has(FLAG_INDEX_CRC) {
        return Ok(true);
    }
    let computed = crc32c::crc32c(bytes);
    if computed == stored {
        return Ok(true);
    }
    let at = size - TRAILER_LEN + CRC_AT;
    sink.fault(Fault::IndexChecksum { stored, computed }, at)?;
    Ok(false)
}
