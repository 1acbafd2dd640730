"""hurray.PrivateExtensionLayout (layouts.md §12)."""

from __future__ import annotations

import array
from struct import pack
from typing import Any

import core_files
import hurray
import pytest


def test_tag_id_and_data() -> None:
    """PrivateExtensionLayout exposes tag, extension_layout_id, and extension_data."""
    layout = hurray.PrivateExtensionLayout(0xF0, extension_layout_id=7, extension_data=b"\x01")
    assert (layout.tag, layout.extension_layout_id, layout.extension_data) == (0xF0, 7, b"\x01")
    assert (layout.name, layout.buffer_count) == ("extension", None)
    assert hurray.PrivateExtensionLayout(0xFE, 2**64 - 1).extension_data == b""
    assert repr(layout) == "PrivateExtensionLayout(tag=0xF0, extension_layout_id=7, extension_data=b'\\x01')"


def test_every_part_counts() -> None:
    one = hurray.PrivateExtensionLayout(0xF0, 7, b"a")
    for other in ((0xF1, 7, b"a"), (0xF0, 8, b"a"), (0xF0, 7, b"b"), (0xF0, 7, None)):
        assert one != hurray.PrivateExtensionLayout(*other)


@pytest.mark.parametrize(
    "data", [b"\x01\x02", bytearray(b"\x01\x02"), memoryview(b"\x01\x02"), array.array("H", [0x0201]), [1, 2]]
)
def test_data_comes_from_anything_that_has_bytes(data: Any) -> None:
    layout = hurray.PrivateExtensionLayout(0xF0, 7, data)
    assert layout.extension_data == b"\x01\x02"
    assert type(layout.extension_data) is bytes


@pytest.mark.parametrize("tag", [*range(0xF0), 0xFF])
def test_only_private_tags(tag: int) -> None:
    named = hurray.layout_tag_kind(tag) == "named"
    with pytest.raises(hurray.InvalidDescriptorError, match=f"0x{tag:02X}") as caught:
        hurray.PrivateExtensionLayout(tag, 7)
    assert ("use hurray." in str(caught.value)) is named
    assert caught.value.code == "L-2"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("f0", 7), TypeError, "tag"),
        ((0xF0,), TypeError, "extension_layout_id"),
        ((300, 7), OverflowError, "tag is 300"),
        ((-1, 7), OverflowError, "tag is -1"),
        ((0xF0, -1), OverflowError, "extension_layout_id is -1"),
        ((0xF0, 2**64), OverflowError, "extension_layout_id"),
        ((0xF0, 7, "text"), TypeError, "extension_data .* got str"),
        ((0xF0, 7, 5), TypeError, "extension_data .* got int"),
        ((0xF0, 7, [256]), TypeError, "extension_data"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.PrivateExtensionLayout(*arguments)


def test_a_relay_writes_back_what_it_read() -> None:
    """The bytes of a private layout carry their length; a reader keeps what it does not understand."""
    payload = pack("<QI", 2**64 - 1, 5) + b"\x00\xff\x01\x02\x03"
    blob = core_files.descriptor(3, 0xF7, (2, 3), (5, 0, 7), payload=payload)
    decoded = hurray.Descriptor.decode(blob)
    assert decoded.layout == hurray.PrivateExtensionLayout(0xF7, 2**64 - 1, b"\x00\xff\x01\x02\x03")
    assert decoded.encode() == blob


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("size", [0, 3])
def test_neither_number_nor_size_of_its_buffers_is_checked(count: int, size: int) -> None:
    """Known gap: the buffer-count and buffer-size tiers cannot run for them."""
    layout = hurray.PrivateExtensionLayout(0xF0, 7)
    layout.validate_against_shape([])
    layout.validate_against_shape([2**62, 2**62, None])
    tensor = hurray.Tensor(
        bytes(size), hurray.float64, (100, 100), aux_buffers=[bytes(size)] * (count - 1), layout=layout
    )
    assert tensor.buffer_count == count
    assert tensor.layout == layout
    # Nobody here can read elements: where they lie is between the two that agreed.
    for read in (tensor.tolist, tensor.tobytes, tensor.__dlpack__):
        with pytest.raises((hurray.UnsupportedError, BufferError), match="extension"):
            read()
