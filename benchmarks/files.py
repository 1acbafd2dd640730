"""The files that are measured on. ``python -m benchmarks.files FOLDER SCALE`` makes them in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import hurray
import numpy as np
from safetensors.numpy import save_file

GIB = 1 << 30
TENSORS = 300
MANY = 100_000


def arrays(total: int = GIB, count: int = TENSORS) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]]:
    """``count`` float32 arrays with ``total`` bytes between them, of numbers that do not repeat."""
    numbers = np.random.default_rng(0).random(total // 4, dtype=np.float32)
    return {f"layer.{i}.weight": part for i, part in enumerate(np.array_split(numbers, count))}


def many(count: int = MANY) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]]:
    """``count`` tensors of 64 bytes."""
    numbers = np.arange(count * 16, dtype=np.float32)
    return {f"tensor.{i}": part for i, part in enumerate(np.array_split(numbers, count))}


def make(folder: Path, total: int) -> None:
    """Write each set in both formats, from the same arrays."""
    large = arrays(total)
    save_file(large, folder / "large.safetensors")
    hurray.save(folder / "large.hrry", large)
    small = many()
    save_file(small, folder / "many.safetensors")
    hurray.save(folder / "many.hrry", small)


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
