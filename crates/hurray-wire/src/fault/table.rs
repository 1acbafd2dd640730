//! The table of rules. A row: code, tier, variant, message.

use super::macros::faults;
use super::Tier;

faults! {
    // Header, file.md §2.
    "F-1" Container FileMagic { found: [u8; 8] } "not a Hurray file: it begins with {found:02X?} where \"HRRYFILE\" stands";
    "F-2" Container ContainerTooNew { major: u8, minor: u8 } "container version {major}.{minor} is newer than 1.x, which is all this reader knows; a newer release may read it";
    "F-3" Container ContainerTooOld { minor: u8 } "container version 0.{minor} is older than 1.0, and no way to migrate it is defined";
    "F-4" Container FileFlags { flags: u32 } "file flags {flags:#010x} hold bits that version 1.0 reserves (known bits: 0x7)";
    "F-5" Container HeaderReserved { found: u8 } "a reserved header byte is {found:#04x} and must be 0";
    "F-6" Container DataAlignment { alignment: u32 } "data alignment {alignment} is not a power of two from 4096 to 2097152";
    "F-7" Container FirstDescriptor { offset: u64, end: u64 } "first descriptor offset {offset} is not a multiple of 8 from 64 to {end}, where the trailer begins";
    "F-8" Container FileTooShort { size: u64 } "the file has {size} bytes; the smallest one has 112";
    // Trailer, file.md §6.
    "F-9" Container TrailerMagic { found: [u8; 4] } "the file ends with {found:02X?} where \"HRRY\" stands: it is cut short or was never finished";
    "F-10" Container TrailerReserved { found: u32 } "the reserved trailer field is {found:#x} and must be 0";
    "F-11" Container IndexBounds { offset: u64, length: u64, end: u64 } "the index claims {length} bytes at {offset}, but the trailer begins at {end}";
    "F-12" Container IndexPlace { offset: u64, length: u64 } "the index ({length} bytes at {offset}) must have at least 8 bytes at a multiple of 8 from 64";
    "F-13" Container IndexChecksum { stored: u32, computed: u32 } "the index is damaged: its CRC-32C is {computed:#010x}, the trailer says {stored:#010x}";
    "F-14" Container StrayChecksum { stored: u32 } "the trailer holds checksum {stored:#010x}, but the flag that makes it count is clear";
    // Index, file.md §5.
    "F-15" Container EntryCount { claimed: u64, most: u64 } "the index claims {claimed} entries, but its bytes hold at most {most}";
    "F-16" Container IndexExtent { entry: u64, needed: u64, left: u64 } "at entry {entry} the index has {left} bytes left where exactly or at least {needed} belong";
    "F-17" Container EmptyName { entry: usize } "index entry {entry} has an empty name";
    "F-17" Container NameUtf8 { entry: usize } "the name of index entry {entry} is not UTF-8";
    "F-18" Container DuplicateName { first: usize, second: usize } "index entries {first} and {second} have the same name";
    "F-19" Container EntryFlags { flags: u32 } "index entry flags {flags:#x} are not 0";
    "F-20" Container NotSorted { entry: usize } "the file claims a sorted index, but the name of entry {entry} does not come after the one before it";
    // One tensor of the file, file.md §3 and §5.
    "F-21" Container DescriptorLength { entry: u32, own: u32 } "the index gives the descriptor {entry} bytes, the descriptor itself says {own}";
    "F-22" Container DescriptorOffset { offset: u64, first: u64 } "descriptor offset {offset} is not a multiple of 8 from {first}";
    "F-23" Container DescriptorBounds { offset: u64, length: u32, end: u64 } "a descriptor of {length} bytes at {offset} is shorter than 37 bytes or reaches past the tensor region's end {end}";
    "F-24" Container DataOffset { offset: u64, alignment: u32 } "data offset {offset} is not a multiple of the file's alignment {alignment}";
    "F-25" Container DataBounds { offset: u64, length: u64, end: u64 } "{length} bytes of data at {offset} reach past the tensor region's end {end}";
    "F-26" Container DataLength { claimed: u64, computed: u64 } "the index gives the tensor {claimed} bytes of data, its buffer table makes {computed}";
    "F-27" Container BufferBounds { buffer: usize, size: u64, left: u64 } "buffer {buffer} claims {size} bytes, but only {left} of the tensor's data are left for it";
    "F-28" Container Overlap { one: &'static str, other: &'static str, start: u64, end: u64 } "{one} begins at {start}, inside {other}, which ends at {end}";
    "F-29" Container SharedDescriptor { offset: u64 } "two index entries name the descriptor at {offset}; store it once and note the second name in the metadata";
    // KV section, file.md §4.
    "F-31" Container KvBounds { offset: u64, length: u32, end: u64 } "the metadata claims {length} bytes at {offset}, outside 64..{end} or inside the index";
    "F-32" Container KvPlace { offset: u64, length: u32, flag: bool } "metadata offset {offset}, length {length} and flag {flag} contradict each other or the offset is not a multiple of 8";
    "F-33" Container KvCount { claimed: u64, most: u64 } "the metadata claims {claimed} entries, but its bytes hold at most {most}";
    "F-34" Container EmptyKey { entry: u32 } "metadata entry {entry} has an empty key";
    "F-34" Container KeyUtf8 { entry: u32 } "the key of metadata entry {entry} is not UTF-8";
    "F-35" Container DuplicateKey { key: String } "metadata key {key:?} occurs twice";
    "F-36" Container ValueTag { key: String, tag: u8 } "metadata key {key:?} has a value of unknown kind {tag:#04x}";
    "F-37" Container BoolByte { key: String, found: u8 } "metadata key {key:?} holds a bool that is {found}, neither 0 nor 1";
    "F-38" Container ArrayTag { key: String, tag: u8 } "metadata key {key:?} holds an array of unknown kind {tag:#04x}";
    "F-39" Container ArrayCount { key: String, claimed: u32, most: u64 } "metadata key {key:?} claims an array of {claimed} values, but the bytes left hold at most {most}";
    "F-40" Container ValueUtf8 { key: String } "metadata key {key:?} holds a string that is not UTF-8";
    "F-40" Container KvTruncated { needed: u64, left: u64 } "the metadata ends early: {needed} bytes needed, {left} left";
    "F-41" Container KvLeftover { left: u64 } "{left} bytes are left over after the last metadata entry";
    // Composites in a file, file.md §7, and what only a full verification sees.
    "F-42" Container TornComposite { claimed: u32, following: u64 } "a composite claims {claimed} members, but only {following} tensors follow its head";
    "F-43" Container TooDeep { limit: usize } "composites are nested deeper than {limit} heads";
    "F-45" Container Unindexed { length: u32 } "a descriptor of {length} bytes stands in a gap; no index entry names it";
    "F-46" Container Padding { found: u8 } "a padding byte is {found:#04x} and must be 0";
    "F-48" Container Shrunk { opened: u64, now: u64 } "the file shrank from {opened} to {now} bytes while it was in use; load it again";

    // Bare streams, stream.md §12.
    "S-1" Stream StreamTruncated { what: &'static str, needed: u64, available: u64 } "the stream ends inside {what}: {needed} bytes needed, {available} there";
    "S-2" Stream StreamMagic { found: [u8; 4] } "{found:02X?} stands where a descriptor begins with \"HRRY\"; a stream holds tensors and nothing between them";
    "S-5" Stream StreamDescriptorLimit { length: u32, limit: u64 } "a descriptor claims {length} bytes, more than the limit of {limit}";
    "S-7" Stream StreamBufferLimit { buffer: usize, size: u64, limit: u64 } "buffer {buffer} claims {size} bytes, more than the limit of {limit}";
    "S-8" Stream StreamTotal { buffer: usize } "with buffer {buffer} the tensor passes 2^64 bytes";
    "S-10" Descriptor StreamDynamic { dim: usize } "dimension {dim} is dynamic; a stream has no place to say what it became";
    "S-11" Stream StreamSync { buffer: usize, mode: u8 } "buffer {buffer} has sync mode {named}; across machines every buffer must be producer-synced", named = sync_name mode;
    "S-13" Stream StreamTorn { claimed: u32, following: u64 } "the stream ends inside a composite: {claimed} members claimed, {following} there";
    "S-15" Stream StreamDepth { limit: usize } "composites are nested deeper than the limit of {limit} heads";

    // Descriptor framing, descriptor.md §8.
    "D-1" Descriptor Truncated { needed: u64, available: u64 } "the descriptor is cut short: {needed} bytes needed, {available} there";
    "D-1" Descriptor Arity { field: &'static str, rank: usize, found: usize } "{field} has {found} values for {rank} dimensions";
    "D-2" Descriptor DescriptorMagic { found: [u8; 4] } "a descriptor begins with {found:02X?} where \"HRRY\" stands";
    "D-3" Descriptor DescriptorTooNew { major: u8, minor: u8 } "descriptor version {major}.{minor} is newer than 1.x, which is all this reader knows";
    "D-4" Descriptor DescriptorTooOld { major: u8, minor: u8 } "descriptor version {major}.{minor} is older than 1.0, and no way to migrate it is defined";
    "D-5" Descriptor DescriptorShort { length: u32 } "the descriptor claims {length} bytes; its fixed header alone has 20";
    "D-6" Descriptor DescriptorFlags { flags: u32 } "descriptor flags {flags:#x} hold reserved bits (known bits: 0x1f)";
    "D-7" Descriptor TypeInvalid { tag: u8 } "element type {tag:#04x} is invalid in every version";
    "D-8" Descriptor TypeUnknown { tag: u8 } "element type {tag:#04x} is reserved or unknown";
    "D-9" Descriptor ExtensionFlag { tag: u8, section: bool } "element type {ty} contradicts the extension type section (present: {section}); exactly the private types have one", ty = type_name tag;
    "D-13" Descriptor Rank { rank: u32 } "rank {rank} is above 64";
    "D-15" BufferSize ByteOffset { byte_offset: u64, byte_size: u64 } "byte_offset {byte_offset} lies past the {byte_size} bytes of buffer 0";
    "D-16" Descriptor StrayByteOffset { byte_offset: u64 } "byte_offset is {byte_offset}; with a sparse or block-paged layout it must be 0";
    "D-29" Descriptor NoBuffers "the descriptor has no buffer; only a composite head may have none";
    "D-31" Descriptor BufferCount { expected: usize, found: usize } "{found} {buffers} where layout and quantization make {expected}", buffers = buffers_word found;
    "D-32" Descriptor Alignment { alignment: u32 } "a buffer declares alignment {alignment}; it must be a power of two, at least 64 if the buffer is not empty";
    "D-33" Descriptor DeviceTag { tag: u8 } "device tag {tag:#04x} is reserved or invalid";
    "D-34" Descriptor SyncMode { mode: u8 } "sync mode {mode:#04x} is reserved, or is set on a CPU buffer, which must be producer-synced";
    "D-35" Descriptor MemoryClass { class: u8 } "memory class {class:#04x} is reserved or invalid";
    "D-36" Descriptor Placement { buffer: usize, device: u8, class: u8 } "buffer {buffer} combines device {kind} with memory class {reach}, which does not exist", kind = device_name device, reach = class_name class;
    "D-37" Descriptor HandleReserved "the reserved byte of a buffer handle is not 0";
    "D-38" Descriptor Colocation { buffer: usize, device: u8, class: u8, device0: u8, class0: u8 } "buffer {buffer} is on {kind} in {reach} memory, but buffer 0 on {kind0} in {reach0} memory; all buffers of a tensor share one place", kind = device_name device, reach = class_name class, kind0 = device_name device0, reach0 = class_name class0;
    "D-44" Descriptor ShardBounds { dim: usize, offset: u64, size: u64, parent: u64 } "the shard does not fit its parent in dimension {dim}: offset {offset} plus size {size} is more than {parent}";
    "D-45" Descriptor ShardDynamic { dim: usize } "a shard needs static sizes; dimension {dim} is dynamic";
    "D-47" Descriptor StatisticsMask { mask: u32 } "statistics mask {mask:#x} holds reserved bits";
    "D-47" Descriptor StatisticsBytes "a reserved or boolean byte of the statistics has a value the format does not give it";
    "D-48" Descriptor ExtensionPacking { bit_width: u32, packing_factor: u8 } "an extension type of {bit_width} bits cannot be packed {packing_factor} to a byte";
    "D-48" Descriptor ExtensionBytes "a reserved or boolean byte of the extension type has a value the format does not give it";
    "D-51" Descriptor Leftover { declared: u32, read: u64 } "the descriptor claims {declared} bytes, but a version 1.0 reader finds content for {read}";

    // Layouts, layouts.md §13.
    "L-1" Descriptor LayoutInvalid { tag: u8 } "layout {tag:#04x} is invalid in every version";
    "L-2" Descriptor LayoutUnknown { tag: u8 } "layout {tag:#04x} is reserved or unknown";
    "L-6" Descriptor ScalarLayout { tag: u8 } "a tensor of rank 0 must be row-major; its layout is {named}", named = layout_word tag;
    "L-12" BufferSize DenseBuffer { layout: &'static str, needed: u128, byte_size: u64 } "buffer 0 (data) is {byte_size} bytes, but this {layout} layout implies at least {needed}";
    "L-13" BufferSize StridedReach { low: i128, high: i128, byte_size: u64 } "buffer 0 (data) is {byte_size} bytes, but these strides reach bytes {low} to {high}";
    "L-14" Descriptor TilePayload "a tile size is 0, or the tiling's outer or inner order or its reserved bytes have a value the format does not give them";
    "L-15" Descriptor TileDepth "tiles are nested deeper than 8 levels";
    "L-16" Descriptor TileNesting { level: usize } "tiling level {level} does not stay inside the tile around it";
    "L-17" Descriptor MortonBits "a Morton bit count is 0";
    "L-18" Descriptor MortonDim { dim: usize, extent: u64, bits: u32 } "dimension {dim} has {extent} elements, more than its {bits} Morton bits address";
    "L-19" Descriptor MortonWidth { top_bit: u64 } "the Morton code reaches bit {top_bit}; only bits 0 to 63 exist";
    "L-19" BufferSize MortonHoles { needed: u128, byte_size: u64 } "buffer 0 (data) is {byte_size} bytes, but this morton layout of unequal bits implies at least {needed}";
    "L-20" Descriptor HilbertPayload "a Hilbert order of 0, or a Hilbert rank below 2";
    "L-21" Descriptor HilbertRank { hilbert_rank: u32, rank: usize } "the Hilbert rank is {hilbert_rank}, the tensor's {rank}";
    "L-21" Descriptor HilbertDim { dim: usize, extent: u64, order: u32 } "dimension {dim} has {extent} elements; a Hilbert curve of order {order} needs exactly 2 to that power";
    "L-22" Descriptor HilbertWidth { rank: usize, order: u32 } "a Hilbert curve of rank {rank} and order {order} needs more than 64 bits";
    "L-23" Descriptor SparseReserved { field: &'static str } "reserved bytes of {field} are not 0";
    "L-24" Descriptor IsSorted { found: u8 } "is_sorted is {found}, neither 0 nor 1";
    "L-25" Descriptor CompressedRank { rank: usize } "CSR and CSC have rank 2; this tensor has rank {rank}";
    "L-26" Descriptor CsfRank { rank: usize } "CSF has rank 3 or more; this tensor has rank {rank}";
    "L-27" Descriptor ModeOrder "the CSF mode order is not a permutation of the dimensions";
    "L-28" Descriptor ShardForbidden { tag: u8 } "layout {tag:#04x} cannot be sharded";
    "L-29" BufferSize SparseBuffer { buffer: usize, role: String, layout: &'static str, needed: u128, byte_size: u64 } "buffer {buffer} ({role}) is {byte_size} bytes, but this {layout} layout implies at least {needed}";
    "L-30" Descriptor StatisticsNnz { statistics: u64, layout: u64 } "the statistics count {statistics} stored entries, the layout {layout}";
    "L-31" Descriptor CooOutside { buffer: usize, entry: u64, found: String } "buffer {buffer}, entry {entry}: {found} lies outside the shape";
    "L-31" Descriptor CooOrder { buffer: usize, entry: u64, found: String } "buffer {buffer}, entry {entry}: {found} does not come after the entry before it, although the layout says is_sorted";
    "L-31" Descriptor CooTwin { buffer: usize, entry: u64, found: String, other: u64 } "buffer {buffer}, entry {entry}: {found} is a duplicate of entry {other}";
    "L-32" Descriptor CompressedEntries { buffer: usize, at: u64, found: u64, why: &'static str, bound: u64 } "buffer {buffer}, position {at}: {found}, {why} {bound}";
    "L-33" Descriptor CsfEntries { buffer: usize, level: usize, at: u64, found: u64, why: &'static str, bound: u64 } "buffer {buffer} (level {level}), position {at}: {found}, {why} {bound}";
    "L-34" Descriptor PagedRank { rank: usize } "block-paged has rank 3; this tensor has rank {rank}";
    "L-35" Descriptor PagedExtent { page_size: u32, paged_axis: u32 } "block-paged needs a page size of 1 or more (it is {page_size}) and paged axis 0 (it is {paged_axis})";
    "L-36" Descriptor PagedTags "the block-paged role is above 2 or its index type above 1";
    "L-37" Descriptor PagedReserved "reserved bytes of the block-paged layout are not 0";
    "L-38" Descriptor PagedEntries { buffer: usize, at: u64, found: u64, why: &'static str, bound: u64 } "buffer {buffer}, position {at}: {found}, {why} {bound}";
    "L-39" BufferSize PagedBuffer { buffer: usize, role: String, needed: u128, byte_size: u64 } "buffer {buffer} ({role}) is {byte_size} bytes, but this block_paged layout implies at least {needed}";
    "L-40" Descriptor PagedQuantization { axis: u32 } "quantization along axis {axis} does not fit a block-paged tensor: per-channel takes axis 1 or 2, per-block axis 0 with the page size";
    "L-41" Descriptor HeadContents { buffers: usize, byte_offset: u64 } "a composite head has {buffers} buffers and byte_offset {byte_offset}; it owns no data";
    "L-42" Descriptor HeadSections "a composite head has a quantization or a composite member section; only its members may";
    "L-43" Descriptor CompositionRule { rule: u8 } "composition rule {rule:#04x} is reserved, private or invalid";
    "L-44" Descriptor CombineOp { rule: u8, combine_op: u8 } "combine operation {combine_op} does not go with composition rule {rule}";
    "L-45" Descriptor HeadPayload "reserved bytes of a composite head are not 0, or its member count is the reserved 0xFFFFFFFF";
    "L-47" Descriptor MemberBox { member: usize } "composite member {member} has no shard section, or one that does not match the head's shape";
    "L-48" Descriptor MemberType { member: usize, found: u8, head: u8 } "composite member {member} decodes to {ty}, its head has {ty0}", ty = type_name found, ty0 = type_name head;
    "L-49" Descriptor OverlayRole { member: usize } "overlay member {member} has the wrong role: the first is the base and spans the head, all others are corrections";
    "L-50" Descriptor MemberSection { role: Option<u8> } "the composite member section has role {role:?} or reserved bytes that are not 0";
    "L-51" Descriptor StrayMemberSection { member: usize } "composite member {member} has a member section; only overlay members do";
    "L-52" Descriptor PartitionOverlap { one: usize, other: usize } "partition members {one} and {other} overlap";
    "L-52" Descriptor PartitionGap { members: usize } "the {members} partition members leave a gap in the head's shape";
    "L-53" Descriptor EmptyOverlay "an overlay has no members; it needs its base";
    "L-55" Descriptor HeadDynamic { dim: usize } "a partition or overlay head needs a static shape; dimension {dim} is dynamic";

    // Quantization, quantization.md §9.
    "Q-1" Descriptor SchemeShort { found: usize, needed: usize } "the quantization section has {found} bytes, its scheme needs {needed}";
    "Q-2" Descriptor SchemeInvalid { tag: u8 } "quantization scheme {tag:#04x} is invalid in every version";
    "Q-3" Descriptor SchemeUnknown { tag: u8 } "quantization scheme {tag:#04x} is reserved, private or unknown";
    "Q-4" Descriptor SchemeTooNew { tag: u8, version: u8 } "version {version} of the quantization scheme {named} is newer than 1", named = scheme_name tag;
    "Q-5" Descriptor SchemeTooOld { tag: u8 } "version 0 of the quantization scheme {named} does not exist", named = scheme_name tag;
    "Q-6" Descriptor SchemeFlags { flags: u16 } "quantization flags {flags:#06x} hold undefined bits";
    "Q-7" Descriptor StorageType { scheme: u8, tag: u8 } "the quantization scheme {named} cannot be stored as {ty}", named = scheme_name scheme, ty = type_name tag;
    "Q-8" Descriptor SchemeAxis { axis: u32, rank: usize } "quantization axis {axis} does not exist at rank {rank}";
    "Q-9" Descriptor AxisDynamic { axis: u32 } "quantization axis {axis} is dynamic";
    "Q-10" Descriptor Scale { scale: f32 } "the scale is {scale}; it must be finite and not zero";
    "Q-11" Descriptor ZeroPoint { zero_point: i32, low: i64, high: i64 } "zero point {zero_point} is outside the storage type's range {low} to {high}";
    "Q-12" Descriptor SchemeReserved "reserved bytes of a per-tensor or per-channel scheme are not 0";
    "Q-13" Descriptor BlockReserved "reserved bytes of a per-block scheme are not 0";
    "Q-14" Descriptor ChannelScaleType { tag: u8 } "per-channel scales have type {ty}; only float32 exists", ty = type_name tag;
    "Q-15" Descriptor BlockScaleType { tag: u8 } "per-block scales have type {ty}; float16, bfloat16 and float32 exist", ty = type_name tag;
    "Q-16" Descriptor SymmetricIndex { index: u32 } "a symmetric scheme names zero-point buffer {index}; it has none, written 0xFFFFFFFF";
    "Q-17" Descriptor ParameterIndex { index: u32, buffers: usize } "parameter buffer {index} does not exist among {buffers} buffers";
    "Q-18" Descriptor ParameterIsData "a parameter buffer index names the data buffer";
    "Q-19" Descriptor ParameterIsLayout { index: u32, own: usize } "parameter buffer {index} is one of the layout's own {own} buffers";
    "Q-22" Descriptor BlockSize { scheme: u8, block_size: u32 } "block size {block_size} is not one that the quantization scheme {named} allows", named = scheme_name scheme;
    "Q-23" Descriptor BlockTooLong { block_size: u32, extent: u64 } "block size {block_size} is more than the axis's {extent} elements";
    "Q-24" Descriptor PartialBlock { block_size: u32, extent: u64 } "an MXFP axis of {extent} elements is not a positive multiple of block size {block_size}";
    "Q-25" BufferSize ParameterBuffer { buffer: usize, needed: u128, byte_size: u64 } "buffer {buffer} (parameters) is {byte_size} bytes, but the scales and zero points of this quantization take {needed}";
    "Q-26" BufferSize ParameterOverflow "the number of quantization parameters does not fit 64 bits";
    "Q-27" Descriptor ScaleValue { buffer: usize, at: u64, kind: &'static str, rule: &'static str } "buffer {buffer}: scale {at} is {kind}; it must be {rule}";
    "Q-28" Descriptor ZeroPointValue { buffer: usize, at: u64, found: i32, low: i64, high: i64 } "buffer {buffer}: zero point {at} is {found}, outside the storage type's range {low} to {high}";
    "Q-29" Descriptor ScaleByte { buffer: usize, at: u64, found: u8 } "buffer {buffer}: MXFP scale {at} is the reserved byte {found:#04x}";
    "Q-29" Descriptor ReservedCode { at: u64, found: u8 } "buffer 0: byte {at} is {found:#04x}, which float8_e8m0 reserves; store the tensor as uint8 to keep it";
}
