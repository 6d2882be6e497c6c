"""What is done with the rows of a partition, by whoever has them, and what comes back."""

import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Protocol

import numba
import numpy as np
import numpy.typing as npt

from ibgn.cleaning import Cleaning
from ibgn.intervals import IntervalSequences
from ibgn.io.leniency import Leniency
from ibgn.io.longframe import LongFrame
from ibgn.io.partitions import Claim, claim_rows
from ibgn.io.readings import Expected
from ibgn.pieces import Part
from ibgn.provenance import Provenance
from ibgn.sources import PartChange
from ibgn.sums import Extent

__all__ = ["Job", "Loads", "Recipe", "Reply", "load_rows"]

_READING = threading.Lock()  # warnings of two threads cannot be told apart


class Loads(Protocol):
    """Rows that are not in memory yet."""

    def load(self, names_only: bool = False) -> LongFrame:
        """All rows, or of all rows the names of the instances."""


def load_rows(rows: LongFrame | Loads) -> LongFrame:
    """Rows that are in memory, or are loaded now."""
    return rows if isinstance(rows, LongFrame) else rows.load()


@dataclass(frozen=True)
class Recipe:
    """How rows become instances.

    Parameters
    ----------
    cleaning, leniency, provenance : as for `LongFrame`
    changes : what is done to the instances, in this order
    """

    cleaning: Cleaning
    leniency: Leniency
    provenance: Provenance
    changes: tuple[PartChange, ...] = ()

    def make(self, rows: LongFrame) -> "Reply":
        """Instances and labels, None if there are none; and what was found on the way."""
        expected = Expected(self.leniency.unlabelled)
        part: Part | None = None
        with _READING, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if len(rows.series["instance"]):
                frame = replace(rows, leniency=self.leniency, provenance=self.provenance)
                part = expected.check(frame, *frame.read(self.cleaning))
        for change in self.changes:
            part = part and change(*part)
        extent = Extent.of(part[0] if part else IntervalSequences.from_lists([]))
        found = [warning.message for warning in caught]
        return Reply(part if extent.instances else None, [extent], found, expected)


@dataclass(frozen=True)
class Reply:
    """What was made of one part, or of several that follow each other.

    Parameters
    ----------
    value : None if there are no instances
    extents : of each part
    warnings : about rows
    expected : what parts have in common
    """

    value: Any
    extents: list[Extent]
    warnings: list[Warning | str]
    expected: Expected

    def __sizeof__(self) -> int:
        """Bytes of the value, by which Dask decides where to work with it."""
        return _size_of(self.value)


def _size_of(value: Any) -> int:
    """Bytes of the arrays within a value, about."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, IntervalSequences):
        return _size_of(value.flat)
    if isinstance(value, dict):
        return sum(map(_size_of, value.values()))
    if isinstance(value, list | tuple | set):
        return sum(map(_size_of, value))
    if hasattr(value, "__dict__"):
        return _size_of(vars(value))
    return sys.getsizeof(value)


@dataclass(frozen=True)
class Job:
    """What is done with each part, and how the results of two are joined.

    Parameters
    ----------
    recipe : makes instances of rows
    work : takes the number of a part, its instances and labels
    join : takes two results, of parts that follow each other
    """

    recipe: Recipe
    work: Callable[[int, IntervalSequences, npt.NDArray[Any] | None], Any]
    join: Callable[[Any, Any], Any]

    def run(
        self, number: int, claim: Claim, rows: LongFrame | Loads, others: Sequence[LongFrame]
    ) -> Reply:
        """Do it with one part; `others` are rows that it claims from other partitions."""
        reply = self.recipe.make(claim_rows(claim, load_rows(rows), others))
        if reply.value is None:
            return reply
        threads = numba.get_num_threads()
        numba.set_num_threads(1)  # the other processors have jobs of their own
        try:
            return replace(reply, value=self.work(number, *reply.value))
        finally:
            numba.set_num_threads(threads)

    def join_replies(self, replies: Sequence[Reply]) -> Reply:
        """The reply about several parts."""
        return reduce(self._join, replies)

    def _join(self, left: Reply, right: Reply) -> Reply:
        if left.value is None or right.value is None:
            value = right.value if left.value is None else left.value
        else:
            value = self.join(left.value, right.value)
        return Reply(
            value,
            left.extents + right.extents,
            left.warnings + right.warnings,
            left.expected.joined(right.expected),
        )
