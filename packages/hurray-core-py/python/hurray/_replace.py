"""A file put in place whole: written to a temporary beside it, then renamed over it."""

from __future__ import annotations

import errno

from hurray._exceptions import file_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

COPY_BYTES = 1 << 26
# What systems say that have no files without a name (EOPNOTSUPP, EISDIR, EINVAL).
_UNNAMED_LACKS = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL})


def replace(target: str, write: Callable[[str], None], durable: bool) -> None:
    """Let ``write`` fill a hidden temporary beside the target, then put it in place; a failure leaves nothing."""
    import os

    folder, base = os.path.split(target)
    suffix = os.path.splitext(base)[1]
    temporary = os.path.join(folder, f".hurray-{os.urandom(8).hex()}.tmp{suffix}")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        write(temporary)
        _keep_mode(target, temporary)
        if durable:
            _sync(temporary)
        os.replace(temporary, target)
    except BaseException as error:
        _unlink(temporary)
        if isinstance(error, OSError) and _is_about(error, temporary):
            raise file_error(error.errno or 0, error.strerror or str(error), target) from error
        raise
    if durable:
        _sync(folder)


def probe(target: str) -> None:
    """Raise what :func:`replace` and the core's own writer would for a folder in which no file can be made.

    Nothing appears, and the folder is not touched: the file that is begun here has no name.

    :raises OSError: with the system's reason, and the target for its name.
    """
    import os

    folder = os.path.dirname(target)
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666))
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _UNNAMED_LACKS:
            raise file_error(error.errno or 0, error.strerror or str(error), target) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise file_error(errno.EACCES, os.strerror(errno.EACCES), target) from None


def _is_about(error: OSError, temporary: str) -> bool:
    """Whether the error is one of writing, which nobody knows by the name of the temporary, or by none."""
    if error.filename is None:
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
    return bool(error.filename == temporary)


def _keep_mode(target: str, temporary: str) -> None:
    """A file that replaces another keeps its permission bits, as with cp."""
    import os
    import stat

    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return
    os.chmod(temporary, mode)


def _sync(path: str) -> None:
    import os

    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unlink(path: str) -> None:
    import contextlib
    import os

    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def copy(source: str, target: str, told: Callable[[int, int], None] | None = None) -> None:
    """The bytes of one file into another, by the kernel where it can; ``told(done, whole)`` after each part."""
    import os

    with open(source, "rb", buffering=0) as reads, open(target, "wb", buffering=0) as writes:
        whole = os.fstat(reads.fileno()).st_size
        for done in _copied(reads, writes):
            if told is not None:
                told(done, whole)


def _copied(reads: IO[bytes], writes: IO[bytes]) -> Iterator[int]:
    """Copy part after part; how much is done."""
    import os

    while True:
        try:
            if not os.copy_file_range(reads.fileno(), writes.fileno(), COPY_BYTES):
                return
        except (AttributeError, OSError):  # another file system, an old kernel, no Linux
            break
        yield writes.tell()
    reads.seek(writes.seek(0))
    writes.truncate()
    while piece := reads.read(COPY_BYTES >> 3):
        writes.write(piece)
        yield writes.tell()
