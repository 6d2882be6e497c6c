"""Scales learned from training data: mean and deviation of each column."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats

__all__ = ["Scale"]

Block = npt.NDArray[np.floating[Any]]

FARTHEST = 1e6  # deviations; larger values are clipped, so that their squares stay finite


class Scale(NamedTuple):
    """Mean and standard deviation of each column, without missing values.

    Parameters
    ----------
    mean : (columns,) 0 if a column has no values
    deviation : (columns,) infinite if a column does not vary or has no values, so that all its
        values become 0

    Examples
    --------
    >>> scale = Scale.learn(lambda: [np.array([[1.0, 5.0]]), np.array([[3.0, 5.0]])])
    >>> scale.apply(np.array([[4.0, 6.0], [np.nan, 5.0]])).tolist()
    [[2.0, 0.0], [nan, 0.0]]
    """

    mean: Floats
    deviation: Floats

    @classmethod
    def learn(cls, blocks: Callable[[], Iterable[Block]], rounding: float = 1e-12) -> "Scale":
        """Learn from all rows of some blocks, which are read more than once.

        Columns that vary by less than the rounding of their mean count as constant.
        """
        number = sum((~np.isnan(block)).sum(axis=0) for block in blocks())
        number = np.maximum(number, 1)
        mean = sum(np.nansum(block, axis=0, dtype=np.float64) for block in blocks()) / number
        squares = sum(np.nansum(np.square(block - mean), axis=0) for block in blocks())
        deviation = np.sqrt(np.asarray(squares) / number)
        varies = deviation > rounding * np.abs(mean)
        return cls(np.asarray(mean, np.float64), np.where(varies, deviation, np.inf))

    @property
    def silent(self) -> npt.NDArray[np.bool_]:
        """(columns,) whether each is constant or empty."""
        return np.isinf(self.deviation)

    def apply(self, values: Block) -> Floats:
        """Deviations from the mean; missing values stay missing."""
        scaled: Floats = np.clip((values - self.mean) / self.deviation, -FARTHEST, FARTHEST)
        return scaled
