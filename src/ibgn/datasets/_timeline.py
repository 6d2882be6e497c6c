"""Functions that the simulators share: options, roles, times in frames, instances from lists."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ibgn.checks import check_number
from ibgn.intervals import IntervalSequences

Interval = tuple[str, float, float]

LONGEST_JITTER = 60


class Span:
    """An action with the frames in which it starts and ends; the end is not part of it."""

    __slots__ = ("action", "end", "start")

    def __init__(self, action: str, start: int, end: int) -> None:
        self.action, self.start, self.end = action, start, end

    def __repr__(self) -> str:
        return f"{self.action} [{self.start}, {self.end})"


def check_chances(chances: Mapping[str, Any]) -> None:
    """Refuse numbers that are not probabilities."""
    for name, chance in chances.items():
        check_number(name, chance, "0 to 1", lambda value: 0 <= value <= 1)


def check_seconds(name: str, seconds: Any) -> None:
    """Refuse an invalid standard deviation of times."""
    check_number(
        name, seconds, f"0 to {LONGEST_JITTER} seconds", lambda s: 0 <= s <= LONGEST_JITTER
    )


def deal(number: int, kinds: int, rng: np.random.Generator) -> list[int]:
    """Kinds in random order, each equally often or once more."""
    dealt: list[int] = rng.permutation(np.arange(number) % kinds).tolist()
    return dealt


def jitter_spans(spans: Iterable[Span], scale: float, rng: np.random.Generator) -> list[Span]:
    """Move every start and end by random frames; each span keeps at least one frame.

    Examples
    --------
    >>> jitter_spans([Span("nod", 2, 5)], 0.0, np.random.default_rng(0))
    [nod [2, 5)]
    """
    moved = []
    for span in spans:
        late = np.rint(rng.normal(scale=scale, size=2)).astype(int)
        start = span.start + int(late[0])
        moved.append(Span(span.action, start, max(start + 1, span.end + int(late[1]))))
    return moved


def in_seconds(spans: Sequence[Span], frames_a_second: int) -> list[Interval]:
    """Intervals in seconds; the first starts at 0."""
    first = min(span.start for span in spans)
    return [
        (span.action, (span.start - first) / frames_a_second, (span.end - first) / frames_a_second)
        for span in spans
    ]


def gather(
    instances: Sequence[Sequence[Interval]],
    actions: Iterable[str],
    ids: Sequence[str],
    groups: Sequence[str],
) -> IntervalSequences:
    """Instances with the whole vocabulary, even if not all of it occurs.

    Examples
    --------
    >>> gather([[("nod", 0, 1)]], ["wave", "nod"], ["a"], ["b"]).actions
    ('nod', 'wave')
    """
    X = IntervalSequences.from_lists(instances, ids=ids, groups=groups)
    vocabulary = sorted(actions)
    code = {name: number for number, name in enumerate(vocabulary)}
    renumber = np.array([code[name] for name in X.actions], np.int32)
    return IntervalSequences(
        X.offsets, renumber[X.action], X.start, X.end, vocabulary, X.ids, X.groups
    )
