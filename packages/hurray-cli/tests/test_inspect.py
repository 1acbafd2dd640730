"""``hurray inspect``: for people, for programs, and for who looks at bytes."""

from __future__ import annotations

import json
from pathlib import Path
from struct import pack
from typing import Any

import hurray as library
import pytest
from cli_helpers import entry, hurray, process, safetensors_bytes
from hrry_files import MEASURED, ON_CUDA, SHARDED, SPECIAL, container, single


def uint8(*values: int) -> library.Tensor:
    return library.Tensor(bytes(values), library.uint8, (len(values),))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.hrry"
    tensors = {f"layer.{k}.w": library.Tensor(bytes(24), library.float32, (2, 3)) for k in (10, 2, 1)}
    tensors["mask"] = library.Tensor(b"\x05", library.bool, (3,))
    tensors["codes"] = library.Tensor(b"\x21\x43", library.dtype.int4, (2, 2))
    library.save(path, tensors, kv={"format": "pt", "step": 7, "tags": ["a", "b"]})
    return path


def test_first_screen_and_table(model: Path) -> None:
    done = hurray("inspect", model)
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == f"{model}  hrry 1.0"
    assert lines[1].split() == ["tensors", "5"]
    assert lines[2].split() == ["parameters", "25"]
    assert lines[3].startswith("  bytes       75 of data, ")
    assert lines[4:7] == [
        "  metadata    format = 'pt'",
        "              step = 7",
        "              tags = ['a', 'b']",
    ]
    assert [line.split()[:4] for line in lines[8:12]] == [
        ["dtype", "tensors", "parameters", "bytes"],
        ["float32", "3", "18", "72"],
        ["int4", "1", "4", "2"],
        ["bool", "1", "3", "1"],
    ]
    assert [line.split()[0] for line in lines[13:]] == [
        "name",
        "codes",
        "layer.1.w",
        "layer.2.w",
        "layer.10.w",
        "mask",
    ]
    assert lines[15] == "layer.1.w   float32  [2, 3]  row_major     24"


def test_the_same_of_a_foreign_file(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes({"w": entry("BOOL", (9,), (0, 9))}, bytes(9)))
    lines = hurray("inspect", path).out.splitlines()
    assert lines[0] == f"{path}  safetensors"
    assert lines[-1].split() == ["w", "bool", "[9]", "row_major", "2"]
    assert "  metadata    none" in lines


def test_names_choose_tensors(model: Path) -> None:
    assert [line.split()[0] for line in hurray("inspect", model, "mask", "layer.?.w").out.splitlines()] == [
        "name",
        "layer.1.w",
        "layer.2.w",
        "mask",
    ]
    done = hurray("inspect", model, "mask", "layer.3.w", "no*")
    assert done.status == 1
    assert done.err.startswith(f"hurray: error: {model}: no tensor named 'layer.3.w', 'no*'; near: 'layer.")


def test_brackets_in_a_name_are_only_brackets(tmp_path: Path) -> None:
    library.save(tmp_path / "a.hrry", {"w[0]": uint8(1), "w0": uint8(2)})
    out = hurray("inspect", tmp_path / "a.hrry", "w[0]*").out
    assert [line.split()[0] for line in out.splitlines()] == ["name", "w[0]"]
    assert hurray("inspect", tmp_path / "a.hrry", "w[0]").out.splitlines()[1].split()[0] == "w[0]"


def test_long_metadata_is_elided_and_names_never(tmp_path: Path) -> None:
    name = "n" * 500
    library.save(tmp_path / "a.hrry", {name: uint8(1)}, kv={"long": "x" * 5000, "raw": b"\0" * 900})
    out = hurray("inspect", tmp_path / "a.hrry").out
    assert name in out
    assert max(map(len, out.replace(name, "").splitlines())) < 200, "one long name fills up every row"
    assert "'" + "x" * 100 + "'… (5,000 characters)" in out
    assert "(900 bytes)" in out


