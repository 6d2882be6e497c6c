"""Outcomes by context: how they are counted, and shares drawn towards those of all activities."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ibgn._arrays import Floats, Ints
from ibgn.terms.base import Counts
from ibgn.terms.stacked import Cells

__all__ = ["OutcomeCounts", "Outcomes", "smoothed_logs", "sum_rows"]


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
        code = cells.cell[self.owner] * self.size + self.code
        counts = np.bincount(code, cells.weight[self.owner], cells.number * self.size)
        return counts.reshape(cells.number, self.size).astype(np.float64, copy=False)

    def score(self, logs: Floats, row: Ints) -> Floats:
        """(n, columns) sum over the outcomes of each instance.

        logs (rows, columns, ...) of each code; row (n,) chooses the row of each instance.
        """
        rows, columns = logs.shape[:2]
        stacked = np.moveaxis(logs.reshape(rows, columns, self.size), 1, 2)
        code = row[self.owner] * self.size + self.code
        return sum_rows(self.owner, len(row), code, stacked.reshape(rows * self.size, columns))


def sum_rows(owner: Ints, n: int, chosen: npt.NDArray[np.integer], table: Floats) -> Floats:
    """(n, columns) sum over the chosen rows of a table that belong to each of n instances.

    owner, chosen (number,): instance and row of each, owners ascending. In order, so that no other
    instance affects rounding.
    """
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n))])
    matrix = csr_array((np.ones(len(chosen)), chosen, offsets), (n, len(table)))
    total: Floats = matrix @ table
    return total


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
