"""stubtest, and how many names it compared: a check that looked at nothing must not pass."""

from __future__ import annotations

import sys
from typing import Any

from mypy import stubtest


def main(arguments: list[str]) -> int:
    """Run stubtest with ``arguments`` and print the count."""
    seen: set[str] = set()
    verify: Any = stubtest.verify

    def counting(stub: Any, runtime: Any, object_path: list[str]) -> Any:
        seen.add(".".join(object_path))
        return verify(stub, runtime, object_path)

    # stubtest recurses through its own module's name, so that this sees every object.
    setattr(stubtest, "verify", counting)  # noqa: B010 - its type is that of the function replaced
    status: int = stubtest.test_stubs(stubtest.parse_options(arguments))
    print(f"stubtest compared {len(seen)} names")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
