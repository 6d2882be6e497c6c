"""For how much of the time detected intervals are right."""

import numpy as np

from ibgn._arrays import Bools, Floats
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.metrics.matching import align
from ibgn.networks import Sequences

__all__ = ["frame_accuracy"]


def frame_accuracy(
    true: Sequences, detected: Sequences, recordings: Sequences | None = None
) -> float:
    """Share of the time at which what goes on is what was detected, nothing included.

    It is what the accuracy of frames comes to where frames are short.

    Parameters
    ----------
    true, detected : intervals, for each instance those that are there and those that were found
    recordings : what they are about; the time of each counts from its first start to its last end.
        By default it counts from the first start to the last end of what is true or detected.

    Examples
    --------
    >>> frame_accuracy([[("tea", 0, 10)]], [[("tea", 2, 10)]])
    0.8
    >>> frame_accuracy([[("tea", 0, 10)]], [[("tea", 2, 10)]], [[("boil", 0, 4), ("rest", 4, 20)]])
    0.9
    """
    X, Z = align(true, detected)
    whole = None if recordings is None else as_sequences(recordings)
    if whole is not None and len(whole) != len(X):
        raise DataError(f"there are {len(X)} instances and {len(whole)} recordings of them")
    right = total = 0.0
    for d in range(len(X)):
        spans = [X[d], Z[d], *([] if whole is None else [whole[d]])]
        times = np.unique(np.concatenate([np.append(each.start, each.end) for each in spans]))
        lasts = np.diff(times)
        if whole is not None and len(whole[d].action):
            first, last = whole[d].start.min(), whole[d].end.max()
            lasts[(times[:-1] < first) | (times[1:] > last)] = 0.0
        same = (_going_on(X[d], times) == _going_on(Z[d], times)).all(axis=1)
        right += float(lasts[same].sum())
        total += float(lasts.sum())
    return right / total if total else 1.0


def _going_on(X: IntervalSequences, times: Floats) -> Bools:
    """(stretches, actions) whether each action goes on between times that follow each other."""
    changes = np.zeros((max(len(times), 1), len(X.actions)))
    np.add.at(changes, (np.searchsorted(times, X.start), X.action), 1)
    np.add.at(changes, (np.searchsorted(times, X.end), X.action), -1)
    going_on: Bools = np.cumsum(changes, axis=0)[:-1] > 0.5
    return going_on
