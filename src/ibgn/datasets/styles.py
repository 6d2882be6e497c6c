"""Simulated activities that are done in one, two or three styles."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Objects
from ibgn.checks import check_number, check_whole
from ibgn.intervals import IntervalSequences

__all__ = ["make_styles"]

PAIRS = (("hold", "pour"), ("press", "stir"), ("wash", "wipe"), ("open", "fill"))
MEAN_SECONDS = {
    "hold": 4.0,
    "pour": 3.0,
    "press": 2.0,
    "stir": 5.0,
    "wash": 3.0,
    "wipe": 4.0,
    "open": 2.0,
    "fill": 3.5,
}
SPREAD = 0.3  # of the logarithm of durations
GAP = (0.2, 1.5)  # seconds between what does not overlap

IN_ORDER, MIXED = (0, 1, 2, 3), (2, 0, 3, 1)
LONG = {"hold": 2.0, "stir": 0.5, "wash": 2.0}
SHORT = {"hold": 0.5, "stir": 2.0, "wash": 0.5}


class _Style(NamedTuple):
    """How an activity is done.

    Parameters
    ----------
    together : letters for each pair of actions: "t" if they overlap, "a" if they are apart
    order : of the pairs
    pace : factors of the mean durations of some actions
    """

    together: str
    order: tuple[int, ...] = IN_ORDER
    pace: Mapping[str, float] = {}


ACTIVITIES = {
    "one way": (_Style("tata"),),
    "two relations": (_Style("ttaa"), _Style("aatt")),
    "two orders": (_Style("atat"), _Style("atat", MIXED)),
    "two paces": (_Style("atta", pace=LONG), _Style("atta", pace=SHORT)),
    "three ways": (_Style("ttaa"), _Style("ttaa", MIXED), _Style("aatt", pace=LONG)),
    "together or apart": (_Style("tttt"), _Style("aaaa")),
}


def make_styles(
    *,
    instances_per_activity: int = 30,
    confusion: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> tuple[IntervalSequences, Objects, npt.NDArray[np.int64]]:
    """Simulate six activities with the same eight actions, done in one, two or three styles.

    Styles differ in which actions overlap ("two relations", "together or apart"), in the order
    of the actions ("two orders"), in how long they last ("two paces"), or in all of these ("three
    ways"). The activity "one way" has one style.

    Parameters
    ----------
    instances_per_activity : number of instances of each of the six, in turn of each style
    confusion : probability that two actions are performed the other way round: together if
        the style has them apart, or apart if it has them together
    random_state : seed, or a NumPy generator

    Returns
    -------
    X : the instances
    y : (n,) names of the activities
    styles : (n,) number of the style of each, from 0

    Examples
    --------
    >>> X, y, styles = make_styles(instances_per_activity=3, random_state=0)
    >>> styles[y == "three ways"]
    array([0, 1, 2])
    >>> len(X), X.lengths.max()
    (18, np.int64(8))
    """
    check_whole("instances_per_activity", instances_per_activity, 0)
    check_number("confusion", confusion, "from 0 to 1", lambda value: 0 <= value <= 1)
    rng = np.random.default_rng(random_state)
    instances, y, styles = [], [], []
    for name, ways in ACTIVITIES.items():
        for number in range(instances_per_activity):
            styles.append(number % len(ways))
            y.append(name)
            instances.append(_perform(ways[styles[-1]], confusion, rng))
    return IntervalSequences.from_lists(instances), np.array(y, object), np.array(styles, np.int64)


def _perform(
    style: _Style, confusion: float, rng: np.random.Generator
) -> list[tuple[str, float, float]]:
    """One instance, pair by pair."""
    intervals, now = [], 0.0
    for number in style.order:
        first, second = PAIRS[number]
        lasts = {
            action: MEAN_SECONDS[action] * style.pace.get(action, 1) * np.exp(SPREAD * rng.normal())
            for action in (first, second)
        }
        share, gap = rng.uniform(0.1, 0.9), rng.uniform(*GAP)
        together = (style.together[number] == "t") != (rng.random() < confusion)
        begin = now + (share * lasts[first] if together else lasts[first] + gap)
        intervals += [(first, now, now + lasts[first]), (second, begin, begin + lasts[second])]
        now = max(end for _, _, end in intervals) + rng.uniform(*GAP)
    return intervals
