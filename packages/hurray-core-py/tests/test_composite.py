"""hurray.Composite: a head and its members, in memory (requirements: Composites; layouts.md §11)."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import hurray
import pytest
from core_composites import F32, arranged, box, composites, group, overlay, partition
from hypothesis import given


def test_what_was_stated_is_what_it_is() -> None:
    """Shape and dtype MUST NOT be derived from the members; member_count is taken from them."""
    members = [box(1, (2, 4), (0, 0), (4, 4)), box(2, (2, 4), (2, 0), (4, 4))]
    one = hurray.Composite("partition", shape=[4, 4], dtype=hurray.float32, members=members)
    assert (one.shape, one.ndim, one.dtype) == ((4, 4), 2, hurray.float32)
    assert one.layout == hurray.CompositeLayout("partition", 2)
    assert one.member_count == 2
    assert one.members == tuple(members)
    assert all(mine is given for mine, given in zip(one.members, members, strict=True))
    assert (one.descriptor.shape, one.descriptor.buffer_count) == ((4, 4), 0)
    assert one.descriptor.layout == one.layout
    assert hurray.Descriptor.decode(one.descriptor.encode()) == one.descriptor
    assert one.shard is None


def test_a_composite_is_no_tensor() -> None:
    """A composite MUST NOT be a hurray.Tensor."""
    assert not isinstance(partition(), hurray.Tensor)
    with pytest.raises(TypeError, match="no array"):
        hurray.asarray(partition())


@pytest.mark.parametrize(
    "name", ["values", "buffer", "buffer_count", "__array__", "__dlpack__", "__hurray__", "tolist", "nbytes"]
)
def test_there_is_no_data_to_expose(name: str) -> None:
    """Composite MUST NOT expose values, buffer, buffer_count, __array__, or __dlpack__, nor __hurray__."""
    one = overlay()
    assert not hasattr(one, name)
    assert name not in dir(one)
    with pytest.raises(AttributeError, match=rf"no attribute \"{name}\"; .* members do, in c.members"):
        getattr(one, name)
    assert inspect.getmembers(one)


def test_another_attribute_is_just_missing() -> None:
    with pytest.raises(AttributeError, match=r"no attribute \"colour\"$"):
        _ = partition().colour  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("member", "kind"), [(3, "int"), (None, "NoneType"), ("a", "str"), (b"abc", "bytes"), ([1.0], "list")]
)
def test_a_member_that_is_none_is_named_by_its_place(member: Any, kind: str) -> None:
    """Anything else MUST raise TypeError naming the offending index."""
    with pytest.raises(
        TypeError, match=rf"members\[1\] is a hurray.Tensor or a hurray.Composite, got {kind}"
    ):
        hurray.Composite("group", shape=(), dtype=F32, members=[box(1, (2,)), member])
    with pytest.raises(TypeError, match="members is a sequence of Tensors and Composites, got int"):
        hurray.Composite("group", shape=(), dtype=F32, members=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "op", "code"),
    [("overlay", None, "L-44"), ("partition", "add", "L-44"), ("group", "replace", "L-44")],
)
def test_combine_op_is_an_overlays(rule: Any, op: Any, code: str) -> None:
    """combine_op is required for "overlay", and MUST be rejected for the other rules."""
    with pytest.raises(hurray.InvalidDescriptorError, match="combine_op") as caught:
        hurray.Composite(rule, shape=(2,), dtype=F32, members=[box(1, (2,), (0,), (2,))], combine_op=op)
    assert caught.value.code == code


def test_words_that_are_none() -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match="composition_rule is 'sum'"):
        hurray.Composite("sum", shape=(2,), dtype=F32, members=[])  # type: ignore[arg-type]
    with pytest.raises(hurray.InvalidDescriptorError, match="combine_op is 'mean'"):
        hurray.Composite("overlay", shape=(2,), dtype=F32, members=[], combine_op="mean")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hurray.Composite("group", (2,), F32, [])  # type: ignore[call-arg]


@pytest.mark.parametrize("rule", ["partition", "overlay", "group"])
def test_a_dynamic_dimension_is_refused(rule: Any) -> None:
    """Composite MUST refuse a dynamic dimension with InvalidDescriptorError, naming the call and the index."""
    op: Any = "add" if rule == "overlay" else None
    with pytest.raises(
        hurray.InvalidDescriptorError, match=r"Composite needs every extent, and shape\[1\] is None"
    ):
        hurray.Composite(rule, shape=(2, None), dtype=F32, members=[box(1, (2,))], combine_op=op)  # type: ignore[arg-type]


FULL = (0, 0), (4, 4)
BROKEN: list[tuple[str, str | None, list[hurray.Tensor], str, str]] = [
    ("partition", None, [], "L-52", "leave a gap"),
    ("partition", None, [box(1, (2, 4), (0, 0), (4, 4))], "L-52", "the 1 partition members leave a gap"),
    ("partition", None, [box(1, (4, 4), *FULL), box(1, (1, 1), *FULL)], "L-52", "members 0 and 1 overlap"),
    ("partition", None, [box(1, (4, 4))], "L-47", r"members\[0\] has no place in the head: give it shard="),
    (
        "partition",
        None,
        [box(1, (4, 4), (0, 0), (4, 5))],
        "L-47",
        r"members\[0\] lies in a parent of shape \[4, 5\], and the head has shape \[4, 4\]",
    ),
    (
        "partition",
        None,
        [box(1, (4, 4), *FULL, dtype="float64")],
        "L-48",
        "member 0 decodes to float64, its head has float32",
    ),
    ("overlay", "add", [], "L-53", "at least its base"),
    ("overlay", "add", [box(1, (2, 4), *FULL)], "L-49", "overlay member 0"),
    ("overlay", "add", [box(1, (4, 4))], "L-47", r"members\[0\] has no place"),
    ("overlay", "add", [box(1, (4, 4), *FULL), box(1, (4, 4))], "L-47", r"members\[1\] has no place"),
    ("overlay", "add", [box(1, (4, 4), *FULL, dtype="int8")], "L-48", "member 0 decodes to int8"),
]


@pytest.mark.parametrize(("rule", "op", "members", "code", "words"), BROKEN)
def test_what_does_not_go_together(rule: Any, op: Any, members: Any, code: str, words: str) -> None:
    """Per-member boxes, partition coverage, overlay ordering, member count: InvalidDescriptorError."""
    with pytest.raises(hurray.InvalidDescriptorError, match=words) as caught:
        hurray.Composite(rule, shape=(4, 4), dtype=F32, members=members, combine_op=op)
    assert caught.value.code == code


def test_boxes_whose_volumes_pass_64_bits_are_compared_all_the_same() -> None:
    """Compute volumes without wrap-around (layouts.md §11): 2^32 by 2^32 elements are more than 2^64 - 1."""
    side = 2**32
    layout = hurray.StridedLayout((0, 0))

    def part(height: int, offset: int) -> hurray.Tensor:
        return hurray.Tensor(
            bytearray(4), F32, (height, side), layout=layout, shard=hurray.Shard((side, side), (offset, 0))
        )

    halves = [part(side // 2, 0), part(side // 2, side // 2)]
    assert hurray.Composite("partition", shape=(side, side), dtype=F32, members=halves).member_count == 2
    with pytest.raises(hurray.InvalidDescriptorError, match="gap"):
        hurray.Composite(
            "partition",
            shape=(side, side),
            dtype=F32,
            members=[part(side // 2, 0), part(side // 2 - 1, side // 2)],
        )


def test_a_group_takes_anything() -> None:
    """Members need no place and may differ in everything."""
    members = [box(1, (2,)), hurray.zeros((3, 3), dtype="int8"), partition(), overlay(), group()]
    assert group(*members).members == tuple(members)


def test_quantised_members_decode_to_floats() -> None:
    """A quantized member counts by its decoded type (layouts.md §11)."""
    codes = hurray.Tensor(
        bytes(4), "int8", (4,), quantization=hurray.PerTensorAffine(0.5, 0), shard=hurray.Shard((4,), (0,))
    )
    assert hurray.Composite("partition", shape=(4,), dtype=F32, members=[codes]).member_count == 1
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Composite("partition", shape=(4,), dtype="int8", members=[codes])
    assert caught.value.code == "L-48"


def test_roles_follow_from_rule_and_place() -> None:
    """The roles MUST be derived, and readable as member_roles, a tuple of "base" / "correction" / None."""
    assert overlay().member_roles == ("base", "correction")
    assert partition().member_roles == (None, None)
    assert group(box(1, (2,))).member_roles == (None,)
    assert not hasattr(overlay().members[0], "role")
    assert not hasattr(overlay().members[0], "member_role")


def test_a_member_that_carries_a_role_keeps_it(tmp_path: Any) -> None:
    """A member decoded from the wire MUST keep its role, so a round trip cannot relabel it."""
    hurray.save(tmp_path / "a.hrry", {"o": overlay()})
    read: Any = hurray.load(tmp_path / "a.hrry")["o"]
    assert read.member_roles == ("base", "correction")
    again = hurray.Composite("overlay", shape=(4, 4), dtype=F32, members=read.members, combine_op="add")
    assert again == read == overlay()
    base, correction = read.members
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Composite("overlay", shape=(4, 4), dtype=F32, members=[base, base], combine_op="add")
    assert caught.value.code == "L-49"
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Composite("group", shape=(), dtype=F32, members=[correction])
    assert caught.value.code == "L-51"


def test_composites_nest() -> None:
    """A nested head under a partition needs a shard section of its own; one under an overlay cannot have a role."""
    upper = box(1, (2, 4), (0, 0), (4, 4))
    lower = hurray.Composite(
        "partition",
        shape=(2, 4),
        dtype=F32,
        members=[box(2, (2, 2), (0, 0), (2, 4)), box(3, (2, 2), (0, 2), (2, 4))],
        shard=hurray.Shard((4, 4), (2, 0)),
    )
    whole = hurray.Composite("partition", shape=(4, 4), dtype=F32, members=[upper, lower])
    assert whole.members[1] is lower
    assert lower.shard == hurray.Shard((4, 4), (2, 0))
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Composite("partition", shape=(4, 4), dtype=F32, members=[upper, partition()])
    assert caught.value.code == "L-47"
    base = hurray.Composite(
        "partition",
        shape=(4, 4),
        dtype=F32,
        members=[box(1, (4, 4), *FULL)],
        shard=hurray.Shard((4, 4), (0, 0)),
    )
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Composite("overlay", shape=(4, 4), dtype=F32, members=[base], combine_op="add")
    assert caught.value.code == "L-42"
    assert "members[0] is a Composite; an overlay takes Tensors alone" in str(caught.value)


def test_depth_is_bounded() -> None:
    """Ruling 12: no depth that is accepted may exhaust the stack."""
    deep = group(box(1, (2,)))
    for _ in range(127):
        deep = group(deep)
    assert deep == copy.deepcopy(deep) == pickle.loads(pickle.dumps(deep))
    assert len(repr(deep)) < 2000
    with pytest.raises(hurray.InvalidDescriptorError, match="nested 129 deep; an object holds 128 levels"):
        group(deep)


class TestEquality:
    """Two composites are equal when heads, roles and all members' bytes are (ruling 14)."""

    def test_equal_parts_make_equal_wholes(self) -> None:
        makers: list[Callable[[], hurray.Composite]] = [
            partition,
            overlay,
            lambda: group(partition(), overlay(), box(3, (2,))),
        ]
        for make in makers:
            assert make() == make()
            assert (make() != make()) is False
            assert make() != group()
            assert make() != "a composite"

    def test_every_part_counts(self) -> None:
        one = partition()
        assert one != partition(shard=hurray.Shard((8, 4), (0, 0)))
        assert overlay("add") != overlay("replace")
        assert group(box(1, (2,))) != group(box(1, (2,)), box(1, (2,)))
        assert group(box(1, (2,))) != group(group())
        assert group(box(1, (2,))) != group(box(1, (1, 2)))
        assert group(box(1, (2,))) != hurray.Composite(
            "group", shape=(), dtype="int16", members=[box(1, (2,))]
        )
        assert group(box(1, (2,))) != group(box(1, (2,), statistics=hurray.Statistics(nnz=2)))
        assert one != hurray.Composite("partition", shape=(4, 4), dtype=F32, members=one.members[::-1])

    def test_one_bit_of_a_deep_member_counts(self) -> None:
        one, two = group(group(partition())), group(group(partition()))
        assert one == two
        leaf: Any = two.members[0].members[0].members[1]  # type: ignore[union-attr]
        memoryview(leaf).cast("B")[-1] ^= 1
        assert one != two

    def test_bytes_are_compared_and_not_numbers(self) -> None:
        assert group(box(float("nan"), (2,))) == group(box(float("nan"), (2,)))
        assert group(box(0.0, (2,))) != group(box(-0.0, (2,)))

    def test_alignment_is_not_a_difference(self) -> None:
        """Ruling 11: equal in everything but the measured alignment."""
        memory = bytearray(16384)
        start = -hurray.Tensor(memory, "uint8", (16384,)).buffer_handles[0].alignment % 64
        low = hurray.Tensor(memoryview(memory)[start : start + 64], "uint8", (64,))
        high = hurray.Tensor(
            hurray.zeros(4096, dtype="uint8"), "uint8", (64,), layout=hurray.RowMajorLayout()
        )
        same = hurray.Tensor(high.tobytes(), "uint8", (64,))
        assert group(low) == group(same)

    def test_memory_of_a_device_is_equal_to_itself(self) -> None:
        one = hurray.Tensor(bytearray(64), "uint8", (64,), hurray.device.cuda)
        two = hurray.Tensor(bytearray(64), "uint8", (64,), hurray.device.cuda)
        assert group(one) == group(one)
        assert group(one) != group(two)

    def test_members_that_are_shared_are_compared_once(self) -> None:
        """Forty levels of two equal members are two to the forty tensors."""
        many = group(box(1, (2,)))
        for _ in range(40):
            many = group(many, many)
        assert copy.copy(many) == many
        other = copy.deepcopy(many)
        assert many == other
        leaf: Any = other
        while isinstance(leaf, hurray.Composite):
            leaf = leaf.members[-1]
        memoryview(leaf).cast("B")[0] ^= 1
        assert many != other

    def test_what_may_change_has_no_hash(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(partition())


def test_repr_shows_heads_and_members() -> None:
    """Its repr MUST be depth-aware, since composites nest."""
    inner = hurray.Tensor(hurray.zeros((4, 4)), hurray.float64, (4, 4), layout=hurray.ColMajorLayout())
    assert repr(group(overlay(), inner)) == (
        "hurray.Composite('group', shape=(), dtype=int8, members=[\n"
        "    hurray.Composite('overlay', shape=(4, 4), dtype=float32, combine_op='add', members=[\n"
        "        base: hurray.Tensor(shape=(4, 4), dtype=float32, shard_offset=(0, 0)),\n"
        "        correction: hurray.Tensor(shape=(2, 2), dtype=float32, shard_offset=(1, 1)),\n"
        "    ]),\n"
        "    hurray.Tensor(shape=(4, 4), dtype=float64, layout=col_major),\n"
        "])"
    )
    assert repr(group()) == "hurray.Composite('group', shape=(), dtype=int8, members=[])"


def test_repr_is_bounded() -> None:
    wide = group(*[box(1, (2,))] * 1000)
    assert repr(wide).count("\n") == 9
    assert "    ... 993 more" in repr(wide)
    both = wide
    for _ in range(6):
        both = group(*[both] * 10)
    assert repr(both).count("\n") < 80
    assert "members=[... 10 members]" in repr(both)


@given(composites())
def test_pickle_and_copies_are_equal(one: hurray.Composite) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(one, protocol)) == one
    assert copy.copy(one) == copy.deepcopy(one) == one
    assert all(mine is other for mine, other in zip(copy.copy(one).members, one.members, strict=True))
    assert arranged(copy.deepcopy(one)) == arranged(one)


