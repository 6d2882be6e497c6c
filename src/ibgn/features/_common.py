"""Functions that the transformers share."""

import numpy as np

from ibgn._arrays import Floats
from ibgn.intervals import IntervalSequences

__all__ = ["known_actions", "span"]


def known_actions(X: IntervalSequences) -> tuple[str, ...]:
    """Actions that occur, in alphabetical order."""
    return tuple(sorted({X.actions[code] for code in np.unique(X.action)}))


def span(X: IntervalSequences) -> tuple[Floats, Floats]:
    """When each instance begins, and how long it lasts; 0 and 1 where it is empty."""
    begin, end = np.full(len(X), np.inf), np.full(len(X), -np.inf)
    np.minimum.at(begin, X.owner, X.start)
    np.maximum.at(end, X.owner, X.end)
    empty = X.lengths == 0
    return np.where(empty, 0, begin), np.where(empty, 1, end - begin)
