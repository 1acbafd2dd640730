//! What one frame may claim (stream.md §5).

/// Bounds on what a stream may ask of its reader. The defaults are hurray-io's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one descriptor (S-5).
    pub descriptor_bytes: u64,
    /// Bytes of one buffer (S-7).
    pub buffer_bytes: u64,
    /// Levels of composite heads (S-15).
    pub composite_depth: usize,
}

/// 16 MiB; a descriptor without a private payload stays under 20 KiB.
const DESCRIPTOR_BYTES: u64 = 16 << 20;
/// Deeper than the format's own 8, which writers keep to (04-tables.md §3, ruling 12).
const COMPOSITE_DEPTH: usize = 64;

impl Default for Limits {
    fn default() -> Self {
        Self { descriptor_bytes: DESCRIPTOR_BYTES, buffer_bytes: u64::MAX, composite_depth: COMPOSITE_DEPTH }
    }
}
