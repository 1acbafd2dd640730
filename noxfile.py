"""One session for each thing a person does with this repository; ``nox -l`` lists them.

Our own distributions are always installed from the wheels in dist/, with the index switched off: the bare name
``hurray`` on the public index is another project's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.sessions = ["lint", "quick"]
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).resolve().parent
DIST = ROOT / "dist"
BUILD = ROOT / "build"
GROUPS = nox.project.load_toml("pyproject.toml")
PROJECTS = {
    path.parent.name: nox.project.load_toml(path)["project"]
    for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
}
VERSION = PROJECTS["hurray"]["version"]
CORE = "hurray-core-py"
PURE = [name for name in PROJECTS if name != CORE]
# Bridges that a later release fills: nothing of theirs needs the framework yet, and it is not installed for them.
WITHOUT_FRAMEWORK = {"hurray-scipy"}
# Frameworks that weigh gigabytes, by the bridge that needs them: each is installed once, into an environment of its own
# that holds what the dependency group of its name lists, and is lent from there. tools/gates.py repeats the pairs.
LENT = {"hurray-cupy": "cupy", "hurray-jax": "jax", "hurray-torch": "torch"}
# Interpreters beside the one that runs nox; one that is absent is skipped, and said to be.
OTHER_PYTHONS = ["3.10", "3.12", "3.13"]
ABI3_PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def group(*names: str) -> tuple[str, ...]:
    """What the dependency groups of pyproject.toml list."""
    return nox.project.dependency_groups(GROUPS, *names)


def find_python(version: str) -> str | None:
    """An interpreter of ``version`` that really starts, on the path or among pyenv's."""
    candidates = [shutil.which(f"python{version}"), shutil.which("python3"), sys.executable]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates += sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")))
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    for candidate in filter(None, candidates):
        try:
            done = subprocess.run([candidate, "-c", code], capture_output=True, text=True, check=False)
        except OSError:
            continue
        if done.stdout.strip() == version:
            return candidate
    return None


def third_party(*distributions: str, extras: bool = True) -> list[str]:
    """What ``distributions`` need of other people, and what their extras do, by their own metadata."""
    needed: set[str] = set()
    for name in distributions:
        project = PROJECTS[name]
        needed.update([] if name in WITHOUT_FRAMEWORK else project.get("dependencies", []))
        if extras:
            for extra in project.get("optional-dependencies", {}).values():
                needed.update(extra)
    lent = {plain_name(one) for framework in LENT.values() for one in group(framework)}
    return sorted(one for one in needed if not one.startswith("hurray") and plain_name(one) not in lent)


