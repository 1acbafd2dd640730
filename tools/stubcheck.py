"""stubtest, and how many names it compared: a check that looked at nothing must not pass.

The stub of the compiled module lies in several files, which are no modules when a program runs. stubtest compares a
name where it is defined and not where it is imported from there, so each of these files is given a module that
holds what the compiled one has of it.
"""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType
from typing import Any

from mypy import stubtest

COMPILED = "hurray._core"
PARTS = "hurray._stubs"
# A function or class of either, and no member of one.
TOP = re.compile(rf"(?:{re.escape(COMPILED)}|{re.escape(PARTS)}\.\w+)\.\w+")


def main(arguments: list[str]) -> int:
    """Run stubtest with ``arguments`` and print the count."""
    seen: set[str] = set()
    verify: Any = stubtest.verify
    imported = stubtest.silent_import_module

    def counting(stub: Any, runtime: Any, object_path: list[str]) -> Any:
        seen.add(".".join(object_path))
        return verify(stub, runtime, object_path)

    def importing(name: str) -> ModuleType:
        if name.startswith(f"{PARTS}."):
            sys.modules[name] = part(name)  # stubtest also looks there
        return imported(name)

    # stubtest recurses through its own module's names, so that these see every object and every module.
    setattr(stubtest, "verify", counting)  # noqa: B010 - its type is that of the function replaced
    setattr(stubtest, "silent_import_module", importing)  # noqa: B010
    status: int = stubtest.test_stubs(stubtest.parse_options(arguments))
    print(f"stubtest compared {len(seen)} names")
    passed_over = exported() - {path.rpartition(".")[2] for path in seen if TOP.fullmatch(path)}
    if status == 0 and passed_over:
        print(f"error: of {COMPILED} it did not compare {', '.join(sorted(passed_over))}")
        return 1
    return status


def part(name: str) -> ModuleType:
    """What the compiled module has of the names that the stub file ``name`` defines."""
    stub = stubtest.get_stub(name)
    module = ModuleType(name)
    compiled = importlib.import_module(COMPILED)
    for entry, symbol in (stub.names if stub else {}).items():
        defined = symbol.node is not None and symbol.node.fullname == f"{name}.{entry}"
        if defined and entry != "__all__" and hasattr(compiled, entry):
            setattr(module, entry, getattr(compiled, entry))
    return module


def exported() -> set[str]:
    """What the compiled module says that it has, but for what stubtest never looks at, such as its version."""
    return set(importlib.import_module(COMPILED).__all__) - stubtest.IGNORED_MODULE_DUNDERS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
