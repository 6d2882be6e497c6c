"""Outcomes by context: how they are counted, and shares drawn towards those of all activities."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn._kernels import tallies as kernels
from ibgn.terms.base import Counts
from ibgn.terms.stacked import Cells

__all__ = ["OutcomeCounts", "Outcomes", "smoothed_logs"]


@dataclass(frozen=True)
class OutcomeCounts(Counts):
    """(contexts, outcomes) how often each outcome was seen in each context."""

    counts: Floats


class Outcomes(NamedTuple):
    """Outcomes that instances have, instance by instance.

    Parameters
    ----------
    owner : (outcomes,) number of the instance of each, ascending
    code : (outcomes,) context and outcome as one number
    size : how many codes there are
    """

    owner: Ints
    code: npt.NDArray[np.integer]
    size: int

    def by_cell(self, cells: Cells) -> Floats:
        """(cells, size) how often instances of each cell have each."""
        return kernels.count_outcomes(
            self.owner, self.code, cells.cell, cells.weight, cells.number, self.size
        )

    def score(self, logs: Floats, row: Ints) -> Floats:
        """(n, columns) sum over the outcomes of each instance.

        logs (rows, columns, ...) of each code; row (n,) chooses the row of each instance. In order,
        so that no other instance affects rounding.
        """
        stacked = logs.reshape(*logs.shape[:2], self.size).swapaxes(1, 2)
        return kernels.score_outcomes(self.owner, self.code, row, np.ascontiguousarray(stacked))


def smoothed_logs(own: Floats, pooled: Floats, strength: float) -> Floats:
    """(contexts, outcomes) log probabilities of one activity.

    In each context, what all activities do counts as `strength` observations. What they do in that
    context is drawn in the same way to what they do in all contexts, and that to even shares.
    """
    everywhere = pooled.sum(axis=-2, keepdims=True)
    everywhere = _shares(everywhere, np.full(pooled.shape[-1], 1 / pooled.shape[-1]), 1.0)
    common = _shares(pooled, everywhere, strength)
    logs: Floats = np.log(_shares(own, common, strength))
    return logs


def _shares(counts: Floats, expected: Floats, strength: float) -> Floats:
    shares: Floats = (counts + strength * expected) / (counts.sum(-1, keepdims=True) + strength)
    return shares