def test_names_are_escaped(tmp_path: Path) -> None:
    library.save(tmp_path / "a.hrry", {"\x1b[2J\u202e\n": uint8(1)}, kv={"k\x07": "v\x1b]0;x\x07"})
    out = hurray("inspect", tmp_path / "a.hrry").out
    assert "\\x1b[2J\\u202e\\n" in out
    assert not set("\x1b\x07\u202e") & set(out)


def test_json(model: Path) -> None:
    found = json.loads(hurray("inspect", model, "--json").out)
    assert found["schema"] == 3
    content = model.read_bytes()
    assert found["file"] == {
        "path": str(model),
        "format": "hrry",
        "version": "1.0",
        "bytes": len(content),
        "alignment": 4096,
        "flags": int.from_bytes(content[12:16], "little"),
    }
    assert found["metadata"] == {"format": "pt", "step": 7, "tags": ["a", "b"]}
    codes = next(tensor for tensor in found["tensors"] if tensor["name"] == "codes")
    assert (codes["dtype"], codes["shape"], codes["elements"], codes["layout"]) == (
        "int4",
        [2, 2],
        4,
        {"name": "row_major"},
    )
    assert (codes["bytes"], codes["stored"]) == (2, 2)
    start = codes["buffers"][0]["offset"]
    assert content[start : start + codes["buffers"][0]["bytes"]] == b"\x21\x43"
    assert content[codes["descriptor"]["offset"] :].startswith(b"HRRY\x01\x00")
    assert codes["data"] == {"offset": start, "length": 2}


def test_json_is_exact(tmp_path: Path) -> None:
    kv: dict[str, Any] = {
        "big": 2**63 - 1,
        "low": -(2**63),
        "nan": float("nan"),
        "raw": b"\0\xff",
        "half": 0.1,
        "yes": True,
    }
    strided = library.Tensor(bytes(16), library.float32, (2, 2), layout=library.StridedLayout((1, 2)))
    library.save(tmp_path / "a.hrry", {"w": strided}, kv=kv)
    found = json.loads(hurray("inspect", "--json", tmp_path / "a.hrry").out)
    assert found["metadata"] == {
        "big": 2**63 - 1,
        "low": -(2**63),
        "nan": {"float": "nan"},
        "raw": {"bytes": "AP8="},
        "half": 0.1,
        "yes": True,
    }
    assert found["tensors"][0]["layout"] == {"name": "strided", "strides": [1, 2]}


def test_json_of_a_foreign_file_has_absolute_offsets(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes({"a": entry(), "b": entry(offsets=(4, 8))}, b"12345678"))
    found = json.loads(hurray("inspect", "--json", path, "b").out)
    (tensor,) = found["tensors"]
    assert path.read_bytes()[tensor["data"]["offset"] :] == b"5678"


def test_json_of_a_sharded_checkpoint_names_the_files(tmp_path: Path) -> None:
    (tmp_path / "s.safetensors").write_bytes(safetensors_bytes({"a": entry()}, b"1234"))
    path = tmp_path / "m.index.json"
    path.write_text('{"weight_map": {"a": "s.safetensors"}}')
    (tensor,) = json.loads(hurray("inspect", "--json", path).out)["tensors"]
    assert Path(tensor["data"]["file"]).read_bytes()[tensor["data"]["offset"] :] == b"1234"


