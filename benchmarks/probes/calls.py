"""Single calls across the bridge, and NumPy's own beside them: ``calls``."""

from __future__ import annotations

import json

import hurray
import numpy as np

from benchmarks.measure import per_call


def aligned(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A float32 array whose memory begins at a multiple of 64."""
    raw = np.zeros(count * 4 + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    array: np.ndarray[tuple[int], np.dtype[np.float32]] = raw[start : start + count * 4].view(np.float32)
    return array


def main() -> None:
    array = aligned(1024)
    tensor = hurray.from_numpy(array, copy=False)
    asarray, from_dlpack, from_numpy = np.asarray, np.from_dlpack, hurray.from_numpy
    found = {
        "asarray": per_call(lambda: asarray(tensor)),
        "from_numpy": per_call(lambda: from_numpy(array)),
        "from_dlpack": per_call(lambda: from_dlpack(tensor)),
        "numpy_from_dlpack": per_call(lambda: from_dlpack(array)),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
