"""Lines that a listener writes: numbered, so that a reader knows those that come again."""

import json
import os
import sys
from operator import index
from pathlib import Path
from typing import Any, BinaryIO

from ibgn._files import show
from ibgn._locks import lock
from ibgn.errors import DataError

__all__ = ["Output"]

LONGEST = 1 << 20  # bytes of a line
FIRST = b'{"line": 1, '  # how the first line begins


class Output:
    """JSON lines with numbers, in a file or on standard output.

    After a new start a file is cut back to what was kept with its state, so that it holds every
    line once. Standard output cannot take lines back: those that come again have the same numbers
    as before, and say the same.

    Parameters
    ----------
    path : file to write, or None for standard output

    Attributes
    ----------
    lines : how many lines were written

    Examples
    --------
    >>> output = Output(None)
    >>> output.write({"activity": "tea"})
    >>> output.flush()
    {"line": 1, "activity": "tea"}
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.lines = path, 0
        self._file: BinaryIO | None = None
        self._unwritten: list[str] = []

    def open(self, position: Any = None) -> None:
        """Begin, with an empty file, or go on where `position` was."""
        place = position or {"lines": 0, "bytes": 0}
        self.lines, size = index(place["lines"]), index(place["bytes"] or 0)
        if self.path is None:
            return
        try:
            self._file = self.path.open("r+b" if size else "a+b")
            if not lock(self._file.fileno(), wait=False) and sys.platform != "win32":
                raise DataError(f"another process writes to {show(self.path)}; name another file")
            is_known = _last_number(self._file, size) == self.lines if size else _is_own(self._file)
            if position is not None and not is_known:
                raise DataError(
                    f"{show(self.path)} does not hold the {self.lines} lines that were written; "
                    "give the same output, or begin with another checkpoint"
                )
            self._file.truncate(size)
            self._file.seek(size)
        except OSError as error:
            raise DataError(f"{show(self.path)} cannot be written: {error.strerror}") from error

    def write(self, record: dict[str, Any]) -> None:
        """Add a line."""
        self.lines += 1
        # the only control character that JSON does not escape
        text = json.dumps({"line": self.lines, **record}).replace("\x7f", "\\u007f")
        self._unwritten.append(f"{text}\n")

    def flush(self) -> None:
        """Hand on what was written."""
        if not self._unwritten:
            return
        text = "".join(self._unwritten)
        self._unwritten.clear()
        if self._file is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self._file.write(text.encode())
            self._file.flush()

    def position(self) -> Any:
        """How many lines and bytes there are, all of which are on the disk by then."""
        self.flush()
        if self._file is None:
            return {"lines": self.lines, "bytes": None if self.path is None else 0}
        os.fsync(self._file.fileno())
        return {"lines": self.lines, "bytes": self._file.tell()}

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _is_own(file: BinaryIO) -> bool:
    """Whether a file is empty, or begins as ours do, if only with a part of the first line."""
    file.seek(0)
    return FIRST.startswith(file.read(len(FIRST)))


def _last_number(file: BinaryIO, size: int) -> int | None:
    """Number of the last line within so many bytes; None where there is none."""
    if file.seek(0, os.SEEK_END) < size:
        return None
    first = max(size - LONGEST, 0)
    file.seek(first)
    try:
        return int(json.loads(file.read(size - first).splitlines()[-1])["line"])
    except (ValueError, TypeError, LookupError):
        return None
