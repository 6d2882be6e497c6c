"""How far apart end points may be and still be the same instant.

Where two actions are meant to begin or end together, detectors and annotators put them a little
apart, and "meets" becomes "before" or "overlaps". Taking near end points for one instant mends
that, as long as points that are meant to differ stay apart.
"""

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from ibgn._arrays import Floats, Ints
from ibgn.cleaning import snap
from ibgn.intervals import IntervalSequences, rebuild
from ibgn.networks import read_networks, sum_by_instance
from ibgn.structure import Structure
from ibgn.terms.relations import Unlinked, count_links, fit_links

__all__ = ["choose_tolerance", "merge_instants"]


CHOICES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)  # as parts of the median duration
FOLDS = 3
MOST_PAIRS = 2_000_000  # of intervals; from more, instances are drawn
FULL = Structure.full()


def merge_instants(X: IntervalSequences, tolerance: float) -> IntervalSequences:
    """Take end points closer than tolerance for one instant, chains of them too.

    Intervals whose own ends become one are left out.

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


def choose_tolerance(
    X: IntervalSequences, codes: npt.NDArray[np.intp], unlinked: Unlinked = "constrained"
) -> float:
    """Tolerance under which activities are recognised best, by cross-validation.

    Recognition is by relations and frequencies of actions alone, which takes a fraction of the
    time that learning all takes. Of tolerances that do about as well (within a standard error of
    the best), the smallest is taken; where there is too little to judge by, none.

    Parameters
    ----------
    X : instances
    codes : (n,) which activity each is of
    unlinked : see `Links.log_terms`
    """
    X, codes = _few(X, codes)
    if len(X.action) == 0 or np.bincount(codes).max() < FOLDS:
        return 0.0
    folds = _folds(codes)
    unit = float(np.median(X.end - X.start))
    right = np.array(
        [_recognised(merge_instants(X, part * unit), codes, folds, unlinked) for part in CHOICES]
    )
    best = right[right.mean(axis=1).argmax()]
    behind = best - right
    error = behind.std(axis=1) / np.sqrt(len(codes))
    return CHOICES[int(np.argmax(behind.mean(axis=1) <= error))] * unit


def _few(X: IntervalSequences, codes: npt.NDArray[np.intp]) -> tuple[IntervalSequences, Ints]:
    """Instances drawn until they have so many pairs that more would take long."""
    order = np.random.default_rng(0).permutation(len(X))
    pairs = np.cumsum(X.lengths[order] * (X.lengths[order] - 1) // 2)
    chosen = np.sort(order[pairs <= MOST_PAIRS])
    return X[chosen], codes[chosen].astype(np.int64)


def _folds(codes: Ints) -> list[tuple[Ints, Ints]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that an activity is rarer than folds
        way = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        return list(way.split(codes, codes))


def _recognised(
    X: IntervalSequences, codes: Ints, folds: list[tuple[Ints, Ints]], unlinked: Unlinked
) -> Floats:
    """(n,) whether each instance is recognised when its fold is tested."""
    right = np.zeros(len(X))
    for train, test in folds:
        scores = _log_likelihood(X[train], codes[train], X[test], int(codes.max()) + 1, unlinked)
        right[test] = scores.argmax(axis=1) == codes[test]
    return right


def _log_likelihood(
    X: IntervalSequences, codes: Ints, new: IntervalSequences, activities: int, unlinked: Unlinked
) -> Floats:
    """(new instances, activities) by frequencies of actions, and relations given actions."""
    networks = read_networks(new, FULL)
    scores = np.full((len(new), activities), -np.inf)
    for c in np.unique(codes):
        part = X[codes == c]
        counts = np.bincount(part.action, minlength=len(X.actions)) + 0.5
        actions = np.log(counts / counts.sum())[new.action]
        found = count_links(part, FULL, read_networks(part, FULL))
        relations = fit_links(found, FULL, len(X.actions), 1.0).log_terms(new, networks, unlinked)
        scores[:, c] = sum_by_instance(new.offsets, actions)
        scores[:, c] += sum_by_instance(networks.offsets, relations)
    return scores
