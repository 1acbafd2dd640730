"""The umbrella holds nothing of its own, and pulls what it names."""

from __future__ import annotations

import re
from importlib.metadata import files, metadata, requires, version

EXTRAS = {"numpy", "torch", "scipy", "jax", "cupy", "all"}


def test_holds_no_code() -> None:
    installed = files("hurray")
    assert installed
    assert [str(path) for path in installed if ".dist-info" not in path.parts[0]] == []


def test_pulls_the_core_and_the_command() -> None:
    plain = {one for one in requires("hurray") or [] if "extra ==" not in one}
    assert plain == {f"hurray-core-py=={version('hurray')}", f"hurray-cli=={version('hurray')}"}
    assert version("hurray-core-py") == version("hurray-cli") == version("hurray")


def test_extras_pull_the_bridges_of_the_same_release() -> None:
    assert set(metadata("hurray").get_all("Provides-Extra") or []) == EXTRAS
    for extra in EXTRAS - {"all"}:
        pattern = rf"hurray-{extra}=={version('hurray')}; extra == ['\"]{extra}['\"]"
        assert any(re.fullmatch(pattern, one) for one in requires("hurray") or []), extra
