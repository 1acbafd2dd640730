//! Device kinds and memory classes (format: buffers.md §3, §4).

use std::hash::{DefaultHasher, Hash, Hasher};

use hurray_core::{DeviceTag, MemoryClass};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::{kind, InvalidDescriptorError};
use crate::int::{shown, within};

/// Where a buffer lives: a device kind, which one of that kind, and how its memory is reached.
///
/// ``kind`` and ``memory_class`` take a name or a wire byte; the byte is how a private value
/// (0xF0 to 0xFE) is said. ``device_id`` is runtime metadata and is not stored in the format
/// (format: buffers.md §3, §4; 04-tables section 2).
///
/// Raises ``InvalidDescriptorError`` for a name or a byte that the format has not, and ``TypeError`` for what is neither.
#[pyclass(frozen, eq, hash, module = "hurray")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Device {
    pub(crate) tag: DeviceTag,
    pub(crate) class: MemoryClass,
    pub(crate) device_id: u32,
}

static CPU: PyOnceLock<Py<Device>> = PyOnceLock::new();

const KINDS: [DeviceTag; 9] = [
    DeviceTag::Cpu,
    DeviceTag::Cuda,
    DeviceTag::Rocm,
    DeviceTag::Metal,
    DeviceTag::Vulkan,
    DeviceTag::WebGpu,
    DeviceTag::Hexagon,
    DeviceTag::LevelZero,
    DeviceTag::OpenCl,
];

const CLASSES: [MemoryClass; 4] =
    [MemoryClass::Standard, MemoryClass::HostPinned, MemoryClass::Unified, MemoryClass::Peer];

/// The object of a device; the plain CPU is one object for all tensors.
pub(crate) fn of(py: Python<'_>, tag: DeviceTag, class: MemoryClass, device_id: u32) -> PyResult<Py<Device>> {
    let make = || Py::new(py, Device { tag, class, device_id });
    if (tag, class, device_id) != (DeviceTag::Cpu, MemoryClass::Standard, 0) {
        return make();
    }
    Ok(CPU.get_or_try_init(py, make)?.clone_ref(py))
}

/// A `device` argument.
pub(crate) fn argument<'a, 'py>(given: Option<&'a Bound<'py, PyAny>>) -> PyResult<Option<&'a Bound<'py, Device>>> {
    let Some(given) = given else { return Ok(None) };
    given.cast::<Device>().map(Some).map_err(|_| {
        let shown = given.repr().map_or_else(|_| String::from("another object"), |text| text.to_string());
        PyTypeError::new_err(format!(
            "device is a hurray.Device, such as hurray.device.cpu or hurray.Device('cuda', 1); got {shown}"
        ))
    })
}

impl Device {
    /// How others show it: by its name where that says all, else as it shows itself.
    pub(crate) fn shown(&self) -> String {
        match (self.tag, self.class, self.device_id) {
            (DeviceTag::Private(_), _, _) => self.__repr__(),
            (tag, MemoryClass::Standard, 0) => format!("'{tag}'"),
            _ => self.__repr__(),
        }
    }

    pub(crate) fn is_cpu(&self) -> bool {
        self.tag == DeviceTag::Cpu
    }

    /// The pair of a DLPack device type, `None` where the format has no name for it. Where several pairs share
    /// one, the standard memory class is meant.
    pub(crate) fn of_dlpack_type(kind: i32) -> Option<(DeviceTag, MemoryClass)> {
        use MemoryClass::{HostPinned, Standard, Unified};
        Some(match kind {
            1 => (DeviceTag::Cpu, Standard),
            2 => (DeviceTag::Cuda, Standard),
            3 => (DeviceTag::Cuda, HostPinned),
            4 => (DeviceTag::OpenCl, Standard),
            7 => (DeviceTag::Vulkan, Standard),
            8 => (DeviceTag::Metal, Standard),
            10 => (DeviceTag::Rocm, Standard),
            11 => (DeviceTag::Rocm, HostPinned),
            13 => (DeviceTag::Cuda, Unified),
            14 => (DeviceTag::LevelZero, Standard),
            15 => (DeviceTag::WebGpu, Standard),
            16 => (DeviceTag::Hexagon, Standard),
            _ => return None,
        })
    }

    /// Whether its memory is named by handles, to which nothing can be added, and not by addresses.
    pub(crate) fn has_handles(&self) -> bool {
        matches!(self.tag, DeviceTag::Metal | DeviceTag::Vulkan | DeviceTag::WebGpu | DeviceTag::OpenCl)
    }

