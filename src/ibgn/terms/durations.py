"""Terms of how long actions last: each interval, and each action in all."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats
from ibgn.declarations import FLOAT, is_finite, is_positive, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, FittedTerm, LogTerms, Term
from ibgn.terms.moments import Moments, StudentT, count_moments, fit_student_t
from ibgn.terms.parts import Part, listed, short, usual

__all__ = ["Durations", "FittedDurations", "FittedTotals", "Totals"]


@dataclass(frozen=True)
class _OfActions(FittedTerm):
    """A Student-t distribution of a logarithm of time for each action.

    Parameters
    ----------
    location, scale, freedom : (actions,) of these distributions
    """

    location: Floats = stored(FLOAT, "actions", holds=is_finite)
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
        known = X.action < len(self.actions)
        values = np.log(X.end - X.start)[known]
        terms[known] = self.prediction.log_density(X.action[known], values)
        return LogTerms(interval=terms)

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Durations."""
        return f"{part.subject} lasts {listed((X.end - X.start)[part.where])}"


@dataclass(frozen=True)
class Durations(Term):
    """How long each interval lasts, given its action."""

    name = "durations"
    fitted = FittedDurations
    pools = True

    def count(self, X: IntervalSequences) -> Moments:
        """Count log durations by action."""
        return count_moments(X.action, np.log(X.end - X.start), len(X.actions))

    def fit(self, counts: Moments, pooled: Moments, context: Context) -> FittedDurations:
        """Predict the log duration of a new interval of each action."""
        return FittedDurations(context.actions, *fit_student_t(counts, pooled))


class FittedTotals(_OfActions):
    """How long each action that occurs lasts in all."""

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log density of the log of the total duration of each action, 0 where it is absent."""
        total = total_durations(X, len(self.actions))
        instance, action = np.nonzero(total)
        terms = np.zeros(total.shape)
        values = np.log(total[instance, action])
        terms[instance, action] = self.prediction.log_density(action, values)
        return LogTerms(action=terms)

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Sum of durations."""
        total = total_durations(X, len(self.actions))[0, part.code]
        return f"{part.subject} lasts {short(total)} in all"


@dataclass(frozen=True)
class Totals(Term):
    """How long each action that occurs lasts in all its intervals together."""

    name = "totals"
    fitted = FittedTotals
    pools = True

    def count(self, X: IntervalSequences) -> Moments:
        """Count logs of total durations by action."""
        total = total_durations(X, len(X.actions))
        instance, action = np.nonzero(total)
        return count_moments(action, np.log(total[instance, action]), len(X.actions))

    def fit(self, counts: Moments, pooled: Moments, context: Context) -> FittedTotals:
        """Predict the log total of each action in a new instance."""
        return FittedTotals(context.actions, *fit_student_t(counts, pooled))


def total_durations(X: IntervalSequences, actions: int) -> Floats:
    """(n, actions) sum of the durations of each known action."""
    total = np.zeros((len(X), actions + 1))
    np.add.at(total, (X.owner, X.action), X.end - X.start)
    return total[:, :actions]
