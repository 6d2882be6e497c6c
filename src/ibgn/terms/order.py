"""The term of which action follows which."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.declarations import FLOAT, are_smoothed_log_probs, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, LogTerms
from ibgn.terms.parts import MOST_LISTED, Part, enumerated, probability
from ibgn.terms.shares import OutcomeCounts, Outcomes
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm
from ibgn.text import quote

__all__ = ["FittedOrder", "Order"]

OWN_STRENGTH = 2.0  # how often actions occur at all in the activity counts as so many observations
COMMON_STRENGTH = 1.0  # and what follows in all activities as so many


@dataclass(frozen=True)
class FittedOrder(StackedFit):
    """Which action follows which, in the order of starts.

    Parameters
    ----------
    log_probs : (actions + 1, actions) log probability of each action after each, the last row for
        the first of an instance
    """

    log_probs: Floats = stored(FLOAT, "actions+1", "actions", holds=are_smoothed_log_probs)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each action after the known one before it; 0 for unknown ones."""
        before, known = previous_actions(X, len(self.actions))
        terms = np.zeros(len(X.action))
        terms[known] = self.log_probs[before, X.action[known]]
        return LogTerms(interval=terms)

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log probability of all steps of each instance, by many activities."""
        return steps_between_actions(X, len(self.actions)).score(self.log_probs, row)

    def describe(self) -> pd.DataFrame:
        """Steps from one action to the next, the likeliest first; "" is the beginning."""
        names = [*self.actions, ""]
        before, action = np.divmod(
            np.argsort(-self.log_probs, axis=None, kind="stable"), len(names) - 1
        )
        return pd.DataFrame(
            {
                "before": [names[b] for b in before],
                "action": [names[a] for a in action],
                "probability": np.exp(self.log_probs[before, action]),
            }
        )

    def brief(self) -> str:
        """The likeliest first action."""
        return (
            f"begins with {self.actions[int(self.log_probs[-1].argmax())]!r}"
            if self.actions
            else ""
        )

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Which actions come before."""
        before, known = previous_actions(X, len(self.actions))
        names = [*map(quote, self.actions), ""]
        met = dict.fromkeys(names[b] for b in before[np.isin(known, part.where)].tolist())
        places = [f"after {name}" if name else "first" for name in met]
        more = " and elsewhere" * (len(places) > MOST_LISTED)
        return f"{part.named} comes {enumerated(places[:MOST_LISTED])}{more}"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of these steps, the geometric mean if there are several."""
        return probability(self.log_terms(X).interval, part)


@dataclass(frozen=True)
class Order(StackedTerm):
    """Which action follows which, in the order of starts.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("order",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["order"].describe().head(2).round(2)
      before action  probability
    0          hold         0.84
    1  press   stir         0.83
    """

    name = "order"
    fitted = FittedOrder
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> OutcomeCounts:
        """Count actions by the one before."""
        counts = steps_between_actions(X, len(X.actions)).by_cell(cells)
        return OutcomeCounts(counts.reshape(cells.number, len(X.actions) + 1, len(X.actions)))

    def fit(self, counts: OutcomeCounts, pooled: OutcomeCounts, context: Context) -> FittedOrder:
        """Shares of the counts, drawn to how often actions occur and to all activities."""
        own, common = counts.counts, pooled.counts
        at_all = own.sum(axis=-2, keepdims=True) + 0.5
        at_all /= at_all.sum(axis=-1, keepdims=True)
        in_all = (common + at_all) / (common.sum(axis=-1, keepdims=True) + 1)
        expected = OWN_STRENGTH * at_all + COMMON_STRENGTH * in_all
        total = own.sum(axis=-1, keepdims=True) + OWN_STRENGTH + COMMON_STRENGTH
        return FittedOrder(context.actions, np.log((own + expected) / total))


def steps_between_actions(X: IntervalSequences, actions: int) -> Outcomes:
    """(action before, action) of every interval of a known action."""

    def look() -> Outcomes:
        before, known = previous_actions(X, actions)
        code = before * actions + X.action[known]
        return Outcomes(X.owner[known], code, (actions + 1) * actions)

    return X.derived(("steps between actions", actions), look)


def previous_actions(X: IntervalSequences, actions: int) -> tuple[Ints, Ints]:
    """Known action before each known one, `actions` for the first; and where they stand."""
    known = np.flatnonzero(X.action < actions)
    first = np.diff(X.owner[known], prepend=-1) != 0
    before = np.where(first, actions, np.roll(X.action[known], 1))
    return before.astype(np.int64), known
