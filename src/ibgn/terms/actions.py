"""The term for how often each action occurs, whatever the order."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_prior_count
from ibgn.declarations import FLOAT, are_smoothed_log_probs, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.parts import Part, per_cent
from ibgn.text import count

__all__ = ["ActionCounts", "Actions", "FittedActions"]


@dataclass(frozen=True)
class ActionCounts(Counts):
    """(actions,) number of intervals of each action."""

    counts: Ints


@dataclass(frozen=True)
class FittedActions(FittedTerm):
    """How often each action occurs in an activity.

    Parameters
    ----------
    log_probs : (actions,) log probability of each action
    """

    log_probs: Floats = stored(FLOAT, "actions", holds=are_smoothed_log_probs)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each action; unknown ones are equally likely in every activity."""
        unknown = -np.log(len(self.actions) + 1)
        return LogTerms(interval=np.append(self.log_probs, unknown)[X.action])

    def describe(self) -> pd.DataFrame:
        """Actions with their probabilities, the likeliest first."""
        order = np.argsort(-self.log_probs, kind="stable")
        rows = [(self.actions[a], float(np.exp(self.log_probs[a]))) for a in order]
        return pd.DataFrame(rows, columns=["action", "probability"])

    def brief(self) -> str:
        """Name the most frequent action."""
        return f"mostly {self.describe()['action'][0]!r}" if self.actions else "no actions"

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Share of the intervals."""
        are = "is" if len(part.where) == 1 else "are"
        return f"{len(part.where)} of {count(len(X.action), 'interval')} {are} {part.named}"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """The same share."""
        return f"{per_cent(float(np.exp(self.log_probs[part.code])))} are"


@dataclass(frozen=True)
class Actions(Term):
    """Frequencies of actions, each interval by itself, whatever their order.

    Parameters
    ----------
    count_prior : added to the count of each action

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("actions",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["actions"].describe().head(2).round(2)
      action  probability
    0   stir         0.26
    1   hold         0.25
    """

    name = "actions"
    fitted = FittedActions

    count_prior: float = 0.5

    def __post_init__(self) -> None:
        check_prior_count("count_prior", self.count_prior)

    def count(self, X: IntervalSequences) -> ActionCounts:
        """Count the intervals of each action."""
        return ActionCounts(np.bincount(X.action, minlength=len(X.actions)))

    def fit(self, counts: ActionCounts, pooled: None, context: Context) -> FittedActions:
        """Shares of the counts, smoothed."""
        smoothed = counts.counts + self.count_prior
        return FittedActions(context.actions, np.log(smoothed / smoothed.sum()))
