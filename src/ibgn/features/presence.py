"""Which actions occur in which instances: what all parts of the features are made from."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ibgn._arrays import Bools, Floats, Ints
from ibgn._kernels import features as kernels
from ibgn.errors import DataError, DataWarning, Option
from ibgn.intervals import IntervalSequences
from ibgn.recoding import recode
from ibgn.text import count, quote
from ibgn.worlds import likeliest_world

__all__ = ["MOST_PARTS", "UNKNOWN", "Presence", "find_presence", "known_actions"]

MOST_PARTS = 100_000  # into which the time of an instance is divided
UNKNOWN = ("warn", "ignore", "error")  # what to do about actions that did not occur in fit


class Presence(NamedTuple):
    """Intervals of known actions, and the cells they fall in: one action in one instance.

    Parameters
    ----------
    offsets : (n+1,) where the intervals of each instance begin
    start, end : (intervals,) times
    cell : (intervals,) number of the cell of each
    rows : (n+1,) where the cells of each instance begin
    action : (cells,) code of the action, ascending within an instance
    spans : (n, 2) when each instance begins and ends, with intervals of all actions
    actions : number of known actions
    """

    offsets: Ints
    start: Floats
    end: Floats
    cell: Ints
    rows: Ints
    action: Ints
    spans: Floats
    actions: int

    @property
    def owner(self) -> Ints:
        """(intervals,) number of the instance of each."""
        return np.repeat(np.arange(len(self.spans)), np.diff(self.offsets))

    @property
    def row(self) -> Ints:
        """(cells,) number of the instance of each."""
        return np.repeat(np.arange(len(self.spans)), np.diff(self.rows))

    @property
    def length(self) -> Floats:
        """(n,) how long each instance lasts."""
        length: Floats = self.spans[:, 1] - self.spans[:, 0]
        return length

    @property
    def parts(self) -> tuple[Floats, Floats]:
        """Start and end of each interval as parts of its instance, from 0 to 1."""
        begin, length = self.spans[self.owner, 0], self.length[self.owner]
        return (self.start - begin) / length, (self.end - begin) / length

    def sums(self, values: Floats | None = None) -> Floats:
        """(cells,) the sum of the values of the intervals of each cell, by default their number."""
        return np.bincount(self.cell, values, len(self.action)).astype(np.float64)

    def largest(self, values: Floats) -> Floats:
        """(cells,) the largest value of the intervals of each cell; values are positive."""
        largest = np.zeros(len(self.action))
        np.maximum.at(largest, self.cell, values)
        return largest

    def spread(self, values: Floats) -> csr_array:
        """(n, actions * width) the values of cells (cells, width), and 0 in all other columns."""
        width = values.shape[1]
        columns = self.action[:, None] * width + np.arange(width)
        shape = (len(self.spans), self.actions * width)
        spread = csr_array((values.ravel(), columns.ravel(), self.rows * width), shape)
        spread.eliminate_zeros()
        return spread


def known_actions(X: IntervalSequences) -> tuple[str, ...]:
    """Actions that occur, in alphabetical order, in the likeliest world of each instance."""
    X = likeliest_world(X)
    return tuple(sorted({X.actions[code] for code in np.unique(X.action)}))


def find_presence(X: IntervalSequences, actions: tuple[str, ...], unknown: str) -> Presence:
    """Find the cells of X; intervals of other actions are left out, as `unknown` says.

    An uncertain instance is taken as it most likely is.
    """
    X = likeliest_world(X)
    coded = recode(X, actions)
    known = coded.action < len(actions)
    if unknown != "ignore" and not known.all():
        _report_unknown(X, ~known, unknown)
    owner = X.owner[known]
    key = owner * len(actions) + coded.action[known]
    found, cell = np.unique(key, return_inverse=True)
    return Presence(
        offsets=np.searchsorted(owner, np.arange(len(X) + 1)),
        start=X.start[known],
        end=X.end[known],
        cell=cell,
        rows=np.searchsorted(found, np.arange(len(X) + 1) * len(actions)),
        action=found % max(len(actions), 1),
        spans=kernels.find_spans(X.offsets, X.start, X.end),
        actions=len(actions),
    )


def _report_unknown(X: IntervalSequences, unknown: Bools, how: str) -> None:
    """Warn of intervals of actions that did not occur in fit, or refuse them."""
    names = sorted({X.actions[code] for code in np.unique(X.action[unknown])})
    shown = ", ".join(map(quote, names[:3])) + (", ..." if len(names) > 3 else "")
    found = (
        f"{count(int(unknown.sum()), 'interval')} of {count(len(names), 'action')} "
        f"that did not occur in fit ({shown})"
    )
    if how == "error":
        raise DataError(found, "; ", Option("unknown", "warn"), " leaves them out")
    left_out = DataWarning("left out ", found, "; ", Option("unknown", "ignore"), " says nothing")
    warnings.warn(left_out, stacklevel=2)
