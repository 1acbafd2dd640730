//! The memory of buffers that arrive: final and aligned from the first byte, and grown as bytes come in.

use std::io::{self, ErrorKind, Read};

use hurray_wire::Memory;

use crate::buffer::{Aligned, Buffer};

/// What is taken on a claim alone.
const AHEAD: usize = 1 << 20;

pub(super) struct Arriving;

impl Memory for Arriving {
    type Buffer = Buffer;

    /// Bytes go where they stay. Address space doubles with what has arrived; pages follow the bytes.
    fn receive(&mut self, length: u64, from: &mut dyn Read) -> io::Result<Buffer> {
        if length == 0 {
            return Ok(Buffer::empty());
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let lacking = |_| io::Error::from(ErrorKind::OutOfMemory);
        let mut filled = 0;
        let mut memory = Aligned::zeroed(length.min(AHEAD)).map_err(lacking)?;
        loop {
            let end = memory.bytes_mut().len();
            while filled < end {
                let next = end.min(filled + AHEAD);
                memory.bring_in(filled..next);
                from.read_exact(&mut memory.bytes_mut()[filled..next])?;
                filled = next;
            }
            if filled == length {
                return Ok(Buffer::owned(memory));
            }
            memory = memory.grown(length.min(filled.saturating_mul(2))).map_err(lacking)?;
        }
    }
}
