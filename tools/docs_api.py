"""What the pages of the interface are made of: signatures out of the stubs, texts out of the built module.

An extension of griffe, which mkdocstrings reads Python with. The stub of the compiled module has types and no texts,
the module has texts and no types; a text stands in one place, and the pages show both.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe

# Special methods that say something of an object's use; all others are Python's business.
SHOWN = {"__init__", "__version__"}
COMPILED = "hurray._core"
# Where its stub lies, an idea to a file: no modules when a program runs.
PARTS = "hurray._stubs"
ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data|obj):`[~.]?([^`]+)`")


class Texts(griffe.Extension):
    """Adds the texts of the compiled module, leaves out what is no business of a reader."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Called when the whole package is read."""
        self.count = 0
        runtime = importlib.import_module(pkg.path)
        for name, member in list(pkg.members.items()):
            if isinstance(getattr(runtime, name, None), runtime.Dtype):
                pkg.del_member(name)  # the page has one line for all
            elif isinstance(member, griffe.Module) and member.docstring:
                member.docstring.value = _plain(member.docstring.value)
        self._walk(pkg, runtime)
        if self.count == 0:
            raise RuntimeError(f"no text was found in {pkg.path}: the compiled module is another one")

    def _walk(self, holder: griffe.Module | griffe.Class, runtime: Any) -> None:
        for name, member in list(holder.members.items()):
            if member.is_alias or not isinstance(member, griffe.Object):
                continue
            if isinstance(member, griffe.Module):
                compiled = _is_compiled(member)
                self._walk(member, importlib.import_module(COMPILED if compiled else member.path))
                continue
            if isinstance(holder, griffe.Class) and _is_special(name) and name not in SHOWN | {"__new__"}:
                holder.del_member(name)
                continue
            if name != "__init__":  # its text is that of the class
                self._say(member, getattr(runtime, name, None))
            if isinstance(member, griffe.Class):
                _new_is_init(member)
                self._walk(member, getattr(runtime, name, None))

    def _say(self, member: griffe.Object, runtime: Any) -> None:
        text = member.docstring.value if member.docstring else None
        described = (
            isinstance(runtime, type)
            or not isinstance(member, griffe.Attribute)
            or "property" in member.labels
        )
        if described and runtime is not None and _is_compiled(member):
            text = inspect.getdoc(runtime) or text
            self.count += 1
        if text:
            member.docstring = griffe.Docstring(_plain(text), parent=member, parser="sphinx")


def _is_compiled(member: griffe.Object) -> bool:
    return f"{member.path}.".startswith((f"{COMPILED}.", f"{PARTS}."))


def _plain(text: str) -> str:
    """Without the roles of another tool."""
    return ROLE.sub(r"`\1`", text)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _new_is_init(cls: griffe.Class) -> None:
    """The signature of a class is that of its ``__new__``, which nobody calls by this name."""
    new = cls.members.get("__new__")
    if isinstance(new, griffe.Function):
        cls.del_member("__new__")
        if "__init__" not in cls.members:
            new.name, new.returns, new.docstring = "__init__", None, None
            cls.set_member("__init__", new)
