"""``python -m conformance.generator [folder]``: write the vectors and their manifest."""

from __future__ import annotations

import sys
from pathlib import Path

from .corpus import FOLDER, write

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    count, size = write(folder)
    print(f"{count} vectors, {size} bytes in {folder}")
