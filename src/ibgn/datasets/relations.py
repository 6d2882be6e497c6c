"""Simulated activities that differ only in the relations of their intervals."""

from itertools import product

import numpy as np
import numpy.typing as npt

from ibgn.checks import check_number, check_whole
from ibgn.intervals import IntervalSequences

__all__ = ["make_relations"]

PAIRS = (("hold", "pour"), ("press", "stir"))
MEAN_SECONDS = {"hold": 4.0, "pour": 3.0, "press": 2.0, "stir": 5.0}
SPREAD = 0.3  # of the logarithm of durations
GAP = (0.2, 1.5)  # seconds between what does not overlap


def make_relations(
    *,
    instances_per_activity: int = 50,
    confusion: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> tuple[IntervalSequences, npt.NDArray[np.object_]]:
    """Simulate four activities that only a model of relations can tell apart.

    Every instance has the same four actions in the same order of their starts, once each, with
    durations from the same distributions. In the activity "together, apart" the first two overlap
    and the last two follow each other; the other three activities are the other combinations.

    Parameters
    ----------
    instances_per_activity : number of instances of each of the four
    confusion : probability that two actions are performed the other way round: together if
        the activity has them apart, or apart if it has them together
    random_state : seed, or a NumPy generator

    Returns
    -------
    X : the instances
    y : (n,) names of the activities

    Examples
    --------
    >>> X, y = make_relations(instances_per_activity=2, random_state=0)
    >>> len(X), y[0]
    (8, 'apart, apart')
    >>> sorted({action for action, _, _ in X[0].to_lists()[0]})
    ['hold', 'pour', 'press', 'stir']
    """
    check_whole("instances_per_activity", instances_per_activity, 0)
    check_number("confusion", confusion, "from 0 to 1", lambda value: 0 <= value <= 1)
    rng = np.random.default_rng(random_state)
    wishes = list(product((False, True), repeat=len(PAIRS)))
    instances = [
        _perform(wish, confusion, rng) for wish in wishes for _ in range(instances_per_activity)
    ]
    names = [", ".join("together" if near else "apart" for near in wish) for wish in wishes]
    y = np.repeat(np.array(names, object), instances_per_activity)
    return IntervalSequences.from_lists(instances), y


def _perform(
    wish: tuple[bool, ...], confusion: float, rng: np.random.Generator
) -> list[tuple[str, float, float]]:
    """One instance; durations are drawn first, so that they do not depend on the activity."""
    intervals, now = [], 0.0
    for (first, second), together in zip(PAIRS, wish, strict=True):
        lasts = {a: MEAN_SECONDS[a] * np.exp(SPREAD * rng.normal()) for a in (first, second)}
        share, gap = rng.uniform(0.1, 0.9), rng.uniform(*GAP)
        other_way = rng.random() < confusion
        begin = now + (share * lasts[first] if together != other_way else lasts[first] + gap)
        intervals += [(first, now, now + lasts[first]), (second, begin, begin + lasts[second])]
        now = max(end for _, _, end in intervals) + rng.uniform(*GAP)
    return intervals