def test_a_deep_copy_has_memory_of_its_own() -> None:
    one = group(partition())
    two = copy.deepcopy(one)
    leaf: Any = two.members[0].members[0]  # type: ignore[union-attr]
    memoryview(leaf).cast("B")[0] ^= 1
    assert one != two


def test_out_of_band_buffers_are_not_copied() -> None:
    buffers: list[pickle.PickleBuffer] = []
    one = group(box(1, (1024,)), partition())
    data = pickle.dumps(one, 5, buffer_callback=buffers.append)
    assert (len(buffers), len(data) < 2048) == (3, True)
    assert pickle.loads(data, buffers=buffers) == one


def test_a_crafted_pickle_is_checked() -> None:
    """A pickle may say anything."""
    reduced: Any = partition().__reduce__()
    make, (descriptor, members) = reduced
    assert make(descriptor, members) == partition()
    with pytest.raises(hurray.InvalidDescriptorError):
        make(descriptor, members[:1])
    with pytest.raises(hurray.InvalidDescriptorError):
        make(members[0].descriptor, ())


def test_members_keep_their_memory_and_cycles_are_found() -> None:
    member = partition().members[0]
    gc.collect()
    assert member.tolist() == [[1] * 4] * 2  # type: ignore[union-attr]
    one = partition()
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None
