"""Kinds of detection errors, after Ward, Lukowicz and Gellersen (2011)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress

import numpy as np
import pandas as pd

from ibgn._arrays import Bools, Floats
from ibgn.intervals import IntervalSequences
from ibgn.metrics.matching import align
from ibgn.networks import Sequences

__all__ = ["WardScores", "ward_scores"]

Event = tuple[float, float]


@dataclass(frozen=True)
class WardScores:
    """Events and time by the kinds of errors of Ward, Lukowicz and Gellersen (2011).

    Parameters
    ----------
    true_events : how many true events are correct (C), deleted (D), fragmented (F), merged (M), or
        fragmented and merged (FM)
    detected_events : how many detected ones are correct (C), inserted (I), fragmenting (F), merging
        (M), or both (FM)
    durations : time that is true positive (TP) or true negative (TN), inserted (I), deleted (D),
        fragmented (F), merged (M), or under- and overfill at the start and the end of an event (Us,
        Ue, Os, Oe)

    Examples
    --------
    >>> true = IntervalSequences.from_lists([[("pour", 0, 4), ("stir", 5, 9)]])
    >>> detected = IntervalSequences.from_lists([[("pour", 0, 3), ("stir", 8, 9)]])
    >>> ward_scores(true, detected).true_events
    {'C': 2, 'D': 0, 'F': 0, 'FM': 0, 'M': 0}
    """

    true_events: dict[str, int]
    detected_events: dict[str, int]
    durations: dict[str, float]

    def frame(self) -> pd.DataFrame:
        """One row per class: true events, detected events and time."""
        names = list(dict.fromkeys([*self.true_events, *self.detected_events, *self.durations]))
        parts = (self.true_events, self.detected_events, self.durations)
        rows = [(name, *(part.get(name, 0) for part in parts)) for name in names]
        return pd.DataFrame(rows, columns=["class", "true", "detected", "duration"])


TRUE_CLASSES, DETECTED_CLASSES = ("C", "D", "F", "FM", "M"), ("C", "I", "F", "FM", "M")
TIMES = ("TP", "TN", "I", "D", "F", "M", "Os", "Oe", "Us", "Ue")


def ward_scores(true: Sequences, detected: Sequences) -> WardScores:
    """Count kinds of errors, action by action, over all instances.

    Intervals of one action that touch or overlap are one event. An instance lasts from the first
    start to the last end of all its intervals, true and detected.

    Examples
    --------
    >>> scores = ward_scores([[("pour", 0, 10)]], [[("pour", 0, 3), ("pour", 6, 9)]])
    >>> scores.true_events["F"], scores.detected_events["F"], scores.durations["F"]
    (1, 2, 3.0)
    """
    X, Z = align(true, detected)
    events = (Counter(dict.fromkeys(TRUE_CLASSES, 0)), Counter(dict.fromkeys(DETECTED_CLASSES, 0)))
    times = dict.fromkeys(TIMES, 0.0)
    for real, seen, span in _tracks(X, Z):
        segments = _segments(real, seen, span)
        for begin, end, kind in segments:
            times[kind] += end - begin
        for counter, classes in zip(events, _event_classes(real, seen, segments), strict=True):
            counter.update(classes)
    return WardScores(dict(events[0]), dict(events[1]), times)


def _tracks(
    X: IntervalSequences, Z: IntervalSequences
) -> Iterator[tuple[list[Event], list[Event], Event]]:
    """True and detected events of each action of each instance, and the span of the instance."""
    for d in range(len(X)):
        true, detected = X[d], Z[d]
        if not len(true.action) and not len(detected.action):
            continue
        times = np.concatenate([true.start, true.end, detected.start, detected.end])
        span = (float(times.min()), float(times.max()))
        for code in np.union1d(true.action, detected.action):
            yield _merged(true, code), _merged(detected, code), span


def _merged(Y: IntervalSequences, code: int) -> list[Event]:
    """Intervals of an action, those that touch or overlap as one."""
    events: list[Event] = []
    of_action = Y.action == code
    for start, end in zip(Y.start[of_action].tolist(), Y.end[of_action].tolist(), strict=True):
        if events and start <= events[-1][1]:
            start, end = events[-1][0], max(end, events.pop()[1])
        events.append((start, end))
    return events


def _segments(
    real: list[Event], detected: list[Event], span: Event
) -> list[tuple[float, float, str]]:
    """Stretches of time between any two edges, each with its kind."""
    edges = np.unique([*span, *(edge for event in (*real, *detected) for edge in event)])
    true, seen = (_covered(edges[:-1], events) for events in (real, detected))
    hit = np.concatenate([[False], true & seen, [False]])
    kinds = [
        _kind(*values)
        for values in zip(true.tolist(), seen.tolist(), hit[:-2], hit[2:], strict=True)
    ]
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), kinds, strict=True))


def _covered(times: Floats, events: list[Event]) -> Bools:
    """Whether an event has begun at each time and not yet ended."""
    begun, ended = (
        np.searchsorted([event[side] for event in events], times, "right") for side in (0, 1)
    )
    covered: Bools = begun > ended
    return covered


def _kind(true: bool, seen: bool, hit_before: bool, hit_after: bool) -> str:
    """Class of a stretch by itself and by whether its neighbours are true positives."""
    if true == seen:
        return "TP" if true else "TN"
    sides = (bool(hit_before), bool(hit_after))
    if true:
        return {(True, True): "F", (True, False): "Ue", (False, True): "Us"}.get(sides, "D")
    return {(True, True): "M", (True, False): "Oe", (False, True): "Os"}.get(sides, "I")


def _event_classes(
    real: list[Event], detected: list[Event], segments: list[tuple[float, float, str]]
) -> tuple[list[str], list[str]]:
    """Class of each true event and of each detected one."""
    gaps, bridges = ([(s, e) for s, e, kind in segments if kind == which] for which in "FM")
    split, merging = _meeting(real, gaps), _meeting(detected, bridges)  # which lie within an event
    merged = _meeting(real, list(compress(detected, merging)))
    splitting = _meeting(detected, list(compress(real, split)))
    return (
        [_class(*of, "D") for of in zip(_meeting(real, detected), split, merged, strict=True)],
        [_class(*of, "I") for of in zip(_meeting(detected, real), splitting, merging, strict=True)],
    )


def _class(meets: bool, split: bool, merged: bool, alone: str) -> str:
    return ("F" * split + "M" * merged) or "C" if meets else alone


def _meeting(events: list[Event], others: list[Event]) -> list[bool]:
    """Whether each event shares time with any of the others; both in order, and apart."""
    starts, ends = ([*(other[side] for other in others), np.inf] for side in (0, 1))
    nearest = (bisect_right(ends, start) for start, _ in events)
    return [starts[position] < end for position, (_, end) in zip(nearest, events, strict=True)]
