"""Why one activity and not another: the log odds, split over terms and parts of the instance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ibgn._arrays import Bytes, Floats
from ibgn.allen import Relation
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import PRIOR, LogTerms

__all__ = ["Explanation"]

COLUMNS = ("term", "level", "first", "second", "action", "relation", "other", "contribution")
NOWHERE = -1  # position in rows that are not about an interval


@dataclass(frozen=True)
class Explanation:
    """Log odds of one activity against another, split exactly.

    Parameters
    ----------
    activity, against : the two labels
    instance : the instance that is explained
    actions : names of the actions that the model knows
    prior : what the class prior adds
    terms : what each term adds, by its name, at the levels that it uses
    relations : (k, k) the relation of each pair i < j, and 255 elsewhere
    """

    activity: Any
    against: Any
    instance: IntervalSequences
    actions: tuple[str, ...]
    prior: float
    terms: Mapping[str, LogTerms]
    relations: Bytes

    @property
    def sums(self) -> dict[str, float]:
        """Sum of what each term adds."""
        return {
            name: float(log_terms.by_instance(self.instance)[0])
            for name, log_terms in self.terms.items()
        }

    @property
    def log_odds(self) -> float:
        """Log P(activity, instance) - log P(against, instance)."""
        return self.prior + sum(self.sums.values())

    @property
    def intervals(self) -> Floats:
        """(k,) what each interval adds, over all terms."""
        total = np.zeros(len(self.instance.action))
        for log_terms in self.terms.values():
            if log_terms.interval is not None:
                total += log_terms.interval
        return total

    @property
    def pairs(self) -> Floats:
        """(k, k) what each pair i < j adds, over all terms, and 0 elsewhere."""
        k = len(self.instance.action)
        total = np.zeros((k, k))
        for log_terms in self.terms.values():
            if log_terms.pair is not None:
                total[np.triu_indices(k, 1)] += log_terms.pair
        return total

    def frame(self) -> pd.DataFrame:
        """One row per contribution, the weightiest first; they add up to the log odds.

        Pairs and actions that add nothing are left out.
        """
        rows: list[tuple[Any, ...]] = [(PRIOR, "instance", *[NOWHERE] * 2, "", "", "", self.prior)]
        for name, log_terms in self.terms.items():
            rows += self._rows(name, log_terms)
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        order = frame["contribution"].abs().sort_values(ascending=False, kind="stable").index
        return frame.loc[order].reset_index(drop=True)

    def _rows(self, term: str, log_terms: LogTerms) -> list[tuple[Any, ...]]:
        names = [self.instance.actions[code] for code in self.instance.action]
        rows: list[tuple[Any, ...]] = []
        if log_terms.instance is not None:
            rows.append((term, "instance", *[NOWHERE] * 2, "", "", "", log_terms.instance[0]))
        if log_terms.interval is not None:
            for i, value in enumerate(log_terms.interval):
                rows.append((term, "interval", i, NOWHERE, names[i], "", "", value))
        if log_terms.action is not None:
            for a in np.flatnonzero(log_terms.action[0]):
                name, value = self.actions[a], log_terms.action[0, a]
                rows.append((term, "action", *[NOWHERE] * 2, name, "", "", value))
        if log_terms.pair is not None:
            first, second = np.triu_indices(len(names), 1)
            for p in np.flatnonzero(log_terms.pair):
                i, j = int(first[p]), int(second[p])
                held = Relation(int(self.relations[i, j])).label
                rows.append((term, "pair", i, j, names[i], held, names[j], log_terms.pair[p]))
        return rows

    def __repr__(self) -> str:
        added = "".join(f" + {name} {value:.2f}" for name, value in self.sums.items())
        return (
            f"Explanation: {self.activity!r} against {self.against!r}, log odds "
            f"{self.log_odds:.2f} = prior {self.prior:.2f}{added}"
        )
