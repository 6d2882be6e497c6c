"""Learning from counts: the terms of all activities, and held-out scores for their weights.

Copies of the instances with errors, as detectors make them, are counted with a small weight:
relations of exact coincidence then lose a little of what they say, and recordings with errors a lot
less. Where codes are styles, instances of the other styles of an activity count like copies, so
that a style is drawn towards its activity.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.intervals import IntervalSequences
from ibgn.model.counted import Counted
from ibgn.model.folds import fingerprint
from ibgn.model.piece_counts import PieceCounter, PieceCounts
from ibgn.model.summary import Summary
from ibgn.noise import DurationNoise, Misdetection
from ibgn.recoding import recode
from ibgn.terms.base import Context, FittedTerm, Term
from ibgn.terms.tally import Sample, make_tally
from ibgn.worlds import draw_worlds

__all__ = ["CountsOthers", "HeldOut", "Lesson", "copy_with_errors"]

MOST_SCORES = 500_000  # held-out scores of a term; more would say little, and take long
ERRORS = ((0.1, 0.1), (0.2, 0.1))  # of ends, as part of the duration, and of detection, per copy


class HeldOut(NamedTuple):
    """Scores of instances by what was learned from other folds.

    Parameters
    ----------
    scores : (rows, terms, activities) log probabilities
    codes : (rows,) true activity of each
    weights : (rows,) how much each counts; not at all if no other fold has its activity
    lengths : (instances,) number of intervals of each that is no copy; copies come after them
    """

    scores: Floats
    codes: Ints
    weights: Floats
    lengths: Ints = np.zeros(0, np.int64)


CountsOthers = Callable[[PieceCounter], PieceCounts | None]
"""Counts all instances that are not in a sample; None if there are none."""


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
    owner : (codes,) activity of which each code is a style; None if codes are activities
    weight : (n,) how many instances each counts as; None if each counts as one
    others : counts more instances, where X is a sample
    stands_for : (codes,) how many instances a copy stands for, where X is a sample
    counted : counts of more instances
    """

    def __init__(
        self,
        terms: Sequence[Sequence[Term]],
        X: IntervalSequences,
        codes: Ints,
        folds: Sequence[Ints],
        copies: Sequence[IntervalSequences] = (),
        copy_weight: float = 0.0,
        owner: Ints | None = None,
        weight: Floats | None = None,
        others: CountsOthers = lambda count: None,
        stands_for: Floats | None = None,
        counted: Counted | None = None,
    ) -> None:
        owner = np.arange(len(terms[0])) if owner is None else owner
        other = (owner[codes][:, None] == owner) & (codes[:, None] != np.arange(len(owner)))
        row, style = np.nonzero(other if copy_weight else other[:0])
        versions = [X, *copies]
        self.X, self.versions = X, len(versions)
        fold = np.empty(len(X), np.int64)
        for number, chosen in enumerate(folds):
            fold[chosen] = number
        every = [*versions, X[row]] if len(row) else versions
        self.own = len(versions) * len(X)  # instances and copies, without those of other styles
        copied = np.arange(self.own + len(row)) >= len(X)

        def repeat(values: Floats) -> Floats:
            return np.append(np.tile(values, len(versions)), values[row])

        self.sample = Sample(
            X=IntervalSequences.concatenate(every) if len(every) > 1 else X,
            activity=np.concatenate([np.tile(codes, len(versions)), style]),
            fold=np.concatenate([np.tile(fold, len(versions)), fold[row]]),
            copied=copied,
            activities=len(terms[0]),
            folds=len(folds),
            copy_weight=copy_weight,
            given=None if weight is None else repeat(weight),
            stands_for=(
                None if stands_for is None else np.where(copied, repeat(stands_for[codes]), 1.0)
            ),
        )
        self.tallies = [make_tally(of_activities, self.sample) for of_activities in terms]
        self.summary = Summary.of(X, codes, len(terms[0]))
        found = others(PieceCounter(tuple(tally.counter for tally in self.tallies)))
        if found is not None:
            self.summary += found.summary
            for tally, counts in zip(self.tallies, found.of_terms, strict=True):
                tally.add(counts)
        if counted is not None:
            self.summary += counted.teach(self.tallies, len(folds))

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn from all folds: the first term of each activity, then the second, and so on."""
        return chain.from_iterable(tally.learn(contexts) for tally in self.tallies)

    def hold_out(self, contexts: Sequence[Context], every: bool = True) -> HeldOut:
        """Score every instance, and every copy, by the counts of the other folds.

        Not `every`: only as many as say enough about weights, where activities are many.
        """
        sample, shape = self.sample, (self.sample.folds + 1, self.sample.activities)
        rows = self._choose_rows(every)
        scores = np.stack([tally.hold_out(contexts, rows) for tally in self.tallies], axis=1)
        instances = np.bincount(sample.cell, minlength=sample.cells).reshape(shape)
        learned = (instances.sum(axis=0) - instances)[sample.fold, sample.activity] > 0
        codes, weight = sample.activity, np.where(learned, sample.value, 0.0)
        lengths = self.X.lengths
        if rows is not None:
            codes, weight = codes[rows], weight[rows]
            lengths = lengths[rows[: len(rows) // self.versions]]
        return HeldOut(scores, codes, weight, lengths)

    def _choose_rows(self, every: bool) -> Ints | None:
        """Instances, whatever their order, and their copies; None for all."""
        n = self.own // self.versions
        most = n if every else max(MOST_SCORES // (self.versions * self.sample.activities), 1)
        if most >= n:
            return None if self.own == len(self.sample.X) else np.arange(self.own)
        chosen = np.sort(np.argsort(fingerprint(self.X), kind="stable")[:most])
        return (chosen + n * np.arange(self.versions)[:, None]).ravel()

    def typical(self, held_out: HeldOut) -> list[Floats | None]:
        """(terms,) mean held-out scores of the instances of each activity, without copies.

        None where no instance of an activity was held out.
        """
        scores, codes, weight, lengths = held_out
        counted = weight > 0
        counted[len(lengths) :] = False
        own = [counted & (codes == c) for c in range(self.sample.activities)]
        return [
            np.average(scores[chosen, :, c], axis=0, weights=weight[chosen])
            if chosen.any()
            else None
            for c, chosen in enumerate(own)
        ]


def copy_with_errors(X: IntervalSequences, rng: np.random.Generator) -> list[IntervalSequences]:
    """Copies of instances with the errors of detectors: ends that move, and misdetections.

    Uncertain instances say themselves what may be wrong: their copies are worlds.
    """
    if X.uncertainty is not None and X.uncertainty.uncertain.any():
        worlds = draw_worlds(X, len(ERRORS), int(rng.integers(2**32)), exact=False)
        return [worlds.X[worlds.offsets[:-1] + number] for number in range(len(ERRORS))]
    copies = []
    for ends, misdetected in ERRORS:
        moved = DurationNoise(ends, random_state=rng).fit(X).transform(X)
        wrong = Misdetection(misdetected, random_state=rng).fit(X).transform(moved)
        flat = recode(wrong, X.actions).flat
        copies.append(IntervalSequences.from_flat(flat, X.actions, X.ids, X.groups))
    return copies
