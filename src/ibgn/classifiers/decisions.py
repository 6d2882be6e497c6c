"""When an activity is sure enough to be named before an instance is over.

The log odds of the likeliest activity change with every event. It is named as soon as they exceed a
threshold. Which threshold keeps the share of wrong decisions below what was asked for is tested on
instances that the model has not learned from, from the strictest to more lenient ones, and the last
that passes is taken.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import bdtr

from ibgn._arrays import Bools, Floats, Ints, find_runs
from ibgn.checks import check_number
from ibgn.declarations import ANY, FLOAT, INT, are_weights, is_finite, is_natural, stored
from ibgn.errors import DataError
from ibgn.text import count

__all__ = ["Decisions", "Records", "decisions_of", "find_records", "log_odds"]

MOST_STEPS = 10_000  # thresholds that are kept
FAR = 1e9  # log odds where nothing else is possible


class Records(NamedTuple):
    """Events after which the likeliest activity of an instance was surer than ever before.

    Parameters
    ----------
    owner : (records,) number of the instance, ascending
    event : (records,) number of the event, among those of all instances
    odds : (records,) log odds of the likeliest activity, ascending within an instance
    likeliest : (records,) number of that activity
    """

    owner: Ints
    event: Ints
    odds: Floats
    likeliest: Ints

    def take(self, kept: Bools) -> "Records":
        """Some of them."""
        return Records(self.owner[kept], self.event[kept], self.odds[kept], self.likeliest[kept])

    def first(self, threshold: float) -> "Records":
        """Decisions: of each instance the first record whose odds exceed a threshold."""
        above = self.take(self.odds > threshold)
        return above.take(np.diff(above.owner, prepend=-1) != 0)


def log_odds(joint: Floats) -> tuple[Ints, Floats]:
    """(n,) number of the likeliest activity of each row of scores, and its log odds."""
    top = joint.argmax(axis=1)
    behind = joint - joint.max(axis=1, keepdims=True)
    behind[np.arange(len(joint)), top] = -FAR
    second = behind.max(axis=1, keepdims=True)
    return top, -(second[:, 0] + np.log(np.exp(behind - second).sum(axis=1)))


def find_records(owner: Ints, joint: Floats) -> Records:
    """Find events after which an activity was surer than ever before.

    Parameters
    ----------
    owner : (events,) number of the instance, ascending
    joint : (events, activities) scores after each event

    Examples
    --------
    >>> joint = np.log([[0.6, 0.4], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8]])
    >>> records = find_records(np.array([0, 0, 0, 1]), joint)
    >>> records.event.tolist(), records.likeliest.tolist(), records.odds.round(1).tolist()
    ([0, 1, 3], [0, 1, 1], [0.4, 0.8, 1.4])
    """
    likeliest, odds = log_odds(joint)
    before = np.full(len(odds), -np.inf)
    for begin, stop in pairwise(find_runs(owner).tolist()):
        before[begin + 1 : stop] = np.maximum.accumulate(odds[begin : stop - 1])
    event = np.flatnonzero(odds > before)
    return Records(owner[event], event, odds[event], likeliest[event])


@dataclass(frozen=True, eq=False)
class Decisions:
    """How sure a model must be of an activity to name it before an instance is over.

    Parameters
    ----------
    weights : (terms,) how much each term counts while an instance goes on
    thresholds : (steps,) log odds of the likeliest activity, descending
    decided, wrong : (steps,) number of held-out instances whose activity would have been named,
        and of those that would have got a wrong one, if it were named above each threshold
    instances : number of instances that were held out

    Examples
    --------
    >>> sure = np.log(np.arange(100, 0, -1.0))  # one instance above each threshold, none is wrong
    >>> decisions = Decisions(np.ones(1), sure, np.arange(100), np.zeros(100, int), 100)
    >>> decisions.threshold(0.05), decisions.threshold(0.01)
    (0.0, inf)
    """

    weights: Floats = stored(FLOAT, ANY, holds=are_weights)
    thresholds: Floats = stored(FLOAT, "steps", holds=is_finite)
    decided: Ints = stored(INT, "steps")
    wrong: Ints = stored(INT, "steps")
    instances: int = stored(int, holds=is_natural)
    _known: dict[tuple[float, float], float] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, weights: Floats, records: Records, codes: Ints) -> Self:
        """Count decisions at every threshold.

        Parameters
        ----------
        weights : (terms,) how much each term counts while an instance goes on
        records : of held-out instances
        codes : (instances,) number of the true activity of each
        """
        mistaken = records.likeliest != codes[records.owner]
        first = np.diff(records.owner, prepend=-1) != 0
        before = np.where(first, -np.inf, np.roll(records.odds, 1))
        surest = np.sort(records.odds[np.roll(first, -1)])
        thresholds = np.unique(records.odds)[::-1]
        if len(thresholds) > MOST_STEPS:
            thresholds = thresholds[np.linspace(0, len(thresholds) - 1, MOST_STEPS).astype(int)]
        # a record decides at thresholds from the record before up to its own odds
        begun, over = (
            np.searchsorted(np.sort(odds[mistaken]), thresholds, "right")
            for odds in (before, records.odds)
        )
        decided = len(surest) - np.searchsorted(surest, thresholds, "right")
        return cls(weights, thresholds, decided, begun - over, len(codes))

    def agrees(self) -> bool:
        """Whether the counts can be those of thresholds that descend."""
        rising = (np.diff(self.thresholds) < 0).all() and (np.diff(self.decided) >= 0).all()
        counts = (self.wrong >= 0) & (self.wrong <= self.decided) & (self.decided <= self.instances)
        return bool(rising and counts.all())

    def threshold(self, error: float, confidence: float = 0.9) -> float:
        """Log odds above which decisions are wrong at most as often as asked for.

        Infinite where too few instances were held out, or too many of them are mistaken.

        Parameters
        ----------
        error : share of the decisions that may be wrong
        confidence : how surely, over what instances happened to be held out

        Notes
        -----
        A threshold passes if so few of its decisions are wrong that a share above `error` would
        show so few with a probability of at most 1 - confidence. Thresholds are tested from strict
        to lenient until one fails, so that the first one that should not pass decides about all
        (fixed-sequence testing). Testing begins where there are just enough decisions to pass
        without a mistake, and again where there are twice as many, and so on; beginnings share
        the probability. That counts on stricter thresholds to be wrong no more often.
        """
        asked = float(error), float(confidence)
        if asked not in self._known:
            for name, value in (("error", error), ("confidence", confidence)):
                check_number(name, value, "above 0 and below 1", lambda share: 0 < share < 1)
            self._known[asked] = self._find_threshold(*asked)
        return self._known[asked]

    def _find_threshold(self, error: float, confidence: float) -> float:
        enough = enough_decisions(error, 1 - confidence)
        if self.instances < enough:
            return math.inf
        beginnings = max(int(math.log2(self.instances / enough)), 1)
        doubt = (1 - confidence) / beginnings
        passes = bdtr(self.wrong.astype(float), self.decided, error) <= doubt
        found = math.inf
        for number in range(beginnings):
            least = enough_decisions(error, doubt) * 2**number
            begin = int(np.searchsorted(self.decided, least))
            stop = begin + int(np.argmin(np.append(passes[begin:], False)))
            if stop > begin:
                found = min(found, float(self.thresholds[stop - 1]))
        return found


def decisions_of(model: Any, terms: int) -> Decisions:
    """When a model decides; refuses one that did not learn it."""
    decisions: Decisions | None = getattr(model, "decisions_", None)
    if decisions is None:
        raise DataError(
            "the model has not learned when it may decide; call ibgn.learn_decisions(model, X, y) "
            "with what it learned from, or use `ibgn fit --early`"
        )
    if len(decisions.weights) != terms:
        raise DataError(
            f"the model has {count(terms, 'term')}, and decides by {len(decisions.weights)}; "
            "its file was altered: fit it again"
        )
    return decisions


def enough_decisions(error: float, doubt: float) -> int:
    """How many decisions, of which none is wrong, show that at most this share is."""
    return math.ceil(math.log(doubt) / math.log1p(-error))
