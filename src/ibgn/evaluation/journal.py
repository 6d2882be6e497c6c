"""What an evaluation has done so far, kept in a file that survives an interruption."""

import json
import os
from pathlib import Path
from typing import Any

from ibgn.errors import DataError
from ibgn.text import quote

__all__ = ["Journal"]


class Journal:
    """Results by key; each is one line of JSON, on the disk before the next is begun.

    A last line that was cut by an interruption is left out, and so is anything that is no line of a
    journal. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.results: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise DataError(f"{quote(path)} could not be read: {error.strerror}") from error
        for line in lines:
            try:
                entry = json.loads(line)
                self.results[entry["key"]] = entry["result"]
            except (ValueError, TypeError, KeyError, RecursionError):
                continue

    def get(self, key: str) -> Any:
        """What stands at a key, None where nothing does."""
        return self.results.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self.results

    def __getitem__(self, key: str) -> dict[str, Any]:
        return self.results[key]

    def add(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result; it is on the disk when this returns."""
        self.results[key] = result
        if self.path is None:
            return
        line = json.dumps({"key": key, "result": result}).encode() + b"\n"
        try:
            with self.path.open("ab") as file:
                if file.tell() and not self._ends_a_line():
                    file.write(b"\n")
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataError(f"{quote(self.path)} could not be written: {error.strerror}") from error

    def _ends_a_line(self) -> bool:
        assert self.path is not None  # noqa: S101
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
