"""Files that are read: each is opened once, however often its bytes are asked for.

A file that is replaced while it is read would otherwise be of one version where its format and
columns are found, and of another where its rows are read.
"""

import io
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

__all__ = ["in_own_context", "is_changed", "open_input", "opening_once", "size_of"]

CHUNK = 1 << 16  # bytes
MOST_OPEN = 64  # of a folder of many; those before are closed, and must be the same when reopened


class Version(NamedTuple):
    """What tells versions of a file apart."""

    device: int
    file: int
    size: int
    modified: int


class _Inputs:
    """Files that were opened by now, by path."""

    def __init__(self) -> None:
        self.files: dict[Path, io.FileIO] = {}
        self.versions: dict[Path, Version] = {}

    def open(self, path: Path) -> io.FileIO:
        """The file as it was opened first, unless many others were opened since then."""
        if path not in self.files:
            while len(self.files) >= MOST_OPEN:
                self.files.pop(next(iter(self.files))).close()
            self.files[path] = io.FileIO(path)
            self.versions.setdefault(path, _version(self.files[path]))
        return self.files[path]

    def close(self) -> None:
        """Close all files."""
        for file in self.files.values():
            file.close()


T = TypeVar("T")

CURRENT: ContextVar[_Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def opening_once() -> Iterator[None]:
    """Open each file once that is read within, also in functions that say so themselves."""
    if CURRENT.get() is not None:
        yield
        return
    inputs = _Inputs()
    token = CURRENT.set(inputs)
    try:
        yield
    finally:
        with suppress(ValueError):  # where a generator is thrown away, in another context
            CURRENT.reset(token)
        inputs.close()


def in_own_context(steps: Generator[T, None, None]) -> Iterator[T]:
    """Run a generator that keeps files open between its steps, and shares them with nobody.

    Examples
    --------
    >>> def read_slowly():
    ...     with opening_once():
    ...         yield CURRENT.get() is None
    >>> next(in_own_context(read_slowly())), CURRENT.get() is None
    (False, True)
    """
    context = copy_context()
    context.run(CURRENT.set, None)
    try:
        while True:
            try:
                item = context.run(next, steps)
            except StopIteration:
                return
            yield item
    finally:
        context.run(steps.close)


def open_input(path: Path) -> IO[bytes]:
    """Open a regular file from its start; within `opening_once`, the version opened first."""
    inputs = CURRENT.get()
    if inputs is None:
        return path.open("rb")
    return io.BufferedReader(_View(inputs.open(path.absolute())), CHUNK)


def is_changed(path: Path) -> bool:
    """Whether a file that was opened is another by now, as one that is overwritten in place."""
    inputs = CURRENT.get()
    file = None if inputs is None else inputs.files.get(path.absolute())
    if inputs is None or file is None:
        return False
    return _version(file) != inputs.versions[path.absolute()]


def size_of(path: Path) -> int:
    """Bytes of a file, of the version that is open if one is."""
    inputs = CURRENT.get()
    version = None if inputs is None else inputs.versions.get(path.absolute())
    return path.stat().st_size if version is None else version.size


def _version(file: io.FileIO) -> Version:
    status = os.fstat(file.fileno())
    return Version(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class _View(io.RawIOBase):
    """An open file, read from a position of its own; closing the view leaves the file open."""

    def __init__(self, file: io.FileIO) -> None:
        self.file, self.position = file, 0

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer from the position on."""
        self.file.seek(self.position)
        number = self.file.readinto(buffer) or 0
        self.position += number
        return number

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move the position."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self.position}
        if whence == os.SEEK_END:
            start[whence] = os.fstat(self.file.fileno()).st_size
        self.position = start[whence] + offset
        return self.position
