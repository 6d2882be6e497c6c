"""Learning from counts: the terms of all activities, and held-out scores for their weights.

Counts of parts add up. So every fold of the training instances is counted once, activities are
learned from all folds, and held-out scores from all folds but one. Copies of the instances with
errors, as detectors make them, are counted with a small weight: relations of exact coincidence
then lose a little of what they say, and recordings with errors a lot less.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import joblib
import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.intervals import IntervalSequences
from ibgn.noise import DurationNoise, Misdetection
from ibgn.recoding import recode
from ibgn.terms.base import Context, FittedTerm, Term

__all__ = ["HeldOut", "Lesson", "copy_with_errors"]

ERRORS = ((0.1, 0.1), (0.2, 0.1))  # of ends, as part of the duration, and of detection, per copy


class HeldOut(NamedTuple):
    """Scores of instances by what was learned from other folds.

    Parameters
    ----------
    scores : (rows, terms, activities) log probabilities
    codes : (rows,) true activity of each
    weights : (rows,) how much each counts
    """

    scores: Floats
    codes: Ints
    weights: Floats


@dataclass(frozen=True)
class Lesson:
    """Instances to learn from, in folds, with copies; and the terms that learn.

    Parameters
    ----------
    terms : [term][activity] what is learned, after a look at all activities
    X : all instances
    codes : (n,) activity of each
    folds : instances of each fold
    copies : the same instances with errors
    copy_weight : how much an instance of a copy counts
    """

    terms: Sequence[Sequence[Term]]
    X: IntervalSequences
    codes: Ints
    folds: Sequence[Ints]
    copies: Sequence[IntervalSequences] = ()
    copy_weight: float = 0.0

    def count(self) -> list[list[list[Any]]]:
        """Count [term][fold][activity], each cell once."""
        activities = range(len(self.terms[0]))
        cells = [[fold[self.codes[fold] == c] for c in activities] for fold in self.folds]
        return [
            [[self._count(of_term[c], cell[c]) for c in activities] for cell in cells]
            for of_term in self.terms
        ]

    def _count(self, term: Term, chosen: Ints) -> Any:
        counts = term.count(self.X[chosen])
        if not term.scales:
            return counts
        return reduce(
            add, (term.count(copy[chosen]) * self.copy_weight for copy in self.copies), counts
        )

    def learn(self, counts: Any, contexts: Sequence[Context]) -> Iterator[dict[str, FittedTerm]]:
        """Learn the terms of each activity from the counts of all folds."""
        totals = [
            [reduce(add, cells) for cells in zip(*of_term, strict=True)] for of_term in counts
        ]
        pooled = [self._pooled(t, of_term) for t, of_term in enumerate(totals)]

        def fit(c: int) -> dict[str, FittedTerm]:
            return {
                of_term[c].name: of_term[c].fit(totals[t][c], pooled[t], contexts[c])
                for t, of_term in enumerate(self.terms)
            }

        parallel = joblib.Parallel(prefer="threads", return_as="generator")
        learned: Iterator[dict[str, FittedTerm]] = parallel(
            joblib.delayed(fit)(c) for c in range(len(contexts))
        )
        return learned

    def hold_out(self, counts: Any, contexts: Sequence[Context]) -> HeldOut:
        """Score every instance, and every copy, by the counts of the other folds."""
        versions = [self.X, *self.copies]
        shape = (len(versions), len(self.X), len(self.terms), len(contexts))
        scores = np.empty(shape)
        tested = [[version[fold] for version in versions] for fold in self.folds]

        def score(t: int, f: int) -> None:
            others = [of_fold for g, of_fold in enumerate(counts[t]) if g != f]
            rest = [reduce(add, cells) for cells in zip(*others, strict=True)]
            pooled = self._pooled(t, rest)
            for c, context in enumerate(contexts):
                learned = self.terms[t][c].fit(rest[c], pooled, context)
                for v in range(len(versions)):
                    scores[v, self.folds[f], t, c] = learned.log_likelihood(tested[f][v])

        joblib.Parallel(require="sharedmem")(
            joblib.delayed(score)(t, f)
            for t in range(len(self.terms))
            for f in range(len(self.folds))
        )
        weights = np.repeat([1.0, *[self.copy_weight] * len(self.copies)], len(self.X))
        return HeldOut(scores.reshape(-1, *shape[2:]), np.tile(self.codes, len(versions)), weights)

    def typical(self, held_out: HeldOut) -> Floats:
        """(activities, terms) mean held-out scores of its instances, without copies."""
        scores = held_out.scores[: len(self.X)]
        return np.array(
            [scores[self.codes == c, :, c].mean(axis=0) for c in range(scores.shape[2])]
        )

    def _pooled(self, t: int, of_activities: Sequence[Any]) -> Any:
        return reduce(add, of_activities) if self.terms[t][0].pools else None


def copy_with_errors(X: IntervalSequences, rng: np.random.Generator) -> list[IntervalSequences]:
    """Copies of instances with the errors of detectors: ends that move, and misdetections."""
    copies = []
    for ends, misdetected in ERRORS:
        moved = DurationNoise(ends, random_state=rng).fit(X).transform(X)
        wrong = Misdetection(misdetected, random_state=rng).fit(X).transform(moved)
        flat = recode(wrong, X.actions).flat
        copies.append(IntervalSequences.from_flat(flat, X.actions, X.ids, X.groups))
    return copies
