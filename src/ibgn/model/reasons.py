"""Reasons for one activity and against another: contributions of one kind together, in words."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Bytes, Codes, Floats, Ints
from ibgn.allen import Relation
from ibgn.horizon import pair_places
from ibgn.intervals import IntervalSequences
from ibgn.networks import read_relations
from ibgn.terms.base import FittedTerm, LogTerms
from ibgn.terms.parts import Part
from ibgn.text import quote

__all__ = ["Reason", "split_parts", "word_prior", "word_reason"]

NOTHING = np.zeros(0, np.int64)


class Reason(NamedTuple):
    """What all contributions of one kind add to the log odds, and why.

    Parameters
    ----------
    term : name of the term that speaks
    contribution : what it adds to the log odds; negative if it speaks for the other activity
    text : what was seen, and what both activities usually have
    action, relation, other : what it is about, as in `Explanation.frame`; "" where it has none

    Examples
    --------
    >>> print(Reason("length", -1.25, "12 intervals; in 'tea' usually 4 to 7"))
    Against: 12 intervals; in 'tea' usually 4 to 7 (length, log odds -1.2)
    """

    term: str
    contribution: float
    text: str
    action: str = ""
    relation: str = ""
    other: str = ""

    def __str__(self) -> str:
        side = "Against: " if self.contribution < 0 else ""
        return f"{side}{self.text} ({self.term}, log odds {self.contribution:+.1f})"


def split_parts(
    instance: IntervalSequences, actions: tuple[str, ...], said: LogTerms
) -> Iterator[tuple[Part, float]]:
    """Parts of an instance and what a term says about each; together, all that it says.

    Intervals of an action are one part, and so are all pairs with the same actions and relation.
    """
    code = {name: number for number, name in enumerate(actions)}
    names = instance.actions
    if said.instance is not None:
        yield Part("instance", NOTHING), float(said.instance[0])
    if said.interval is not None:
        for (action,), where, total in _together(said.interval, instance.action):
            name = names[action]
            yield Part("interval", where, name, code.get(name, len(actions))), total
    if said.action is not None:
        for a in np.flatnonzero(said.action[0]).tolist():
            yield Part("action", NOTHING, actions[a], a), float(said.action[0, a])
    if said.pair is not None:
        first, second = pair_places(instance, said.horizon)
        relation = read_relations(instance, said.horizon)
        columns = instance.action[first], relation, instance.action[second]
        for (one, held, other), where, total in _together(said.pair, *columns):
            name = names[one]
            about = name, code.get(name, len(actions)), Relation(held).label, names[other]
            yield Part("pair", where, *about), total


def _together(
    values: Floats, *columns: Codes | Bytes
) -> Iterator[tuple[tuple[int, ...], Ints, float]]:
    """Rows with the same columns whose values are not 0: the columns, the rows, and their sum."""
    rows = np.flatnonzero(values)
    if not len(rows):
        return
    kinds, kind = np.unique(np.stack(columns)[:, rows], axis=1, return_inverse=True)
    kind = kind.reshape(-1)  # numpy 2.0 alone gives it another shape
    bounds = np.cumsum(np.bincount(kind, minlength=kinds.shape[1]))[:-1]
    parts = np.split(rows[np.argsort(kind, kind="stable")], bounds)
    for of_kind, where in zip(kinds.T.tolist(), parts, strict=True):
        yield tuple(of_kind), where, float(values[where].sum())


def word_reason(X: IntervalSequences, part: Part, expecting: list[tuple[str, FittedTerm]]) -> str:
    """What was seen in a part, and what each of the named activities expects; actions as coded."""
    if not expecting:
        return part.subject
    if part.code == len(expecting[0][1].actions):
        return f"{part.subject}, which no activity knows"
    part = expecting[0][1].focus(expecting[1][1], X, part)
    expected = [(name, fitted.expected(X, part)) for name, fitted in expecting]
    said = ", ".join(f"in {name} {words}" for name, words in expected if words)
    seen = expecting[0][1].observed(X, part)
    return f"{seen}; {said}" if said else seen


def word_prior(prior: float, activity: object, against: object) -> str:
    """How much more frequent an activity is, before its instance is seen."""
    return f"{quote(activity)} is {np.exp(prior):.2g} times as frequent as {quote(against)}"
