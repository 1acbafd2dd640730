"""The command as a program: usage, exit status, pipes, terminals, start-up."""

from __future__ import annotations

import os
import pty
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import Done, command, entry, hurray, on_terminal, process, safetensors_bytes, terminal
from hurray_cli import __version__
from hurray_cli.convert import OPTIONS, parse
from hypothesis import given
from hypothesis import strategies as st

COMMANDS = ("convert", "inspect", "verify", "doctor")


def many(path: Path, count: int = 5000) -> Path:
    entries = {f"layer.{k}.weight": entry("U8", (0,), (0, 0)) for k in range(count)}
    path.write_bytes(safetensors_bytes(entries))
    return path


class TestUsage:
    @pytest.mark.parametrize("name", COMMANDS)
    def test_each_command_has_help(self, name: str) -> None:
        done = hurray(name, "--help")
        assert done.status == 0
        assert done.out.startswith(f"Usage: hurray {name} ")

    def test_help_lists_the_commands(self) -> None:
        done = hurray("--help")
        assert done.status == 0
        assert re.findall(r"^  (\w+)  ", done.out.partition("Commands:")[2], re.MULTILINE) == list(COMMANDS)
        assert hurray("-h") == done

    def test_no_arguments_show_the_help_and_are_wrong(self) -> None:
        done = hurray()
        assert done.status == 2
        assert done.out == hurray("--help").out

    def test_version(self) -> None:
        done = hurray("--version")
        assert done == Done(0, f"hurray {__version__} (hurray-core-py {__version__})\n", "")

    @pytest.mark.parametrize(
        "args",
        [
            ("bogus",),
            ("--bogus",),
            ("convert",),
            ("convert", "a"),
            ("convert", "a", "b", "c"),
            ("convert", "--bogus", "a", "b"),
            ("convert", "a", "b", "--from"),
            ("convert", "--force=yes", "a", "b"),
            ("inspect",),
            ("verify",),
            ("verify", "a", "b"),
            ("doctor", "a"),
        ],
    )
    def test_wrong_usage(self, args: tuple[str, ...]) -> None:
        done = hurray(*args)
        assert done.status == 2
        assert not done.out
        assert re.fullmatch(r"hurray: error: .* \(hurray( \w+)? --help tells more\)\n", done.err)

    def test_what_is_no_path_of_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path, text = "", "a path is empty"
        monkeypatch.chdir(tmp_path)
        many(tmp_path / "a.safetensors", 3)
        convert = ("convert", "--to", "hrry")
        for args in (
            (*convert, "a.safetensors", path),
            (*convert, path, "b.hrry"),
            (*convert, "--dry-run", "a.safetensors", path),
            ("inspect", path),
            ("verify", path),
        ):
            done = hurray(*args)
            assert done.status == 2
            assert done.err.startswith(f"hurray: error: {text}")
            assert done.err.count("\n") == 1
        assert os.listdir(tmp_path) == ["a.safetensors"]

    def test_a_traceback_only_with_debug(self, tmp_path: Path) -> None:
        for name in ("inspect", "verify"):
            plain = hurray(name, tmp_path / "none")
            assert plain.status == 1
            assert "Traceback" not in plain.err
            for args in ((name, tmp_path / "none", "--debug"), ("--debug", name, tmp_path / "none")):
                debug = hurray(*args)
                assert debug.status == 1
                assert "Traceback" in debug.err
                assert debug.err.endswith(plain.err)

    def test_a_fault_of_ours_is_one_line_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(path: str) -> None:
            raise TypeError("oops\nand more")

        monkeypatch.setattr("hurray_cli.inspection.overview.overview", broken)
        done = hurray("inspect", tmp_path)
        assert done.status == 1
        assert (
            done.err == "hurray: error: a fault in hurray or a plugin: TypeError: oops\\nand more "
            "(--debug shows where; please report it)\n"
        )


ARGUMENTS = st.lists(
    st.sampled_from(
        [
            *(name for option in OPTIONS for name in option.names),
            "--from=npy",
            "--to=",
            "--force=1",
            "a",
            "b",
            "--",
            "-",
            "-nf",
        ]
    ),
    max_size=6,
)


