"""NumPy without its stubs, which before Python 3.12 call no array a buffer."""

from __future__ import annotations

from typing import Any

import numpy

np: Any = numpy
