"""Rules that every file of the repository keeps."""

from __future__ import annotations

import re

import pytest

from tools.repository import ROOT, code_blocks, files, projects, texts

LONGEST = 500
# An install by the bare name, which is another project's on the public index.
BARE = re.compile(r"pip3? install[^|\n]*[ \"'\[(]hurray(?=$|[\s\"'\[=<>~)`])", flags=re.MULTILINE)
# How such an install is made ours: the index is off, or what is named is a path.
LOCAL = re.compile(r"--no-index|--find-links|packages/|dist/")
HOSTS = re.compile(r"pypi\.org|pythonhosted|crates\.io/|/root/|/work/|/home/\w")


def test_there_are_files() -> None:
    assert len(files()) > 100


def test_no_file_is_longer_than_two_ideas() -> None:
    counted = {
        path: text.count("\n") for path, text in texts().items() if path.endswith((".py", ".rs", ".pyi"))
    }
    assert len(counted) > 50
    assert {path: lines for path, lines in counted.items() if lines > LONGEST} == {}


def test_nothing_installs_the_bare_name_from_an_index() -> None:
    wrong = []
    for path, text in texts().items():
        if path == "tests/test_repository.py":
            continue
        wrong += [
            f"{path}: {line}" for line in text.splitlines() if BARE.search(line) and not LOCAL.search(line)
        ]
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("pip install hurray", True),
        ('pip install "hurray[torch]"', True),
        ("python -m pip install -q hurray==0.1.0 numpy", True),
        ("pip install hurray-core-py", False),
        ("pip install --no-index --find-links dist hurray", False),
        ("pip install nox && nox -s hurray", False),
    ],
)
def test_the_rule_itself_tells_good_from_bad(line: str, bad: bool) -> None:
    command = line.partition(" && ")[0]
    assert bool(BARE.search(command) and not LOCAL.search(command)) is bad


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    wrong = {path for path, text in texts().items() if HOSTS.search(text)}
    assert wrong - {"tests/test_repository.py", "Cargo.lock"} == set()


@pytest.mark.parametrize("name", ["LICENSE-APACHE", "LICENSE-MIT"])
def test_licences_are_one_text(name: str) -> None:
    source = (ROOT / name).read_bytes()
    copies = sorted(ROOT.glob(f"packages/*/{name}")) + sorted(ROOT.glob(f"crates/*/{name}"))
    assert len(copies) == len(projects()) + 1
    assert [str(path) for path in copies if path.read_bytes() != source] == []


@pytest.mark.parametrize("name", sorted(projects()))
def test_a_distribution_is_a_self_sufficient_folder(name: str) -> None:
    folder = ROOT / "packages" / name
    for part in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"):
        assert (folder / part).is_file(), part
    assert list((folder / "tests").rglob("test_*.py")), "no tests"
    assert name == "hurray" or list(folder.rglob("py.typed")), "no py.typed"


def test_readme_opens_with_the_demo_and_the_tests() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first, second = code_blocks(readme, "sh")[0].splitlines()
    assert first.endswith("nox -s demo")
    assert second.endswith("nox -s tests")


def test_ci_runs_the_commands_of_the_readme() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tests = code_blocks(readme, "sh")[0].splitlines()[1]
    assert tests in ci
    assert any(re.match(r"\.venv/bin/nox -s .*\bdemo\b", line) for line in ci)


def test_workflow_calls_sessions_only() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    commands = re.findall(r"- run: (.*)", text)
    assert commands
    assert [
        one for one in commands if not re.match(r"bash \.ci/run|python -m (nox|pip install nox)", one)
    ] == []


def test_every_session_is_described() -> None:
    sessions = re.findall(r"^@nox\.session.*\n(?:@.*\n)*def (\w+)", texts()["noxfile.py"], flags=re.MULTILINE)
    assert len(sessions) > 10
    assert [name for name in sessions if f"`nox -s {name}`" not in texts()["CONTRIBUTING.md"]] == []
