//! File metadata: typed values under string keys (file.md §4).

pub(crate) mod read;
pub(crate) mod write;

/// One value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub enum KvValue {
    /// UTF-8 text, tag 0x01.
    String(String),
    /// Signed 64-bit integer, tag 0x02.
    Int64(i64),
    /// Unsigned 64-bit integer, tag 0x03.
    Uint64(u64),
    /// IEEE binary64, tag 0x04.
    Float64(f64),
    /// Truth value, tag 0x05.
    Bool(bool),
    /// Raw bytes, tag 0x06.
    Bytes(Vec<u8>),
    /// A list of one of the kinds above, tag 0x07.
    Array(KvArray),
}

/// A list of one scalar kind. An empty list is written as zero strings (04-tables.md, ruling 16).
#[derive(Debug, Clone, PartialEq)]
pub enum KvArray {
    /// Texts.
    String(Vec<String>),
    /// Signed integers.
    Int64(Vec<i64>),
    /// Unsigned integers.
    Uint64(Vec<u64>),
    /// Floats.
    Float64(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Raw byte strings.
    Bytes(Vec<Vec<u8>>),
}

impl KvArray {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::String(v) => v.len(),
            Self::Int64(v) => v.len(),
            Self::Uint64(v) => v.len(),
            Self::Float64(v) => v.len(),
            Self::Bool(v) => v.len(),
            Self::Bytes(v) => v.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Value tags (file.md §4).
pub(crate) const STRING: u8 = 0x01;
pub(crate) const INT64: u8 = 0x02;
pub(crate) const UINT64: u8 = 0x03;
pub(crate) const FLOAT64: u8 = 0x04;
pub(crate) const BOOL: u8 = 0x05;
pub(crate) const BYTES: u8 = 0x06;
pub(crate) const ARRAY: u8 = 0x07;
