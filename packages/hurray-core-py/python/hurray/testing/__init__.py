"""Test suites for the authors of plugins; they run under pytest, which this package needs and ``hurray`` does not.

A class of tests that inherits :class:`BridgeSuite` puts a bridge through what every bridge must do.
"""

try:
    import pytest
except ModuleNotFoundError as error:
    if error.name != "pytest":
        raise
    raise ModuleNotFoundError("hurray.testing runs under pytest: pip install pytest", name="pytest") from None

pytest.register_assert_rewrite("hurray.testing._bridges")

from hurray.testing._bridges import BridgeSuite  # noqa: E402

__all__ = ["BridgeSuite"]
