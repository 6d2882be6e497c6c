"""How typical an instance is of the activities, and whether it may be none of them.

Each term looks at an activity from two sides: how likely it makes an interval of the instance, and
how much it alone speaks for this activity rather than for others. Both are compared with what
held-out instances of the activity have, in standard deviations. Their mean over all terms is how
typical an instance is of an activity. That of the activity it is most typical of is compared with
held-out instances: the p-value is the share of them that are no more typical, a conformal p-value.
"""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import log_softmax

from ibgn._arrays import Bools, Floats, Ints
from ibgn.checks import check_number
from ibgn.declarations import FLOAT, is_finite, is_increasing, is_positive, stored
from ibgn.errors import DataWarning, Option
from ibgn.model.learning import HeldOut
from ibgn.text import count, quote

__all__ = ["Typicality", "Unusual"]

LEAST_SPREAD = 0.01  # nats; smaller differences mean nothing
FURTHEST = 20.0  # standard deviations that one side of a term counts at most
FEWEST = 1.0  # instances that the mean over all activities counts as in that of an activity
MOST_INSTANCES = 5000  # that are compared with each other; more would say little, and take long
MOST_LEVELS = 500  # that are kept of them
IMPOSSIBLE = -1e30  # nats
RARE = 0.05  # p-value up to which words speak of an unknown activity
LEAST_SHARE = -20.0  # log share of an activity that a term finds all but impossible


@dataclass(frozen=True)
class Typicality:
    """What is typical of the instances of each activity, and how far held-out ones are from it.

    Parameters
    ----------
    mean : (2, terms, activities) of both sides of each term, over held-out instances
    spread : (2, terms) standard deviation of an instance of an activity from its mean
    levels : (levels,) how typical held-out instances are of their most typical activity, ascending
    below : (levels + 1,) how many held-out instances are less typical than each level, and all

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=10, random_state=0)
    >>> model = IBGNClassifier(random_state=0).fit(X, y)
    >>> known = model.typicality_
    >>> known.mean.shape == (2, len(model.terms_), len(model.classes_))
    True
    >>> known.instances, known.levels.shape
    (40.0, (40,))
    """

    mean: Floats = stored(FLOAT, 2, "sides", "activities", holds=is_finite)
    spread: Floats = stored(FLOAT, 2, "sides", holds=is_positive)
    levels: Floats = stored(
        FLOAT, "levels", holds=lambda value: len(value) and is_increasing(value)
    )
    below: Floats = stored(
        FLOAT, "levels+1", holds=lambda value: is_increasing(value) and value[0] == 0
    )

    @classmethod
    def learn(
        cls, held_out: HeldOut, weights: Floats, familiar: Bools | None = None
    ) -> Self | None:
        """What is typical by held-out scores; None where no instance was held out.

        Each instance is compared with the mean of the others of its activity, as a new one is.

        Parameters
        ----------
        held_out : scores, of which copies with errors are left out
        weights : (terms,) how much each term counts
        familiar : (n,) see `p_values`
        """
        chosen = np.flatnonzero(held_out.weights[: len(held_out.lengths)] > 0)
        if not len(chosen):
            return None
        if len(chosen) > MOST_INSTANCES:
            rng = np.random.default_rng(0)
            chosen = np.sort(rng.choice(chosen, MOST_INSTANCES, replace=False))
        codes, counting = held_out.codes[chosen], held_out.weights[chosen]
        sides = _look(held_out.scores[chosen], held_out.lengths[chosen], weights)
        own = sides[np.arange(len(codes)), :, :, codes]  # instances, sides, terms
        number = np.bincount(codes, counting, sides.shape[3])
        weighted = own * counting[:, None, None]
        total = np.zeros((len(number), *own.shape[1:]))
        np.add.at(total, codes, weighted)
        usual = FEWEST * weighted.sum(axis=0) / counting.sum()
        mean = np.moveaxis((total + usual) / (number + FEWEST)[:, None, None], 0, -1)
        rest = (number[codes] - counting + FEWEST)[:, None, None]
        apart = own - (total[codes] - weighted + usual) / rest
        squares = np.average(apart**2, axis=0, weights=counting)
        spread = np.maximum(np.sqrt(squares), LEAST_SPREAD)
        heights = _standardise(sides, mean, spread).mean(axis=(1, 2))
        heights[np.arange(len(codes)), codes] = np.clip(apart / spread, -FURTHEST, FURTHEST).mean(
            axis=(1, 2)
        )
        height = _lower(heights.max(axis=1), None if familiar is None else familiar[chosen])
        return cls(mean, spread, *_thin(height, counting))

    @property
    def instances(self) -> float:
        """How many were held out."""
        return float(self.below[-1])

    @property
    def least(self) -> float:
        """The smallest p-value that is possible."""
        return float(1 / (1 + self.instances))

    def deviations(self, scores: Floats, lengths: Ints, weights: Floats) -> Floats:
        """(n, terms, activities) how far each term is from what is typical, both sides together.

        Parameters
        ----------
        scores : (n, terms, activities) log probabilities
        lengths : (n,) numbers of intervals
        weights : (terms,) how much each term counts
        """
        sides = _look(scores, lengths, weights)
        mean: Floats = _standardise(sides, self.mean, self.spread).mean(axis=1)
        return mean

    def p_values(
        self, scores: Floats, lengths: Ints, weights: Floats, familiar: Bools | None = None
    ) -> Floats:
        """(n,) share of instances of the activities that are no more typical, with this one.

        Parameters
        ----------
        scores, lengths, weights : see `deviations`
        familiar : (n,) whether an action of each instance is known; others are as untypical as can
            be, whatever their number of intervals; None if all are
        """
        height = self.deviations(scores, lengths, weights).mean(axis=1).max(axis=1)
        height = _lower(height, familiar)
        found = self.below[np.searchsorted(self.levels, height, side="right")]
        shares: Floats = (1 + found) / (1 + self.instances)
        return shares

    def check_rate(self, false_alarm: float) -> None:
        """Refuse what is no rate of false alarms; warn of one that is too small to be tested."""
        check_number("false_alarm", false_alarm, "between 0 and 1", lambda rate: 0 < rate < 1)
        if false_alarm < self.least:
            held_out = count(round(self.instances), "instance")
            text = (
                f"no instance can be rejected, as {held_out} held out allow no p-value below "
                f"{self.least:.2g}; learn from more, or set "
            )
            wider = float(np.ceil(self.least * 1000) / 1000)
            warnings.warn(DataWarning(text, Option("false_alarm", wider)), stacklevel=4)


