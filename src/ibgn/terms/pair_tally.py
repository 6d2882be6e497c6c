"""Counts of the relations of a whole sample, where every pair is linked."""

from collections.abc import Iterator, Sequence

import numpy as np

from ibgn._arrays import Floats
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
        self.cells = rule.cells(sample.X, len(sample.X.actions))
        shape = sample.folds, sample.activities
        cells = Cells(sample.cell, shape[0] * shape[1], sample.weight)
        self.counts = self.cells.outcomes.by_cell(cells).reshape(*shape, -1)
        self.keys, self.row = np.unique(self.cells.pairs.key, return_inverse=True)

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds."""
        for total, context in zip(self.counts.sum(axis=0), contexts, strict=True):
            counts = np.zeros((len(self.keys), 7))
            counts[self.row, self.cells.pairs.relation] = total
            met = counts.any(axis=1)
            yield self.term.fit(RelationCounts(self.keys[met], counts[met]), None, context)

    def hold_out(self, contexts: Sequence[Context]) -> Floats:
        """Learn from all folds but one, for each, and score the pairs of that one."""
        owner, code, size = self.cells.outcomes
        fold, once = self.sample.fold[owner], np.zeros(len(self.sample.X), np.int64)
        scores = np.zeros((len(once), self.sample.activities))
        total = self.counts.sum(axis=0)
        for f, of_fold in enumerate(self.counts):
            others, inside = self._log_probs(total - of_fold), np.flatnonzero(fold == f)
            scores += Outcomes(owner[inside], code[inside], size).score(others[None], once)
        return scores

    def _log_probs(self, counts: Floats) -> Floats:
        """(activities, cells) log probability of the relation of each cell."""
        if not len(self.keys):
            return counts
        first = np.searchsorted(self.cells.pairs.key, self.keys)
        total = np.add.reduceat(counts, first, axis=1)
        total += self.smoothing * MEMBERS.sum(axis=1)[self.keys % 128]
        logs: Floats = np.log(counts + self.smoothing) - np.log(total)[:, self.row]
        return logs
