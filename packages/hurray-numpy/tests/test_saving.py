"""Arrays that are saved go by reference, whatever their address, the first one of a process as all others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")

MIB = 1 << 20
CODE = """
import sys
import hurray
import numpy as np

def peak():
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) >> 10

# 4 bytes behind a place that could be shared: a tensor of it would be a copy.
memory = np.ones((128 << 20) + 64, np.uint8)
start = -memory.ctypes.data % 64 + 4
array = memory[start : start + (128 << 20)].view(sys.argv[2]).reshape(-1, 1024)
array = array.T if sys.argv[3] == "F" else array
before = peak()
for name in ("first", "second"):
    hurray.save(f"{sys.argv[1]}/{name}.hrry", {"w": array})
print(peak() - before)
"""


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128"])
def test_the_first_array_of_a_process(tmp_path: Path, dtype: str, order: str) -> None:
    """Nothing has vouched for the class of arrays yet: the bridge does it when it is asked."""
    arguments = [sys.executable, "-c", CODE, str(tmp_path), dtype, order]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 64, "a copy was made"
    first, second = ((tmp_path / f"{name}.hrry").read_bytes() for name in ("first", "second"))
    assert first == second
    assert len(first) > 128 * MIB
