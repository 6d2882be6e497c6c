"""Instances as pictures of equal size: actions by row, time by column."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from ibgn.checks import check_whole
from ibgn.features._common import known_actions, span
from ibgn.intervals import as_sequences
from ibgn.networks import Sequences
from ibgn.recoding import recode

__all__ = ["Raster"]


class Raster(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Number of intervals of each action at evenly spaced instants.

    Instances are stretched to the same length. Actions that did not occur in `fit` are left out.

    Parameters
    ----------
    samples : number of instants over the instance

    Examples
    --------
    >>> Raster(4).fit_transform([[("a", 0, 2), ("b", 1, 4)]]).tolist()
    [[[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]]]
    """

    def __init__(self, samples: int = 100) -> None:
        self.samples = samples

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are."""
        check_whole("samples", self.samples, 1)
        self.actions_ = known_actions(as_sequences(X))
        return self

    def transform(self, X: Sequences) -> npt.NDArray[np.float32]:
        """(n, actions, samples) numbers of intervals."""
        X = recode(as_sequences(X), self.actions_)
        begin, length = span(X)
        edges = np.zeros((len(X), len(self.actions_) + 1, self.samples + 1), np.float32)
        for times, sign in ((X.start, 1), (X.end, -1)):
            part = (times - begin[X.owner]) / length[X.owner]
            instant = np.ceil(part * self.samples - 0.5).astype(int)
            np.add.at(edges, (X.owner, X.action, instant), sign)
        running: npt.NDArray[np.float32] = edges.cumsum(axis=2)[:, :-1, :-1]
        return running
