"""Locks on files and folders; the system lets them go when a process ends, however it ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["appending", "holding", "lock"]


def lock(handle: int, wait: bool = True) -> bool:
    """Lock an open file or folder until it is closed; False where another process has it.

    Also False where there are no such locks, as on Windows and on some shared disks.
    """
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


@contextmanager
def holding(path: Path, wait: bool = True) -> Iterator[bool]:
    """Lock a file or folder for a while; yields whether it is locked."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        yield False
        return
    try:
        yield lock(handle, wait)
    finally:
        os.close(handle)


@contextmanager
def appending(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to read and to append, made if needed, while no other process does."""
    while True:
        with path.open("a+b") as file:
            lock(file.fileno())
            # it may have been replaced or removed while we waited
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield file
                return
