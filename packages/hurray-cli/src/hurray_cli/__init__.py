"""The ``hurray`` command. Run it as ``hurray`` or ``python -m hurray_cli``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["__version__", "main"]

__version__ = "0.1.0"


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 done, 1 failed, 2 wrong usage."""
    try:
        from hurray_cli.app import run

        return run(args)
    except KeyboardInterrupt:  # before the command itself could catch it
        return 130
