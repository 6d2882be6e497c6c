"""Events from a file or from standard input."""

import os
import select
import stat
import sys
import time
import zlib
from operator import index
from pathlib import Path
from typing import Any

from ibgn._files import as_path, reading
from ibgn.errors import DataError
from ibgn.live.feeds.base import Feed, Lines, Message
from ibgn.text import quote

__all__ = ["FileFeed"]

CHUNK = 1 << 16  # bytes that are read at once
CHECKED = 1 << 12  # bytes before a position by which its file is known again


class FileFeed(Feed):
    """Lines of a file, or of a pipe.

    Parameters
    ----------
    path : file, or None for standard input
    follow : whether to wait for more at the end of a file, as of one that others write to

    Notes
    -----
    The position in a file is the number of bytes read, with a checksum of the last of them. A pipe
    has none: what came through it since it was last kept is lost if this process is killed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "events.jsonl"
    >>> _ = path.write_bytes(b'{"kind": "tick", "time": 1}' + bytes([10]))
    >>> feed = FileFeed(path)
    >>> feed.read(0)
    [Message(text=b'{"kind": "tick", "time": 1}', place='line 1', stream='')]
    >>> feed.read(0), feed.read(0)
    ([], None)
    >>> feed.close()
    """

    def __init__(self, path: Path | None, follow: bool = False) -> None:
        self.name = "standard input" if path is None else quote(as_path(path).name)
        self.follow = follow
        if path is None:
            try:
                self._file = sys.stdin.fileno()
            except (OSError, ValueError) as error:  # as in a notebook
                raise DataError("there is no standard input; name a file of events") from error
        else:
            with reading(path):
                self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        kind = os.fstat(self._file).st_mode
        if stat.S_ISDIR(kind):
            self.close()
            raise DataError(f"{self.name} is a folder; name a file")
        self._can_seek = stat.S_ISREG(kind)
        # what is redirected may have been read in part, by another command of the same shell
        self._offset = os.lseek(self._file, 0, os.SEEK_CUR) if self._can_seek else 0
        self._lines, self._number, self._is_over = Lines(), 0, False

    def read(self, timeout: float) -> list[Message] | None:
        """Lines that are complete; the last one may lack its end, unless more is waited for."""
        if self._is_over or not self._is_ready(timeout):
            return None if self._is_over else []
        piece = os.read(self._file, CHUNK)
        if piece:
            self._offset += len(piece)
            return self._number_lines(self._lines.cut(piece))
        if self.follow and self._can_seek:
            self._check_length()
            time.sleep(timeout)
            return []
        self._is_over = True
        return self._number_lines([self._lines.rest()] if self._lines.unfinished else [])

    def position(self) -> Any:
        """Bytes and lines that were read, and a checksum."""
        if not self._can_seek:
            return None
        offset = self._offset - self._lines.unfinished
        return {"bytes": offset, "lines": self._number, "check": self._check(offset)}

    def resume(self, position: Any) -> None:
        """Go on after so many bytes; refuses a file that is not the same until there."""
        if not self._can_seek or position is None:
            return
        offset, number = index(position["bytes"]), index(position["lines"])
        if self._check(offset) != position["check"]:
            raise DataError(
                f"{self.name} is not the file that was read before: its first {offset} bytes "
                "differ; name the same file, or begin with another checkpoint"
            )
        self._offset = os.lseek(self._file, offset, os.SEEK_SET)
        self._number, self._lines = number, Lines()

    def close(self) -> None:
        """Close the file."""
        if self.name != "standard input":
            os.close(self._file)

    def _is_ready(self, timeout: float) -> bool:
        if self._can_seek or sys.platform == "win32":  # where only sockets can be waited for
            return True
        return bool(select.select([self._file], [], [], timeout)[0])

    def _check(self, offset: int) -> int | None:
        """Checksum of what is before a position; None where the file is shorter."""
        if os.fstat(self._file).st_size < offset:
            return None
        first = max(offset - CHECKED, 0)
        os.lseek(self._file, first, os.SEEK_SET)
        checksum = zlib.crc32(os.read(self._file, offset - first))
        os.lseek(self._file, self._offset, os.SEEK_SET)
        return checksum

    def _check_length(self) -> None:
        if os.fstat(self._file).st_size < self._offset:
            raise DataError(
                f"{self.name} was cut while it was read; let programs append to it, and begin a "
                "new file instead of emptying the old one"
            )

    def _number_lines(self, lines: list[bytes]) -> list[Message]:
        first = self._number + 1
        self._number += len(lines)
        return [Message(line, f"line {n}") for n, line in enumerate(lines, first)]
