"""How far apart end points may be and still be the same instant.

If two actions are meant to begin or end together, detectors and annotators put them a little
apart, and "meets" becomes "before" or "overlaps". Merging near end points into one instant fixes
that, as long as points that are meant to differ stay apart.
"""

import warnings
from functools import reduce
from operator import add

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn.cleaning import snap
from ibgn.errors import DataWarning
from ibgn.intervals import IntervalSequences
from ibgn.model.folds import fingerprint, make_inner_folds
from ibgn.recoding import rebuild
from ibgn.terms.actions import Actions
from ibgn.terms.base import Context, Term
from ibgn.terms.relations import Relations, Unlinked
from ibgn.terms.tally import count_weighted
from ibgn.text import count

__all__ = ["choose_tolerance", "count_emptied", "merge_instants"]


CHOICES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)  # as parts of the median duration
FOLDS = 3
MOST_PAIRS = 2_000_000  # of intervals; if there are more, instances are sampled
MANY = 0.01  # share of intervals; if more are emptied, a warning says so
LONGEST = 450  # intervals of an instance that are looked at: a twentieth of these pairs


def merge_instants(X: IntervalSequences, tolerance: float) -> IntervalSequences:
    """Merge end points closer than tolerance into one instant, as `ibgn.cleaning.snap` does.

    Intervals whose start and end become one instant are dropped. They are shorter than tolerance.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("reach", 0, 2), ("grasp", 2.1, 5)]])
    >>> merge_instants(X, 0.2).to_lists()
    [[('reach', 0.0, 2.0), ('grasp', 2.0, 5.0)]]
    """
    if tolerance == 0:
        return X
    start, end = snap(X.owner, X.start, X.end, tolerance)
    return rebuild(X, X.action, start, end, start < end)


def count_emptied(intervals: int, left: int, tolerance: float) -> int:
    """Count the intervals that merging dropped; if they are many, a warning says so."""
    emptied = intervals - left
    if emptied > MANY * intervals:
        warnings.warn(
            DataWarning(
                f"merging end points closer than {tolerance:.3g} empties {emptied:,} of "
                f"{count(intervals, 'interval')} ({emptied / intervals:.1%}), which are "
                "dropped; a smaller tolerance keeps more"
            ),
            stacklevel=2,
        )
    return emptied


def choose_tolerance(
    X: IntervalSequences,
    codes: npt.NDArray[np.intp],
    unlinked: Unlinked = "constrained",
    weight: Floats | None = None,
    horizon: int | None = None,
) -> float:
    """Choose the tolerance with the best recognition, by cross-validation.

    Only relations and frequencies of actions are used, which takes a fraction of the time of a
    full fit. Among tolerances within a standard error of the best, the smallest is chosen; 0 if
    there are too few instances to judge. The order of the instances does not matter.

    Parameters
    ----------
    X : instances
    codes : (n,) activity of each instance
    unlinked, horizon : see `ibgn.terms.relations.Relations`
    weight : (n,) how many instances each counts as; None if each counts as one. The durations of
        which a tolerance is a part are those of all instances alike.
    """
    weight = np.ones(len(X)) if weight is None else weight
    X, codes, weight = _sample(X, codes, weight)
    folds = make_inner_folds(X, codes, FOLDS)
    if len(X.action) == 0 or len(folds) < 2:
        return 0.0
    unit = float(np.median(X.end - X.start))
    terms = [Actions(), Relations("full", unlinked=unlinked, horizon=horizon)]
    right = np.array(
        [
            _recognised(merge_instants(X, part * unit), codes, weight, folds, terms)
            for part in CHOICES
        ]
    )
    best = right[np.average(right, axis=1, weights=weight).argmax()]
    behind = best - right
    mean = np.average(behind, axis=1, weights=weight)
    spread = np.average((behind - mean[:, None]) ** 2, axis=1, weights=weight)
    return CHOICES[int(np.argmax(mean <= np.sqrt(spread / weight.sum())))] * unit


def _sample(
    X: IntervalSequences, codes: npt.NDArray[np.intp], weight: Floats
) -> tuple[IntervalSequences, Ints, Floats]:
    """Instances with at most MOST_PAIRS pairs, of each only the first LONGEST intervals."""
    if (X.lengths > LONGEST).any():
        position = np.arange(len(X.action)) - np.repeat(X.offsets[:-1], X.lengths)
        X = rebuild(X, X.action, X.start, X.end, position < LONGEST)
    order = np.lexsort((codes, fingerprint(X)))
    pairs = np.cumsum(X.lengths[order] * (X.lengths[order] - 1) // 2)
    chosen = np.sort(order[pairs <= MOST_PAIRS])
    return X[chosen], codes[chosen].astype(np.int64), weight[chosen]


def _recognised(
    X: IntervalSequences, codes: Ints, weight: Floats, folds: list[Ints], terms: list[Term]
) -> Floats:
    """(n,) whether each instance is recognised when its fold is tested.

    Each fold is counted once, and activities are learned from all counts minus those of the fold.
    """
    activities = range(int(codes.max()) + 1)
    cells = [[test[codes[test] == c] for c in activities] for test in folds]
    right = np.zeros(len(X))
    scores = [np.zeros((len(test), len(activities))) for test in folds]
    for term in terms:
        counts = [[count_weighted(term, X[part], weight[part]) for part in f] for f in cells]
        totals = [reduce(add, (fold[c] for fold in counts)) for c in activities]
        for score, test, fold in zip(scores, folds, counts, strict=True):
            tested = X[test]
            for c in activities:
                context = Context(c, X.actions, 0, np.random.default_rng(0))
                learned = term.fit(totals[c] - fold[c], None, context)
                score[:, c] += learned.log_likelihood(tested)
    for score, test in zip(scores, folds, strict=True):
        absent = [c for c in activities if (codes[test] == c).sum() == (codes == c).sum()]
        score[:, absent] = -np.inf  # nothing was learned about them
        right[test] = score.argmax(axis=1) == codes[test]
    return right
