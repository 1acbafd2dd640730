"""The gates of a session: ``python -m tools.gates tests``. Every gate prints a count and fails on zero."""

from __future__ import annotations

import json
import os
import platform
import sys
import sysconfig
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

from tools.gate import ROOT, Verdict, clean, closing, counted, report, run, total_of

ROOT_CONFIG = str(ROOT / "pyproject.toml")
SCRIPTS = Path(sysconfig.get_path("scripts"))
PACKAGES = tuple(sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml")))
# Frameworks that the tests may not go without: a run that skips one of them is no run.
FRAMEWORKS = ("numpy", "ml_dtypes", "safetensors")
# Those that noxfile.py lends, by the bridge whose tests need them. No wheels of them exist for some machines.
LENT = {"hurray-cupy": "cupy", "hurray-jax": "jax", "hurray-torch": "torch"}
NOT_MADE_FOR = {("darwin", "x86_64"): {"cupy", "jax", "torch"}, ("darwin", "arm64"): {"cupy"}}


def pytest_gate(path: str, *options: str) -> Verdict:
    """The tests under ``path`` against what is installed, with the reason of every skip."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        xml = Path(folder) / "junit.xml"
        command = [str(SCRIPTS / "pytest"), "-q", "-rs", "--rootdir", str(ROOT), "-c", ROOT_CONFIG]
        status, _ = run([*command, f"--junitxml={xml}", "-p", "no:cacheprovider", *options, str(ROOT / path)])
        verdict = _from_junit(path, xml)
    verdict.seconds = time.monotonic() - begin
    if status not in (0, 5) and verdict.failed == 0:
        verdict.failed = 1
        verdict.notes.append(f"pytest ended with status {status}")
    return verdict


def _from_junit(name: str, xml: Path) -> Verdict:
    verdict = Verdict(name)
    if not xml.exists():
        return verdict
    reasons: dict[str, int] = {}
    for case in ElementTree.parse(xml).getroot().iter("testcase"):
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            verdict.failed += 1
        elif skip is not None:
            verdict.skipped += 1
            reason = skip.get("message") or "no reason given"
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            verdict.passed += 1
    for reason, times in sorted(reasons.items()):
        verdict.notes.append(f"skipped {times}: {reason}")
        if "could not import" in reason:
            verdict.failed += 1
            verdict.notes.append(
                "a test was skipped for want of a package: install it, or do not collect the test"
            )
    return verdict


def lent_here(lent: bool) -> set[str]:
    """The lent frameworks that this run may not go without."""
    absent = NOT_MADE_FOR.get((sys.platform, platform.machine()), set())
    return set(LENT.values()) - absent if lent else set()


def frameworks_gate(lent: bool) -> Verdict:
    """Whether all frameworks that the tests speak of are there."""
    wanted = [*FRAMEWORKS, *sorted(lent_here(lent))]
    missing = [name for name in wanted if find_spec(name) is None]
    notes = [f"not installed: {name}" for name in missing]
    notes += [f"not run: {name}, without {of}" for name, of in LENT.items() if of not in wanted]
    return Verdict("frameworks", len(wanted) - len(missing), len(missing), unit="found", notes=notes)


def cargo_gate() -> Verdict:
    """The tests of the Rust workspace, documentation examples included."""
    command = ["cargo", "test", "--workspace", "--no-fail-fast", "--quiet"]
    return counted("cargo test", "tests", command, total_of(r"test result: ok\. (\d+) passed"))


def fuzz_gate() -> Verdict:
    """The property tests of the container crate, with many more cases than a test run takes."""
    command = ["cargo", "test", "--release", "-p", "hurray-wire", "--test", "properties"]
    return counted("hurray-wire properties", "tests", command, total_of(r"test result: ok\. (\d+) passed"))


def descriptors_gate() -> Verdict:
    """Random and mutated bytes into what decodes descriptors and quantization sections."""
    arguments = [os.environ.get("FUZZ_CASES") or "1000000", os.environ.get("FUZZ_SEED") or ""]
    command = [sys.executable, "-m", "fuzz.descriptors", *filter(None, arguments)]
    return counted("hostile descriptors", "cases", command, total_of(r"fuzzed (\d+) cases"))


def memory_gate() -> Verdict:
    """Capsules made, taken, dropped and kept to the end, under valgrind."""
    command = [sys.executable, "-m", "tools.memory"]
    return counted("capsules under valgrind", "rounds", command, total_of(r"handled (\d+) rounds"))


def stubtest_gate() -> Verdict:
    """The stubs against the built module, and how many names were compared."""
    # One entry names what exists from CPython 3.12 on: unused there, needed before.
    allowed = ROOT / "tools/stubtest-allowlist.txt"
    options = ["--allowlist", str(allowed), "--ignore-unused-allowlist"]
    command = [sys.executable, "-m", "tools.stubcheck", "hurray", *options]
    return counted("stubtest hurray", "names", command, total_of(r"compared (\d+) names"))


def mypy_gates() -> list[Verdict]:
    """``mypy --strict`` on all Python, a folder at a time since test files may share names."""
    verdicts = []
    for name, paths in _typed_folders():
        count = total_of(r"no issues found in (\d+) source files?")
        command = [sys.executable, "-m", "mypy", "--config-file", ROOT_CONFIG, *map(str, paths)]
        verdicts.append(counted(f"mypy {name}", "files", command, count))
    return verdicts


def _typed_folders() -> list[tuple[str, list[Path]]]:
    """Every folder with Python in it, by the name under which its verdict is printed."""
    found = [("noxfile and tools", [ROOT / "noxfile.py", ROOT / "tools"])]
    for package in PACKAGES:
        for part in ("src", "python", "tests"):
            if any((ROOT / "packages" / package / part).rglob("*.py")):
                found.append((f"{package}/{part}", [ROOT / "packages" / package / part]))
    for folder in ("tests", "demo", "conformance", "benchmarks", "fuzz"):
        if any((ROOT / folder).rglob("*.py")):
            found.append((folder, [ROOT / folder]))
    return found


def lint() -> list[Verdict]:
    """Everything that reads the code and runs none of it, but for the stub check."""
    ruff = [str(SCRIPTS / "ruff")]
    python_files = len(_lines(run([*ruff, "check", "--show-files"], echo=False)[1]))
    rust_files = len([*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("packages/*/src/**/*.rs")])
    clippy = ["cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]
    return [
        counted("ruff check", "files", [*ruff, "check", "."], lambda _: python_files),
        counted("ruff format", "files", [*ruff, "format", "--check", "."], lambda _: python_files),
        *mypy_gates(),
        stubtest_gate(),
        counted("cargo fmt", "files", ["cargo", "fmt", "--all", "--check"], lambda _: rust_files),
        counted("cargo clippy", "files", clippy, lambda _: rust_files),
    ]


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def distributions(lent: bool = True) -> list[Verdict]:
    """The tests of every distribution, and the golden vectors; ``lent=False`` leaves out bridges to lent frameworks."""
    here = lent_here(lent)
    names = [name for name in PACKAGES if name not in LENT or LENT[name] in here]
    folders = [*(f"packages/{name}/tests" for name in names), "conformance/tests"]
    return [frameworks_gate(lent), *(pytest_gate(folder) for folder in folders)]


def quick() -> list[Verdict]:
    """The Python tests of every distribution, and those of the repository."""
    return [*distributions(), pytest_gate("tests")]


def tests() -> list[Verdict]:
    """All that must pass before a change lands."""
    return [cargo_gate(), *quick(), pytest_gate("demo/tests"), stubtest_gate()]


SESSIONS = {
    "conformance": lambda: [pytest_gate("conformance/tests")],
    "fuzz": lambda: [fuzz_gate(), descriptors_gate()],
    "lint": lint,
    "memory": lambda: [memory_gate()],
    "quick": quick,
    "tests": tests,
}


def main(arguments: list[str]) -> int:
    """Run the gates of the session that the first argument names."""
    match arguments:
        case ["clean"]:
            clean()
            return 0
        case ["closing"]:
            return closing()
        case ["alone", distribution]:
            return report(f"alone {distribution}", [pytest_gate(f"packages/{distribution}/tests")])
        case ["python", version]:
            return report(f"python {version}", distributions(lent=False))
        case [name] if name in SESSIONS:
            return report(name, SESSIONS[name]())
    print(
        f"usage: python -m tools.gates {json.dumps([*SESSIONS, 'alone NAME', 'python X.Y'])}", file=sys.stderr
    )
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
