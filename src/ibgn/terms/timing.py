"""Terms of when actions start: where in the instance, and how long after the start before."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Bools, Floats, Ints
from ibgn.declarations import ANY, FLOAT, are_logs, are_smoothed_log_probs, is_positive, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, LogTerms
from ibgn.terms.by_action import known_intervals
from ibgn.terms.moments import Moments, Numbers, StudentT, fit_student_t
from ibgn.terms.parts import (
    MOST_LISTED,
    Part,
    enumerated,
    listed,
    per_cent,
    probability,
    usual,
)
from ibgn.terms.shares import OutcomeCounts, Outcomes, smoothed_logs
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm

__all__ = ["FittedGaps", "FittedStarts", "Gaps", "Starts", "time_spans"]

BINS = 10  # parts of an instance
START_STRENGTH = 3.0
GAP_STRENGTH = 2.0


def time_spans(X: IntervalSequences) -> tuple[Floats, Floats]:
    """(n,) when each instance begins, and how long it lasts; 0 and 1 where it is empty."""

    def measure() -> tuple[Floats, Floats]:
        begin, span = np.zeros(len(X)), np.ones(len(X))
        filled = np.flatnonzero(X.lengths)
        if len(filled):
            first = X.offsets[filled]
            begin[filled] = np.minimum.reduceat(X.start, first)
            span[filled] = np.maximum.reduceat(X.end, first) - begin[filled]
        return begin, span

    return X.derived("time spans", measure)


@dataclass(frozen=True)
class FittedStarts(StackedFit):
    """Where in the instance each action starts.

    Parameters
    ----------
    log_probs : (actions, bins) log probability of each part of the instance
    """

    log_probs: Floats = stored(FLOAT, "actions", ANY, holds=are_smoothed_log_probs)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of the part in which each interval starts; 0 for unknown actions."""
        known = X.action < len(self.actions)
        terms = np.zeros(len(X.action))
        parts = start_parts(X, self.log_probs.shape[1])[known]
        terms[known] = self.log_probs[X.action[known], parts]
        return LogTerms(interval=terms)

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log probability of all starts of each instance, by many activities."""
        bins = self.log_probs.shape[-1]
        return starts_by_action(X, len(self.actions), bins).score(self.log_probs, row)

    def describe(self) -> pd.DataFrame:
        """Mean relative start of each action, from 0 to 1, and its spread; the earliest first."""
        bins = self.log_probs.shape[1]
        probs, middle = np.exp(self.log_probs), np.arange(0.5, bins) / bins
        mean = probs @ middle
        spread = np.sqrt(np.maximum(probs @ middle**2 - mean**2, 0))
        frame = pd.DataFrame({"action": self.actions, "start": mean, "spread": spread})
        return frame.sort_values("start", kind="stable", ignore_index=True)

    def brief(self) -> str:
        """Number of actions; which of them are rare in the activity is not known here."""
        return f"{len(self.actions)} actions"

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Parts of the instance in which intervals start."""
        bins = self.log_probs.shape[1]
        met = dict.fromkeys(start_parts(X, bins)[part.where].tolist())
        shown = [f"{p / bins:.0%} to {(p + 1) / bins:.0%}" for p in list(met)[:MOST_LISTED]]
        more = " and elsewhere" * (len(met) > MOST_LISTED)
        return f"{part.subject} starts at {enumerated(shown)} of the instance{more}"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of these parts."""
        return probability(self.log_terms(X).interval, part)


@dataclass(frozen=True)
class Starts(StackedTerm):
    """Where in the instance each action starts, in tenths of its duration.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("starts",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["starts"].describe().head(2).round(2)
      action  start  spread
    0   hold   0.06    0.08
    1   pour   0.26    0.10
    """

    name = "starts"
    fitted = FittedStarts
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> OutcomeCounts:
        """Count intervals by action and the part in which they start."""
        counts = starts_by_action(X, len(X.actions), BINS).by_cell(cells)
        return OutcomeCounts(counts.reshape(cells.number, -1, BINS))

    def fit(self, counts: OutcomeCounts, pooled: OutcomeCounts, context: Context) -> FittedStarts:
        """Smooth the shares of intervals."""
        logs = smoothed_logs(counts.counts, pooled.counts, START_STRENGTH)
        return FittedStarts(context.actions, logs)


def starts_by_action(X: IntervalSequences, actions: int, bins: int) -> Outcomes:
    """(action, part of the instance) of the start of every interval of a known action."""

    def look() -> Outcomes:
        known = known_intervals(X, actions)
        code = X.action[known] * bins + start_parts(X, bins)[known]
        return Outcomes(X.owner[known], code, actions * bins)

    return X.derived(("starts", actions, bins), look)


def start_parts(X: IntervalSequences, bins: int) -> Ints:
    """(intervals,) number of the part of its instance in which each interval starts."""
    begin, span = time_spans(X)
    part = (X.start - begin[X.owner]) / span[X.owner]
    return np.minimum((part * bins).astype(np.int64), bins - 1)


@dataclass(frozen=True)
class GapCounts(Counts):
    """Time since the start before, by action.

    Parameters
    ----------
    together : (actions, 2) intervals that start later than the one before, and at the same time
    number, total, squares : (actions,) of the logarithms of gaps that are not 0
    """

    together: Floats
    number: Floats
    total: Floats
    squares: Floats

    @property
    def moments(self) -> Moments:
        """Of the logarithms of gaps that are not 0."""
        return Moments(self.number, self.total, self.squares)


@dataclass(frozen=True)
class FittedGaps(StackedFit):
    """How long after the start before each action starts.

    Parameters
    ----------
    together : (actions, 2) log probability of a later start, and of one at the same time
    location, scale, freedom : (actions,) of the logarithm of a later start's gap
    """

    together: Floats = stored(FLOAT, "actions", 2, holds=are_smoothed_log_probs)
    location: Floats = stored(FLOAT, "actions", holds=are_logs)
    scale: Floats = stored(FLOAT, "actions", holds=is_positive)
    freedom: Floats = stored(FLOAT, "actions", holds=is_positive)

    @property
    def prediction(self) -> StudentT:
        """Prediction of the logarithm of each action's gap."""
        return StudentT(self.location, self.scale, self.freedom)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log density of each gap; 0 for the first interval and for unknown actions."""
        gap, later = start_gaps(X)
        known = later & (X.action < len(self.actions))
        apart = known & (gap > 0)
        terms = np.zeros(len(X.action))
        terms[known] = self.together[X.action[known], (gap[known] <= 0).astype(int)]
        terms[apart] += self.prediction.log_density(X.action[apart], np.log(gap[apart]))
        return LogTerms(interval=terms)

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log density of all gaps of each instance, by many activities."""
        together, apart = gaps_by_action(X, len(self.actions))
        return together.score(self.together, row) + apart.score(self.prediction, row)

    def describe(self) -> pd.DataFrame:
        """Typical gap before each action and its usual range, the most observed first.

        `together` is how often it starts at the same time as the interval before.
        """
        low, high = np.exp(self.prediction.usual())
        columns = {"typical": np.exp(self.location), "from": low, "to": high}
        columns |= {"together": np.exp(self.together[:, 1])}
        order = np.argsort(-self.freedom, kind="stable")
        return pd.DataFrame({"action": self.actions} | columns).iloc[order].reset_index(drop=True)

    def brief(self) -> str:
        """Typical time between starts."""
        return f"starts about {np.exp(np.median(self.location)):.3g} apart" if self.actions else ""

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Time since the start before."""
        gaps = self._gaps(X, part)
        if not gaps.any():
            return f"{part.subject} starts together with the interval before"
        return f"{part.subject} starts {listed(gaps)} after the start before"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """How often it starts together, or the range of times."""
        together = float(np.exp(self.together[part.code, 1]))
        if not self._gaps(X, part).any():
            return f"{per_cent(together)} do"
        words = usual(*np.exp(self.prediction.usual()[:, part.code]))
        return f"{words}, or together ({per_cent(together)})" if together >= 0.1 else words

    def _gaps(self, X: IntervalSequences, part: Part) -> Floats:
        gap, later = start_gaps(X)
        return gap[part.where][later[part.where]]


@dataclass(frozen=True)
class Gaps(StackedTerm):
    """How long after the start before each action starts.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("gaps",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["gaps"].describe().head(2).round(2)
      action  typical  from    to  together
    0   stir     2.94  1.24  6.94       0.0
    1   pour     4.37  2.04  9.35       0.0
    """

    name = "gaps"
    fitted = FittedGaps
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> GapCounts:
        """Count gaps by action."""
        together, apart = gaps_by_action(X, len(X.actions))
        moments = apart.by_cell(cells)
        return GapCounts(
            together.by_cell(cells).reshape(cells.number, -1, 2),
            moments.number,
            moments.total,
            moments.squares,
        )

    def fit(self, counts: GapCounts, pooled: GapCounts, context: Context) -> FittedGaps:
        """Predict the gap before each action."""
        together = smoothed_logs(counts.together, pooled.together, GAP_STRENGTH)
        prediction = fit_student_t(counts.moments, pooled.moments)
        return FittedGaps(context.actions, together, *prediction)


def gaps_by_action(X: IntervalSequences, actions: int) -> tuple[Outcomes, Numbers]:
    """(action, whether it starts together with the one before), and logarithms of other gaps."""

    def look() -> tuple[Outcomes, Numbers]:
        gap, later = start_gaps(X)
        known = np.flatnonzero(later & (X.action < actions))
        apart = known[gap[known] > 0]
        code = 2 * X.action[known] + (gap[known] <= 0)
        return (
            Outcomes(X.owner[known], code, 2 * actions),
            Numbers(X.owner[apart], X.action[apart], np.log(gap[apart]), actions),
        )

    return X.derived(("gaps", actions), look)


def start_gaps(X: IntervalSequences) -> tuple[Floats, Bools]:
    """(intervals,) time since the start before, 0 for the first; and which are not the first."""
    later = np.diff(X.owner, prepend=-1) == 0
    return np.where(later, np.diff(X.start, prepend=0.0), 0.0), later
