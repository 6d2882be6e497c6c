"""Why one activity and not another: the log odds, split over terms and parts of the instance."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from ibgn._arrays import Bytes, Floats, Ints
from ibgn.allen import Relation
from ibgn.checks import check_whole
from ibgn.horizon import SQUARE, expect_pairs, pair_places
from ibgn.intervals import IntervalSequences
from ibgn.model.reasons import Reason, split_parts, word_prior, word_reason
from ibgn.model.typicality import Unusual
from ibgn.networks import read_networks, read_relations
from ibgn.recoding import recode
from ibgn.terms.base import PRIOR, FittedTerm, LogTerms
from ibgn.text import quote

__all__ = ["Explanation"]

COLUMNS = ("term", "level", "first", "second", "action", "relation", "other", "contribution")
MILLION = 1e6
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
    fitted : what each term learned of both activities, by its name: it says what they expect
    members : what other members of an ensemble add, by their names; they give no reasons
    unusual : how the instance compares with those of all activities, where that is known

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> tea, coffee = [("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]
    >>> model = IBGNClassifier(terms=("occurrences", "durations"), weights="equal", copy_weight=0)
    >>> _ = model.fit([tea, coffee] * 5, ["tea", "coffee"] * 5)
    >>> why = model.explain(tea)
    >>> why.reasons()[0].text
    "'pour' lasts 2; in 'tea' usually 1.5 to 3, in 'coffee' usually 2.6 to 5.4"
    >>> bool(np.isclose(why.log_odds, why.frame()["contribution"].sum()))
    True
    """

    activity: Any
    against: Any
    instance: IntervalSequences
    actions: tuple[str, ...]
    prior: float
    terms: Mapping[str, LogTerms]
    fitted: Mapping[str, tuple[FittedTerm, FittedTerm]] = field(default_factory=dict)
    members: Mapping[str, float] = field(default_factory=dict)
    unusual: Unusual | None = None

    @property
    def sums(self) -> dict[str, float]:
        """Sum of what each term adds."""
        return {
            name: float(log_terms.by_instance(self.instance)[0])
            for name, log_terms in self.terms.items()
        }

    @property
    def by_term(self) -> dict[str, float]:
        """Sum of what each term, the class prior and other members add, the largest first."""
        others = {f"member {name}": value for name, value in self.members.items()}
        sums = {PRIOR: self.prior, **self.sums, **others}
        return dict(sorted(sums.items(), key=lambda item: -abs(item[1])))

    @property
    def log_odds(self) -> float:
        """Log P(activity, instance) - log P(against, instance)."""
        return self.prior + sum(self.sums.values()) + sum(self.members.values())

    @property
    def intervals(self) -> Floats:
        """(k,) what each interval adds, over all terms."""
        total = np.zeros(len(self.instance.action))
        for log_terms in self.terms.values():
            if log_terms.interval is not None:
                total += log_terms.interval
        return total

    @property
    def of_actions(self) -> Floats:
        """(actions,) what is said about each known action as a whole, over all terms."""
        total = np.zeros(len(self.actions))
        for log_terms in self.terms.values():
            if log_terms.action is not None:
                total += log_terms.action[0]
        return total

    def links(self) -> tuple[Ints, Ints, Floats]:
        """(links,) pairs i < j that add something, row by row: i, j, and what, over all terms."""
        code, value, k = [np.zeros(0, np.int64)], [np.zeros(0)], len(self.instance.action)
        for log_terms in self.terms.values():
            if log_terms.pair is not None:
                first, second = pair_places(self.instance, log_terms.horizon)
                said = np.flatnonzero(log_terms.pair)
                code.append(first[said] * k + second[said])
                value.append(log_terms.pair[said])
        pair, place = np.unique(np.concatenate(code), return_inverse=True)
        total = np.bincount(place, np.concatenate(value), len(pair)).astype(np.float64)
        return *np.divmod(pair, max(k, 1)), total

    @property
    def pairs(self) -> Floats:
        """(k, k) what each pair i < j adds, over all terms, and 0 elsewhere."""
        expect_pairs(self.instance, SQUARE)
        first, second, value = self.links()
        total = np.zeros((len(self.instance.action),) * 2)
        total[first, second] = value
        return total

    @property
    def relations(self) -> Bytes:
        """(k, k) the relation of each pair i < j, and 255 elsewhere."""
        expect_pairs(self.instance, SQUARE)
        return read_networks(self.instance)[0].relations

    def reasons(self, n: int = 3) -> list[Reason]:
        """Say in words what counted most, for the activity or against it, the strongest first.

        What one term says about all intervals of an action counts together, and so does what it
        says about all pairs of two actions with the same relation. "Usually" is what
        happens in four of five cases, the middle ones.

        Parameters
        ----------
        n : largest number of reasons
        """
        check_whole("n", n, 0)
        parts = [
            (term, part, total)
            for term, said in self.terms.items()
            for part, total in split_parts(self.instance, self.actions, said)
        ]
        strongest = sorted(parts, key=lambda each: -abs(each[2]))[:n]
        coded = recode(self.instance, self.actions)
        reasons = []
        for term, part, total in strongest:
            names = quote(self.activity), quote(self.against)
            expecting = list(zip(names, self.fitted.get(term, ()), strict=False))
            text = word_reason(coded, part, expecting)
            about = part.action, part.relation, part.other
            reasons.append(Reason(term, total, text, *about))
        if self.prior:
            words = word_prior(self.prior, self.activity, self.against)
            reasons.append(Reason(PRIOR, self.prior, words))
        reasons.sort(key=lambda reason: -abs(reason.contribution))
        return [reason for reason in reasons[:n] if reason.contribution]

    def frame(self) -> pd.DataFrame:
        """One row per contribution, the weightiest first; they add up to the log odds.

        Pairs and actions that add nothing are left out.
        """
        rows: list[tuple[Any, ...]] = [(PRIOR, "instance", *[NOWHERE] * 2, "", "", "", self.prior)]
        for name, log_terms in self.terms.items():
            rows += self._rows(name, log_terms)
        for name, value in self.members.items():
            rows.append((f"member {name}", "instance", *[NOWHERE] * 2, "", "", "", value))
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
            first, second = pair_places(self.instance, log_terms.horizon)
            relation = read_relations(self.instance, log_terms.horizon)
            for p in np.flatnonzero(log_terms.pair):
                i, j = int(first[p]), int(second[p])
                held = Relation(int(relation[p])).label
                rows.append((term, "pair", i, j, names[i], held, names[j], log_terms.pair[p]))
        return rows

    @property
    def headline(self) -> str:
        """The two activities, and how much likelier one is."""
        odds = np.exp(min(abs(self.log_odds), np.log(MILLION)))
        times = f"{odds:,.0f}" if odds >= 10 else f"{odds:.1f}"
        side = "as likely" if self.log_odds >= 0 else "less likely"
        how = "over a million" if abs(self.log_odds) >= np.log(MILLION) else times
        words = f"{how} times {side}" if odds >= 1.05 else "about equally likely"
        names = f"{quote(self.activity)} against {quote(self.against)}"
        return f"{names}: log odds {self.log_odds:+z.2f}, {words}"

    def __repr__(self) -> str:
        reasons = self.reasons()
        rest = self.log_odds - sum(reason.contribution for reason in reasons)
        lines = [f"{n}. {reason}" for n, reason in enumerate(reasons, 1)]
        added = [f"{name} {value:+z.2f}" for name, value in self.by_term.items()]
        rest -= sum(self.members.values())
        others = [f"{name} {value:+z.2f}" for name, value in self.members.items()]
        return "\n".join(
            [
                f"Explanation of {self.headline}",
                *lines,
                f"All other reasons add {rest:+z.2f}",
                *([f"Members without reasons add {', '.join(others)}"] if others else []),
                f"By term: {', '.join(added)}",
                *([str(self.unusual)] if self.unusual and self.unusual.rare else []),
            ]
        )

    def _repr_html_(self) -> str:
        """The same for notebooks; names come from the data, so all text is escaped."""
        items = "".join(f"<li>{escape(str(reason))}</li>" for reason in self.reasons())
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td style='text-align:right'>{value:+z.2f}</td></tr>"
            for name, value in self.by_term.items()
        )
        rare = self.unusual is not None and self.unusual.rare
        unusual = f"<p>{escape(str(self.unusual))}</p>" if rare else ""
        return (
            f"<div><p><b>{escape(self.headline)}</b></p><ol>{items}</ol>{unusual}"
            f"<details><summary>log odds by term</summary><table>{rows}</table></details></div>"
        )
