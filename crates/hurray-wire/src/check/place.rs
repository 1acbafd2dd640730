//! Where buffers are: device and memory class (buffers.md §4, §7).

use crate::Fault;
use hurray_core::{DeviceTag, MemoryClass, TensorDescriptor};

/// D-36: the table of (device, class) pairs in buffers.md §4.
pub(super) fn pairs(d: &TensorDescriptor) -> Result<(), Fault> {
    for (buffer, handle) in d.buffers.iter().enumerate() {
        if !exists(handle.device_tag(), handle.memory_class()) {
            return Err(Fault::Placement {
                buffer,
                device: handle.device_tag().to_byte(),
                class: handle.memory_class().to_byte(),
            });
        }
    }
    Ok(())
}

fn exists(device: DeviceTag, class: MemoryClass) -> bool {
    match (device, class) {
        (_, MemoryClass::Standard) => true,
        (DeviceTag::Private(_), class) => class.is_private(),
        (_, MemoryClass::Private(_)) | (DeviceTag::WebGpu, _) => false,
        (_, MemoryClass::HostPinned | MemoryClass::Unified) => true,
        (device, MemoryClass::Peer) => {
            matches!(device, DeviceTag::Cuda | DeviceTag::Rocm | DeviceTag::Vulkan | DeviceTag::LevelZero)
        }
    }
}

/// D-38 (and ): all buffers share the place of buffer 0.
pub(super) fn colocation(d: &TensorDescriptor) -> Result<(), Fault> {
    let place = |i: usize| {
        let handle = d.buffers[i];
        (handle.device_tag().to_byte(), handle.memory_class().to_byte())
    };
    for buffer in 1..d.buffers.len() {
        let ((device0, class0), (device, class)) = (place(0), place(buffer));
        if (device0, class0) != (device, class) {
            return Err(Fault::Colocation { buffer, device, class, device0, class0 });
        }
    }
    Ok(())
}
