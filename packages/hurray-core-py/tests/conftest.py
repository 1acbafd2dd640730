"""Settings of the core's tests."""

from __future__ import annotations

import sys
from pathlib import Path

# The helpers beside the tests: core_memory, core_files, core_dlpack.
sys.path.insert(0, str(Path(__file__).parent))
