"""What makes new instances more like real ones: sharper probabilities, and a choice of candidates.

Learning smooths: relations that never held remain possible, and copies with errors are learned
from as well. That helps to recognise instances, but puts into new ones what real ones do not have,
so they score lower. How real instances score, by terms that were learned from others, is known
from learning the weights. Probabilities of actions and relations are raised to a power, their
*sharpness*, at which what is drawn scores as high as real instances do.

Nothing is drawn from some terms, such as occupancy, starts, and terms that others add. They decide
among several candidates for each instance, one of which is chosen with a probability proportional
to the product of these terms (sampling, importance resampling).
"""

from collections.abc import Mapping

import numpy as np

from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.chain import draw_instances, draw_lengths, drawn_terms

__all__ = ["choose_candidates", "count_candidates", "find_sharpness"]

CANDIDATES = 10  # for each instance
PILOT = 30  # instances that are drawn to find the sharpness
SEED = 0  # of the pilot, so that the sharpness belongs to the model
SHARPEST = 4.0
HALVINGS = 4  # of the range in which the sharpness lies
SHARPENED = ("order", "occurrences", "relations")  # terms that sharpness applies to


def find_sharpness(activity: ActivityModel) -> float:
    """Power from 1 at which the mean score of what is drawn is that of real instances.

    It is 1 where typical scores are not known, and for relations alone where there are tables.
    """
    if activity.typical is None or not activity.lengths.any():
        return 1.0
    typical = dict(zip(activity.terms, activity.typical.tolist(), strict=True))
    low, high = 0.0, float(np.log(SHARPEST))
    if not _falls_short(activity, 1.0, typical):
        return 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        short = _falls_short(activity, float(np.exp(middle)), typical)
        low, high = (middle, high) if short else (low, middle)
    return float(np.exp(high))


def _falls_short(activity: ActivityModel, sharpness: float, typical: Mapping[str, float]) -> bool:
    """Whether instances of this sharpness score lower than real ones."""
    rng = np.random.default_rng(SEED)
    lengths = draw_lengths(activity, PILOT, rng)
    X = draw_instances(activity, lengths, rng, sharpness, timed=False)
    names = [name for name in SHARPENED if name in drawn_terms(activity)]
    lead = sum(activity[name].log_likelihood(X).mean() - typical[name] for name in names)
    return bool(lead < 0)


def count_candidates(activity: ActivityModel) -> int:
    """Number of candidates for each instance; one where all terms are drawn from."""
    return CANDIDATES if activity.terms.keys() - drawn_terms(activity) else 1


def choose_candidates(
    activity: ActivityModel, X: IntervalSequences, rng: np.random.Generator
) -> IntervalSequences:
    """Choose one of the candidates for each instance, which follow each other in X."""
    number, drawn = count_candidates(activity), drawn_terms(activity)
    if number == 1 or not len(X):
        return X
    others = [term.log_likelihood(X) for name, term in activity.terms.items() if name not in drawn]
    scores = np.sum(others, axis=0).reshape(-1, number)
    best = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X[np.arange(len(best)) * number + best]