    /// The DLPack device type of the pair (04-tables.md §2), `None` where DLPack has no name for it.
    pub(crate) fn dlpack_type(&self) -> Option<i32> {
        use MemoryClass::{HostPinned, Peer, Private, Standard, Unified};
        Some(match (self.tag, self.class) {
            (_, Private(_)) | (DeviceTag::Private(_), _) => return None,
            (DeviceTag::Cuda, Standard) => 2,
            (DeviceTag::Cuda, HostPinned) => 3,
            (DeviceTag::Cuda, Unified) => 13,
            (DeviceTag::Rocm, Standard) => 10,
            (DeviceTag::Rocm, HostPinned) => 11,
            (DeviceTag::Rocm, Unified) | (_, Peer) => return None,
            (DeviceTag::WebGpu, HostPinned | Unified) => return None,
            (DeviceTag::Cpu, _) => 1,
            (DeviceTag::Metal, _) => 8,
            (DeviceTag::Vulkan, _) => 7,
            (DeviceTag::WebGpu, _) => 15,
            (DeviceTag::Hexagon, _) => 16,
            (DeviceTag::LevelZero, _) => 14,
            (DeviceTag::OpenCl, _) => 4,
        })
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A value given by name or by wire byte.
fn named<T: Copy + ToString>(
    given: &Bound<'_, PyAny>,
    what: &str,
    names: &[T],
    from_byte: impl Fn(u8) -> hurray_core::Result<T>,
) -> PyResult<T> {
    if let Ok(name) = given.extract::<String>() {
        return names.iter().copied().find(|value| value.to_string() == name).ok_or_else(|| {
            InvalidDescriptorError::new_err(format!(
                "unknown {what} {name:?}; the format has {}, and private ones by a byte in 0xF0-0xFE",
                listed(names)
            ))
        });
    }
    let number = given
        .call_method0("__index__")
        .map_err(|_| PyTypeError::new_err(format!("{what} is a name or a wire byte, got {}", kind(given))))?;
    let byte: u8 = number.extract().map_err(|_| {
        InvalidDescriptorError::new_err(format!("{what} is {}; a wire byte is 0 to 255", shown(&number)))
    })?;
    from_byte(byte).map_err(|error| InvalidDescriptorError::new_err(format!("{what} 0x{byte:02X}: {error}")))
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (kind, device_id=None, memory_class=None))]
    fn new(
        kind: &Bound<'_, PyAny>,
        device_id: Option<&Bound<'_, PyAny>>,
        memory_class: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let tag = named(kind, "device kind", &KINDS, DeviceTag::from_byte)?;
        let class = match memory_class {
            Some(class) => named(class, "memory_class", &CLASSES, MemoryClass::from_byte)?,
            None => MemoryClass::Standard,
        };
        // DLPack carries the number as a signed 32-bit integer.
        let device_id = match device_id {
            Some(given) => {
                let number = within(given, "device_id", i64::MIN, i64::MAX)?;
                u32::try_from(number).ok().filter(|&id| i32::try_from(id).is_ok()).ok_or_else(|| {
                    InvalidDescriptorError::new_err(format!("device_id is 0 to 2147483647, got {number}"))
                })?
            }
            None => 0,
        };
        Ok(Self { tag, class, device_id })
    }

    /// The device kind, ``"private"`` for the whole private range.
    #[getter]
    fn kind(&self) -> String {
        match self.tag {
            DeviceTag::Private(_) => String::from("private"),
            tag => tag.to_string(),
        }
    }

    /// Which device of the kind, from 0.
    #[getter]
    fn device_id(&self) -> u32 {
        self.device_id
    }

    /// The memory class, ``"private"`` for the whole private range.
    #[getter]
    fn memory_class(&self) -> String {
        match self.class {
            MemoryClass::Private(_) => String::from("private"),
            class => class.to_string(),
        }
    }

    /// The device tag on the wire.
    #[getter]
    fn tag(&self) -> u8 {
        self.tag.to_byte()
    }

    /// The memory class on the wire.
    #[getter]
    fn memory_class_tag(&self) -> u8 {
        self.class.to_byte()
    }

    /// Whether the device tag is in the private range.
    #[getter]
    fn is_private(&self) -> bool {
        self.tag.is_private()
    }

    fn __repr__(&self) -> String {
        let said = |name: String, byte: u8| match byte {
            0xF0..=0xFE => format!("0x{byte:02X}"),
            _ => format!("'{name}'"),
        };
        format!(
            "hurray.Device(kind={}, device_id={}, memory_class={})",
            said(self.kind(), self.tag()),
            self.device_id,
            said(self.memory_class(), self.memory_class_tag()),
        )
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyAny>, (u8, u32, u8)) {
        let device = slf.get();
        let arguments = (device.tag(), device.device_id, device.memory_class_tag());
        (slf.get_type().into_any(), arguments)
    }
}

/// A hash for value objects, equal for equal values.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
