"""Instances as events, and what is known of them at some moment."""

from itertools import pairwise

import numpy as np
from scipy import stats

from ibgn import IntervalSequences

ACTIONS = ["boil", "grind", "pour", "stir"]


def draw_instances(rng, number, coarse):
    """Instances that overlap a lot; coarse times often coincide."""
    rows = []
    for _ in range(number):
        start = rng.integers(0, 8, 7) if coarse else rng.random(7) * 8
        length = rng.integers(1, 5, 7) if coarse else 0.1 + rng.gamma(2, 1, 7)
        names = rng.choice(ACTIONS, 7)
        rows.append(
            [(a, float(s), float(s + d)) for a, s, d in zip(names, start, length, strict=True)]
        )
    return IntervalSequences.from_lists(rows)


def as_events(instance):
    """Starts and ends in the order of time, ends first; each with the number of its interval."""
    events = []
    for key, (action, start, end) in enumerate(instance):
        events += [(start, 1, key, action), (end, 0, key, action)]
    return sorted(events)


def follow(live, event):
    time, starts, key, action = event
    (live.start if starts else live.end)(action, time, key)


def intervals_at(instance, events, now):
    """Intervals that began, as (action, start, end or inf), in the order of instances."""
    ended = {key: time for time, starts, key, _ in events if not starts}
    began = [
        (time, ended.get(key, np.inf), action) for time, starts, key, action in events if starts
    ]
    return [(action, start, end) for start, end, action in sorted(began)]


def duration_scores(fitted, intervals, now):
    """(activities,) densities of what has ended, survival of what goes on."""
    code = {name: number for number, name in enumerate(fitted[0].actions)}
    scores = np.zeros(len(fitted))
    for action, start, end in intervals:
        if action in code and now > start:
            for c, one in enumerate(fitted):
                t = _student(one, code[action])
                lasted = np.log(min(end, now) - start)
                scores[c] += t.logpdf(lasted) if np.isfinite(end) else t.logsf(lasted)
    return scores


def total_scores(fitted, intervals, now):
    """(activities,) the same of the sums by action."""
    scores = np.zeros(len(fitted))
    for number, name in enumerate(fitted[0].actions):
        own = [(start, end) for action, start, end in intervals if action == name]
        total = sum(min(end, now) - start for start, end in own)
        if total > 0:
            over = all(np.isfinite(end) for _, end in own)
            for c, one in enumerate(fitted):
                t = _student(one, number)
                scores[c] += t.logpdf(np.log(total)) if over else t.logsf(np.log(total))
    return scores


def _student(one, number):
    return stats.t(one.freedom[number], one.location[number], one.scale[number])


def moments_between(events):
    """The time of each event, and one before the next, with the events until then."""
    times = [event[0] for event in events]
    for n, (time, after) in enumerate(pairwise([*times, times[-1] + 1]), 1):
        yield events[:n], time
        if after > time:
            yield events[:n], (time + after) / 2
