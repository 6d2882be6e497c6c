"""Instances as pictures of equal size: actions by row, time by column."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn._kernels import features as kernels
from ibgn.checks import check_choice, check_whole
from ibgn.declarations import NAMES, STORABLE, Stored, register
from ibgn.features.presence import MOST_PARTS, UNKNOWN, Presence, find_presence, known_actions
from ibgn.intervals import as_sequences
from ibgn.networks import Sequences

__all__ = ["Raster", "sample"]


class Raster(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Number of intervals of each action at evenly spaced instants.

    Instances are stretched to the same length. Actions that did not occur in `fit` are left out.

    Parameters
    ----------
    samples : number of instants over the instance
    unknown : whether intervals of actions that did not occur in `fit` are left out with a
        warning ("warn"), without one ("ignore"), or refused ("error")

    Examples
    --------
    >>> Raster(4).fit_transform([[("a", 0, 2), ("b", 1, 4)]]).tolist()
    [[[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]]]
    """

    learned: ClassVar[Mapping[str, Stored]] = {"actions_": Stored(NAMES)}
    actions_: tuple[str, ...]

    def __init__(self, samples: int = 100, unknown: str = "warn") -> None:
        self.samples = samples
        self.unknown = unknown

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are."""
        self._check_options()
        self.actions_ = known_actions(as_sequences(X))
        return self

    def _check_options(self) -> None:
        check_whole("samples", self.samples, 1, MOST_PARTS)
        check_choice("unknown", self.unknown, UNKNOWN)

    @property
    def cells(self) -> int:
        """Numbers that are held at once for an instance."""
        return len(self.actions_) * int(self.samples)

    def transform(self, X: Sequences) -> npt.NDArray[np.float32]:
        """(n, actions, samples) numbers of intervals."""
        check_is_fitted(self)
        found = find_presence(as_sequences(X), self.actions_, self.unknown)
        samples = int(self.samples)
        pictures = np.zeros((len(found.spans), found.actions, samples), np.float32)
        pictures[found.row, found.action] = sample(found, samples)
        return pictures


register(STORABLE, "Raster", Raster)


def sample(found: Presence, samples: int) -> Floats:
    """(cells, samples) number of intervals at the middle of each of `samples` equal parts."""
    return kernels.sample_actions(found.cell, *found.parts, len(found.action), samples)
