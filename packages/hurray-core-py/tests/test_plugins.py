"""The plugin registry with fake installed distributions: lazy, isolated, attributable, silenceable."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hurray._plugins import VARIABLE, Registry

GROUP = "hurray.test_plugins"
GOOD = "class Plugin:\n    def speak(self): return 'hello'\nplugin = Plugin()\n"

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put distributions on the path: metadata as pip leaves it, and one module each."""
    monkeypatch.delenv(VARIABLE, raising=False)
    before = set(sys.modules)

    def put(
        distribution: str,
        entries: dict[str, str],
        *,
        source: str = GOOD,
        version: str = "1.0",
        text: str = "",
    ) -> Path:
        root = tmp_path / distribution
        module = distribution.replace("-", "_")
        info = root / f"{module}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(text or f"[{GROUP}]\n{lines}")
        (root / f"{module}.py").write_text(source)
        monkeypatch.syspath_prepend(str(root))
        return root

    yield put
    for name in set(sys.modules) - before:
        if name.startswith("fake_"):
            del sys.modules[name]


def registry() -> Registry:
    return Registry(GROUP, "gadget", ours={"torch": "hurray-torch"}, members=("speak",))


def test_a_plugin_is_imported_when_it_is_asked_for(install: Install) -> None:
    install("fake-good", {"good": "fake_good:plugin"})
    plugins = registry()
    assert plugins.names() == ("good",)
    assert "fake_good" not in sys.modules
    assert plugins.get("good").speak() == "hello"
    assert plugins.get("good") is plugins.get("good")


def test_an_entry_point_that_makes_a_new_object_each_time_is_asked_once(install: Install) -> None:
    install(
        "fake-maker", {"maker": "fake_maker:any"}, source=GOOD + "def __getattr__(name): return Plugin()\n"
    )
    plugins = registry()
    assert plugins.get("maker") is plugins.get("maker")


def test_nothing_is_discovered_before_the_first_question(install: Install) -> None:
    plugins = registry()
    install("fake-late", {"late": "fake_late:plugin"})
    assert plugins.names() == ("late",)


def test_the_group_is_read_once_until_it_is_cleared(install: Install) -> None:
    plugins = registry()
    assert plugins.names() == ()
    install("fake-later", {"later": "fake_later:plugin"})
    assert plugins.names() == ()
    plugins.clear()
    assert plugins.names() == ("later",)


def test_a_missing_plugin_of_ours_names_the_command(install: Install) -> None:
    """DESIGN: a missing plugin is an ImportError whose text is the pip command that mends it."""
    with pytest.raises(
        ModuleNotFoundError, match=r"the gadget 'torch' is not installed: pip install hurray-torch$"
    ):
        registry().get("torch")


def test_an_unknown_name_lists_those_there_are(install: Install) -> None:
    install("fake-good", {"good": "fake_good:plugin", "better": "fake_good:plugin"})
    with pytest.raises(LookupError, match="there is no gadget 'best'; installed: better, good"):
        registry().get("best")
    with pytest.raises(LookupError, match="installed: none"):
        Registry("hurray.nobody", "gadget").get("best")


def test_no_error_installs_by_the_bare_name(install: Install) -> None:
    """04-tables §4: nothing in this project may install by the bare name from an index."""
    from hurray.bridges import OURS as bridges
    from hurray.formats import OURS as formats

    for name, distribution in [*bridges.items(), *formats.items()]:
        assert distribution.startswith("hurray-"), name


def test_a_broken_plugin_breaks_nobody_else(install: Install) -> None:
    """DESIGN: a broken plugin never breaks another; it is a warning naming plugin and distribution, once."""
    install("fake-good", {"good": "fake_good:plugin"})
    install("fake-bad", {"bad": "fake_bad:plugin"}, source="raise RuntimeError('no luck')")
    install("fake-exit", {"exit": "fake_exit:plugin"}, source="raise SystemExit(3)")
    plugins = registry()
    with pytest.warns(RuntimeWarning) as seen:
        assert [plugin.speak() for plugin in plugins.all()] == ["hello"]
    texts = sorted(str(warning.message) for warning in seen)
    assert texts == [
        "the gadget 'bad' of fake-bad 1.0 fails to load: RuntimeError: no luck",
        "the gadget 'exit' of fake-exit 1.0 fails to load: SystemExit: 3",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(plugins.all())) == 1
    with pytest.raises(ImportError, match=r"fake-bad 1\.0 fails to load: RuntimeError: no luck") as caught:
        plugins.get("bad")
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("fake_odd:nothing", "AttributeError: module 'fake_odd' has no attribute 'nothing'"),
        ("fake_odd:mute", "TypeError: fake_odd:mute has no speak"),
        ("!!!", "fails to load"),
    ],
)
def test_what_is_no_plugin_is_broken(install: Install, value: str, text: str) -> None:
    install("fake-odd", {"odd": value}, source="mute = 1\n")
    with pytest.raises(ImportError, match=r"fake-odd 1\.0 fails to load") as caught:
        registry().get("odd")
    assert text in str(caught.value)


