"""What a live recogniser says about an unfinished instance, from scratch and by definition."""

from itertools import pairwise

import numpy as np
from scipy import stats

from ibgn.allen import COMPOSITION

B, M, O, S, C, F, E = (1 << n for n in range(7))  # noqa: E741
ALL = 127


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


def possible(one, two, now):
    """Relations that two intervals can still get: every way in which open ones end is tried.

    What ended just now has ended; what is open ends now, between now and later, or later.
    """
    found = 0
    for end_one in _ends(one, now):
        for end_two in _ends(two, now):
            found |= _relation(one[1], end_one, two[1], end_two)
    return found


def _ends(interval, now):
    if np.isfinite(interval[2]):
        return [interval[2]]
    return [end for end in (now, now + 1, now + 2) if end > interval[1]]


def _relation(start_one, end_one, start_two, end_two):
    """As a set; 0 where the second interval would come first."""
    if (start_two, end_two) < (start_one, end_one):
        return 0
    if start_one == start_two:
        return S if end_one < end_two else E
    if end_one <= start_two:
        return B if end_one < start_two else M
    if end_one == end_two:
        return F
    return O if end_one < end_two else C


def relation_scores(fitted, intervals, now):
    """(activities,) log probability of the sets of relations of all pairs."""
    code = {name: number for number, name in enumerate(fitted[0].actions)}
    held = {
        (i, j): possible(intervals[i], intervals[j], now)
        for j in range(len(intervals))
        for i in range(j)
    }
    scores = np.zeros(len(fitted))
    for (i, j), mine in held.items():
        allowed = ALL
        for k in range(i + 1, j):
            allowed &= int(COMPOSITION[held[i, k], held[k, j]])
        first, second = (code.get(intervals[n][0], len(code)) for n in (i, j))
        if second < first < len(code) and allowed != E:
            allowed &= ~E
        if bin(allowed).count("1") < 2 or not mine & allowed:
            continue
        for c, one in enumerate(fitted):
            chances = one.probs(first, second, allowed)
            scores[c] += np.log(sum(chances[r] for r in range(7) if mine & allowed & 1 << r))
    return scores


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
