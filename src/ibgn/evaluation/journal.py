"""Results of an evaluation, stored in a file so that an interrupted run can resume."""

import hashlib
import json
import os
import re
import warnings
from pathlib import Path
from typing import IO, Any

from ibgn._files import replacing, show
from ibgn._locks import appending
from ibgn.errors import DataError, DataWarning
from ibgn.text import count

__all__ = ["Journal"]

LINE = re.compile(rb'(\{"key": .*), "sha256": "([0-9a-f]{64})"\}', re.DOTALL)
ALIKE = re.compile(rb'^\{"key": "|, "sha256": "', re.MULTILINE)  # what even a damaged journal has


class Journal:
    """Results by key; each is one line of JSON with a checksum, on disk before the next is done.

    A line that is damaged counts as absent, with a warning; the last one may have been cut by an
    interruption. Several runs may share a file: each removes only its own results.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "scores.journal"
    >>> Journal(path).add("fold 1", {"accuracy": 0.9})
    >>> Journal(path).get("fold 1")
    {'accuracy': 0.9}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results = self._read()
        self._own: set[str] = set()

    def _read(self) -> dict[str, Any]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise DataError(f"{show(self.path)} could not be read: {error.strerror}") from error
        results, damaged = _parse(content)
        if content.strip() and not results and not ALIKE.search(content):
            raise DataError(
                f"{show(self.path)} is no journal, but results in progress would be written "
                "there; move it, or name another output"
            )
        if damaged:
            text = f"{show(self.path)}: {count(damaged, 'result')} damaged, and computed again"
            warnings.warn(DataWarning(text), stacklevel=3)
        return results

    def get(self, key: str) -> Any:
        """Result of a key, or None."""
        self._own.add(key)
        return self.results.get(key)

    def add(self, key: str, result: dict[str, Any]) -> None:
        """Store a result; it is on disk when this returns."""
        self._own.add(key)
        self.results[key] = result
        try:
            with appending(self.path) as file:
                _drop_cut_line(file)
                file.write(_line(key, result))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataError(f"{show(self.path)} could not be written: {error.strerror}") from error

    def forget(self) -> None:
        """Remove what this run asked for or added, and the file if nothing else is in it."""
        self.results = {}
        if not self.path.exists():
            return
        with appending(self.path) as file:  # nobody adds a result meanwhile
            file.seek(0)
            kept = _parse(file.read())[0]
            self.results = {key: value for key, value in kept.items() if key not in self._own}
            if self.results:
                with replacing(self.path) as temporary:
                    temporary.write_bytes(b"".join(_line(*each) for each in self.results.items()))
            else:
                self.path.unlink(missing_ok=True)


def _parse(content: bytes) -> tuple[dict[str, Any], int]:
    """Results by key, and how many lines are damaged, without a last one that was cut."""
    *lines, cut = content.split(b"\n")
    results: dict[str, Any] = {}
    damaged = 0
    for line in filter(None, [*lines, cut]):
        parts = LINE.fullmatch(line)
        if parts and hashlib.sha256(parts[1]).hexdigest().encode() == parts[2]:
            entry = json.loads(parts[1] + b"}")
            results[entry["key"]] = entry["result"]
        else:
            damaged += line is not cut
    return results, damaged


def _drop_cut_line(file: IO[bytes]) -> None:
    """Remove a last line that was cut by an interruption."""
    if file.seek(0, os.SEEK_END):
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)


def _line(key: str, result: Any) -> bytes:
    entry = json.dumps({"key": key, "result": result}).encode()[:-1]
    return entry + f', "sha256": "{hashlib.sha256(entry).hexdigest()}"}}\n'.encode()
