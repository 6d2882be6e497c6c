"""Counts of instances that nobody keeps: actions and activities that come later find room."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Ints
from ibgn.intervals import IntervalSequences
from ibgn.model.piece_counts import PieceCounter
from ibgn.model.summary import Summary
from ibgn.pieces import cut, map_in_order
from ibgn.recoding import recode
from ibgn.terms.base import Term
from ibgn.terms.tally import GrowingTally, Recoding, Sample, Tally, make_tally
from ibgn.worlds import likeliest_world

__all__ = ["Counted"]


class Counted:
    """Instances as their counts, by term and activity, and what models remember of them.

    One more action, which never occurs, comes after all others: new actions have the counts that it
    has, as they never occurred so far.

    Parameters
    ----------
    terms : what counts, without a look at all instances
    actions : names of those that may occur, sorted
    activities : how many there are

    Examples
    --------
    >>> from ibgn.terms import Durations
    >>> counted = Counted([Durations()], ("boil",), 1)
    >>> counted.add(IntervalSequences.from_lists([[("boil", 0, 4)]] * 3), np.zeros(3, np.int64))
    >>> counted = counted.grown(("boil", "pour"), np.array([1]), 2)
    >>> counted.tallies[0].counts.number.tolist()
    [[[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]]
    """

    def __init__(self, terms: Sequence[Term], actions: tuple[str, ...], activities: int) -> None:
        self.terms, self.actions, self.activities = terms, actions, activities
        nothing = IntervalSequences.from_lists([])
        sample = self._sample(nothing, np.zeros(0, np.int64))
        special = (list(term.specialise([nothing] * activities)) for term in terms)
        self.tallies = [make_tally(of_activities, sample) for of_activities in special]
        self.summary = Summary.of(sample.X, sample.activity, activities)

    def _sample(self, X: IntervalSequences, codes: Ints) -> Sample:
        """Instances that are never held out; all actions are known."""
        return Sample(
            X=recode(X, self.actions),
            activity=codes,
            fold=np.full(len(X), -1),
            copied=np.zeros(len(X), bool),
            activities=self.activities,
            folds=0,
        )

    @property
    def grows(self) -> bool:
        """Whether all counts take the same room for any number of instances, and can grow."""
        return len(self._growing) == len(self.tallies)

    @property
    def _growing(self) -> list[GrowingTally]:
        return [tally for tally in self.tallies if isinstance(tally, GrowingTally)]

    def add(self, X: IntervalSequences, codes: Ints) -> None:
        """Count instances, and the number of the activity of each."""
        X = likeliest_world(X)
        pieces = [self._sample(X[run], codes[run]) for run in cut(X)]
        count = PieceCounter(tuple(tally.counter for tally in self.tallies))
        for found in map_in_order(count, pieces):
            self.summary += found.summary
            for tally, counts in zip(self.tallies, found.of_terms, strict=True):
                tally.add(counts)

    def grown(self, actions: tuple[str, ...], number: Ints, activities: int) -> "Counted":
        """The same with more actions and activities; `number` (activities,) that each has then."""
        code = {name: place for place, name in enumerate(self.actions)}
        place = {name: place for place, name in enumerate(actions)}
        unknown = len(self.actions)
        change = Recoding(
            actions=np.array([*(code.get(name, unknown) for name in actions), unknown]),
            renamed=np.array([*(place[name] for name in self.actions), len(actions)]),
            activities=number,
            number=activities,
            folds=0,
        )
        wider = Counted(self.terms, actions, activities)
        wider.summary = self.pour(wider.tallies, change)
        return wider

    def pour(self, tallies: Sequence[Tally], change: Recoding) -> Summary:
        """Add all to other tallies of the same terms; returns what models remember of it."""
        for mine, its in zip(self._growing, tallies, strict=True):
            its.add(mine.recoded(change))
        return self.summary.recoded(change)

    def teach(self, tallies: Sequence[Tally], folds: int) -> Summary:
        """Add all to tallies that know the same actions and activities, and learn from folds.

        Returns what models remember of it.
        """
        actions, activities = np.arange(len(self.actions)), np.arange(self.activities)
        renamed = np.append(actions, 0)  # the last one never occurs
        return self.pour(tallies, Recoding(actions, renamed, activities, self.activities, folds))
