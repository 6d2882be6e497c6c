"""Readings of the same data, part by part and several times: what they have in common."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ibgn._files import naming_errors
from ibgn.budgets import PieceBudget
from ibgn.cleaning import Cleaning
from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.files import Files
from ibgn.io.format import BUDGET, CLEANING, LENIENCY
from ibgn.io.leniency import Leniency, Unlabelled
from ibgn.io.longframe import Labels, LongFrame
from ibgn.pieces import Part
from ibgn.text import count, without_values

__all__ = ["Expected", "FileVersions", "Saying", "pop_reading"]


def pop_reading(options: dict[str, Any]) -> tuple[Cleaning, Leniency, PieceBudget]:
    """Take options that all formats share out of others."""
    cleaning = Cleaning(**{name: options.pop(name) for name in CLEANING if name in options})
    leniency = Leniency(**{name: options.pop(name) for name in LENIENCY if name in options})
    budget = PieceBudget(**{name: options.pop(name) for name in BUDGET if name in options})
    if leniency.bad_files != "error":
        reason = "is not possible where files are read piece by piece; leave bad files out yourself"
        raise OptionError("bad_files", leniency.bad_files, reason)
    return cleaning, leniency, budget


class FileVersions:
    """Versions of files, which are read several times and must not change in between."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._known: dict[str, tuple[int, ...]] = {}
        self.check()

    def check(self) -> None:
        """Refuse files that changed since they were seen first."""
        for file in self.files:
            with naming_errors(lambda: self.files.current):
                status = file.path.stat()
            if not file.path.is_file():
                raise DataError(
                    f"{file.prefix}it is read several times, so it must be a file; save it as one"
                )
            version = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._known.setdefault(file.name, version) != version:
                raise DataError(
                    f"{file.prefix}the file was changed between two readings; scan it again"
                )


class Expected:
    """What parts have in common: labels and groups, of one type."""

    def __init__(self, unlabelled: Unlabelled) -> None:
        self.unlabelled = unlabelled
        self.instances = 0
        self.kinds: dict[str, tuple[str, str]] = {}  # of values, and where these began

    def check(self, frame: LongFrame, X: IntervalSequences, y: Labels) -> Part | None:
        """The part as it is, or None if all of it is left out."""
        where = f"{frame.source}{frame.place(0)}"
        if y is None and "label" in frame.series and self.unlabelled in ("drop", "keep"):
            if self.unlabelled == "drop":
                left_out = f"left out {count(len(X), 'instance')} without a label"
                warnings.warn(DataWarning(f"{frame.source}{left_out}"), stacklevel=3)
                return None
            y = np.full(len(X), None, object)
        if self.unlabelled != "keep":
            self._compare("label", _kind(y), where)
        self._compare("group", _kind(X.groups), where)
        self.instances += len(X)
        return X, y

    def joined(self, other: "Expected") -> "Expected":
        """What parts have in common that follow each other; refuses others."""
        both = Expected(self.unlabelled)
        both.instances, both.kinds = self.instances + other.instances, dict(self.kinds)
        for name, found in other.kinds.items():
            both._compare(name, *found)
        return both

    def _compare(self, name: str, kind: str, where: str) -> None:
        known, first = self.kinds.setdefault(name, (kind, where))
        if known == kind:
            return
        advice = (
            ("; ", Option("unlabelled", "drop"), " leaves instances without one out")
            if name == "label" and "none" in (known, kind)
            else ()
        )
        raise DataError(
            f"{where}: from here on each {name} is {kind}, but {known} from {first} on; make them "
            "one type in all files",
            *advice,
        )


def _kind(values: Labels) -> str:
    if values is None:
        return "none"
    return {"b": "true or false", "i": "a number", "u": "a number", "f": "a number"}.get(
        values.dtype.kind, "text"
    )


class Saying:
    """Warnings about parts: the first of each kind is said, and how many were like it.

    said : the first of each kind, and how many more; those of earlier readings are not repeated
    """

    def __init__(self, said: dict[str, list[Any]]) -> None:
        self.said = said
        self.before = set(said)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the warnings about a part."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            self.say(warning.message)

    def say(self, message: Warning | str) -> None:
        """Say a warning if it is the first of its kind, and count it otherwise."""
        kind = without_values(str(message))
        if kind in self.before:
            return
        if kind in self.said:
            self.said[kind][1] += 1
        else:
            self.said[kind] = [str(message), 0]
            warnings.warn(message, stacklevel=5)

    def finish(self) -> None:
        """Say how many more there were of each kind."""
        for kind, (first, more) in self.said.items():
            if more and kind not in self.before:
                counted = f"{count(more, 'more warning')} like this one: {first}"
                warnings.warn(DataWarning(counted), stacklevel=3)
