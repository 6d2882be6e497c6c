"""Runs of intervals of a stream that may be an activity, and what is known of each.

Arrays of runs have the shape (block, longest): the run that begins at an interval of a block of the
stream and has 1, 2, ... intervals. Those that are too short, or would go beyond the end of the
stream, are not there.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Bools, Floats, Ints
from ibgn.classifiers.recogniser import Recogniser
from ibgn.intervals import IntervalSequences
from ibgn.segmentation.annotations import take_runs

__all__ = ["Runs", "own_ends", "score_runs"]

AT_ONCE = 200_000  # intervals of runs that are scored together


def own_ends(X: IntervalSequences, lasting: tuple[str, ...]) -> Floats:
    """(intervals,) until when each shows that its activity goes on.

    Until its end, but what lasts longer than activities do is only noted when it starts: as if it
    had the shortest duration of all.
    """
    codes = [code for code, name in enumerate(X.actions) if name in lasting]
    duration = X.end - X.start
    short = X.start + duration.min(initial=np.inf)
    return np.where(np.isin(X.action, codes), short, X.end)


class Runs(NamedTuple):
    """Runs of intervals of one stream.

    Parameters
    ----------
    stream : one instance
    shortest, longest : how many intervals a run may have
    begin, stop : places of the first interval of the block, and of the one after its last
    """

    stream: IntervalSequences
    shortest: int
    longest: int
    begin: int
    stop: int

    @property
    def there(self) -> Bools:
        """(block, longest) which runs there are; none begins while another interval starts."""
        place = np.arange(self.begin, self.stop)
        there: Bools = place[:, None] + np.arange(1, self.longest + 1) <= len(self.stream.start)
        there[self.pauses() <= 0] = False
        there[:, : self.shortest - 1] = False
        return there

    def pauses(self) -> Floats:
        """(block,) time since the start before each interval, NaN for the first of the stream."""
        return np.diff(self.stream.start, prepend=np.nan)[self.begin : self.stop]

    def spans(self, lasting: tuple[str, ...]) -> Floats:
        """(block, longest) from the first start to the last end of each run; see `own_ends`."""
        end = np.append(own_ends(self.stream, lasting), np.full(self.longest, -np.inf))
        place = np.arange(self.begin, self.stop)[:, None] + np.arange(self.longest)
        latest = np.maximum.accumulate(end[place], axis=1)
        spans: Floats = latest - self.stream.start[self.begin : self.stop, None]
        return spans

    def odds(self, score: Callable[[Ints, Ints], Floats]) -> Floats:
        """(block, longest, ...) what `score` says of all runs that are there; 0 for others."""
        there = self.there
        first, length = np.nonzero(there)
        found = score(first + self.begin, first + self.begin + length + 1)
        odds = np.zeros((*there.shape, *found.shape[1:]))
        odds[there] = found
        return odds


def score_runs(
    stream: IntervalSequences,
    first: Ints,
    last: Ints,
    model: Recogniser,
    share: Floats | None = None,
) -> Floats:
    """(runs, terms, classes) weighted scores of the runs from some places to before others.

    share : (terms,) of each term in a sum over them, which leaves one; None for each of them
    """
    parts = [np.zeros((0, 1 if share is not None else len(model.terms_), len(model.classes_)))]
    for own in _in_parts(last - first):
        runs = take_runs(stream, first[own], last[own])
        scores = model.scores(runs) * model._weights[:, None]
        parts.append(scores if share is None else (share @ scores)[:, None])
    return np.concatenate(parts)


def _in_parts(lengths: Ints) -> Iterator[Ints]:
    """Numbers of runs, in parts of limited size."""
    part = np.cumsum(lengths) // AT_ONCE
    for own in np.split(np.arange(len(lengths)), np.flatnonzero(np.diff(part)) + 1):
        if len(own):
            yield own
