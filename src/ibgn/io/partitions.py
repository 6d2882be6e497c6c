"""Rows in partitions on several machines: which of them hold which instances.

Rows of an instance may stand anywhere in a partition, and go on in the next one. Then the partition
where it begins claims them.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Bools
from ibgn.errors import DataError
from ibgn.io.longframe import LongFrame, join
from ibgn.text import quote

__all__ = [
    "Claim",
    "Ends",
    "Names",
    "Returns",
    "claim_rows",
    "find_returning",
    "plan_claims",
    "refuse_return",
    "take_instance",
]


class Ends(NamedTuple):
    """The instances of the first and of the last row of a partition; "" and "" of an empty one.

    Parameters
    ----------
    first, last : their names
    instances : how many there are in between and at the ends
    """

    first: str
    last: str
    instances: int

    def goes_on_from(self, before: "Ends") -> bool:
        """Whether the first instance began in the partition before, and is its last one."""
        return self.first == before.last


class Names(NamedTuple):
    """Which instances have rows in a partition.

    Parameters
    ----------
    ends : the first and the last one
    hashes : of their names, in parts that all partitions divide in the same way

    Examples
    --------
    >>> frame = LongFrame({"instance": np.array(["a", "a", "b"], object)})
    >>> names = Names.of(frame, parts=2)
    >>> names.ends, sum(map(len, names.hashes))
    (Ends(first='a', last='b', instances=2), 2)
    """

    ends: Ends
    hashes: tuple[npt.NDArray[np.uint64], ...]

    @classmethod
    def of(cls, frame: LongFrame, parts: int) -> "Names":
        """Names in the rows of a partition."""
        if not len(frame.series["instance"]):
            return cls(Ends("", "", 0), (np.zeros(0, np.uint64),) * parts)
        _, names = frame.runs()
        hashes = hash_names([*dict.fromkeys(names)])
        hashes.sort()
        part = hashes % np.uint64(parts)
        ends = Ends(names[0], names[-1], len(hashes))
        return cls(ends, tuple(hashes[part == number] for number in range(parts)))


class Claim(NamedTuple):
    """What a partition has of instances, without what others claim, and with what it claims.

    Parameters
    ----------
    partition : its number
    continued : the instance of its first row, if an earlier partition claims it; otherwise None
    name : the instance of its last row
    others : later partitions that have rows of that instance
    """

    partition: int
    continued: str | None
    name: str
    others: list[int]


def hash_names(names: Sequence[str]) -> npt.NDArray[np.uint64]:
    """(n,) a number for each name, the same on all machines."""
    return pd.util.hash_array(np.array([*names, None], object)[:-1], categorize=False)


def plan_claims(every: Sequence[Ends]) -> list[Claim]:
    """Who claims which rows; partitions that have none of their own are left out.

    Examples
    --------
    >>> plan_claims([Ends("a", "b", 2), Ends("b", "b", 1), Ends("b", "c", 2)])
    [Claim(partition=0, continued=None, name='b', others=[1, 2]),
     Claim(partition=2, continued='b', name='c', others=[])]
    """
    known = [(number, ends) for number, ends in enumerate(every) if ends.instances]
    claims: list[Claim] = []
    for place, (number, ends) in enumerate(known):
        continued = place > 0 and ends.goes_on_from(known[place - 1][1])
        if continued:
            owner = next(claim for claim in reversed(claims) if claim.name == ends.first)
            owner.others.append(number)
            if ends.instances == 1:
                continue
        # what went on from an earlier partition, to the last row, is not its own
        name = "" if continued and ends.last == ends.first else ends.last
        claims.append(Claim(number, ends.first if continued else None, name, []))
    return claims


def claim_rows(claim: Claim, rows: LongFrame, others: Sequence[LongFrame]) -> LongFrame:
    """The rows of a claim, of its own partition and of others."""
    own = (
        rows if claim.continued is None else rows.take(np.flatnonzero(~_has(rows, claim.continued)))
    )
    if not others:
        return own
    joined = join(
        [own, *others], own.source if len({f.source for f in (own, *others)}) == 1 else ""
    )
    return LongFrame(joined.series, (), joined.source, joined.place)


def take_instance(rows: LongFrame, name: str) -> LongFrame:
    """The rows of one instance, with nothing of the others, as they go to another machine."""
    chosen = np.flatnonzero(_has(rows, name))
    places = [rows.place(row) for row in chosen.tolist()]
    return replace(rows.take(chosen), place=places.__getitem__)


def _has(rows: LongFrame, name: str) -> Bools:
    """(rows,) which are of an instance."""
    first, names = rows.runs()
    number = np.diff([*first, len(rows.series["instance"])])
    return np.repeat(np.array([each == name for each in names]), number)


class Returns(NamedTuple):
    """Instances of a partition that were in an earlier one, and do not go on from there.

    Parameters
    ----------
    partition : its number
    hashes : of their names
    """

    partition: int
    hashes: list[int]


def find_returning(every: Sequence[Ends], hashes: Sequence[Any]) -> Returns | None:
    """Those of the first partition that has any; None if there are none.

    hashes : (partitions,) one part of the hashes of each
    """
    known = [(number, ends) for number, ends in enumerate(every) if ends.instances]
    owner = np.repeat([number for number, _ in known], [len(hashes[n]) for n, _ in known])
    values = np.concatenate([np.zeros(0, np.uint64), *(hashes[number] for number, _ in known)])
    going_on = {
        (before, number): int(hash_names([ends.first])[0])
        for (before, its), (number, ends) in pairwise(known)
        if ends.goes_on_from(its)
    }
    returning: dict[int, list[int]] = {}
    order = np.argsort(values, kind="stable")
    for place in np.flatnonzero(np.diff(values[order]) == 0).tolist():
        before, number = owner[order[place : place + 2]].tolist()
        value = int(values[order[place]])
        if going_on.get((before, number)) != value:
            returning.setdefault(number, []).append(value)
    first = min(returning, default=None)
    return None if first is None else Returns(first, returning[first])


def refuse_return(rows: LongFrame, hashes: Collection[int]) -> DataError:
    """The error about the first of these instances, which was in an earlier partition."""
    first, names = rows.runs()
    place = next(run for run, value in enumerate(hash_names(names).tolist()) if value in hashes)
    return DataError(
        f"{rows.source}{rows.place(int(first[place]))}: here instance {quote(names[place])} "
        "returns, after others; its rows must be in one partition, or in some that follow each "
        "other: sort the rows by instance, or shuffle a frame of Dask by it"
    )
