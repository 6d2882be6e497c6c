"""Terms of how long actions last: each interval, and each action in all."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.declarations import FLOAT, are_logs, is_positive, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, LogTerms
from ibgn.terms.by_action import ActionRuns, known_intervals
from ibgn.terms.moments import Moments, Numbers, StudentT, fit_student_t
from ibgn.terms.parts import Part, listed, short, usual
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm

__all__ = ["Durations", "FittedDurations", "FittedTotals", "Totals"]


@dataclass(frozen=True)
class _OfActions(StackedFit):
    """A Student-t distribution of a logarithm of time for each action.

    Parameters
    ----------
    location, scale, freedom : (actions,) of these distributions
    """

    location: Floats = stored(FLOAT, "actions", holds=are_logs)
    scale: Floats = stored(FLOAT, "actions", holds=is_positive)
    freedom: Floats = stored(FLOAT, "actions", holds=is_positive)

    @property
    def prediction(self) -> StudentT:
        """Prediction of a new logarithm of each action."""
        return StudentT(self.location, self.scale, self.freedom)

    def describe(self) -> pd.DataFrame:
        """Typical time of each action and its usual range, the most observed first."""
        low, high = np.exp(self.prediction.usual())
        typical = np.exp(self.location)
        columns = {"action": self.actions, "typical": typical, "from": low, "to": high}
        frame = pd.DataFrame(columns | {"observed": self.freedom})
        return frame.sort_values(
            "observed", ascending=False, kind="stable", ignore_index=True
        ).drop(columns="observed")

    def brief(self) -> str:
        """How many actions there are."""
        return f"{len(self.actions)} actions"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Range of times."""
        return usual(*np.exp(self.prediction.usual()[:, part.code]))


class FittedDurations(_OfActions):
    """How long each interval lasts, given its action."""

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log density of the log duration of each interval; 0 for unknown actions."""
        terms = np.zeros(len(X.action))
        numbers = log_durations(X, len(self.actions))
        known = X.action < len(self.actions)
        terms[known] = self.prediction.log_density(numbers.group, numbers.value)
        return LogTerms(interval=terms)

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log density of all durations of each instance, by many activities."""
        return log_durations(X, len(self.actions)).score(self.prediction, row)

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Durations."""
        return f"{part.subject} lasts {listed((X.end - X.start)[part.where])}"


@dataclass(frozen=True)
class Durations(StackedTerm):
    """How long each interval lasts, given its action.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("durations",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["durations"].describe().head(2).round(2)
      action  typical  from    to
    0   stir     5.56  3.45  8.98
    1   hold     3.94  2.20  7.08
    """

    name = "durations"
    fitted = FittedDurations
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> Moments:
        """Count log durations by action."""
        return log_durations(X, len(X.actions)).by_cell(cells)

    def fit(self, counts: Moments, pooled: Moments, context: Context) -> FittedDurations:
        """Predict the log duration of a new interval of each action."""
        return FittedDurations(context.actions, *fit_student_t(counts, pooled))


class FittedTotals(_OfActions):
    """How long each action that occurs lasts in all."""

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log density of the log of the total duration of each action, 0 where it is absent."""
        numbers = log_totals(X, len(self.actions))
        terms = np.zeros((len(X), len(self.actions)))
        terms[numbers.owner, numbers.group] = self.prediction.log_density(
            numbers.group, numbers.value
        )
        return LogTerms(action=terms)

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log density of all totals of each instance, by many activities."""
        return log_totals(X, len(self.actions)).score(self.prediction, row)

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Sum of durations."""
        total = (X.end - X.start)[X.action == part.code].sum()
        return f"{part.subject} lasts {short(total)} in all"


@dataclass(frozen=True)
class Totals(StackedTerm):
    """How long each action that occurs lasts in all its intervals together.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("totals",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["totals"].describe().head(2).round(2)
      action  typical  from    to
    0   hold     3.95  2.19  7.10
    1   stir     5.92  4.26  8.24
    """

    name = "totals"
    fitted = FittedTotals
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> Moments:
        """Count logs of total durations by action."""
        return log_totals(X, len(X.actions)).by_cell(cells)

    def fit(self, counts: Moments, pooled: Moments, context: Context) -> FittedTotals:
        """Predict the log total of each action in a new instance."""
        return FittedTotals(context.actions, *fit_student_t(counts, pooled))


def log_durations(X: IntervalSequences, actions: int) -> Numbers:
    """Logarithm of the duration of each interval of a known action, by action."""

    def measure() -> Numbers:
        known = known_intervals(X, actions)
        duration = X.end[known] - X.start[known]
        return Numbers(X.owner[known], X.action[known], np.log(duration), actions)

    return X.derived(("log durations", actions), measure)


def log_totals(X: IntervalSequences, actions: int) -> Numbers:
    """Logarithm of the total duration of each known action that occurs, by action."""

    def measure() -> Numbers:
        runs = ActionRuns.of(X, actions)
        duration = (X.end - X.start)[runs.order]
        total = np.add.reduceat(duration, runs.edges[:-1]) if len(duration) else duration
        return Numbers(runs.owner, runs.action, np.log(total), actions)

    return X.derived(("log totals", actions), measure)
