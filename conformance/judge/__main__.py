"""``python -m conformance.judge``: write the table of verdicts, and say what is new in it."""

from __future__ import annotations

import sys

from .table import README, updated
from .verdicts import surprises, verdicts

if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
    news = surprises()
    print(f"{len(verdicts())} vectors, {len(news)} surprises", *news, sep="\n")
    sys.exit(bool(news))
