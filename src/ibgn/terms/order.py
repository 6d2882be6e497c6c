"""The term of which action follows which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from ibgn._arrays import Array, Floats, Ints
from ibgn._kernels.generation import Steps
from ibgn.declarations import FLOAT, INT, are_smoothed_log_probs, is_finite, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, FittedTerm, LogTerms
from ibgn.terms.codes import as_index
from ibgn.terms.keyed import KeyedCounts, KeyedTerm
from ibgn.terms.parts import MOST_LISTED, Part, enumerated, probability
from ibgn.terms.shares import Outcomes
from ibgn.terms.tally import Recoding
from ibgn.text import quote

__all__ = ["FittedOrder", "Order"]

OWN_STRENGTH = 2.0  # how often actions occur at all in the activity counts as so many observations
COMMON_STRENGTH = 1.0  # and what follows in all activities as so many


@dataclass(frozen=True)
class FittedOrder(FittedTerm):
    """Which action follows which, in the order of starts.

    A step is an action and the one before it, `actions` before the first of an instance; its key
    is before * actions + action. Of the steps between 10,000 actions, few occur in any activity.
    The others fall back to how often their action occurs, times what is left after the one before.

    Parameters
    ----------
    keys : (rows,) sorted, of the steps that occur in some activity
    log_probs : (rows,) log probability of the action of each, after the one before
    usual : (actions,) log probability of each action, whatever comes before
    left : (actions + 1,) log of the factor by which that is multiplied, after each, in other steps
    """

    keys: Ints = stored(INT, "rows")
    log_probs: Floats = stored(
        FLOAT, "rows", holds=lambda logs: is_finite(logs) and (logs <= 0).all()
    )
    usual: Floats = stored(FLOAT, "actions", holds=are_smoothed_log_probs)
    left: Floats = stored(
        FLOAT, "actions+1", holds=lambda logs: is_finite(logs) and (logs <= 0).all()
    )

    def agrees(self) -> bool:
        """Whether keys are sorted and of known actions, and what follows each adds up to 1."""
        keys, size = self.keys, len(self.actions)
        in_range = ((keys >= 0) & (keys < (size + 1) * size)).all()
        if not (in_range and (keys[1:] > keys[:-1]).all()):
            return False
        return not size or bool(np.allclose(self._totals(1.0), 1, atol=1e-6))

    def _totals(self, power: float) -> Floats:
        """(actions + 1,) sum of the probabilities of all actions after each, to a power."""
        before, action = np.divmod(self.keys, len(self.actions))
        usual, size = np.exp(power * self.usual), len(self.left)
        others = usual.sum() - np.bincount(before, usual[action], size)
        others = np.maximum(others, 0.0)  # rounding leaves none below 0
        totals: Floats = np.bincount(before, np.exp(power * self.log_probs), size) + (
            np.exp(power * self.left) * others
        )
        return totals

    def log_prob(self, before: Array | int, action: Array) -> Floats:
        """Log probability of each action after the one before it."""
        row = as_index(before * len(self.actions) + action, self.keys)
        met = np.append(self.log_probs, 0.0)[row]
        logs: Floats = np.where(row >= 0, met, self.usual[action] + self.left[before])
        return logs

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each action after the known one before it; 0 for unknown ones."""
        before, known = previous_actions(X, len(self.actions))
        terms = np.zeros(len(X.action))
        terms[known] = self.log_prob(before, X.action[known])
        return LogTerms(interval=terms)

    @classmethod
    def log_likelihoods(cls, fitted: Sequence[Self], X: IntervalSequences) -> Floats:
        """(n, fitted) log probability of each instance by each; each kind of step is read once."""
        actions = len(fitted[0].actions)

        def look() -> tuple[Ints, Outcomes]:
            owner, key = steps_between_actions(X, actions)
            kind, keys = pd.factorize(key, sort=True)
            return keys, Outcomes(owner, kind, len(keys))

        keys, outcomes = X.derived(("kinds of steps", actions), look)
        logs = np.stack([one.log_prob(*np.divmod(keys, max(actions, 1))) for one in fitted])
        return outcomes.score(logs[None], np.zeros(len(X), np.int64))

    def sharpened(self, power: float) -> Steps:
        """What new instances are drawn from: probabilities to a power."""
        size = len(self.actions)
        before, action = np.divmod(self.keys, size)
        total = np.log(self._totals(power))
        usual = np.exp(power * self.usual)
        return Steps(
            edges=np.searchsorted(before, np.arange(size + 2)),
            action=action,
            log_probs=power * self.log_probs - total[before],
            usual=power * self.usual,
            left=power * self.left - total,
            below=np.append(0.0, np.cumsum(usual)),
        )

    def describe(self) -> pd.DataFrame:
        """Steps that occur in some activity, the likeliest first; "" is the beginning."""
        order = np.argsort(-self.log_probs, kind="stable")
        before, action = np.divmod(self.keys[order], max(len(self.actions), 1))
        names = [*self.actions, ""]
        return pd.DataFrame(
            {
                "before": [names[b] for b in before],
                "action": [names[a] for a in action],
                "probability": np.exp(self.log_probs[order]),
            }
        )

    def brief(self) -> str:
        """The likeliest first action."""
        size = len(self.actions)
        if not size:
            return ""
        return f"begins with {self.actions[int(self.log_prob(size, np.arange(size)).argmax())]!r}"

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
class Order(KeyedTerm):
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

    def outcomes(self, X: IntervalSequences) -> tuple[Ints, Ints]:
        """Steps, by their keys."""
        return steps_between_actions(X, len(X.actions))

    def recode(self, keys: Ints, change: Recoding) -> Ints:
        """Keys of the same steps."""
        before, action = np.divmod(keys, len(change.renamed))
        renamed = np.append(change.renamed, len(change.actions))  # before the first of an instance
        recoded: Ints = renamed[before] * len(change.actions) + renamed[action]
        return recoded

    def fit(self, counts: KeyedCounts, pooled: KeyedCounts, context: Context) -> FittedOrder:
        """Shares of the counts, drawn to how often actions occur and to all activities."""
        keys, size = pooled.keys, len(context.actions)
        before, action = np.divmod(keys, max(size, 1))
        own, common = np.zeros(len(keys)), pooled.counts
        own[np.searchsorted(keys, counts.keys)] = counts.counts
        usual = np.bincount(action, own, size) + 0.5
        usual /= usual.sum()
        number, in_all = (np.bincount(before, seen, size + 1) for seen in (own, common))
        total = number + OWN_STRENGTH + COMMON_STRENGTH
        common = (common + usual[action]) / (in_all + 1)[before]
        expected = OWN_STRENGTH * usual[action] + COMMON_STRENGTH * common
        return FittedOrder(
            context.actions,
            keys,
            np.log((own + expected) / total[before]),
            np.log(usual),
            np.log((OWN_STRENGTH + COMMON_STRENGTH / (in_all + 1)) / total),
        )


def steps_between_actions(X: IntervalSequences, actions: int) -> tuple[Ints, Ints]:
    """Instance and key of every step to a known action."""
    before, known = previous_actions(X, actions)
    return X.owner[known], before * actions + X.action[known]


def previous_actions(X: IntervalSequences, actions: int) -> tuple[Ints, Ints]:
    """Known action before each known one, `actions` for the first; and where they stand."""
    known = np.flatnonzero(X.action < actions)
    first = np.diff(X.owner[known], prepend=-1) != 0
    before = np.where(first, actions, np.roll(X.action[known], 1))
    return before.astype(np.int64), known
