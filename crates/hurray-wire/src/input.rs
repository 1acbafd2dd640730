//! What a caller can hand a writer wrongly.

use crate::error::Shown;
use crate::format::MAX_NAME;

/// A request that no file of this format can hold. Nothing of it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A tensor name is empty (file.md §5).
    #[error("a tensor name is empty")]
    EmptyName,
    /// A tensor name is longer than its length field can say (file.md §5).
    #[error("tensor name {} has {length} bytes, more than {MAX_NAME}", Shown(.name))]
    NameTooLong {
        /// The name.
        name: String,
        /// Its bytes.
        length: usize,
    },
    /// Two tensors have one name (file.md §5, F-18).
    #[error("tensor name {} is used twice", Shown(.name))]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A metadata key is empty (file.md §4).
    #[error("a metadata key is empty")]
    EmptyKey,
    /// A metadata key is longer than its length field can say (file.md §4).
    #[error("metadata key {} has {length} bytes, more than {MAX_NAME}", Shown(.key))]
    KeyTooLong {
        /// The key.
        key: String,
        /// Its bytes.
        length: usize,
    },
    /// A metadata key occurs twice (file.md §4, F-35).
    #[error("metadata key {} is used twice", Shown(.key))]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A metadata value, or all metadata with it, passes 4 GiB (file.md §4).
    #[error("metadata key {} is too large: a file holds less than 4 GiB of metadata", Shown(.key))]
    KvTooLarge {
        /// The key at which the limit was passed.
        key: String,
    },
    /// The number of buffers is not the descriptor's.
    #[error("tensor {} has {found} buffers, its descriptor names {expected}", Shown(.name))]
    WrongBufferCount {
        /// The tensor.
        name: String,
        /// What the descriptor says.
        expected: usize,
        /// What was handed over.
        found: usize,
    },
    /// A buffer has another size than its handle in the descriptor.
    #[error("buffer {buffer} of tensor {} has {found} bytes, its descriptor says {expected}", Shown(.name))]
    WrongBufferSize {
        /// The tensor.
        name: String,
        /// The buffer.
        buffer: usize,
        /// What the descriptor says.
        expected: u64,
        /// What was handed over.
        found: u64,
    },
    /// A dimension is dynamic: a file has nowhere to say what it became (file.md §11.11).
    #[error("dimension {dim} of tensor {} is dynamic; a file holds static shapes only: resolve it first", Shown(.name))]
    DynamicShape {
        /// The tensor.
        name: String,
        /// The dimension.
        dim: usize,
    },
    /// A field that writers must keep to a range and readers need not check (descriptor.md §8).
    #[error("tensor {}: {why}", Shown(.name))]
    Unwritable {
        /// The tensor.
        name: String,
        /// The rule.
        why: &'static str,
    },
    /// Offsets would pass 64 bits.
    #[error("with tensor {} the file would pass 2^63 bytes", Shown(.name))]
    FileTooLarge {
        /// The tensor.
        name: String,
    },
    /// An earlier call failed in the middle of a write, so no whole file can come of this writer.
    #[error("an earlier write failed; what was being written cannot be completed")]
    Broken,
}
