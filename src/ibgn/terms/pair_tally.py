"""Counts of the relations of a whole sample, where every pair is linked."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.links import SETS
from ibgn.terms.base import Context, FittedTerm, Term
from ibgn.terms.cells import PairRule, RelationCounts
from ibgn.terms.codes import CodeCounts, as_index
from ibgn.terms.shares import Outcomes
from ibgn.terms.smoothing import MEMBERS
from ibgn.terms.stacked import Cells
from ibgn.terms.tally import GrowingTally, Recoding, Sample

__all__ = ["PairTally"]


class PairTally(GrowingTally):
    """Counts of the cells of pairs, their keys and relations, of all folds and activities.

    Pairs of the sample, which are scored, are kept one by one. Those of other instances are counts
    by a code: key, relation, activity and fold as one number.

    Parameters
    ----------
    term : what fits an activity
    rule : what pairs leave open
    smoothing : what `term` adds to the count of each relation that is open
    sample : what is counted
    """

    def __init__(self, term: Term, rule: PairRule, smoothing: float, sample: Sample) -> None:
        self.term, self.rule, self.smoothing, self.sample = term, rule, smoothing, sample
        self.pairs, self.outcomes = rule.cells(sample.X, len(sample.X.actions))
        self.keys, self.row = np.unique(self.pairs.key, return_inverse=True)
        self.counts = self._count(self.outcomes)
        self.others = CodeCounts(np.zeros(0, np.int64), np.zeros(0))

    def _count(self, outcomes: Outcomes) -> Floats:
        """(2, activities, cells) of instances and of copies: whole numbers subtract exactly."""
        sample = self.sample
        cell = sample.copied * sample.activities + sample.activity
        counts = outcomes.by_cell(Cells(cell, 2 * sample.activities, sample.number))
        return counts.reshape(2, sample.activities, -1)

    def _weigh(self, counts: Floats) -> Floats:
        """(activities, cells) of instances and copies together."""
        together: Floats = counts[0] + self.sample.copy_weight * counts[1]
        return together

    @property
    def counter(self) -> Callable[[Sample], CodeCounts]:
        """Codes of the pairs of more instances, and how often they occur."""
        return partial(_count_pairs, self.rule)

    def add(self, counts: CodeCounts) -> None:
        """Add counts of more instances."""
        self.others = self.others + counts

    def recoded(self, change: Recoding) -> CodeCounts:
        """Counts of other instances, none of them held out, in other codes."""
        key, relation, activity, _ = self._read(self.others.code)
        pair, allowed = np.divmod(key, SETS)
        first, second = (change.renamed[a] for a in np.divmod(pair, len(change.renamed)))
        key = (first * len(change.actions) + second) * SETS + allowed
        cells = (change.folds + 1) * change.number
        code = (key * 8 + relation) * cells + change.cells(activity)
        return CodeCounts.of(code, self.others.number)

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds."""
        code, number = self.others.code, self.others.number
        key, relation, activity, _ = self._read(code)
        keys = np.unique(np.concatenate([self.keys, key]))
        mine, its = np.searchsorted(keys, self.pairs.key), np.searchsorted(keys, key)
        for c, (total, context) in enumerate(zip(self._weigh(self.counts), contexts, strict=True)):
            counts, own = np.zeros((len(keys), 7)), activity == c
            counts[mine, self.pairs.relation] = total
            np.add.at(counts, (its[own], relation[own]), number[own])
            met = counts.any(axis=1)
            yield self.term.fit(RelationCounts(keys[met], counts[met]), None, context)

    def _read(self, code: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Key, relation, activity and fold; what is never held out comes after all folds."""
        pair, cell = np.divmod(code, self.sample.cells)
        fold, activity = np.divmod(cell, self.sample.activities)
        return pair // 8, pair % 8, activity, fold

    def hold_out(self, contexts: Sequence[Context], rows: Ints | None = None) -> Floats:
        """Learn from all folds but one, for each, and score the pairs of that one."""
        owner, code, size = self.outcomes
        rows = np.arange(len(self.sample.X)) if rows is None else rows
        fold, once = self.sample.fold[owner], np.zeros(len(rows), np.int64)
        place = np.full(len(self.sample.X), -1)  # of each instance among the rows
        place[rows] = np.arange(len(rows))
        scores = np.zeros((len(rows), self.sample.activities))
        of_cells, of_keys = self._others()
        for f in range(self.sample.folds):
            inside = np.flatnonzero(fold == f)
            left_out = Outcomes(owner[inside], code[inside], size)
            # fractions subtract to a little less than nothing
            counts = self._weigh(np.maximum(self.counts - self._count(left_out), 0.0))
            counts += of_cells.sum(axis=0) - of_cells[f]
            elsewhere = of_keys.sum(axis=0) - of_keys[f]
            inside = inside[place[owner[inside]] >= 0]
            tested = Outcomes(place[owner[inside]], code[inside], size)
            scores += tested.score(self._log_probs(counts, elsewhere)[None], once)
        return scores

    def _others(self) -> tuple[Floats, Floats]:
        """(folds + 1, activities, cells) counts of other instances in the cells of the sample.

        And (folds + 1, activities, keys) what they have besides: other relations of its keys.
        """
        shape = self.sample.folds + 1, self.sample.activities
        of_cells, of_keys = np.zeros((*shape, len(self.row))), np.zeros((*shape, len(self.keys)))
        code, number = self.others.code, self.others.number
        key, relation, activity, fold = self._read(code)
        cell = as_index(key * 8 + relation, self.pairs.key * 8 + self.pairs.relation)
        row = as_index(key, self.keys)
        met, besides = cell >= 0, (cell < 0) & (row >= 0)
        of_cells[fold[met], activity[met], cell[met]] = number[met]
        np.add.at(of_keys, (fold[besides], activity[besides], row[besides]), number[besides])
        return of_cells, of_keys

    def _log_probs(self, counts: Floats, elsewhere: Floats) -> Floats:
        """(activities, cells) log probability of the relation of each cell.

        elsewhere : (activities, keys) counts of relations that have no cell
        """
        if not len(self.keys):
            return counts
        first = np.searchsorted(self.pairs.key, self.keys)
        total = np.add.reduceat(counts, first, axis=1) + elsewhere
        total += self.smoothing * MEMBERS.sum(axis=1)[self.keys % 128]
        logs: Floats = np.log(counts + self.smoothing)
        logs -= np.log(total)[:, self.row]
        return logs


def _count_pairs(rule: PairRule, piece: Sample) -> CodeCounts:
    """Key, relation, activity and fold of pairs as one number, and how often it occurs."""
    owner, key, relation = rule.open_pairs(piece.X, len(piece.X.actions))
    code = (key * 8 + relation) * piece.cells + piece.cell[owner]
    return CodeCounts.of(code, piece.number[owner])
