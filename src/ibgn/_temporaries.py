"""Temporary files and folders, which the next run removes if theirs was killed.

Each is locked while its process lives. One that is called like ours and can be locked was left
behind; everything else is not touched.
"""

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from ibgn._locks import holding, lock

__all__ = ["is_temporary", "temporary_file", "temporary_folder"]

PREFIX, SUFFIX = ".ibgn-", ".tmp"  # hidden, so that no reader takes it for data


def is_temporary(path: Path) -> bool:
    """Whether a file or folder is called like a temporary one of ours."""
    return path.name.startswith(PREFIX) and path.name.endswith(SUFFIX)


@contextmanager
def temporary_file(folder: Path) -> Iterator[Path]:
    """Yield the path of a new file in a folder; it is removed unless it was moved."""
    _remove_abandoned(folder)
    while True:
        handle, name = tempfile.mkstemp(SUFFIX, PREFIX, folder)
        path = Path(name)
        try:
            lock(handle)
            if path.exists():  # no other run took it for one that was left behind
                yield path
                return
        finally:
            path.unlink(missing_ok=True)
            os.close(handle)


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder, by default where the system keeps such; it is removed afterwards."""
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_abandoned(parent)
    while True:
        path = Path(tempfile.mkdtemp(SUFFIX, PREFIX, parent))
        with holding(path):
            if not path.exists():  # another run took it for one that was left behind
                continue
            try:
                yield path
            finally:
                shutil.rmtree(path, ignore_errors=True)
            return


@lru_cache  # once, as folders may be large
def _remove_abandoned(folder: Path) -> None:
    """Remove what killed runs left in a folder; what cannot be removed stays."""
    with suppress(OSError):
        for path in filter(is_temporary, folder.iterdir()):
            if not _is_own(path):
                continue
            with holding(path, wait=False) as held:
                if held and path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                elif held:
                    path.unlink(missing_ok=True)


def _is_own(path: Path) -> bool:
    """Whether it is a file or folder of this user, and no link."""
    status = path.lstat()
    mine = sys.platform == "win32" or status.st_uid == os.geteuid()
    return mine and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))
