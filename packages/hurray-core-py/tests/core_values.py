"""What every value object keeps: equality, repr, pickle, copy, no way to change or derive it."""

from __future__ import annotations

import copy
import pickle
import types
from collections.abc import Hashable
from typing import Any

import hurray
import pytest

NAMES = {**vars(hurray), "hurray": hurray}


def check_value(one: Any, again: Any, others: list[Any], *, hashable: bool) -> None:
    """``again`` is made as ``one`` was; ``others`` are other values."""
    assert one == again
    assert (one != again) is False
    assert all(one != other and (one == other) is False for other in others)
    assert one != repr(one)
    assert one != None  # noqa: E711 - the comparison is what is tested
    assert isinstance(one, Hashable) is hashable
    if hashable:
        assert hash(one) == hash(again)
        assert len({one, again, *others}) == 1 + len(dict.fromkeys(others))
    else:
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)
    for value in (one, *others):
        assert eval(repr(value), NAMES) == value
        check_travels(value)
    check_closed(one)


def check_travels(value: Any) -> None:
    """Pickle with every protocol, copy and deepcopy give an equal object."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(value, protocol))
        assert type(back) is type(value)
        assert back == value
        assert repr(back) == repr(value)
    assert copy.copy(value) == copy.deepcopy(value) == value


def check_closed(value: Any) -> None:
    """Immutable, final, and of the module that it is imported from."""
    kind = type(value)
    assert kind.__module__ == "hurray"
    assert getattr(hurray, kind.__name__) is kind
    with pytest.raises(AttributeError):
        value.something_else = 1
    for name in dir(kind):
        if isinstance(vars(kind).get(name), types.GetSetDescriptorType):
            with pytest.raises(AttributeError):
                setattr(value, name, 1)
    with pytest.raises(TypeError):
        types.new_class("Mine", (kind,))
