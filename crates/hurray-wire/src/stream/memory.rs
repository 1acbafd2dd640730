//! Where the bytes of a buffer come to lie.

use std::io::{self, ErrorKind, Read};

/// Makes the memory of buffers as their bytes arrive.
pub trait Memory {
    /// The memory of one buffer.
    type Buffer;

    /// Exactly `length` bytes of `from`. The length is a claim: memory follows what has arrived, a
    /// fixed amount ahead and in growing steps, and never the claim.
    ///
    /// # Errors
    /// Those of `from`; `UnexpectedEof` if it ends before.
    fn receive(&mut self, length: u64, from: &mut dyn Read) -> io::Result<Self::Buffer>;
}

/// Plain vectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heap;

/// How far memory may run ahead of what has arrived.
const AHEAD: u64 = 1 << 20;

impl Memory for Heap {
    type Buffer = Vec<u8>;

    fn receive(&mut self, length: u64, from: &mut dyn Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut left = length;
        while left > 0 {
            let step = left.min(AHEAD);
            let filled = bytes.len();
            bytes.try_reserve(step as usize).map_err(|_| ErrorKind::OutOfMemory)?;
            bytes.resize(filled + step as usize, 0);
            from.read_exact(&mut bytes[filled..])?;
            left -= step;
        }
        Ok(bytes)
    }
}
