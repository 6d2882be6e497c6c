"""Rows of long files, kept together instance by instance."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ibgn._arrays import Ints
from ibgn.errors import DataError
from ibgn.io.longframe import LongFrame, join
from ibgn.text import quote

__all__ = ["keep_together"]


def keep_together(frames: Iterable[LongFrame]) -> Iterator[LongFrame]:
    """The same rows, in frames that have whole instances; refuses one that returns later.

    The last instance of a frame is held back until the next one shows where it ends.

    Examples
    --------
    >>> def frame(*names):
    ...     return LongFrame({"instance": np.array(names, object)})
    >>> whole = keep_together([frame("a", "b"), frame("b", "b"), frame("b", "c")])
    >>> [each.series["instance"].tolist() for each in whole]
    [['a'], ['b', 'b', 'b', 'b'], ['c']]
    """
    seen = _SeenNames()
    held: list[LongFrame] = []
    name = None  # of the instance that is held back
    for frame in frames:
        first, names = frame.runs()
        if held and names[0] != name:
            yield _join(held)
            held = []
        goes_on = bool(held)
        repeated = seen.add(names[goes_on:])
        if repeated is not None:
            row = int(first[goes_on:][repeated])
            raise DataError(
                f"{frame.source}{frame.place(row)}: here instance "
                f"{quote(names[goes_on:][repeated])} returns, after others; rows of an instance "
                "must stand together in files that are read piece by piece: sort the rows by "
                "instance"
            )
        last = int(first[-1])
        if last > 0:
            yield _join([*held, frame.rows(0, last)])
            held = []
        held.append(frame.rows(last, len(frame.series["instance"])))
        name = names[-1]
    if held:
        yield _join(held)


def _join(frames: Sequence[LongFrame]) -> LongFrame:
    if len(frames) == 1:
        return frames[0]
    joined = join(frames, frames[0].source if len({f.source for f in frames}) == 1 else "")
    first = frames[0]
    return LongFrame(
        joined.series, (), joined.source, joined.place, first.leniency, first.provenance
    )


MOST = 1 << 24  # names that are sorted together; with all of them, memory would be needed twice


class _SeenNames:
    """Names that there were by now, eight bytes each.

    They are known by a hash: among a hundred million names, two that are taken for one are as
    unlikely as one in four thousand.
    """

    def __init__(self) -> None:
        self._known: list[Ints] = []  # sorted, each longer than the next, or very long

    def add(self, names: Sequence[str]) -> int | None:
        """Add names; returns the place of one that was there already, None if all are new."""
        values = np.fromiter(map(hash, names), np.int64, len(names))
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        again = np.zeros(len(names), bool)
        again[order[1:]] = ordered[1:] == ordered[:-1]
        for known in self._known:
            place = np.minimum(np.searchsorted(known, values), len(known) - 1)
            again |= known[place] == values
        if again.any():
            return int(np.argmax(again))
        if len(ordered):
            self._known.append(ordered)
        while len(self._known) > 1 and len(self._known[-2]) <= min(2 * len(self._known[-1]), MOST):
            merged = np.concatenate([self._known.pop(), self._known.pop()])
            merged.sort()
            self._known.append(merged)
        return None
