"""How much each feature of a run counts, and which label follows which: learned from streams.

The log weight of a segmentation is a sum over its segments, see `ibgn._kernels.segments`. Weights
are those under which the true segmentations of streams are likeliest, among all that there are: one
small convex problem, as in `ibgn.model.weights`, whose sums go over all segmentations.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels import segments as kernels
from ibgn.segmentation.annotations import AnnotatedStreams
from ibgn.segmentation.evidence import Features

__all__ = ["USUAL", "WEIGHTS", "Chances", "Lattice", "fit_weights", "learn_steps", "weigh"]

WEIGHTS = ("odds", "span", "pause", "activity", "none")
USUAL = np.array([1.0, 1.0, 1.0, 0.0, 0.0])
"""Of log odds, of spans and pauses; of each activity, and of each interval that is in none."""

RIDGE = 1.0  # draws weights to the usual ones
UNSEEN = 0.5  # how often every step is counted besides those that were seen
DRAWN = 2.0  # steps from one activity, by which it is drawn to those from all


class Lattice(NamedTuple):
    """Weights of all segments and steps of a stream, as kernels take them."""

    scores: Floats
    none: Floats
    steps: Floats


class Chances(NamedTuple):
    """What all segmentations of a stream together say.

    Parameters
    ----------
    log_total : log of the sum of their weights
    runs : (n, longest, activities) probability that a run is an activity
    inside : (n, labels) probability that an interval is in each activity, or in none
    """

    log_total: float
    runs: Floats
    inside: Floats

    @classmethod
    def of(cls, lattice: Lattice) -> "Chances":
        """Sum over all segmentations."""
        entry, ending = kernels.sum_before(*lattice)
        after = kernels.sum_after(*lattice)
        log_total = float(np.logaddexp.reduce(ending[-1]))
        shares = kernels.share_segments(lattice.scores, lattice.none, entry, after, log_total)
        return cls(log_total, *shares)


def weigh(features: Features, weights: Floats, steps: Floats) -> Lattice:
    """Weights of all segments of a stream."""
    odds, span, pause, activity, none = weights
    scores = odds * features.odds + span * features.span + activity
    scores += pause * features.pause[:, None, None]
    scores[~features.there] = -np.inf
    return Lattice(scores, np.full(len(features.pause), none), steps)


def fit_weights(features: Sequence[Features], streams: AnnotatedStreams, steps: Floats) -> Floats:
    """Weights under which the activities of streams are likeliest; the first three not negative.

    Parameters
    ----------
    features : of each stream, by what was learned from others
    streams : what is in them
    steps : log probability of which label follows which
    """
    from scipy.optimize import minimize  # slow to load, and only learning needs it

    true = [_sum_true(each, streams, d) for d, each in enumerate(features)]
    fixed = sum(_sum_steps(streams, d, steps) for d in range(len(features)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        off = weights - USUAL
        total, slope = RIDGE * off @ off / 2 - fixed, RIDGE * off
        for each, own in zip(features, true, strict=True):
            chances = Chances.of(weigh(each, weights, steps))
            total += chances.log_total - weights @ own
            slope += _sum_expected(each, chances) - own
        return float(total), slope

    bounds = [(0, None)] * 3 + [(None, None)] * 2
    found: Floats = minimize(loss, USUAL, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found


def _sum_true(features: Features, streams: AnnotatedStreams, d: int) -> Floats:
    """Sum of each feature over the segments that are there."""
    own = streams.stream == d
    first, last, label = streams.first[own], streams.last[own], streams.label[own]
    runs = first, last - first - 1, label
    none = len(features.pause) - (last - first).sum()
    sums = (features.odds[runs], features.span[runs], features.pause[first])
    return np.array([*(each.sum() for each in sums), len(first), none], np.float64)


def _sum_expected(features: Features, chances: Chances) -> Floats:
    """Sum of each feature over segments, by how likely they are."""
    begins = chances.runs.sum(axis=(1, 2))
    sums = ((chances.runs * features.odds).sum(), (chances.runs * features.span).sum())
    last = (begins @ features.pause, begins.sum(), chances.inside[:, -1].sum())
    return np.array([*sums, *last])


def labels_in_order(streams: AnnotatedStreams, d: int) -> Ints:
    """Labels of the segments of a stream; each interval in none is one."""
    none = len(streams.activities)
    own = streams.stream == d
    labels = np.full(int(streams.X.lengths[d]), none)
    first = np.ones(len(labels), bool)
    for begin, end, label in zip(
        streams.first[own], streams.last[own], streams.label[own], strict=True
    ):
        labels[begin:end] = label
        first[begin + 1 : end] = False
    return labels[first]


def _sum_steps(streams: AnnotatedStreams, d: int, steps: Floats) -> float:
    labels = labels_in_order(streams, d)
    return float(steps[np.append(len(steps) - 1, labels)[:-1], labels].sum())


def learn_steps(streams: AnnotatedStreams, ordered: bool) -> Floats:
    """(labels + 1, labels) log probability of the next label after each, and of the first.

    ordered : whether it depends on which activity is before, or only on whether one is
    """
    labels = len(streams.activities) + 1
    counts = np.zeros((labels + 1, labels))
    for d in range(len(streams.X)):
        own = labels_in_order(streams, d)
        np.add.at(counts, (np.append(labels, own)[:-1], own), 1)
    activities = counts[:-2].sum(axis=0) + counts[-1]
    common = np.empty_like(counts)
    common[:] = activities + UNSEEN
    common[-2] = counts[-2] + UNSEEN
    common /= common.sum(axis=1, keepdims=True)
    steps = DRAWN * common + (counts if ordered else 0)
    logs: Floats = np.log(steps / steps.sum(axis=1, keepdims=True))
    return logs
