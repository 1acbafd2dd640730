"""JSON read piece by piece, so that a header that lies costs no more memory than its own bytes.

``json.loads`` would build everything first: 100 MB of ``[[],[],…`` become gigabytes of lists, duplicate keys
vanish, and the first fault hides all others.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

_SOLID = re.compile(r"[^ \t\n\r]")


class ScanError(ValueError):
    """The text is no JSON, or not the JSON that was expected; ``at`` is the position of the fault."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class _ConstantError(ValueError):
    """NaN or Infinity, which Python's parser would take."""


class Pairs(list[tuple[str, "Any"]]):
    """A JSON object as its pairs, duplicates and all."""


class Scanner:
    """A cursor on a JSON text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._decode = JSONDecoder(object_pairs_hook=Pairs, parse_constant=_no_constant).raw_decode

    def members(self) -> Iterator[str]:
        """The keys of the object at the cursor. The caller consumes each value before it asks for the next."""
        self._expect("{")
        if self._peek() == "}":
            self.at += 1
            return
        while True:
            key = self.string()
            self._expect(":")
            yield key
            if self._expect(",}") == "}":
                return

    def at_object(self) -> bool:
        """Whether the value at the cursor is an object."""
        return self._peek() == "{"

    def at_string(self) -> bool:
        """Whether the value at the cursor is a string."""
        return self._peek() == '"'

    def string(self) -> str:
        """The string at the cursor, of any length."""
        if self._peek() != '"':
            raise self._failure(f"expected a string, found {self._found()}")
        value = self._value(self.text, 0)
        assert isinstance(value, str)  # noqa: S101 - it began with a quote
        return value

    def small(self, limit: int) -> Any:
        """The value at the cursor, when it is at most ``limit`` characters long."""
        self._peek()
        text, start = self.text, self.at
        # The usual value is an object without another in it: its end is found without copying a window.
        end = text.find("}", start, start + limit)
        if end >= 0:
            try:
                return self._value(text[start : end + 1], start)
            except ScanError:
                self.at = start
        try:
            return self._value(text[start : start + limit], start)
        except ScanError:
            if self.at < start + limit:
                raise
        self.at = start
        raise self._failure(f"a value of more than {limit} characters")

    def end(self) -> None:
        """Nothing but blanks may follow."""
        if self._peek():
            raise self._failure(f"{len(self.text) - self.at} characters after the end, from {self._found()}")

    def _value(self, window: str, base: int) -> Any:
        """The value at the cursor, read from ``window``, a part of the text that begins at ``base``."""
        try:
            value, end = self._decode(window, self.at - base)
        except JSONDecodeError as error:
            self.at = base + error.pos
            raise self._failure(f"{error.msg}, at {self._found()}") from None
        except RecursionError:
            raise self._failure("nested too deep") from None
        except _ConstantError as error:
            raise self._failure(str(error)) from None
        except ValueError:  # Python's own words tell how to change a setting of the interpreter
            raise self._failure("a number of thousands of digits") from None
        self.at = base + end
        return value

    def _peek(self) -> str:
        """The next character that is no blank, or nothing at the end."""
        char = self.text[self.at : self.at + 1]
        if char > " ":  # the usual case: a header has no blanks but those at its end
            return char
        found = _SOLID.search(self.text, self.at)
        self.at = found.start() if found else len(self.text)
        return self.text[self.at : self.at + 1]

    def _expect(self, choices: str) -> str:
        found = self._peek()
        if not found or found not in choices:
            raise self._failure(f"expected {' or '.join(choices)}, found {self._found()}")
        self.at += 1
        return found

    def _found(self) -> str:
        return repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "the end"

    def _failure(self, message: str) -> ScanError:
        return ScanError(message, self.at)


def _no_constant(name: str) -> NoReturn:
    raise _ConstantError(f"{name} is no JSON number")
