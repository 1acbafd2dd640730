"""hurray.UnknownLayout (layouts.md §12); reading one is in test_relay.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import core_files
import hurray
import pytest

NAMED = {
    0x01: "RowMajorLayout",
    0x02: "ColMajorLayout",
    0x03: "StridedLayout",
    0x04: "TiledLayout",
    0x05: "MortonLayout",
    0x06: "CooLayout",
    0x07: "CsrLayout",
    0x08: "CscLayout",
    0x09: "CsfLayout",
    0x0A: "BlockPagedLayout",
    0x0B: "CompositeLayout",
    0x40: "HilbertLayout",
    **dict.fromkeys(range(0xF0, 0xFF), "PrivateExtensionLayout"),
}


def test_tag_and_raw_bytes() -> None:
    layout = hurray.UnknownLayout(0x0C, b"\x01\x02")
    assert (layout.tag, layout.raw_bytes) == (0x0C, b"\x01\x02")
    assert (layout.name, layout.buffer_count) == ("extension", None)
    assert (layout.is_dense, layout.is_virtual) == (False, False)
    assert hurray.UnknownLayout(tag=0xEF, raw_bytes=None).raw_bytes == b""
    assert (
        layout
        == hurray.UnknownLayout(0x0C, bytearray(b"\x01\x02"))
        != hurray.UnknownLayout(0x0D, b"\x01\x02")
    )
    assert repr(layout) == "UnknownLayout(tag=0x0C, raw_bytes=b'\\x01\\x02')"


def test_private_and_unknown_are_two_facts() -> None:
    """They MUST remain separate classes; they share a name, and isinstance is what distinguishes them."""
    private: hurray.Layout = hurray.PrivateExtensionLayout(0xF0, 7, b"\x01")
    unknown: hurray.Layout = hurray.UnknownLayout(0x0C, b"\x01")
    assert private.name == unknown.name == "extension"
    assert not isinstance(private, hurray.UnknownLayout)
    assert not isinstance(unknown, hurray.PrivateExtensionLayout)
    assert private != unknown


@pytest.mark.parametrize("tag", range(256))
def test_it_takes_reserved_tags_and_no_others(tag: int) -> None:
    """Its constructor MUST reject any tag for which a named variant exists."""
    if tag in NAMED:
        name = getattr(hurray, NAMED[tag])
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            hurray.UnknownLayout(tag)
        assert str(caught.value).startswith(f"tag 0x{tag:02X} is the ")
        assert str(caught.value).endswith(f"not an unknown one; use hurray.{name.__name__} instead")
        assert caught.value.code == "L-2"
    elif tag in (0x00, 0xFF):
        with pytest.raises(hurray.InvalidDescriptorError, match="invalid in every version") as caught:
            hurray.UnknownLayout(tag)
        assert caught.value.code == "L-1"
    else:
        assert hurray.UnknownLayout(tag).tag == tag


def test_the_message_of_the_cookbook() -> None:
    with pytest.raises(ValueError, match="tag 0x07 is the csr layout") as caught:
        hurray.UnknownLayout(0x07)
    assert str(caught.value) == "tag 0x07 is the csr layout, not an unknown one; use hurray.CsrLayout instead"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("c",), TypeError, "tag .* got str"),
        ((1.5,), TypeError, "tag .* got float"),
        ((256,), OverflowError, "tag is 256"),
        ((-1,), OverflowError, "tag is -1"),
        ((0x0C, "text"), TypeError, "raw_bytes .* got str"),
        ((0x0C, 3), TypeError, "raw_bytes .* got int"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.UnknownLayout(*arguments)


@pytest.mark.parametrize("shape", [(), (0,), (None, 3), (2**62, 2**62)])
def test_no_shape_is_wrong_for_it(shape: tuple[int | None, ...]) -> None:
    """What a layout asks of the shape is not known of an unknown one."""
    hurray.UnknownLayout(0x0C).validate_against_shape(shape)


def test_a_tensor_of_it_encodes_though_nobody_may_read_it() -> None:
    """UnknownLayout MUST be constructible, so a permissive relay can write a descriptor back out."""
    layout = hurray.UnknownLayout(0x41, b"\x01\x02\x03")
    tensor = hurray.Tensor(b"", hurray.float64, (100, 100), aux_buffers=[b"", b""], layout=layout)
    blob = core_files.descriptor(4, 0x41, (100, 100), (0, 0, 0), payload=b"\x01\x02\x03")
    assert tensor.descriptor.encode() == blob
    assert tensor.descriptor.encoded_len == len(blob)
    assert tensor.layout == layout
    for read in (tensor.tolist, tensor.tobytes, tensor.__dlpack__):
        with pytest.raises((hurray.UnsupportedError, BufferError), match="extension"):
            read()


def test_files_hold_none(tmp_path: Path) -> None:
    """A writer never sets a reserved tag (versioning.md §3), and a strict reader refuses one (L-2)."""
    tensor = hurray.Tensor(bytes(8), hurray.float32, (2,), layout=hurray.UnknownLayout(0x0C))
    path = tmp_path / "a.hrry"
    with pytest.raises(hurray.InvalidDescriptorError, match="L-2") as caught:
        hurray.save(path, {"w": tensor})
    assert caught.value.code == "L-2"
    assert not path.exists()
    with pytest.raises(hurray.InvalidDescriptorError), hurray.FileWriter(path) as writer:
        writer.write("w", tensor)
    assert not path.exists()
    crafted = core_files.descriptor(3, 0x0C, (2,), (8,), payload=b"ab")
    sound = core_files.descriptor(3, 1, (2,), (8,))
    puts = tuple(
        core_files.Put(name, blob, (bytes(8),)) for name, blob in ((b"odd", crafted), (b"even", sound))
    )
    path.write_bytes(core_files.Crafted(puts).build())
    with hurray.open(path) as file:
        # In a file one is skipped by the index.
        assert file["even"].shape == (2,)
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            file["odd"]
        assert caught.value.code == "L-2"