@given(ARGUMENTS)
def test_the_quick_parser_agrees_with_click(args: list[str]) -> None:
    """Whatever it takes, click takes the same way; the rest it leaves to click."""
    from hurray_cli.commands.convert import command as click_command

    quick = parse(args)
    if quick is not None:
        assert click_command.make_context("convert", list(args)).params == quick


def test_the_quick_parser_takes_what_people_type() -> None:
    assert parse(["a", "b"]) is not None
    assert parse(["--force", "a", "b", "--from", "npy", "--to=hrry", "-q"]) is not None
    assert parse(["-qf", "a", "b"]) == parse(["a", "--quiet", "b", "--force"]) != parse(["a", "b"])


class TestPipes:
    @pytest.mark.parametrize("args", [("inspect",), ("inspect", "--json"), ("convert", "--dry-run")])
    def test_a_reader_that_leaves_is_no_error(self, tmp_path: Path, args: tuple[str, ...]) -> None:
        source = os.fspath(many(tmp_path / "a.safetensors"))
        rest = [os.fspath(tmp_path / "b.hrry")] if args[0] == "convert" else []
        running = subprocess.Popen(
            command(*args, source, *rest), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert running.stdout is not None
        assert running.stdout.readline()
        running.stdout.close()
        _, err = running.communicate(timeout=60)
        assert running.returncode in (0, 141)
        assert err == b""

    def test_a_full_device_is_an_error(self, tmp_path: Path) -> None:
        source = many(tmp_path / "a.safetensors")
        with open("/dev/full", "wb") as full:
            done = process("inspect", source, stdout=full, stderr=subprocess.PIPE, capture_output=False)
        assert done.status == 1
        assert done.err == "hurray: error: No space left on device\n"

    def test_closed_streams(self, tmp_path: Path) -> None:
        source = many(tmp_path / "a.safetensors", 3)
        for closed in (">&-", "2>&-", ">&- 2>&-"):
            line = " ".join(f"'{part}'" for part in command("inspect", source))
            assert (
                subprocess.run(
                    ["sh", "-c", f"{line} {closed}"], stdout=subprocess.DEVNULL, check=False
                ).returncode
                == 0
            )

    def test_nothing_is_cut_or_coloured_in_a_pipe(self, tmp_path: Path) -> None:
        name = "n" * 300
        path = tmp_path / "a.safetensors"
        path.write_bytes(safetensors_bytes({name: entry("U8", (0,), (0, 0))}))
        done = process("inspect", path, env={**os.environ, "COLUMNS": "20", "TERM": "xterm-256color"})
        assert name in done.out
        assert "\x1b" not in done.out + done.err

    def test_an_encoding_without_the_character(self, tmp_path: Path) -> None:
        path = tmp_path / "a.safetensors"
        path.write_bytes(safetensors_bytes({"模型": entry("U8", (0,), (0, 0))}))
        done = process("inspect", path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert done.status == 0
        assert "\\u6a21\\u578b" in done.out


class TestTerminal:
    @pytest.mark.parametrize("name", ["inspect", "convert", "doctor"])
    def test_bold_and_no_color(self, tmp_path: Path, name: str) -> None:
        """Bold is the only attribute that is used. NO_COLOR switches off whatever SGR there is, bold too."""
        source = many(tmp_path / "a.safetensors", 3)
        args = {"inspect": (source,), "convert": ("-n", source, tmp_path / "b.hrry"), "doctor": ()}[name]
        sgr = re.compile(r"\x1b\[([0-9;]*)m")
        status, out = on_terminal(name, *args)
        assert status == 0
        assert set(sgr.findall(out)) == {"1", "0"}
        status, out = on_terminal(name, *args, NO_COLOR="1")
        assert status == 0
        assert sgr.findall(out) == []

    def test_a_name_is_no_markup_and_is_not_cut(self, tmp_path: Path) -> None:
        name = "[red]" + "n" * 200 + "[/red]\x1b[31m"
        path = tmp_path / "a.safetensors"
        path.write_bytes(safetensors_bytes({name: entry("U8", (0,), (0, 0))}))
        status, out = on_terminal("inspect", path, NO_COLOR="1")
        assert status == 0
        assert out.count("n" * 20) >= 2
        assert "[red]" in out
        assert "\x1b[31m" not in out
        assert "…" not in out

    def test_progress_only_after_a_second(self, tmp_path: Path) -> None:
        source = many(tmp_path / "a.safetensors", 3)
        status, out = on_terminal("convert", source, tmp_path / "b.hrry")
        assert status == 0
        assert re.fullmatch(r"[^\r\x1b]*b\.hrry: 3 tensors, 0 bytes, 0\.\d\d s\r\n", out)

    @pytest.mark.parametrize(("takes", "drawn"), [(0.6, False), (1.4, True)])
    def test_progress_waits_for_the_second(self, takes: float, drawn: bool) -> None:
        """The limit itself, whatever the speed of the machine: the work is a wait."""
        code = (
            "import sys, time; from hurray_cli.progress import Progress\n"
            f"with Progress(): time.sleep({takes})"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
        assert (done.stderr != b"") is drawn

    def test_progress_of_a_long_conversion(self, tmp_path: Path) -> None:
        source = many(tmp_path / "a.safetensors", 3)
        slow = (
            "import sys, time, hurray_cli.progress as p, hurray._convert as c; p.FIRST = 0.1; "
            "write = c._write; c._write = lambda *a: (write(*a), time.sleep(1)); "
            "import hurray_cli; sys.exit(hurray_cli.main(sys.argv[1:]))"
        )
        master, slave = pty.openpty()
        args = [sys.executable, "-c", slow, "convert", os.fspath(source), os.fspath(tmp_path / "b.hrry")]
        running = subprocess.Popen(
            args, stdout=subprocess.PIPE, stderr=slave, env={**os.environ, "TERM": "xterm"}
        )
        out, _ = running.communicate(timeout=60)
        os.close(slave)
        drawn = os.read(master, 65536).decode()
        os.close(master)
        assert running.returncode == 0
        assert "  0 %  0 B of 0 B" in drawn
        assert "layer." in drawn
        assert drawn.endswith("\r\x1b[K")
        assert out.count(b"\n") == 1

    @pytest.mark.parametrize("dtype", ["BOOL", "U8"])
    def test_progress_moves_within_a_tensor(self, tmp_path: Path, dtype: str) -> None:
        """Of one tensor alone: decoded in slow pieces, or by reference to a slow disk."""
        source, size = tmp_path / "a.safetensors", 24 << 20
        source.write_bytes(safetensors_bytes({"w": entry(dtype, (size,), (0, size))}, bytes(size)))
        target = tmp_path / ("b.hrry" if dtype == "BOOL" else "b.safetensors")
        slow = (
            "import sys, time, hurray, hurray_cli.progress as p; p.FIRST, p.NEXT = 0.05, 0.02\n"
            "import hurray_cli.formats.safetensors.reader as r; r.PIECE = 1 << 20; read = r.CheckedItem._read\n"
            "r.CheckedItem._read = lambda self, start: (time.sleep(0.04), read(self, start))[1]\n"
            "class Slow:\n"
            "    def __init__(self, file): self.file = file\n"
            "    def write(self, data): time.sleep(0.04); return self.file.write(data)\n"
            "write = hurray.write_all\n"
            "hurray.write_all = lambda file, data: write(Slow(file) if len(data) > 1 << 20 else file, data)\n"
            "import hurray_cli; sys.exit(hurray_cli.main(sys.argv[1:]))"
        )
        args = [sys.executable, "-c", slow, "convert", os.fspath(source), os.fspath(target)]
        status, drawn = terminal(args)
        assert status == 0, drawn
        percents = [int(found) for found in re.findall(r"\r *(\d+) %", drawn)]
        assert percents == sorted(percents)
        assert len({percent for percent in percents if 0 < percent < 100}) >= 2, drawn
        assert "of 3.0 MiB" in drawn if dtype == "BOOL" else "of 24.0 MiB" in drawn

    def test_no_progress_in_a_pipe(self, tmp_path: Path) -> None:
        source = many(tmp_path / "a.safetensors", 3)
        assert process("convert", source, tmp_path / "b.hrry").err == ""


HEAVY = (
    "numpy",
    "rich",
    "importlib.metadata",
    "typing",
    "dataclasses",
    "inspect",
    "asyncio",
    "safetensors",
    "click",
)


def modules_after(*args: str | os.PathLike[str]) -> set[str]:
    code = "import sys; from hurray_cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, *(os.fspath(arg) for arg in args)],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


class TestStartUp:
    def test_converting_imports_little(self, tmp_path: Path) -> None:
        source, middle = many(tmp_path / "a.safetensors", 3), tmp_path / "b.hrry"
        assert not modules_after("convert", source, middle) & set(HEAVY)
        assert middle.exists()
        assert not modules_after("convert", middle, tmp_path / "c.safetensors") & set(HEAVY)

    def test_help_imports_no_command_s_work(self) -> None:
        assert not modules_after("--help") & {"numpy", "rich", "hurray._core", "hurray", "importlib.metadata"}

    def test_help_is_quick(self) -> None:
        """0.2 s is the promise. Counted is the time of the processor: the machine may have other work."""
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert process("--help").status == 0
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert min(times) < 0.2, times


def test_doctor() -> None:
    done = hurray("doctor")
    assert done.status == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert ["hurray-cli", __version__] in lines
    assert ["hrry", "format", "built", "in", "ok"] in lines
    assert ["safetensors", "format", "hurray-cli", __version__, "ok"] in lines


class TestPluginsSwitchedOff:
    """HURRAY_PLUGINS is about what is searched for: .hrry and the command's own safetensors need no search."""

    @pytest.fixture
    def off(self) -> dict[str, str]:
        return {**os.environ, "HURRAY_PLUGINS": "0"}

    def test_what_is_the_command_s_own_stays(self, tmp_path: Path, off: dict[str, str]) -> None:
        source, middle, back = (
            many(tmp_path / "a.safetensors", 3),
            tmp_path / "b.hrry",
            tmp_path / "c.safetensors",
        )
        assert process("convert", source, middle, env=off).status == 0
        assert process("convert", middle, back, env=off).status == 0
        assert process("verify", source, env=off).status == 0

    def test_what_a_plugin_brings_does_not(self, tmp_path: Path, off: dict[str, str]) -> None:
        done = process("convert", many(tmp_path / "a.safetensors", 1), tmp_path / "b.npz", env=off)
        assert done == Done(
            1, "", "hurray: error: the format 'npz' is switched off (HURRAY_PLUGINS leaves it out)\n"
        )

    def test_the_doctor_says_so(self, off: dict[str, str]) -> None:
        plugins = process("doctor", env=off).out.partition("plugin ")[2].splitlines()[1:]
        assert [line.split() for line in plugins] == [
            [name, "format", "built", "in", "ok"] for name in ("hrry", "safetensors", "safetensors-index")
        ]

    def test_the_library_alone_has_its_own_format_only(self, tmp_path: Path, off: dict[str, str]) -> None:
        """Without the command, safetensors is a plugin as any other."""
        source = os.fspath(many(tmp_path / "a.safetensors", 1))
        code = "import sys, hurray; print(hurray.formats.names()); hurray.convert(sys.argv[1], sys.argv[1] + '.hrry')"
        done = subprocess.run(
            [sys.executable, "-c", code, source], capture_output=True, text=True, env=off, check=False
        )
        assert done.stdout == "('hrry',)\n"
        assert "the format 'safetensors' is switched off (HURRAY_PLUGINS leaves it out)" in done.stderr


def test_doctor_names_a_broken_plugin(tmp_path: Path) -> None:
    info = tmp_path / "broken_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hurray.formats]\nbroken = nowhere.to_be:found\n")
    environment = {**os.environ, "PYTHONPATH": os.fspath(tmp_path)}
    done = process("doctor", env=environment)
    assert done.status == 0
    assert re.search(r"broken +format +broken-plugin 1\.0 +broken .*'nowhere'", done.out)
    source = many(tmp_path / "a.safetensors", 3)
    done = process("convert", source, tmp_path / "b.hrry", env=environment)
    assert (done.status, done.err) == (0, "")


def test_versions_are_one_fact() -> None:
    from importlib.metadata import version

    import hurray as library

    assert __version__ == version("hurray-cli") == library.__version__
