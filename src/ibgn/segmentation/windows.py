"""All runs of intervals of a stream that may be an activity, and what is known of each.

Arrays of runs have the shape (n, longest): the run that begins at an interval of the stream and has
1, 2, ... intervals. Those that would go beyond the end of the stream are not there.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Bools, Floats, Ints
from ibgn.classifiers.questions import unquestioned
from ibgn.classifiers.recogniser import Recogniser
from ibgn.intervals import IntervalSequences
from ibgn.segmentation.annotations import take_runs

__all__ = ["Runs"]

AT_ONCE = 200_000  # intervals of runs that are scored together


class Runs(NamedTuple):
    """Runs of intervals of one stream.

    Parameters
    ----------
    stream : one instance
    longest : how many intervals a run may have
    """

    stream: IntervalSequences
    longest: int

    @property
    def there(self) -> Bools:
        """(n, longest) which runs there are; none begins between intervals that start together."""
        start = self.stream.start
        length = np.arange(1, self.longest + 1)
        together = np.diff(start, prepend=-np.inf) <= 0
        there: Bools = np.arange(len(start))[:, None] + length <= len(start)
        there[together] = False
        return there

    def pauses(self) -> Floats:
        """(n,) time since the start before each interval, NaN for the first."""
        return np.diff(self.stream.start, prepend=np.nan)

    def spans(self) -> Floats:
        """(n, longest) from the first start to the last end of each run."""
        n = len(self.stream.start)
        end = np.append(self.stream.end, np.full(self.longest, -np.inf))
        latest = np.maximum.accumulate(end[np.arange(n)[:, None] + np.arange(self.longest)], axis=1)
        spans: Floats = latest - self.stream.start[:, None]
        return spans

    def scores(self, model: Recogniser) -> Floats:
        """(n, longest, classes) scores of all runs; differences are log odds."""
        there = self.there
        scores = np.full((*there.shape, len(model.classes_)), -np.inf)
        with unquestioned():
            for first, length in self._in_parts(*np.nonzero(there)):
                runs = take_runs(self.stream, first, first + length + 1)
                scores[first, length] = model._joint_log_likelihood(runs)
        return scores

    @staticmethod
    def _in_parts(first: Ints, length: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Runs in parts of limited size."""
        size = np.cumsum(length + 1)
        part = size // AT_ONCE
        for own in np.split(np.arange(len(first)), np.flatnonzero(np.diff(part)) + 1):
            if len(own):
                yield first[own], length[own]
