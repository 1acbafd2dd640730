//! The structures of `dlpack.h` 1.1, as C lays them out.

use std::ffi::c_void;

use hurray_core::ElementType;

pub(super) const VERSION: Version = Version { major: 1, minor: 1 };
pub(super) const CPU: i32 = 1;
pub(super) const FLAG_READ_ONLY: u64 = 1;
pub(super) const FLAG_COPIED: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Device {
    pub(super) kind: i32,
    pub(super) id: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct DataType {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

#[repr(C)]
pub(super) struct DlTensor {
    pub(super) data: *mut c_void,
    pub(super) device: Device,
    pub(super) ndim: i32,
    pub(super) dtype: DataType,
    pub(super) shape: *mut i64,
    pub(super) strides: *mut i64,
    pub(super) byte_offset: u64,
}

/// `DLManagedTensorVersioned`, capsule "dltensor_versioned".
#[repr(C)]
pub(super) struct Versioned {
    pub(super) version: Version,
    pub(super) manager_ctx: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Self)>,
    pub(super) flags: u64,
    pub(super) tensor: DlTensor,
}

/// `DLManagedTensor`, capsule "dltensor", from before 1.0.
#[repr(C)]
pub(super) struct Legacy {
    pub(super) tensor: DlTensor,
    pub(super) manager_ctx: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// DLPack's bool: a byte an element, unlike the format's bit.
pub(super) const BOOL: DataType = DataType { code: 6, bits: 8, lanes: 1 };

/// Types that both sides lay out alike: (type, DLPack code, bits).
const TYPES: [(ElementType, u8, u8); 17] = [
    (ElementType::Int8, 0, 8),
    (ElementType::Int16, 0, 16),
    (ElementType::Int32, 0, 32),
    (ElementType::Int64, 0, 64),
    (ElementType::Uint8, 1, 8),
    (ElementType::Uint16, 1, 16),
    (ElementType::Uint32, 1, 32),
    (ElementType::Uint64, 1, 64),
    (ElementType::Float16, 2, 16),
    (ElementType::Float32, 2, 32),
    (ElementType::Float64, 2, 64),
    (ElementType::BFloat16, 4, 16),
    (ElementType::Complex64, 5, 64),
    (ElementType::Complex128, 5, 128),
    (ElementType::Float8E4M3, 10, 8),
    (ElementType::Float8E5M2, 12, 8),
    (ElementType::Float8E8M0, 14, 8),
];

/// From here on the codes are the float8 ones, which go in and, by ruling 6, not out.
const FIRST_FLOAT8: u8 = 7;

/// What a tensor of this type is offered as; `None` for what must raise `BufferError`.
pub(super) fn offered(ty: ElementType) -> Option<DataType> {
    let row = TYPES.iter().find(|row| row.0 == ty && row.1 < FIRST_FLOAT8)?;
    Some(DataType { code: row.1, bits: row.2, lanes: 1 })
}

/// The type of a producer's elements.
pub(super) fn accepted(dtype: DataType) -> Option<ElementType> {
    let row = TYPES.iter().find(|row| (row.1, row.2, 1) == (dtype.code, dtype.bits, dtype.lanes))?;
    Some(row.0)
}
