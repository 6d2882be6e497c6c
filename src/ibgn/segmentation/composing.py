"""Streams composed of instances: training data if no stream was recorded."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats
from ibgn.checks import check_whole
from ibgn.classifiers.checks import check_data
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.networks import Sequences

__all__ = ["compose_streams"]

STRETCHES = 0.5  # of what is no activity, for each activity, where no background is given


def compose_streams(
    X: Sequences,
    y: npt.ArrayLike,
    background: Sequences | None = None,
    *,
    streams: int = 5,
    random_state: Any = None,
) -> tuple[IntervalSequences, IntervalSequences]:
    """Put instances one after the other, in random order, with background between them.

    Nothing marks where one ends: the time until the next start is typical of one within instances.

    Parameters
    ----------
    X, y : instances, and the activity of each
    background : stretches that belong to no activity; if None, they are made of single intervals of
        the instances, so that they have the same actions, out of any context
    streams : how many to make, with about as many instances each; at most one per instance
    random_state : seed, or a NumPy generator

    Returns
    -------
    streams : all instances
    activities : for each stream, its activities as intervals

    Examples
    --------
    >>> tea, coffee = [("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]
    >>> nothing = [[("sit", 0, 9)]]
    >>> composed = compose_streams([tea, coffee], ["tea", "coffee"], nothing, streams=1)
    >>> stream, activities = composed
    >>> len(stream.action), sorted(activities.actions)
    (5, ['coffee', 'tea'])
    """
    check_whole("streams", streams, 1)
    X, labels = check_data(X, y)
    if not X.lengths.all():
        raise DataError("instances without intervals cannot be put into streams; leave them out")
    rng = np.random.default_rng(random_state)
    pauses = _usual_pauses(X)
    nothing = _make_background(X, pauses, rng) if background is None else as_sequences(background)
    rows = [*X.to_lists(), *(stretch for stretch in nothing.to_lists() if stretch)]
    names = [*map(str, labels), *[None] * (len(rows) - len(X))]
    streams = min(streams, len(X))
    order = np.array_split(rng.permutation(len(rows)), streams)
    composed = [
        _compose([rows[n] for n in own], [names[n] for n in own], pauses, rng) for own in order
    ]
    ids = [f"stream {n}" for n in range(1, streams + 1)]
    intervals, activities = zip(*composed, strict=True)
    return (
        IntervalSequences.from_lists(intervals, ids=ids),
        IntervalSequences.from_lists(activities, ids=ids),
    )


def _compose(
    instances: list[Instance], names: list[str | None], pauses: Floats, rng: np.random.Generator
) -> tuple[list[tuple[str, float, float]], list[tuple[str, float, float]]]:
    """Intervals of one stream, and its activities."""
    now, intervals, activities = 0.0, [], []
    for instance, name in zip(instances, names, strict=True):
        late = now - min(start for _, start, _ in instance)
        moved = [(action, start + late, end + late) for action, start, end in instance]
        intervals += moved
        until = max(end for _, _, end in moved)
        if name is not None:
            activities.append((name, now, until))
        now = until + float(rng.choice(pauses))
    return intervals, activities


def _usual_pauses(X: IntervalSequences) -> Floats:
    """Times between starts that follow each other within an instance."""
    gaps = np.diff(X.start)[np.diff(X.owner) == 0]
    gaps = gaps[gaps > 0]
    return gaps if len(gaps) else (X.end - X.start)


def _make_background(
    X: IntervalSequences, pauses: Floats, rng: np.random.Generator
) -> IntervalSequences:
    """Stretches of intervals from anywhere, about half as many as there are instances."""
    lengths = rng.choice(X.lengths, int(np.ceil(STRETCHES * len(X))))
    chosen = rng.integers(len(X.action), size=lengths.sum())
    start = np.cumsum(rng.choice(pauses, len(chosen)))
    names = [X.actions[code] for code in X.action[chosen]]
    end = start + (X.end - X.start)[chosen]
    rows = list(zip(names, start.tolist(), end.tolist(), strict=True))
    bounds = pairwise([0, *np.cumsum(lengths).tolist()])
    return IntervalSequences.from_lists([rows[first:last] for first, last in bounds])
