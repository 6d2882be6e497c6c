"""Counts of the relations of a whole sample, where every pair is linked."""

from collections.abc import Iterator, Sequence

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.terms.base import Context, FittedTerm, Term
from ibgn.terms.cells import PairRule, RelationCounts
from ibgn.terms.shares import Outcomes
from ibgn.terms.smoothing import MEMBERS
from ibgn.terms.stacked import Cells
from ibgn.terms.tally import Sample, Tally

__all__ = ["PairTally"]


class PairTally(Tally):
    """Counts of the cells of pairs, their keys and relations, of all folds and activities.

    Parameters
    ----------
    term : what fits an activity
    rule : what pairs leave open
    smoothing : what `term` adds to the count of each relation that is open
    sample : what is counted
    """

    def __init__(self, term: Term, rule: PairRule, smoothing: float, sample: Sample) -> None:
        self.term, self.smoothing, self.sample = term, smoothing, sample
        self.pairs, self.outcomes = rule.cells(sample.X, len(sample.X.actions))
        self.keys, self.row = np.unique(self.pairs.key, return_inverse=True)
        self.counts = self._count(self.outcomes)

    def _count(self, outcomes: Outcomes) -> Floats:
        """(2, activities, cells) of instances and of copies: whole numbers subtract exactly."""
        sample = self.sample
        cell = sample.copied * sample.activities + sample.activity
        weight = np.ones(len(cell)) if sample.given is None else sample.given
        counts = outcomes.by_cell(Cells(cell, 2 * sample.activities, weight))
        return counts.reshape(2, sample.activities, -1)

    def _weigh(self, counts: Floats) -> Floats:
        """(activities, cells) of instances and copies together."""
        together: Floats = counts[0] + self.sample.copy_weight * counts[1]
        return together

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds."""
        for total, context in zip(self._weigh(self.counts), contexts, strict=True):
            counts = np.zeros((len(self.keys), 7))
            counts[self.row, self.pairs.relation] = total
            met = counts.any(axis=1)
            yield self.term.fit(RelationCounts(self.keys[met], counts[met]), None, context)

    def hold_out(self, contexts: Sequence[Context], rows: Ints | None = None) -> Floats:
        """Learn from all folds but one, for each, and score the pairs of that one."""
        owner, code, size = self.outcomes
        rows = np.arange(len(self.sample.X)) if rows is None else rows
        fold, once = self.sample.fold[owner], np.zeros(len(rows), np.int64)
        place = np.full(len(self.sample.X), -1)  # of each instance among the rows
        place[rows] = np.arange(len(rows))
        scores = np.zeros((len(rows), self.sample.activities))
        for f in range(self.sample.folds):
            inside = np.flatnonzero(fold == f)
            left_out = Outcomes(owner[inside], code[inside], size)
            # fractions subtract to a little less than nothing
            others = self._weigh(np.maximum(self.counts - self._count(left_out), 0.0))
            inside = inside[place[owner[inside]] >= 0]
            tested = Outcomes(place[owner[inside]], code[inside], size)
            scores += tested.score(self._log_probs(others)[None], once)
        return scores

    def _log_probs(self, counts: Floats) -> Floats:
        """(activities, cells) log probability of the relation of each cell."""
        if not len(self.keys):
            return counts
        first = np.searchsorted(self.pairs.key, self.keys)
        total = np.add.reduceat(counts, first, axis=1)
        total += self.smoothing * MEMBERS.sum(axis=1)[self.keys % 128]
        logs: Floats = np.log(counts + self.smoothing)
        logs -= np.log(total)[:, self.row]
        return logs
