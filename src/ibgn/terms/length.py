"""The term of how many intervals an instance has."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import softmax

from ibgn._arrays import Floats, Ints
from ibgn.declarations import FLOAT, are_logs, is_positive, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, LogTerms
from ibgn.terms.moments import Moments, Numbers, StudentT, fit_student_t
from ibgn.terms.parts import Part, usual
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm
from ibgn.text import count

__all__ = ["FittedLength", "Length"]


@dataclass(frozen=True)
class FittedLength(StackedFit):
    """How many intervals an instance has: log(1 + k) follows a Student-t distribution.

    Parameters
    ----------
    location, scale, freedom : (1,) of that distribution
    """

    location: Floats = stored(FLOAT, 1, holds=are_logs)
    scale: Floats = stored(FLOAT, 1, holds=is_positive)
    freedom: Floats = stored(FLOAT, 1, holds=is_positive)

    @property
    def prediction(self) -> StudentT:
        """Prediction of log(1 + k)."""
        return StudentT(self.location, self.scale, self.freedom)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log density of the length of each instance."""
        numbers = log_lengths(X)
        return LogTerms(instance=self.prediction.log_density(numbers.group, numbers.value))

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log density of the length of each instance, by many activities."""
        return log_lengths(X).score(self.prediction, row)

    def draw(self, n: int, among: Ints, rng: np.random.Generator) -> Ints:
        """Draw lengths among these, (n,), each as likely as numbers that round to it."""
        logs = np.log1p(among)
        density = self.prediction.log_density(np.zeros(len(among), int), logs) - logs
        return rng.choice(among, n, p=softmax(density))

    def describe(self) -> pd.DataFrame:
        """Typical number of intervals, and its usual range."""
        low, high = np.expm1(self.prediction.usual()[:, 0])
        typical = np.expm1(self.location[0])
        return pd.DataFrame({"intervals": [typical], "from": [max(low, 0.0)], "to": [high]})

    def brief(self) -> str:
        """Typical number of intervals."""
        return f"about {np.expm1(self.location[0]):.0f} intervals"

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Number of intervals."""
        return count(len(X.action), "interval")

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Range of numbers."""
        return usual(*np.maximum(np.rint(np.expm1(self.prediction.usual()[:, 0])), 0))


@dataclass(frozen=True)
class Length(StackedTerm):
    """How many intervals an instance has.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("length",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["length"].describe().head(2).round(2)
       intervals  from    to
    0       3.97  3.54  4.45
    """

    name = "length"
    fitted = FittedLength
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> Moments:
        """Count log(1 + k) of all instances."""
        return log_lengths(X).by_cell(cells)

    def fit(self, counts: Moments, pooled: Moments, context: Context) -> FittedLength:
        """Predict the length of a new instance."""
        return FittedLength(context.actions, *fit_student_t(counts, pooled))


def log_lengths(X: IntervalSequences) -> Numbers:
    """log(1 + k) of each instance."""
    return Numbers(np.arange(len(X)), np.zeros(len(X), np.int64), np.log1p(X.lengths), 1)