def plain_name(requirement: str) -> str:
    """The name that a requirement begins with."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()


def with_ours(distribution: str) -> list[str]:
    """``distribution`` and those of ours that it needs, however far down."""
    found = [distribution]
    for requirement in PROJECTS[distribution].get("dependencies", []):
        if requirement.startswith("hurray"):
            found += [name for name in with_ours(requirement.partition("=")[0]) if name not in found]
    return found


def lend(session: nox.Session, framework: str) -> None:
    """Let the session import ``framework`` from the one environment that has it, behind all that is its own.

    An environment serves as long as the group lists the same; what belongs to it comes last on the path.
    """
    wanted = "\n".join(group(framework))
    folder = BUILD / "frameworks" / f"{framework}-{sys.version_info[0]}.{sys.version_info[1]}"
    stamp = folder / "installed"
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        session.run(sys.executable, "-m", "virtualenv", "--quiet", str(folder), external=True)
        session.run(python, "-m", "pip", "install", "--quiet", *group(framework), external=True)
        stamp.write_text(wanted, encoding="utf-8")
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    lender, borrower = (
        Path(str(session.run(one, "-c", where, silent=True, external=True)).strip())
        for one in (python, "python")
    )
    (borrower / f"lent-{framework}.pth").write_text(f"{lender}\n", encoding="utf-8")


def install(
    session: nox.Session,
    *distributions: str,
    tools: tuple[str, ...] = (),
    python: str = "python",
    lent: bool = True,
) -> None:
    """Install the tools and other people's packages by name, then ``distributions`` from dist/ alone.

    ``lent=False`` goes without the frameworks that are lent.
    """
    for framework in (LENT[name] for name in distributions if lent and name in LENT):
        lend(session, framework)
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    others = [*tools, *third_party(*distributions)]
    if others:
        session.run(*pip, *others, external=True)
    versioned = [f"{name}=={VERSION}" for name in distributions]
    local = ("--no-index", "--find-links", str(DIST), "--force-reinstall", "--no-deps")
    session.run(*pip, *local, *versioned, external=True)


@nox.session(default=False)
def wheels(session: nox.Session) -> None:
    """Build every distribution into dist/: the core for 3.11 and later, and for 3.10 where that is found."""
    session.install("--quiet", *group("wheels"))
    fresh = BUILD / "wheels"
    shutil.rmtree(fresh, ignore_errors=True)
    maturin = ["maturin", "build", "--release", "--locked", "--out", str(fresh)]
    maturin += ["--manifest-path", str(ROOT / "packages" / CORE / "Cargo.toml")]
    # The limited API has the buffer protocol since 3.11 only, so 3.10 gets a wheel of its own.
    modern = next(filter(None, map(find_python, ABI3_PYTHONS)), None)
    for python, options in ((modern, ("--features", "abi3")), (find_python("3.10"), ())):
        if python is None:
            session.log(
                f"skipped 1: the wheel for CPython {'3.11 and later' if options else '3.10'}: none is found"
            )
        else:
            session.run(*maturin, *options, "--interpreter", python)
    for name in PURE:
        session.run(
            "python", "-m", "build", "--wheel", "--no-isolation", "--outdir", str(fresh), f"packages/{name}"
        )
    built = sorted(path.name for path in fresh.glob("*.whl"))
    if len(built) < len(PROJECTS):
        session.error(f"{len(built)} wheels of {len(PROJECTS)} distributions: {', '.join(built)}")
    # In one step, so that a build that fails leaves the wheels of the last one.
    shutil.rmtree(DIST, ignore_errors=True)
    fresh.rename(DIST)
    session.log(f"{len(built)} wheels in dist/: {', '.join(built)}")


@nox.session(requires=["wheels"])
def lint(session: nox.Session) -> None:
    """Ruff, mypy --strict, stubtest, rustfmt and clippy, each with the count of what it read."""
    install(session, *PROJECTS, tools=group("lint"))
    session.run("python", "-m", "tools.gates", "lint")


@nox.session(requires=["wheels"])
def quick(session: nox.Session) -> None:
    """The Python tests alone, against the built wheels."""
    install(session, *PROJECTS, tools=group("tests"))
    session.run("python", "-m", "tools.gates", "quick")


@nox.session(requires=["wheels"], default=False)
def tests(session: nox.Session) -> None:
    """Everything that must pass: Rust, Python, conformance, the demo on both checkpoints, the stubs."""
    install(session, *PROJECTS, tools=(*group("tests"), *group("stubs")))
    session.run("python", "-m", "tools.gates", "tests")


@nox.session(requires=["wheels"], default=False)
@nox.parametrize("distribution", list(PROJECTS), ids=list(PROJECTS))
def alone(session: nox.Session, distribution: str) -> None:
    """Each distribution in an environment of its own, with what it depends on and nothing else of ours."""
    tools = test_tools(distribution)
    ours = with_ours(distribution)
    for tool in tools:
        if tool.startswith("hurray"):
            ours += [name for name in with_ours(tool.partition("=")[0]) if name not in ours]
    if distribution in WITHOUT_FRAMEWORK:
        session.log(f"{distribution}: installed without its framework, which no test of it needs yet")
    install(session, *ours, tools=tuple(tool for tool in tools if not tool.startswith("hurray")))
    session.run("python", "-m", "tools.gates", "alone", distribution)


def test_tools(distribution: str) -> tuple[str, ...]:
    """What the tests of one distribution need, by its own dependency group ``test``."""
    toml = nox.project.load_toml(ROOT / "packages" / distribution / "pyproject.toml")
    return nox.project.dependency_groups(toml, "test")


@nox.session(requires=["wheels"], default=False, venv_backend="none")
@nox.parametrize("version", OTHER_PYTHONS, ids=OTHER_PYTHONS)
def pythons(session: nox.Session, version: str) -> None:
    """The Python tests on the other interpreters that the wheels are for."""
    interpreter = find_python(version)
    if interpreter is None:
        session.skip(f"skipped 1: no CPython {version} is found")
    folder = BUILD / f"python-{version}"
    session.run(
        sys.executable, "-m", "virtualenv", "--quiet", "--python", interpreter, str(folder), external=True
    )
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    # The frameworks that are lent are there for one interpreter alone: their bridges are tested with that.
    install(session, *PROJECTS, tools=group("tests"), python=python, lent=False)
    session.run(python, "-m", "tools.gates", "python", version, external=True)


@nox.session(requires=["wheels"], default=False)
def conformance(session: nox.Session) -> None:
    """The golden vectors and those of the reference codec through the core: values, bytes and verdicts."""
    install(session, *PROJECTS, tools=group("tests"), lent=False)
    session.run("python", "-m", "tools.gates", "conformance")


@nox.session(requires=["wheels"], default=False)
def demo(session: nox.Session) -> None:
    """The main job on a real checkpoint: convert, inspect, verify, load, compare, convert back."""
    install(session, CORE, "hurray-numpy", "hurray-cli", tools=group("demo"))
    session.run("python", "-m", "demo", *session.posargs)


@nox.session(requires=["wheels"], default=False)
def fuzz(session: nox.Session) -> None:
    """Many cases of the container's property tests, and 50 times as many hostile descriptors; ``-- CASES [SEED]``."""
    install(session, CORE)
    cases, *seed = session.posargs or ["20000"]
    session.run(
        "python",
        "-m",
        "tools.gates",
        "fuzz",
        env={"PROPTEST_CASES": cases, "FUZZ_CASES": str(50 * int(cases)), "FUZZ_SEED": "".join(seed[:1])},
    )


