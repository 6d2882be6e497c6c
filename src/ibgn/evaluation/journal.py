"""Results of an evaluation, stored in a file so that an interrupted run can resume."""

import json
import os
from pathlib import Path
from typing import Any

from ibgn._files import replacing, show
from ibgn.errors import DataError

__all__ = ["Journal"]


class Journal:
    """Results by key; each is one line of JSON, on disk before the next is computed.

    A last line that was cut by an interruption is skipped, as is anything that is not a line
    of a journal. Several runs may share a file: each removes only its own results.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results = self._read()
        self._own: set[str] = set()

    def _read(self) -> dict[str, Any]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise DataError(f"{show(self.path)} could not be read: {error.strerror}") from error
        results = {}
        for line in lines:
            try:
                entry = json.loads(line)
                results[entry["key"]] = entry["result"]
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
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
            with self.path.open("a+b") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # the last line was cut
                        file.write(b"\n")
                file.write(_line(key, result))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataError(f"{show(self.path)} could not be written: {error.strerror}") from error

    def forget(self) -> None:
        """Remove what this run asked for or added, and the file if nothing else is in it."""
        others = {key: result for key, result in self._read().items() if key not in self._own}
        if others:
            with replacing(self.path) as temporary:
                temporary.write_bytes(b"".join(_line(*entry) for entry in others.items()))
        else:
            self.path.unlink(missing_ok=True)
        self.results = others


def _line(key: str, result: Any) -> bytes:
    return json.dumps({"key": key, "result": result}).encode() + b"\n"