class TestBytes:
    """Bytes of data are those of the elements, the same number in every command; what a file stores is called so."""

    def files(self, folder: Path) -> dict[str, tuple[Path, int, int]]:
        """(path, bytes of the elements, bytes of the buffers) of a repeated, a gapped and a plain tensor."""
        kinds = {
            "repeated": library.Tensor(
                bytes(4), library.float32, (1000,), layout=library.StridedLayout((0,))
            ),
            "gapped": library.Tensor(bytes(396), library.float32, (50,), layout=library.StridedLayout((2,))),
            "plain": library.Tensor(bytes(40), library.float32, (10,)),
        }
        for name, tensor in kinds.items():
            library.save(folder / f"{name}.hrry", {"w": tensor})
        sizes = {"repeated": (4000, 4), "gapped": (200, 396), "plain": (40, 40)}
        return {name: (folder / f"{name}.hrry", *sizes[name]) for name in kinds}

    @pytest.mark.parametrize("kind", ["repeated", "gapped", "plain"])
    def test_every_command_counts_the_same(self, tmp_path: Path, kind: str) -> None:
        path, data, stored = self.files(tmp_path)[kind]
        screen = hurray("inspect", path).out.splitlines()
        inside = "" if stored == data else f", {stored:,} stored"
        assert screen[3].startswith(f"  bytes       {data:,}")
        assert screen[3].endswith(f" of data{inside}, {path.stat().st_size:,} in the file")
        assert screen[-1].split()[4 : 5 + (stored != data)] == [f"{data:,}"] + [f"{stored:,}"] * (
            stored != data
        )
        assert (" stored " in screen[-2]) is (stored != data)
        (tensor,) = json.loads(hurray("inspect", "--json", path).out)["tensors"]
        assert (tensor["bytes"], tensor["stored"], tensor["buffers"][0]["bytes"]) == (data, stored, stored)
        assert f"1 tensor, {data:,} bytes of data)" in hurray("verify", path).out
        for name in ("b.hrry", "b.safetensors"):
            assert f"1 tensor, {data:,} bytes of data," in hurray("convert", "-n", path, tmp_path / name).out
            assert f"1 tensor, {data:,} bytes, " in hurray("convert", path, tmp_path / name).out

    def test_of_what_has_no_plain_elements(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hrry"
        for kind, data in (("csr", 32), ("quantised", 8192), ("group", 0)):
            path.write_bytes(single(SPECIAL[kind]))
            (tensor,) = json.loads(hurray("inspect", "--json", path).out)["tensors"]
            assert tensor["bytes"] == data
            assert f"1 tensor, {data:,} bytes of data)" in hurray("verify", path).out


def test_special_layouts_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    for kind, layout in (
        ("csr", "csr"),
        ("tiled", "tiled"),
        ("group", "composite"),
        ("quantised", "row_major"),
    ):
        path.write_bytes(single(SPECIAL[kind]))
        done = hurray("inspect", path)
        assert done.status == 0, done
        line = done.out.splitlines()[-1]
        assert line[line.index("]") + 1 :].split()[0] == layout


def test_one_bad_descriptor_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    broken = bytearray(SHARDED)
    broken[14] = 0x7F
    path.write_bytes(container([("bad", bytes(broken), (128,)), ("good", MEASURED, (128,))]))
    done = hurray("inspect", path)
    assert done.status == 1
    assert [line.split()[:2] for line in done.out.splitlines()[-2:]] == [
        ["bad", "invalid"],
        ["good", "float32"],
    ]
    assert done.err.count("\n") == 1
    assert "[D-8]" in done.err
    found = json.loads(hurray("inspect", "--json", path).out)["tensors"]
    assert [("fault" in tensor, tensor.get("dtype")) for tensor in found] == [
        (True, None),
        (False, "float32"),
    ]


class TestDescriptor:
    def fields(self, folder: Path, blob: bytes) -> list[str]:
        path = folder / "a.hrry"
        path.write_bytes(single(blob))
        done = hurray("inspect", path, "--descriptor", "w")
        assert done.status == 0, done
        return done.out.splitlines()

    @pytest.mark.parametrize("blob", [*SPECIAL.values(), SHARDED, MEASURED, ON_CUDA], ids=lambda _: "")
    def test_every_byte_is_shown_once(self, tmp_path: Path, blob: bytes) -> None:
        lines = self.fields(tmp_path, blob)[1:]
        assert b"".join(bytes.fromhex(line[8:31]) for line in lines) == blob
        offsets = [int(line[:6]) for line in lines]
        assert offsets == sorted(set(offsets))
        assert "left over" not in lines[-1]

    def test_fields(self, tmp_path: Path) -> None:
        lines = self.fields(tmp_path, SPECIAL["quantised"])
        assert lines[0].startswith("descriptor of w: 105 bytes at 64 (0x40) of ")
        for expected in (
            '     0  48 52 52 59              magic "HRRY"',
            "     6  69 00 00 00              descriptor_length 105",
            "    10  01 00 00 00              flags HAS_QUANTIZATION",
            "    14  48                       type_tag 0x48 int4",
            "    81  03                       scheme 3 PerBlockAffine",
            "    83  01 00                    scheme flags SYMMETRIC",
            "    97  ff ff ff ff              zero-point buffer none",
            "   101  01                       scale type 0x01 float16",
        ):
            assert expected in lines

    def test_statistics(self, tmp_path: Path) -> None:
        text = "\n".join(self.fields(tmp_path, MEASURED))
        assert "computed_mask value range" in text
        assert "statistics: value_min -1.0" in text

    def test_of_no_such_tensor_or_format(self, tmp_path: Path, model: Path) -> None:
        done = hurray("inspect", model, "--descriptor", "none")
        assert done.status == 1
        assert "no tensor named 'none'" in done.err
        foreign = tmp_path / "a.safetensors"
        foreign.write_bytes(safetensors_bytes({}))
        assert "has no Hurray descriptors" in hurray("inspect", foreign, "--descriptor", "w").err


class TestAnnotate:
    """The walker by itself, on what the core refuses."""

    @pytest.mark.parametrize("blob", [*SPECIAL.values(), SHARDED, MEASURED], ids=lambda _: "")
    def test_cut_at_every_length(self, blob: bytes) -> None:
        from hurray_cli.inspection.annotate import annotate

        for size in range(len(blob)):
            fields = list(annotate(blob[:size]))
            assert b"".join(field.data for field in fields) == blob[:size]
            assert "cut short" in fields[-1].text or "ends before" in fields[-1].text

    @pytest.mark.parametrize("blob", [*SPECIAL.values(), SHARDED, MEASURED], ids=lambda _: "")
    def test_every_byte_replaced(self, blob: bytes) -> None:
        from hurray_cli.inspection.annotate import annotate

        for at in range(len(blob)):
            for value in (0x00, 0x7F, 0xF5, 0xFF):
                broken = blob[:at] + bytes([value]) + blob[at + 1 :]
                assert b"".join(field.data for field in annotate(broken)) == broken

    def test_what_is_not_known(self) -> None:
        from hurray_cli.inspection.annotate import annotate

        texts = [field.text for field in annotate(SHARDED[:15] + b"\x33" + SHARDED[16:] + b"more")]
        assert "layout_tag 0x33, not assigned" in texts
        assert texts[-1] == "53 bytes that cannot be told apart: the payload of layout 0x33 is not known"
        private = SHARDED[:15] + b"\xf1" + SHARDED[16:44] + pack("<QI", 7, 3) + b"abc" + SHARDED[44:] + b"xy"
        texts = [field.text for field in annotate(private)]
        assert "extension data, 3 opaque bytes" in texts
        assert texts[-1] == "2 bytes left over"
        assert "descriptor_length 93 (the index says 110)" in texts


def test_one_view_at_a_time(model: Path) -> None:
    done = hurray("inspect", model, "--json", "--values", "mask")
    assert done.status == 2
    assert "choose one of" in done.err


def test_inspect_reads_no_data(tmp_path: Path) -> None:
    """A sparse file of 1 TiB is looked at in no time."""
    path = tmp_path / "a.safetensors"
    size = 1 << 40
    header = safetensors_bytes({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}})
    with path.open("wb") as file:
        file.write(header)
        file.truncate(len(header) + size)
    done = process("inspect", path, timeout=10)
    assert done.status == 0
    assert "1,099,511,627,776 (1.0 TiB)" in done.out
    assert process("inspect", path, "--values", "w", timeout=10).out.endswith("[0, 0, 0, …, 0, 0, 0]\n")