@nox.session(requires=["wheels"], default=False)
def memory(session: nox.Session) -> None:
    """Capsules of DLPack and of the native protocol under valgrind: what is read, freed and lost."""
    if shutil.which("valgrind") is None:
        session.skip("skipped 1: no valgrind is found")
    install(session, CORE, "hurray-numpy", tools=group("tests"))
    session.run("python", "-m", "tools.gates", "memory")


@nox.session(requires=["wheels"], default=False)
def bench(session: nox.Session) -> None:
    """The table of goals, ours and the peers' measured in one run; ``-- suite`` runs pytest-benchmark instead."""
    install(session, CORE, "hurray-numpy", "hurray-torch", "hurray-cli", tools=group("bench"))
    if session.posargs[:1] == ["suite"]:
        session.run("pytest", "-c", "benchmarks/pytest.ini", "benchmarks/suite", *session.posargs[1:])
        return
    peer = BUILD / "peer"
    session.run(sys.executable, "-m", "virtualenv", "--quiet", str(peer), external=True)
    python = str(peer / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    session.run(python, "-m", "pip", "install", "--quiet", *group("peer"), external=True)
    session.run("python", "-m", "benchmarks.table", "--peer", python, *session.posargs)


@nox.session(requires=["wheels"], default=False)
def coverage(session: nox.Session) -> None:
    """Which lines of our Python the tests reach."""
    install(session, *PROJECTS, tools=(*group("tests"), *group("coverage")))
    folders = [f"packages/{name}/tests" for name in PROJECTS]
    session.run("coverage", "run", "-m", "pytest", "-q", *folders, "conformance/tests", "tests")
    session.run("coverage", "report")


@nox.session(requires=["wheels"], default=False)
def docs(session: nox.Session) -> None:
    """The documentation into build/site; any broken link or reference is an error."""
    # The texts of the interface are those of the built module.
    install(session, CORE, tools=group("docs"))
    session.run(
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(BUILD / "site"),
        env={"NO_MKDOCS_2_WARNING": "1"},
    )
    pages = len(list((BUILD / "site").rglob("index.html")))
    if pages == 0:
        session.error("no page was built")
    session.log(f"{pages} pages in build/site")
