"""How much each feature of a run counts, and which label follows which: learned from streams.

The log weight of a segmentation is a sum over its segments, see `ibgn._kernels.segments`. Weights
are those under which the true segmentations of streams are likeliest, among all that there are: one
small convex problem, as in `ibgn.model.weights`, whose sums go over all segmentations.
"""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.segmentation.annotations import AnnotatedStreams
from ibgn.segmentation.evidence import Features
from ibgn.segmentation.lattice import Chances, Lattice

__all__ = ["USUAL", "fit_weights", "learn_steps", "weigh"]

USUAL = np.array([1.0, 1.0, 0.0, 0.0])
"""Weights of spans and pauses, of each activity, and of each interval that is in none."""

RIDGE = 1.0  # draws weights to the usual ones
UNSEEN = 0.5  # how often every step is counted besides those that were seen
DRAWN = 10.0  # steps from one activity, by which it is drawn to those from all


def weigh(features: Features, weights: Floats) -> Floats:
    """Scores of all runs of a block; weights of terms come before the others."""
    span, pause, activity, _ = weights[-len(USUAL) :]
    scores: Floats = features.odds @ weights[: -len(USUAL)] + span * features.span + activity
    scores += pause * features.pause[:, None, None]
    scores[~features.there] = -np.inf
    return scores


def fit_weights(features: Sequence[Features], streams: AnnotatedStreams, steps: Floats) -> Floats:
    """Weights under which the activities of streams are likeliest.

    Those of terms, as parts of what they are in the classifier, and those of `USUAL`.

    Parameters
    ----------
    features : of each stream, by what was learned from others
    streams : what is in them
    steps : log probability of which label follows which
    """
    from scipy.optimize import minimize  # slow to load, and only learning needs it

    terms = features[0].odds.shape[3]
    usual = np.append(np.ones(terms), USUAL)
    true = [_sum_true(each, streams, d) for d, each in enumerate(features)]
    fixed = sum(_sum_steps(streams, d, steps) for d in range(len(features)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        off = weights - usual
        total, slope = RIDGE * off @ off / 2 - fixed, RIDGE * off
        for each, own in zip(features, true, strict=True):
            scores = weigh(each, weights)
            chances = Lattice.of(scores, weights[-1], steps).chances(with_runs=True)
            total += chances.log_total - weights @ own
            slope += _sum_expected(each, chances) - own
        return float(total), slope

    bounds = [(0, None)] * (terms + 2) + [(None, None)] * 2
    found: Floats = minimize(loss, usual, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found


def _sum_true(features: Features, streams: AnnotatedStreams, d: int) -> Floats:
    """Sum of each feature over the segments that are there."""
    own = streams.stream == d
    first, last, label = streams.first[own], streams.last[own], streams.label[own]
    runs = first, last - first - 1, label
    none = len(features.pause) - (last - first).sum()
    others = (features.span[runs].sum(), features.pause[first].sum(), len(first), none)
    return np.append(features.odds[runs].sum(axis=0), others)


def _sum_expected(features: Features, chances: Chances) -> Floats:
    """Sum of each feature over segments, by how likely they are."""
    begins = chances.runs.sum(axis=(1, 2))
    terms = chances.runs.ravel() @ features.odds.reshape(-1, features.odds.shape[3])
    span = (chances.runs * features.span).sum()
    others = (span, begins @ features.pause, begins.sum(), chances.inside[:, -1].sum())
    return np.append(terms, others)


def labels_in_order(streams: AnnotatedStreams, d: int) -> Ints:
    """Labels of the segments of a stream; each interval in none is one."""
    none = len(streams.activities)
    own = streams.stream == d
    labels, first = np.full(int(streams.X.lengths[d]), none), np.ones(streams.X.lengths[d], bool)
    for begin, end, label in zip(
        streams.first[own], streams.last[own], streams.label[own], strict=True
    ):
        labels[begin:end] = label
        first[begin + 1 : end] = False
    in_order: Ints = labels[first]
    return in_order


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
