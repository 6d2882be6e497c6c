"""The term of how often each action occurs in an instance."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.declarations import ANY, FLOAT, are_smoothed_log_probs, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, LogTerms
from ibgn.terms.by_action import ActionRuns
from ibgn.terms.parts import Part, as_times, per_cent
from ibgn.terms.shares import OutcomeCounts, Outcomes, smoothed_logs
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm
from ibgn.text import count

__all__ = ["FittedOccurrences", "Occurrences"]

MOST = 5  # more occurrences count as so many
STRENGTH = 1.0


@dataclass(frozen=True)
class FittedOccurrences(StackedFit):
    """How often each action occurs in an instance.

    Parameters
    ----------
    log_probs : (actions, MOST + 1) log probability of each number of occurrences, the last one for
        that many or more
    """

    log_probs: Floats = stored(FLOAT, "actions", ANY, holds=are_smoothed_log_probs)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of how often each action occurs."""
        numbers = np.minimum(count_occurrences(X, len(self.actions)), self.log_probs.shape[1] - 1)
        return LogTerms(action=self.log_probs[np.arange(len(self.actions)), numbers])

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log probability of all numbers of occurrences, by many activities."""
        absent, most = self.log_probs[..., :1], self.log_probs.shape[-1] - 1
        present = occurrences_by_action(X, len(self.actions), most)
        constant: Floats = absent.sum(axis=(-2, -1))
        return present.score(self.log_probs - absent, row) + constant[row]

    def describe(self) -> pd.DataFrame:
        """Probability that each action occurs, and its mean number, the likeliest first."""
        probs = np.exp(self.log_probs)
        columns = {"occurs": 1 - probs[:, 0], "mean": probs @ np.arange(probs.shape[1])}
        frame = pd.DataFrame({"action": self.actions} | columns)
        return frame.sort_values("occurs", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """How many actions nearly always occur."""
        number = int((self.log_probs[:, 0] < np.log(0.1)).sum())
        return f"{count(number, 'action')} nearly always"

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """How often the action occurs."""
        number = int((X.action == part.code).sum())
        return f"{part.subject} occurs {as_times(number)}" if number else f"no {part.subject}"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Share of the instances that have the action as often, or at all if this one does not."""
        number, most = int((X.action == part.code).sum()), self.log_probs.shape[1] - 1
        probs = np.exp(self.log_probs[part.code])
        if not number:
            return f"{per_cent(1 - probs[0])} of the instances have it"
        often = f"{most} times or more" if number >= most else as_times(number)
        return f"{per_cent(probs[min(number, most)])} of the instances have it {often}"


@dataclass(frozen=True)
class Occurrences(StackedTerm):
    """How often each action occurs in an instance, also that it does not.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("occurrences",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["occurrences"].describe().head(2).round(2)
      action  occurs  mean
    0   stir     1.0  1.04
    1   hold     1.0  1.00
    """

    name = "occurrences"
    fitted = FittedOccurrences
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> OutcomeCounts:
        """Count instances by action and its number of occurrences."""
        counts = occurrences_by_action(X, len(X.actions), MOST).by_cell(cells)
        counts = counts.reshape(cells.number, -1, MOST + 1)
        absent = cells.instances[:, None] - counts.sum(axis=-1)
        counts[..., 0] = np.maximum(absent, 0.0)  # rounding leaves none below 0
        return OutcomeCounts(counts)

    def fit(
        self, counts: OutcomeCounts, pooled: OutcomeCounts, context: Context
    ) -> FittedOccurrences:
        """Smooth the shares of instances."""
        logs = smoothed_logs(counts.counts, pooled.counts, STRENGTH)
        return FittedOccurrences(context.actions, logs)


def occurrences_by_action(X: IntervalSequences, actions: int, most: int) -> Outcomes:
    """(action, number of occurrences) of every known action that an instance has."""

    def look() -> Outcomes:
        runs = ActionRuns.of(X, actions)
        code = runs.action * (most + 1) + np.minimum(runs.number, most)
        return Outcomes(runs.owner, code, actions * (most + 1))

    return X.derived(("occurrences", actions, most), look)


def count_occurrences(X: IntervalSequences, actions: int) -> Ints:
    """(n, actions) number of intervals of each known action."""
    numbers = np.zeros((len(X), actions), np.int64)
    runs = ActionRuns.of(X, actions)
    numbers[runs.owner, runs.action] = runs.number
    return numbers
