"""Text of files on a terminal: names and metadata are data, and must not move the cursor or turn the line round."""

from __future__ import annotations

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def shown(text: str) -> str:
    """``text`` with every character escaped that is no graphic of its own.

    That is what :meth:`str.isprintable` refuses: control characters and so ANSI sequences, bidi overrides and
    other invisible formats, line separators, lone surrogates, private and unassigned characters. Text without
    any comes back as it is; in other text a backslash is doubled, so that what is shown has one reading.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() and char != "\\" else _escape(char) for char in text)


def _escape(char: str) -> str:
    if char == "\\":
        return "\\\\"
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
