"""Foreign file formats that need nothing but this distribution."""

from __future__ import annotations

from hurray.bridges import require_core

from hurray_cli import __version__

require_core("hurray-cli", __version__)


def register() -> None:
    """Put the formats of this distribution at hand: no look at what else is installed when they will do."""
    from hurray import formats

    from hurray_cli.formats.safetensors import FORMAT, INDEX

    formats.register(FORMAT)
    formats.register(INDEX)