class Unusual(NamedTuple):
    """How an instance compares with those of the activities.

    Parameters
    ----------
    p_value : share of their instances that are no more typical than this one
    nearest : the activity that it is most typical of
    terms : how far each term is from what is typical of it, in standard deviations, the least
        typical first

    Examples
    --------
    >>> found = Unusual(0.02, "tea", {"relations": -4.31, "order": -1.2})
    >>> found.rare
    True
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    Perhaps none of the activities: only 2% of their instances are no more typical. It is most like
    'tea', with untypical relations (-4.3 standard deviations), order (-1.2)
    """

    p_value: float
    nearest: Any
    terms: dict[str, float]

    @property
    def rare(self) -> bool:
        """Whether that is worth a word."""
        return self.p_value <= RARE

    def __str__(self) -> str:
        untypical = [(name, value) for name, value in self.terms.items() if value < -1][:3]
        units = [" standard deviations", "", ""]
        said = [
            f"{name} ({value:.1f}{unit})"
            for (name, value), unit in zip(untypical, units, strict=False)
        ]
        return (
            f"Perhaps none of the activities: only {100 * self.p_value:.2g}% of their instances "
            f"are no more typical. It is most like {quote(self.nearest)}"
            + (f", with untypical {', '.join(said)}" if said else "")
        )


def _look(scores: Floats, lengths: Ints, weights: Floats) -> Floats:
    """(n, 2, terms, activities) log probability per interval, and log share by the term alone."""
    scores = np.maximum(scores, IMPOSSIBLE)  # so that nothing is infinite
    per_interval = scores / np.maximum(lengths, 1)[:, None, None]
    shares = log_softmax(weights[:, None] * scores, axis=2)
    return np.stack([per_interval, np.maximum(shares, LEAST_SHARE)], axis=1)


def _standardise(sides: Floats, mean: Floats, spread: Floats) -> Floats:
    """(n, 2, terms, activities) standard deviations from what is typical."""
    apart = (sides - mean) / spread[:, :, None]
    return np.clip(apart, -FURTHEST, FURTHEST)


def _lower(height: Floats, familiar: Bools | None) -> Floats:
    """How typical instances are, those without a known action the least that is possible."""
    return height if familiar is None else np.where(familiar, height, -FURTHEST)


def _thin(heights: Floats, counting: Floats) -> tuple[Floats, Floats]:
    """Levels and what is below them; of very many, some are kept, and p-values only rise by it."""
    levels, place = np.unique(heights, return_inverse=True)
    upto = np.cumsum(np.bincount(place, counting))
    kept = np.arange(len(levels))
    if len(levels) > MOST_LEVELS:
        kept = np.unique(np.linspace(0, len(levels) - 1, MOST_LEVELS).astype(np.int64))
    below = np.append(0.0, upto)
    return levels[kept], np.append(below[kept], below[-1])
