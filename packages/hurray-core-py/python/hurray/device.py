"""One constant per device kind that the format assigns (format: buffers.md §3)."""

from ._core import Device as _Device

cpu = _Device("cpu")
cuda = _Device("cuda")
rocm = _Device("rocm")
metal = _Device("metal")
vulkan = _Device("vulkan")
webgpu = _Device("webgpu")
hexagon = _Device("hexagon")
level_zero = _Device("level_zero")
opencl = _Device("opencl")

__all__ = ["cpu", "cuda", "hexagon", "level_zero", "metal", "opencl", "rocm", "vulkan", "webgpu"]