def test_a_missing_framework_is_named(install: Install) -> None:
    install("fake-needy", {"needy": "fake_needy:plugin"}, source="import a_framework_that_is_not_there")
    with pytest.raises(ModuleNotFoundError) as caught:
        registry().get("needy")
    assert caught.value.name == "a_framework_that_is_not_there"
    assert str(caught.value).endswith("install the package that provides 'a_framework_that_is_not_there'")
    (found,) = registry().report()
    assert (found.state, found.distribution) == ("missing framework", "fake-needy")


def test_a_plugin_that_lacks_its_own_module_is_broken(install: Install) -> None:
    install("fake-torn", {"torn": "fake_torn.inner:plugin"})
    (found,) = registry().report()
    assert found.state == "broken"


def test_a_lazy_plugin_reports_a_framework_that_is_not_there(install: Install) -> None:
    install(
        "fake-lazy", {"lazy": "fake_lazy:plugin"}, source=GOOD + "Plugin.framework = 'not_there_at_all'\n"
    )
    (found,) = registry().report()
    assert (found.state, found.detail) == (
        "missing framework",
        "no module named 'not_there_at_all' is installed",
    )


def test_one_name_of_two_distributions_is_an_error_that_names_both(install: Install) -> None:
    """STYLE 9: a duplicate name is an error naming both, and never a choice by chance."""
    install("fake-one", {"same": "fake_one:plugin"})
    install("fake-two", {"same": "fake_two:plugin", "other": "fake_two:plugin"}, version="2.0")
    plugins = registry()
    with pytest.raises(ImportError) as caught:
        plugins.get("same")
    for name in ("'same'", "fake-one 1.0", "fake-two 2.0", "uninstall"):
        assert name in str(caught.value)
    with pytest.warns(RuntimeWarning, match="claimed by"):
        assert len(list(plugins.all())) == 1
    assert [(found.name, found.distribution, found.state) for found in plugins.report()] == [
        ("other", "fake-two", "ok"),
        ("same", "fake-two", "duplicate"),
        ("same", "fake-one", "duplicate"),
    ]
    assert "fake_one" not in sys.modules


def test_one_distribution_twice_on_the_path_is_no_duplicate(install: Install, tmp_path: Path) -> None:
    root = install("fake-twice", {"twice": "fake_twice:plugin"})
    copy = tmp_path / "copy"
    (copy / "fake_twice-1.0.dist-info").mkdir(parents=True)
    for file in ("METADATA", "entry_points.txt"):
        text = (root / "fake_twice-1.0.dist-info" / file).read_text()
        (copy / "fake_twice-1.0.dist-info" / file).write_text(text)
    sys.path.append(str(copy))
    try:
        assert registry().get("twice").speak() == "hello"
    finally:
        sys.path.remove(str(copy))


def test_malformed_metadata_of_a_stranger_is_left_out(install: Install) -> None:
    install("fake-good", {"good": "fake_good:plugin"})
    install("fake-torn", {}, text="[some.group]\nno equals sign here\n")
    plugins = registry()
    assert plugins.names() == ("good",)
    assert plugins.get("good").speak() == "hello"


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("0", ()),
        ("", ("good", "other")),
        ("1", ("good", "other")),
        ("good", ("good",)),
        (" other , none ", ("other",)),
    ],
)
def test_the_environment_switches_discovery(
    install: Install, monkeypatch: pytest.MonkeyPatch, value: str, names: tuple[str, ...]
) -> None:
    """STYLE 9: an environment variable switches discovery off."""
    install("fake-good", {"good": "fake_good:plugin", "other": "fake_good:plugin"})
    monkeypatch.setenv(VARIABLE, value)
    plugins = registry()
    assert plugins.names() == names
    assert len(list(plugins.all())) == len(names)
    if value == "0":
        assert "fake_good" not in sys.modules
        with pytest.raises(LookupError, match="HURRAY_PLUGINS leaves it out"):
            plugins.get("good")
        with pytest.raises(ModuleNotFoundError, match="switched off"):
            plugins.get("torch")


def test_all_asks_the_first_first(install: Install) -> None:
    source = "class Plugin:\n    def speak(self): return self.name\n" + "".join(
        f"{name} = Plugin(); {name}.name = '{name}'\n" for name in "abc"
    )
    install("fake-many", {name: f"fake_many:{name}" for name in "abc"}, source=source)
    assert [plugin.speak() for plugin in registry().all(first={"c"})] == ["c", "a", "b"]


def test_many_threads_get_one_object(install: Install) -> None:
    source = "import time\ntime.sleep(0.05)\n" + GOOD
    install("fake-slow", {"slow": "fake_slow:plugin"}, source=source)
    plugins = registry()
    gate = threading.Barrier(8)
    got: list[object] = []

    def ask() -> None:
        gate.wait()
        got.append(plugins.get("slow"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(got) == 8
    assert len(set(map(id, got))) == 1


def test_a_plugin_may_ask_the_registry_while_it_loads(install: Install) -> None:
    source = "import sys\nsys.fake_registry.names()\n" + GOOD
    install("fake-curious", {"curious": "fake_curious:plugin"}, source=source)
    plugins = registry()
    sys.fake_registry = plugins  # type: ignore[attr-defined]
    try:
        assert plugins.get("curious").speak() == "hello"
    finally:
        del sys.fake_registry  # type: ignore[attr-defined]
