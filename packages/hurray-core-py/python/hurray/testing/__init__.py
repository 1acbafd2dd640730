"""Test suites for the authors of plugins; they run under pytest, which this package needs and ``hurray`` does not.

A class of tests that inherits :class:`BridgeSuite` puts a bridge through what every bridge must do.
"""

from importlib.util import find_spec

if find_spec("pytest") is None:
    raise ModuleNotFoundError("hurray.testing runs under pytest: pip install pytest", name="pytest")

import pytest

pytest.register_assert_rewrite("hurray.testing._bridges")

from hurray.testing._bridges import BridgeSuite  # noqa: E402 - not before its assertions are rewritten

__all__ = ["BridgeSuite"]
