"""Numbers about the actions of an instance and about their relations."""

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, TransformerMixin

from ibgn._arrays import Floats
from ibgn.features._common import known_actions, span
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences, read_networks
from ibgn.recoding import recode

__all__ = ["IntervalFeatures"]

RELATIONS = 7


class IntervalFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers about each action of an instance, and how often actions have each relation.

    For each action: how often it occurs, its total, mean and longest duration, and when it first
    starts and last ends, in time since the start of the instance. With `pairs`, also the number of
    pairs of intervals for each two actions and each of the seven relations. Actions that did not
    occur in `fit` are left out.

    Parameters
    ----------
    pairs : whether relations are counted

    Examples
    --------
    >>> X = [[("a", 0, 2), ("a", 3, 4)], [("b", 1, 2)]]
    >>> IntervalFeatures(pairs=False).fit_transform(X).toarray()[:, :2]  # occurrences of a and b
    array([[2., 0.],
           [0., 1.]])
    """

    def __init__(self, pairs: bool = True) -> None:
        self.pairs = pairs

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are."""
        self.actions_ = known_actions(as_sequences(X))
        return self

    def transform(self, X: Sequences) -> csr_array:
        """(n, features) as a sparse array."""
        X = recode(as_sequences(X), self.actions_)
        blocks = [csr_array(_numbers(X, len(self.actions_)))]
        if self.pairs:
            blocks.append(_pair_counts(X, len(self.actions_)))
        together = csr_array(hstack(blocks))
        for name in ("indices", "indptr"):  # scikit-learn's trees take only 32-bit integers
            setattr(together, name, getattr(together, name).astype(np.int32))
        return together


def _numbers(X: IntervalSequences, actions: int) -> Floats:
    """(n, 6 * actions) counts and times of each action."""
    shape = (len(X), actions + 1)
    cell, begin = (X.owner, X.action), span(X)[0][X.owner]
    times, total, longest, first, last = (np.zeros(shape) for _ in range(5))
    np.add.at(times, cell, 1)
    np.add.at(total, cell, X.end - X.start)
    np.maximum.at(longest, cell, X.end - X.start)
    first[:] = np.inf
    np.minimum.at(first, cell, X.start - begin)
    np.maximum.at(last, cell, X.end - begin)
    first[times == 0] = -1  # different from all actions that occur
    last[times == 0] = -1
    mean = total / np.maximum(times, 1)
    return np.hstack([block[:, :-1] for block in (times, total, mean, longest, first, last)])


def _pair_counts(X: IntervalSequences, actions: int) -> csr_array:
    """(n, (actions + 1)² * 7) pairs of intervals by their actions and their relation."""
    networks = read_networks(X)
    size = actions + 1
    # both intervals of each pair i < j of an instance, row by row
    after = X.offsets[1:][X.owner] - np.arange(len(X.action)) - 1
    first = np.repeat(np.arange(len(X.action)), after)
    begin = np.repeat(np.cumsum(after) - after, after)
    second = first + 1 + np.arange(len(first)) - begin
    code = (X.action[first].astype(np.int64) * size + X.action[second]) * RELATIONS
    code += networks.relation
    known = (X.action[first] < actions) & (X.action[second] < actions)
    shape = (len(X), size * size * RELATIONS)
    # entries of the same cell are added up
    return csr_array((np.ones(known.sum()), (X.owner[first][known], code[known])), shape)
