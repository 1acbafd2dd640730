"""The exceptions: classes, codes, errno, filename, pickling (requirements: Error Handling; PEERS, errors)."""

from __future__ import annotations

import builtins
import copy
import errno
import os
import pickle
import sys
from pathlib import Path
from struct import pack
from typing import Any

import core_files as craft
import hurray
import pytest
from core_files import FLOAT32, INT8, Crafted, Put, descriptor, kv_entry, kv_section
from core_memory import run

CLASSES: dict[str, tuple[type[Exception], ...]] = {
    "InvalidDescriptorError": (ValueError,),
    "BufferError": (ValueError,),
    "CopyRequiredError": (ValueError,),
    "UnsupportedError": (NotImplementedError, RuntimeError),
    "FileError": (OSError,),
    "StreamError": (OSError,),
    "InternalError": (RuntimeError,),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_hurray_and_derive_from_the_fitting_builtin(name: str) -> None:
    """04-tables.md §1; PEERS: classes say hurray as their module, and except Exception catches them."""
    kind = getattr(hurray, name)
    assert (kind.__module__, kind.__qualname__, kind.__name__) == ("hurray", name, name)
    assert issubclass(kind, CLASSES[name])
    assert issubclass(kind, Exception)
    assert kind.__doc__
    # A class of its own: no other of ours is above it.
    assert [other for other in CLASSES if issubclass(kind, getattr(hurray, other))] == [name]


def test_our_buffer_error_is_not_the_builtin() -> None:
    assert not issubclass(hurray.BufferError, builtins.BufferError)
    assert not issubclass(builtins.BufferError, hurray.BufferError)


@pytest.mark.parametrize(
    "name", ["InvalidDescriptorError", "BufferError", "UnsupportedError", "FileError", "StreamError"]
)
def test_a_code_is_none_where_no_rule_is_named(name: str) -> None:
    kind = getattr(hurray, name)
    assert kind("text").code is None


def test_a_panic_becomes_an_internal_error(capfd: pytest.CaptureFixture[str]) -> None:
    """The binding MUST catch panics and convert them to hurray.InternalError."""
    for text in ("first", "ünïcode", ""):
        with pytest.raises(hurray.InternalError, match="report") as caught:
            hurray._core._panic(text)
        assert text in str(caught.value)
    assert hurray.Tensor(b"abc", hurray.uint8, (3,)).tolist() == [97, 98, 99]
    capfd.readouterr()


# --- pickling ----------------------------------------------------------------------------------------------


def raised(call: Any) -> BaseException:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


def examples(folder: Path) -> list[BaseException]:
    tiny = hurray.Tensor(b"a", hurray.uint8, (1,))
    return [
        raised(lambda: hurray.load(folder / "missing")),
        raised(lambda: hurray.load(folder)),
        raised(lambda: hurray.load(b"no file" + bytes(200))),
        raised(lambda: hurray.load(craft.single(descriptor(0x7F), bytes(8)))),
        raised(lambda: hurray.load(craft.single(descriptor(INT8, shape=(9,)), bytes(8)))),
        raised(lambda: hurray.load(Crafted().build(), names=["x"])),
        raised(lambda: hurray.save(folder / "a", {"": tiny})),
        raised(lambda: hurray.save(folder / "a", {"w": tiny}, kv={"k": None})),  # type: ignore[dict-item]
        raised(lambda: hurray.save(folder / "a", {"w": tiny}, kv={"k": 2**80})),
        raised(lambda: hurray.Tensor(b"", hurray.float32, (1,))),
        raised(lambda: hurray.Tensor.from_buffer(memoryview(bytes(9))[1:], copy=False)),
        raised(tiny.unpack),
        raised(lambda: tiny.T),
        raised(lambda: hurray._core._panic("x")),
        hurray.StreamError("text"),
    ]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_exceptions_survive_pickling(protocol: int, tmp_path: Path) -> None:
    """As they must to come back from a worker process: class, text, errno, filename, code."""
    found = examples(tmp_path)
    assert len({type(error) for error in found}) >= 10
    for error in found:
        again = pickle.loads(pickle.dumps(error, protocol))
        facts = [
            (
                type(e),
                str(e),
                e.args,
                getattr(e, "errno", 0),
                getattr(e, "filename", 0),
                getattr(e, "code", 0),
            )
            for e in (error, again, copy.copy(error))
        ]
        assert facts[0] == facts[1] == facts[2]


def test_messages_are_sentences_for_people(tmp_path: Path) -> None:
    """No Rust in them, no empty ones."""
    for error in examples(tmp_path):
        text = str(error)
        assert len(text) > 3
        for jargon in ("Err(", "Some(", "None)", "unwrap", "::", "Os {", "panicked"):
            assert jargon not in text, text


def test_texts_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.hrry"
    path.write_bytes(craft.single(descriptor(0x7F), bytes(8)))
    for call in (lambda: hurray.load(path), lambda: hurray.open(path)["w"]):
        assert "broken.hrry" in str(raised(call))
    path.write_bytes(b"x" * 200)
    with open(path, "rb") as file:
        for source in (path, file):
            assert "broken.hrry" in str(raised(lambda source=source: hurray.load(source)))


# --- what the operating system refuses ---------------------------------------------------------------------


def facts(call: Any) -> tuple[Any, ...]:
    error = raised(call)
    assert isinstance(error, hurray.FileError)
    assert error.strerror
    assert error.code is None
    return type(error).__mro__[2], error.errno, error.filename


def test_refusals_keep_errno_and_filename_and_are_the_fitting_builtin(tmp_path: Path) -> None:
    """OSErrors keep errno and filename and are FileNotFoundError, PermissionError … too."""
    (tmp_path / "file").write_bytes(b"")
    missing, inside, long = tmp_path / "no" / "a.hrry", tmp_path / "file" / "a.hrry", tmp_path / ("x" * 300)
    for call in (hurray.load, hurray.open, hurray.verify, hurray.load_kv, lambda path: hurray.save(path, {})):
        assert facts(lambda: call(missing)) == (FileNotFoundError, errno.ENOENT, missing)  # noqa: B023
        assert facts(lambda: call(inside)) == (NotADirectoryError, errno.ENOTDIR, inside)  # noqa: B023
        assert facts(lambda: call(tmp_path)) == (IsADirectoryError, errno.EISDIR, tmp_path)  # noqa: B023
        assert facts(lambda: call(str(long)))[1:] == (errno.ENAMETOOLONG, str(long))  # noqa: B023
    assert facts(lambda: hurray.FileWriter(missing)) == (FileNotFoundError, errno.ENOENT, missing)
    assert facts(lambda: hurray.save(str(tmp_path) + "/", {}))[:2] == (IsADirectoryError, errno.EISDIR)
    assert sorted(os.listdir(tmp_path)) == ["file"]


@pytest.mark.parametrize("path", ["", b""])
def test_an_empty_path_is_no_file(path: Any) -> None:
    for call in (lambda: hurray.save(path, {}), lambda: hurray.FileWriter(path)):
        assert facts(call) == (FileNotFoundError, errno.ENOENT, path)
    assert facts(lambda: hurray.load("")) == (FileNotFoundError, errno.ENOENT, "")


def test_a_file_that_ends_early_is_said_to() -> None:
    """A size that lies, as in /sys: no jargon, and the name."""
    path = Path("/sys/kernel/uevent_seqnum")
    if not path.exists():
        pytest.skip(f"there is no {path} here")
    error = raised(lambda: hurray.load(path))
    assert isinstance(error, hurray.FileError)
    assert str(path) in str(error)
    assert "buffer" not in str(error)


def test_a_refusal_is_an_os_error_to_those_who_do_not_care(tmp_path: Path) -> None:
    """Callers that do not need to distinguish MAY catch OSError directly."""
    for data in (tmp_path / "missing", b"", b"x" * 500):
        with pytest.raises(OSError):  # noqa: PT011
            hurray.load(data)


PERMISSIONS = """
import errno, os, sys, hurray
folder = sys.argv[1]
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
for door in (hurray.load, hurray.open, hurray.verify, hurray.FileMap):
    try:
        door(f"{folder}/secret.hrry")
    except PermissionError as error:
        print(isinstance(error, hurray.FileError), error.errno == errno.EACCES, error.filename)
for path in (f"{folder}/locked/new.hrry", f"{folder}/locked/old.hrry"):
    for write in (lambda: hurray.save(path, {}), lambda: hurray.FileWriter(path)):
        try:
            write()
        except PermissionError as error:
            print(isinstance(error, hurray.FileError), error.errno == errno.EACCES, error.filename)
"""


def test_what_may_not_be_read_or_written_is_a_permission_error(tmp_path: Path) -> None:
    """In a process without privileges, since root may do everything."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    hurray.save(tmp_path / "secret.hrry", {})
    (tmp_path / "secret.hrry").chmod(0)
    locked = tmp_path / "locked"
    locked.mkdir()
    hurray.save(locked / "old.hrry", {})
    locked.chmod(0o555)
    lines = run(PERMISSIONS, tmp_path).splitlines()
    secret, new, old = tmp_path / "secret.hrry", locked / "new.hrry", locked / "old.hrry"
    assert lines == [f"True True {path}" for path in (secret, secret, secret, secret, new, new, old, old)]
    assert os.listdir(locked) == ["old.hrry"]


def test_no_descriptors_left_keeps_its_errno(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {})
    code = """
import errno, resource, sys, hurray
from hurray import _exceptions, _ingest, _sources
path = sys.argv[1]
hurray.save(path, {})
hurray.load(path)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
for call in (lambda: hurray.load(path), lambda: hurray.save(path, {}), lambda: hurray.load(0)):
    try:
        call()
    except hurray.FileError as error:
        print(errno.errorcode[error.errno])
"""
    assert run(code, tmp_path / "a.hrry").split() == ["EMFILE"] * 3
    assert hurray.load(tmp_path / "a.hrry") == {}


# --- what the format refuses -------------------------------------------------------------------------------

GOOD = descriptor(INT8, shape=(3,), sizes=(3,))
PUT = Put(b"b", GOOD, (b"\1\2\3",))
BASE = Crafted((PUT, Put(b"c", GOOD, (b"\4\5\6",))))
KV = kv_section(kv_entry(b"k", 5, b"\1"))


def put(**claims: Any) -> bytes:
    """A file whose second entry makes other claims."""
    return Crafted((PUT, Put(b"c", GOOD, (b"\4\5\6",), **claims))).build()


# Rule of file.md §10 -> a file that breaks it, alone. F-33 to F-41 are in test_kv.py, F-42 to F-46 in test_verify.py.
BROKEN: list[tuple[str, bytes]] = [
    ("F-1", BASE.but(magic=b"HRRYFILF").build()),
    ("F-2", BASE.but(version=(2, 0)).build()),
    ("F-2", BASE.but(version=(255, 0)).build()),
    ("F-3", BASE.but(version=(0, 9)).build()),
    ("F-4", BASE.but(flags=4 | 8).build()),
    ("F-4", BASE.but(flags=4 | 1 << 31).build()),
    ("F-5", BASE.but(reserved=b"\0\1").build()),
    ("F-5", BASE.but(tail=bytes(27) + b"\1").build()),
    *(("F-6", BASE.but(alignment=bad).build()) for bad in (0, 1, 64, 2048, 4097, 12288, 1 << 22, 2**32 - 1)),
    *(("F-7", BASE.but(first=bad).build()) for bad in (0, 56, 68, 2**63, 2**64 - 8)),
    ("F-8", BASE.build()[:111]),
    ("F-9", BASE.but(trailer_magic=b"HRRX").build()),
    ("F-10", BASE.but(trailer_reserved=1).build()),
    ("F-11", BASE.but(index_offset=2**64 - 8).build()),
    ("F-11", BASE.but(index_length=2**64 - 1).build()),
    ("F-11", BASE.but(index_offset=2**63, index_length=2**63).build()),
    ("F-12", BASE.but(index_length=7).build()),
    ("F-12", BASE.but(index_offset=8, index_length=16).build()),
    ("F-13", BASE.but(crc=1).build()),
    ("F-14", BASE.but(flags=0, crc=1).build()),
    *(("F-15", BASE.but(count=bad).build()) for bad in (3, 2**32, 2**63, 2**64 - 1)),
    ("F-16", BASE.but(index_extra=b"\0").build()),
    ("F-16", BASE.but(count=1).build()),
    ("F-16", put(name_length=60000)),
    ("F-17", Crafted((Put(b"", GOOD, (b"\1\2\3",)), Put(b"bb", GOOD, (b"\1\2\3",)))).build()),
    ("F-17", Crafted((Put(b"\xff\xfe", GOOD, (b"\1\2\3",)), PUT)).build()),
    ("F-17", Crafted((Put(b"\xed\xa0\x80", GOOD, (b"\1\2\3",)), PUT)).build()),
    ("F-18", Crafted((PUT, PUT)).build()),
    ("F-19", put(flags=1)),
    ("F-20", Crafted((Put(b"d", GOOD, (b"\1\2\3",)), PUT), flags=craft.SORTED | craft.HAS_CRC).build()),
    ("F-21", put(descriptor_length=len(GOOD) + 8)),
    ("F-21", put(descriptor_length=len(GOOD) - 8)),
    ("F-22", put(descriptor_offset=4108)),
    ("F-22", put(descriptor_offset=8)),
    ("F-23", put(descriptor_length=36)),
    ("F-23", put(descriptor_length=2**32 - 1)),
    ("F-23", put(descriptor_offset=2**64 - 8)),
    ("F-23", put(descriptor_offset=2**63)),
    ("F-24", put(data_offset=8192 - 64)),
    ("F-25", put(data_offset=2**63)),
    ("F-25", put(data_offset=2**64 - 4096, data_length=2**32)),
    ("F-25", put(data_length=2**64 - 1)),
    ("F-26", put(data_length=4)),
    ("F-27", put(data_length=2)),
    ("F-27", put(data_length=0)),
    ("F-28", put(data_offset=4096)),
    ("F-29", put(descriptor_offset=64)),
    ("F-31", BASE.but(kv=KV, kv_offset=2**63).build()),
    ("F-31", BASE.but(kv=KV, kv_offset=8).build()),
    ("F-31", BASE.but(kv=KV, kv_length=2**32 - 1).build()),
    ("F-32", BASE.but(kv=KV, kv_offset=0).build()),
    ("F-32", BASE.but(kv=KV, kv_length=0).build()),
    ("F-32", BASE.but(flags=5).build()),
    ("F-32", BASE.but(kv=KV, kv_offset=4).build()),
]


@pytest.mark.parametrize(
    ("code", "data"), BROKEN, ids=[f"{code}-{at}" for at, (code, _) in enumerate(BROKEN)]
)
def test_a_broken_rule_of_the_container_is_a_file_error_with_its_code(code: str, data: bytes) -> None:
    """FileError is raised for a corrupt HRRYFILE container; every error has a stable code (STYLE 5)."""
    error = raised(lambda: hurray.load(data))
    assert isinstance(error, hurray.FileError)
    assert (type(error), error.code, error.errno) == (hurray.FileError, code, None)
    assert f"[{code}]" in str(error)
    assert code in [problem.code for problem in hurray.verify(data)]
    assert raised(lambda: hurray.load(data, io="read")).args == error.args


def test_the_table_covers_every_rule_of_the_container() -> None:
    """A test proves the list complete: what is missing stands here, with where it is."""
    # F-30 is the descriptor's own rules, F-47 the buffer-size tier: both have codes of their own.
    elsewhere = {"F-30", *(f"F-{n}" for n in range(33, 49))}
    assert {f"F-{n}" for n in range(1, 49)} - {code for code, _ in BROKEN} == elsewhere
    assert hurray.load(BASE.build()).keys() == {"b", "c"}


@pytest.mark.parametrize("size", [4, 2**32, 2**63, 2**64 - 1])
def test_a_buffer_that_claims_more_than_its_data(size: int) -> None:
    """F-26 and F-27: the buffer table against the index."""
    blob = descriptor(INT8, shape=(3,), sizes=(size,))
    error = raised(lambda: hurray.load(craft.single(blob, b"\1\2\3")))
    assert isinstance(error, hurray.FileError)
    assert error.code in ("F-26", "F-27")


def test_a_bad_tensor_in_a_file_keeps_its_own_class() -> None:
    """Descriptor rules: InvalidDescriptorError; the buffer-size tier: hurray.BufferError; both name the tensor."""
    bad: list[tuple[str, type[Exception], bytes, bytes]] = [
        ("D-8", hurray.InvalidDescriptorError, descriptor(0x7F), bytes(8)),
        ("L-12", hurray.BufferError, descriptor(FLOAT32, shape=(3,), sizes=(8,)), bytes(8)),
        ("L-13", hurray.BufferError, descriptor(FLOAT32, 3, payload=pack("<q", -1)), bytes(8)),
    ]
    for code, kind, blob, data in bad:
        error: Any = raised(lambda: hurray.load(craft.single(blob, data, name=b"layer")))  # noqa: B023
        assert (type(error), error.code) == (kind, code)
        assert "layer" in str(error)


def test_a_file_that_shrank_after_it_was_opened(tmp_path: Path) -> None:
    """F-48: the file shrinks after it was mapped."""
    path = tmp_path / "a.hrry"
    path.write_bytes(BASE.build())
    with hurray.open(path) as file, hurray.open(path, io="read") as reader:
        os.truncate(path, 4096)
        for one in (file, reader):
            error = raised(lambda one=one: one["c"])
            assert isinstance(error, hurray.FileError)
            assert error.code == "F-48"


def test_nothing_of_ours_hides_from_except_exception() -> None:
    """PEERS: every exception is caught by except Exception."""
    from hurray import _exceptions

    kinds = [
        value
        for value in vars(_exceptions).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    ]
    made = [_exceptions.file_error(number, "x") for number in errno.errorcode]
    made += [
        _exceptions.input_error(kind, "x")
        for kind in ("ValueError", "TypeError", "OverflowError", "KeyError")
    ]
    for kind in (*kinds, *map(type, made)):
        assert issubclass(kind, Exception)
        assert kind.__module__ == "hurray"
    assert sys.exc_info() == (None, None, None)
