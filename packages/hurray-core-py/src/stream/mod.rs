//! Bare streams (format: stream.md §1 to §5): the doors over `hurray_wire`'s reader and writer.

mod arriving;
mod channel;
mod destination;
mod gate;
mod home;
mod open;
mod reader;
mod source;
mod wait;
mod writer;

pub(crate) use reader::StreamReader;
pub(crate) use writer::StreamWriter;
