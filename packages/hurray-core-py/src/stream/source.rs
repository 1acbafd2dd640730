//! What a reader takes bytes from.

use std::io::{self, Read};

use super::channel::Channel;
use crate::buffer::Buffer;

pub(super) enum Source {
    /// A channel, behind what a buffered file had already read of it.
    Channel {
        ahead: Vec<u8>,
        taken: usize,
        channel: Channel,
    },
    Memory {
        bytes: Buffer,
        taken: usize,
    },
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Channel { ahead, taken, channel } if *taken == ahead.len() => channel.read(out),
            Self::Channel { ahead, taken, .. } => from(ahead, taken, out),
            Self::Memory { bytes, taken } => from(bytes.bytes(), taken, out),
        }
    }
}

fn from(bytes: &[u8], taken: &mut usize, out: &mut [u8]) -> io::Result<usize> {
    let count = (&bytes[*taken..]).read(out)?;
    *taken += count;
    Ok(count)
}
