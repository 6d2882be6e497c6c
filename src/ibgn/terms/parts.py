"""Parts of an instance that a reason is about, and the numbers of reasons in words."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.text import count, quote

__all__ = [
    "MOST_LISTED",
    "USUAL",
    "Level",
    "Part",
    "as_times",
    "enumerated",
    "listed",
    "per_cent",
    "probability",
    "short",
    "usual",
]

Level = Literal["instance", "interval", "pair", "action"]

USUAL = 0.8  # what happens in so many cases, the middle ones, is called usual
MOST_LISTED = 3
# Allen's words, so that nobody has to know them
SENTENCES = {
    "before": "{} is before {}",
    "meets": "{} ends as {} begins",
    "overlaps": "{} overlaps the beginning of {}",
    "starts": "{} begins with {} and ends first",
    "contains": "{} contains {}",
    "finished-by": "{} begins before {} and ends with it",
    "equals": "{} begins and ends with {}",
}


class Part(NamedTuple):
    """A part of one instance: the instance, intervals of an action, pairs of actions, an action.

    Parameters
    ----------
    level : at which a term speaks of it
    where : numbers of its intervals, or of its pairs i < j, row by row; at other levels empty, or
        what the term looks at
    action : name of the action of the intervals, or of the first of each pair
    code : of that action, among those that the model knows; their number if it is unknown
    relation, other : that each pair has, and the action of its second interval
    """

    level: Level
    where: Ints
    action: str = ""
    code: int = -1
    relation: str = ""
    other: str = ""

    @property
    def named(self) -> str:
        """The action or the pair of actions, quoted; they are names from the data."""
        if self.level == "pair":
            return SENTENCES[self.relation].format(quote(self.action), quote(self.other))
        return "the instance as a whole" if self.level == "instance" else quote(self.action)

    @property
    def subject(self) -> str:
        """The same, with the number of intervals or pairs if there are several."""
        if self.level not in ("interval", "pair") or len(self.where) < 2:
            return self.named
        return f"{self.named} ({count(len(self.where), self.level)})"


def per_cent(share: float) -> str:
    """A share, never rounded to none or all.

    Examples
    --------
    >>> per_cent(0.973), per_cent(0.9999), per_cent(0.0021), per_cent(1e-9), per_cent(0)
    ('97%', '>99%', '0.2%', '<0.01%', '0%')
    """
    if 0 < share < 0.005:
        return f"{100 * share:.1g}%" if share >= 0.0001 else "<0.01%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def probability(logs: Floats | None, part: Part) -> str:
    """Probability of a part from logarithms, the geometric mean if it is made of several."""
    if logs is None:
        return ""
    often = "on average " if len(part.where) > 1 else ""
    return f"{often}with probability {per_cent(float(np.exp(logs[part.where].mean())))}"


def short(number: float) -> str:
    """A number with two or three digits that count.

    Examples
    --------
    >>> short(0.01234), short(4.12), short(1234567.8)
    ('0.012', '4.1', '1,234,568')
    """
    return f"{number:,.0f}" if abs(number) >= 99.5 else f"{number:.2g}"


def as_times(number: int) -> str:
    """How often: once, twice, 3 times."""
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def usual(low: float, high: float) -> str:
    """A range of what is usual."""
    first, last = short(low), short(high)
    return f"usually {first}" if first == last else f"usually {first} to {last}"


def listed(numbers: Floats) -> str:
    """A few numbers one by one, more as a range."""
    shown = [short(number) for number in numbers.tolist()]
    if len(set(shown)) == 1:
        return shown[0]
    if len(shown) > MOST_LISTED:
        return f"{short(float(np.min(numbers)))} to {short(float(np.max(numbers)))}"
    return enumerated(shown)


def enumerated(words: Iterable[str]) -> str:
    """Words with commas, and "and" before the last."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
