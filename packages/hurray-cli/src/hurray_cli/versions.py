"""Versions of installed distributions."""

from __future__ import annotations


def version_of(distribution: str) -> str | None:
    """The version of an installed distribution, or None."""
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
