"""What a listener keeps, so that it can go on where it was after it was killed."""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ibgn._files import reading, replacing, show
from ibgn._locks import lock
from ibgn.errors import DataError
from ibgn.text import printable

__all__ = ["Checkpoint", "Kept"]

KIND = "checkpoint of ibgn listen"
VERSION = 1


class Kept(NamedTuple):
    """What a checkpoint holds: the head, and the state of each stream."""

    head: dict[str, Any]
    streams: dict[str, Any]


class Checkpoint:
    """A file that is replaced as a whole, so that there is always one that is complete.

    It has a line of JSON with what concerns all, one for each stream, and one with a checksum.

    Parameters
    ----------
    path : file
    options : what must be the same in a run that goes on with it

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "listen.checkpoint"
    >>> checkpoint = Checkpoint(path, {"lateness": 2.0})
    >>> checkpoint.load()
    >>> checkpoint.save({"lines": 3}, ['["kitchen", {"instance": 1}]'])
    >>> checkpoint.load()
    Kept(head={'lines': 3}, streams={'kitchen': {'instance': 1}})
    >>> checkpoint.close()
    """

    def __init__(self, path: Path, options: Mapping[str, Any]) -> None:
        self.path, self.options = path, dict(options)
        # a file of its own, as the checkpoint is another one after each time
        self._lock_path = path.with_name(f"{path.name}.lock")
        try:
            self._lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise DataError(
                f"{show(self._lock_path)} cannot be written: {error.strerror}"
            ) from error
        if os.fstat(self._lock).st_size:
            os.close(self._lock)
            raise DataError(
                f"{show(self._lock_path)} would be used as a lock, but it holds something; rename "
                "it, or the checkpoint"
            )
        if not lock(self._lock, wait=False) and sys.platform != "win32":
            os.close(self._lock)
            raise DataError(
                f"another process uses {show(path)}, or its disk has no locks; name another file"
            )

    def load(self) -> Kept | None:
        """What was kept, or None where nothing was; refuses what is damaged or does not fit."""
        if not self.path.exists():
            return None
        kept = load_checkpoint(self.path)
        before = kept.head.pop("options")
        for name, value in self.options.items():
            if before.get(name) != value:
                raise DataError(
                    f"{show(self.path)} was made with {name.replace('_', ' ')} "
                    f"{json.dumps(before.get(name))}, not {json.dumps(value)}; give the same, or "
                    "begin with another checkpoint"
                )
        return kept

    def save(self, head: Mapping[str, Any], streams: Iterable[str]) -> None:
        """Replace the file; each stream is a pair of its name and its state, as JSON."""
        first = {"kind": KIND, "version": VERSION, "options": self.options, **head}
        text = "\n".join((json.dumps(first), *streams, "")).encode()
        with replacing(self.path) as temporary, temporary.open("wb") as file:
            file.write(text)
            file.write(json.dumps({"sha256": hashlib.sha256(text).hexdigest()}).encode())
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Let others use it."""
        if not os.fstat(self._lock).st_size:  # nobody wrote to it, as to a file of that name
            self._lock_path.unlink(missing_ok=True)
        os.close(self._lock)


def load_checkpoint(path: Path) -> Kept:
    """What a file holds, whatever the options; refuses what is damaged."""
    with reading(path) as file:
        text = file.content()
    body, _, last = text.rpartition(b"\n")
    first, *streams = body.split(b"\n")
    try:
        head = json.loads(first)
        if head["kind"] != KIND:
            raise KeyError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DataError(
            f"{show(path)} is not a checkpoint of `ibgn listen`; name another file"
        ) from None
    version = head.get("version")
    if version != VERSION:
        raise DataError(
            f"{show(path)} is a checkpoint of version {printable(version)}, and this is {VERSION}; "
            "go on with the version of ibgn that made it"
        )
    try:
        if json.loads(last)["sha256"] != hashlib.sha256(body + b"\n").hexdigest():
            raise ValueError
        head["options"] = dict(head["options"])
        kept = Kept(head, dict(json.loads(line) for line in streams))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DataError(f"{show(path)} is damaged; begin with another checkpoint") from None
    for name in ("kind", "version"):
        del head[name]
    return kept
