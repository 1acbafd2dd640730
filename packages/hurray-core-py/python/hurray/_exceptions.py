"""The exceptions of :mod:`hurray` (requirements: Error Handling). Rust raises these very classes."""

import builtins as _builtins

__all__ = [
    "BufferError",
    "CopyRequiredError",
    "FileError",
    "InternalError",
    "InvalidDescriptorError",
    "RankError",
    "StreamError",
    "UnsupportedError",
    "ViewError",
    "file_error",
    "input_error",
]


class InvalidDescriptorError(ValueError):
    """A descriptor breaks a rule of the format, or does not go with the buffers it was given.

    ``code`` names the rule (``"D-31"``, ``"L-18"``, ``"Q-8"``) where there is one, else ``None``.
    """

    code: "str | None" = None


class BufferError(ValueError):
    """A buffer holds fewer bytes than its layout and shape reach, or cannot be used as asked.

    Not the built-in ``BufferError``, which DLPack and the buffer protocol raise as their own
    specifications say. ``code`` names the rule (``"L-12"``, ``"F-47"``) where there is one.
    """

    code: "str | None" = None


class CopyRequiredError(ValueError):
    """``copy=False`` was asked for, and the memory cannot be shared as it is (04-tables section 2, copy on ingest)."""


class UnsupportedError(NotImplementedError):
    """Valid, but not something that this door can express exactly (requirements: Error Handling)."""

    code: "str | None" = None


class FileError(OSError):
    """A file cannot be opened, read or written, or breaks a rule of the container.

    What the operating system refuses keeps ``errno``, ``strerror`` and ``filename`` and is also the
    fitting built-in (``FileNotFoundError``, ``PermissionError`` …). What the format refuses has
    ``code`` (``"F-13"``).
    """

    code: "str | None" = None


class StreamError(OSError):
    """A stream is cut short, malformed, over a limit, or was used after it ended (04-tables section 2, stream errors)."""

    code: "str | None" = None


class InternalError(RuntimeError):
    """A fault in this library (requirements: Error Handling). Please report it with the traceback."""


class RankError(ValueError, AttributeError):
    """``Tensor.T`` of a tensor that is not of rank 2 (04-tables.md §3, ruling 10)."""


class ViewError(UnsupportedError, ValueError, AttributeError):
    """A view that this tensor could have by its rank or layout, and cannot hand out as it stands.

    A ``ValueError``, as ``T`` demands (04-tables.md §2), and an ``AttributeError``, so that ``hasattr`` tells the
    truth and ``inspect.getmembers`` works.
    """


def _also(builtin: "type[OSError]") -> "type[FileError]":
    """A FileError that ``except`` clauses for ``builtin`` catch too."""
    body = {"__module__": "hurray", "__qualname__": "FileError", "__reduce__": _reduce}
    return type("FileError", (FileError, builtin), body)


_BY_KIND: "dict[str, type[FileError]]" = {}


def input_error(kind: str, text: str) -> FileError:
    """A FileError for a bad name or value that was handed to a writer or reader.

    It is also the built-in ``kind`` ("ValueError", "TypeError", "OverflowError", "KeyError"), as
    ``io.UnsupportedOperation`` is both an ``OSError`` and a ``ValueError``.
    """
    if kind not in _BY_KIND:
        body = {
            "__module__": "hurray",
            "__qualname__": "FileError",
            "__reduce__": lambda self: (input_error, (kind, *self.args)),
            "__str__": OSError.__str__,
        }
        _BY_KIND[kind] = type("FileError", (FileError, getattr(_builtins, kind)), body)
    return _BY_KIND[kind](text)


def _reduce(self: FileError) -> "tuple[object, ...]":
    return file_error, (self.errno, self.strerror, self.filename)


# Made when first raised: most programs never see one.
_BY_ERRNO: "dict[type[OSError], type[FileError]]" = {OSError: FileError}


def file_error(number: int, text: str, filename: "object" = None) -> FileError:
    """The FileError for an ``errno``, which is the fitting built-in subclass of OSError as well."""
    # The constructor of OSError knows which built-in fits the number.
    builtin = type(OSError(number, text))
    if builtin not in _BY_ERRNO:
        _BY_ERRNO[builtin] = _also(builtin)
    kind = _BY_ERRNO[builtin]
    return kind(number, text) if filename is None else kind(number, text, filename)


for _name in __all__[:-2]:
    globals()[_name].__module__ = "hurray"
