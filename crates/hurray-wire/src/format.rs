//! Every number of the container format, once (file.md).

/// First bytes of a file (file.md §2).
pub const FILE_MAGIC: [u8; 8] = *b"HRRYFILE";
/// Last bytes of a file (file.md §6), and first bytes of every descriptor.
pub const TRAILER_MAGIC: [u8; 4] = hurray_core::MAGIC;
/// The container version written, and the highest major read (file.md §2).
pub const CONTAINER_VERSION: (u8, u8) = (1, 0);
/// Bytes of the header (file.md §2).
pub const HEADER_LEN: u64 = 64;
/// Bytes of the trailer (file.md §6).
pub const TRAILER_LEN: u64 = 40;
/// Bytes of the smallest file: header, empty index, trailer (file.md §1).
pub const SMALLEST_FILE: u64 = HEADER_LEN + INDEX_FIXED + TRAILER_LEN;

/// Header flag: a KV section exists (file.md §2, §11.1).
pub const FLAG_HAS_KV: u32 = 1 << 0;
/// Header flag: index entries ascend by the bytes of their names (file.md §2).
pub const FLAG_SORTED_INDEX: u32 = 1 << 1;
/// Header flag: the trailer's checksum of the index counts (file.md §2).
pub const FLAG_INDEX_CRC: u32 = 1 << 2;
/// The flags that version 1.0 knows; any other is refused (F-4).
pub const KNOWN_FLAGS: u32 = FLAG_HAS_KV | FLAG_SORTED_INDEX | FLAG_INDEX_CRC;

/// Smallest alignment of data in a file, and the one written (file.md §2).
pub const MIN_DATA_ALIGNMENT: u32 = 4096;
/// Largest alignment of data in a file (file.md §2).
pub const MAX_DATA_ALIGNMENT: u32 = 2_097_152;
/// Alignment of descriptors, KV section and index (file.md §3–§5).
pub const PART_ALIGNMENT: u64 = 8;
/// The tensor count hint of a writer that does not know yet (file.md §2).
pub const COUNT_UNKNOWN: u64 = u64::MAX;

/// Bytes of the index before its entries (file.md §5).
pub const INDEX_FIXED: u64 = 8;
/// Bytes of an index entry after its name (file.md §5).
pub const ENTRY_FIXED: u64 = 32;
/// Bytes of the smallest index entry: a name of one byte (file.md §5).
pub const SMALLEST_ENTRY: u64 = 2 + 1 + ENTRY_FIXED;
/// Longest tensor name and longest KV key in bytes: their length is a `u16`.
pub const MAX_NAME: usize = u16::MAX as usize;

/// Bytes of the KV section before its entries (file.md §4).
pub const KV_FIXED: u64 = 4;
/// Bytes of the smallest KV entry: a one-byte key and a bool (file.md §4).
pub const SMALLEST_KV: u64 = 5;

/// Bytes of the smallest descriptor, a composite head of rank 0 (descriptor.md §1).
pub const SMALLEST_DESCRIPTOR: u32 = 37;
/// Bytes of a descriptor's fixed header (descriptor.md §2).
pub const DESCRIPTOR_FIXED: usize = 20;
/// Where the fixed header keeps the layout tag (descriptor.md §2).
pub const LAYOUT_TAG_AT: usize = 15;
/// Bytes that tell a descriptor's length (descriptor.md §2).
pub const DESCRIPTOR_PREFIX: usize = 10;
/// Bytes of one buffer handle (buffers.md §1).
pub const HANDLE_LEN: usize = 16;
/// Where a handle keeps its alignment (buffers.md §1).
pub const HANDLE_ALIGNMENT_AT: usize = 8;
/// The largest number of buffers of one tensor: the count is a `u8` (descriptor.md §5).
pub const MAX_BUFFERS: usize = u8::MAX as usize;

/// Levels of composite heads, the top one included (layouts.md §11, ruling 12).
pub const MAX_COMPOSITE_DEPTH: usize = 8;

/// `x` rounded up to a multiple of the power of two `a`; `None` past 64 bits.
pub(crate) fn up(x: u64, a: u64) -> Option<u64> {
    x.checked_add(a - 1).map(|y| y & !(a - 1))
}
