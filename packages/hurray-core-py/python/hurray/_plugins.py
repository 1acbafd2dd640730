"""Entry-point groups as registries: lazy, isolated, attributable, silenceable.

A group is read on the first question, never while ``hurray`` is imported; a plugin is imported when it is
asked for. The environment variable ``HURRAY_PLUGINS`` is read with the group: ``0`` switches discovery off,
a comma list limits it to those names, unset, empty or ``1`` leaves it on.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from importlib.metadata import Distribution, EntryPoint
    from typing import Any

VARIABLE = "HURRAY_PLUGINS"


class Found:
    """One plugin as ``hurray doctor`` reports it.

    ``state`` is ``"ok"``, ``"broken"``, ``"missing framework"`` or ``"duplicate"``; ``detail`` says why.
    """

    __slots__ = ("detail", "distribution", "name", "state", "version")

    def __init__(self, name: str, distribution: str, version: str, state: str, detail: str = "") -> None:
        self.name = name
        self.distribution = distribution
        self.version = version
        self.state = state
        self.detail = detail

    def __repr__(self) -> str:
        return (
            f"Found({self.name!r}, {self.distribution!r}, {self.version!r}, {self.state!r}, {self.detail!r})"
        )


class Registry:
    """The plugins of one entry-point group. All methods may be called from any thread.

    ``noun`` is what errors call a plugin ("bridge", "format"). ``ours`` maps the names of this project's own
    plugins to the distributions that carry them, ``members`` lists what a plugin must have to count as one.
    ``loaded`` holds those that were asked for, always in the same dict.
    """

    def __init__(
        self, group: str, noun: str, *, ours: Mapping[str, str] | None = None, members: tuple[str, ...] = ()
    ) -> None:
        self.group = group
        self.noun = noun
        self._ours = dict(ours or {})
        self._members = members
        self._lock = allocate_lock()
        self.loaded: dict[str, Any] = {}
        self._entries: dict[str, list[EntryPoint]] | None = None
        self._warned: set[str] = set()

    def names(self) -> tuple[str, ...]:
        """The names of the plugins that are installed and not switched off, sorted; none is imported."""
        return tuple(sorted(self._discovered()))

    def get(self, name: str) -> Any:
        """The plugin called ``name``, imported on the first call.

        :raises ModuleNotFoundError: one of this project's own plugins is not installed, or what a plugin
            needs is not; the text is the pip command that mends it.
        :raises ImportError: the plugin fails to import, or two distributions claim the name.
        :raises LookupError: nobody is known to offer the name; the text lists the names there are.
        """
        try:
            return self.loaded[name]
        except KeyError:
            return self._load(name)

    def all(self, first: Collection[str] = ()) -> Iterator[Any]:
        """Each plugin that loads, by name, those in ``first`` before the others.

        A broken one is skipped, with one :class:`RuntimeWarning` in the life of the process.
        """
        for name in sorted(self.names(), key=lambda name: (name not in first, name)):
            try:
                plugin = self.get(name)
            except ImportError as error:
                self.complain(name, str(error))
            else:
                yield plugin

    def report(self) -> list[Found]:
        """What is installed and whether it works, by name. Imports every plugin, raises for none."""
        found = []
        for name, entries in sorted(self._discovered().items()):
            for entry in entries:
                state, detail = ("duplicate", self._rivals(name)) if len(entries) > 1 else self._state(name)
                found.append(Found(name, *_origin(entry), state, detail))
        return found

    def complain(self, name: str, text: str) -> None:
        """Warn of the plugin ``name``, unless it was warned of before."""
        with self._lock:
            if name in self._warned:
                return
            self._warned.add(name)
        import warnings

        warnings.warn(text, RuntimeWarning, stacklevel=3)

    def clear(self) -> None:
        """Forget what was discovered, for a process that has installed a plugin since."""
        with self._lock:
            self._entries = None
            self.loaded.clear()
            self._warned.clear()

    def _discovered(self) -> dict[str, list[EntryPoint]]:
        with self._lock:
            if self._entries is None:
                self._entries = _discover(self.group)
            return self._entries

    def _load(self, name: str) -> Any:
        entries = self._discovered().get(name, [])
        if not entries:
            raise self._unknown(name)
        if len(entries) > 1:
            raise ImportError(
                f"the {self.noun} {name!r} is claimed by {self._rivals(name)}: uninstall all but one"
            )
        try:
            plugin = entries[0].load()
            self._check(plugin, entries[0])
        except (Exception, SystemExit) as error:
            raise self._failure(entries[0], error) from error
        # Two threads may both get here; the import system gave them one object, and the first to arrive stays.
        return self.loaded.setdefault(name, plugin)

    def _check(self, plugin: object, entry: EntryPoint) -> None:
        lacking = [member for member in self._members if not hasattr(plugin, member)]
        if lacking:
            raise TypeError(f"{entry.value} has no {', '.join(lacking)}")

    def _failure(self, entry: EntryPoint, error: BaseException) -> ImportError:
        distribution, version = _origin(entry)
        text = f"the {self.noun} {entry.name!r} of {distribution} {version} fails to load: {_describe(error)}"
        missing = _missing(entry, error)
        if missing is None:
            return ImportError(text)
        return ModuleNotFoundError(f"{text}; install the package that provides {missing!r}", name=missing)

    def _unknown(self, name: str) -> Exception:
        switched = _switch()
        off = "" if switched is None or name in switched else f" ({VARIABLE} leaves it out)"
        if name in self._ours:
            distribution = self._ours[name]
            if off:
                return ModuleNotFoundError(
                    f"the {self.noun} {name!r} is switched off{off}", name=distribution
                )
            return ModuleNotFoundError(
                f"the {self.noun} {name!r} is not installed: pip install {distribution}",
                name=distribution.replace("-", "_"),
            )
        known = ", ".join(self.names()) or "none"
        return LookupError(f"there is no {self.noun} {name!r}{off}; installed: {known}")

    def _rivals(self, name: str) -> str:
        return " and ".join(" ".join(_origin(entry)) for entry in self._discovered()[name])

    def _state(self, name: str) -> tuple[str, str]:
        try:
            plugin = self.get(name)
        except ModuleNotFoundError as error:
            return ("missing framework" if error.name else "broken"), str(error)
        except ImportError as error:
            return "broken", str(error)
        framework = getattr(plugin, "framework", None)
        if framework is None or _importable(framework):
            return "ok", ""
        return "missing framework", f"no module named {framework!r} is installed"


def _switch() -> frozenset[str] | None:
    """The names that HURRAY_PLUGINS leaves on, or None when it leaves all on."""
    import os

    value = os.environ.get(VARIABLE, "").strip()
    if value in ("", "1"):
        return None
    return frozenset() if value == "0" else frozenset(name.strip() for name in value.split(","))


def _discover(group: str) -> dict[str, list[EntryPoint]]:
    allowed = _switch()
    entries: dict[str, list[EntryPoint]] = {}
    if allowed is not None and not allowed:
        return entries
    for entry in _entry_points(group):
        if allowed is None or entry.name in allowed:
            entries.setdefault(entry.name, []).append(entry)
    return entries


def _entry_points(group: str) -> list[EntryPoint]:
    from importlib import metadata

    try:
        return list(metadata.entry_points(group=group))
    except Exception:  # the metadata of one distribution is malformed: leave out that one, not all
        return _entry_points_one_by_one(group)


def _entry_points_one_by_one(group: str) -> list[EntryPoint]:
    from importlib import metadata

    entries: dict[str, list[EntryPoint]] = {}
    for distribution in metadata.distributions():
        name, found = _entries_of(distribution, group)
        # The first of a name on the path is the one that imports (an editable install and its wheel).
        entries.setdefault(name, found)
    return [entry for same in entries.values() for entry in same]


def _entries_of(distribution: Distribution, group: str) -> tuple[str, list[EntryPoint]]:
    try:
        name = distribution.metadata["Name"].replace("_", "-").lower()
        return name, [entry for entry in distribution.entry_points if entry.group == group]
    except Exception:  # this is the malformed one
        return "", []


def _origin(entry: EntryPoint) -> tuple[str, str]:
    """(distribution, version) of an entry point, as far as its metadata says."""
    unnamed = ("an unnamed distribution", "")
    try:
        return unnamed if entry.dist is None else (entry.dist.name or unnamed[0], entry.dist.version or "")
    except Exception:  # metadata without a name
        return unnamed


def _missing(entry: EntryPoint, error: BaseException) -> str | None:
    """The module of somebody else that the plugin could not find, or None where the fault is its own."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    own = entry.value.partition(":")[0].partition(".")[0]
    return None if error.name.partition(".")[0] in (own, "hurray") else error.name


def _importable(module: str) -> bool:
    import sys
    from importlib.util import find_spec

    return module in sys.modules or find_spec(module) is not None


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
