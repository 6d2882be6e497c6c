"""Plain twins of the kernels that draw times, straight from the density of all times."""

import numpy as np
from scipy.stats import t

LEAST_STEP, MOST_STEP = 0.05, 2.0


def log_t(time, prediction):
    location, scale, freedom = prediction
    density = t.logpdf(np.log(time), freedom, location, scale)
    peak = t.logpdf(location, freedom, location, scale)
    beyond = np.abs(np.log(time) - location) / scale - 3
    return density - peak - 1000 * (beyond if beyond > 0 else 0)


def find_starts(ranks):
    starts = sorted({begin for begin, _ in ranks.tolist()})
    size = int(ranks.max()) + 1
    first = [ranks[:, 0].tolist().index(r) if r in starts else -1 for r in range(size)]
    following = [min((s for s in starts if s > r), default=-1) for r in range(size)]
    return np.array(first), np.array(following)


def find_shares(ranks, first):
    ends = ranks[:, 1].tolist()
    return np.array([0.0 if first[end] >= 0 else 1 / ends.count(end) for end in ends])


def find_running(ranks):
    size = int(ranks.max()) + 1
    by_rank = [
        [i for i, (begin, end) in enumerate(ranks.tolist()) if begin <= r < end]
        for r in range(size - 1)
    ]
    offsets = np.cumsum([0, *map(len, by_rank)])
    return offsets, np.array([i for some in by_rank for i in some], np.int64)


def lay_out(ranks):
    first, following = find_starts(ranks)
    previous = [
        max((s for s in range(r) if first[s] >= 0), default=-1) if first[r] >= 0 else -1
        for r in range(len(first))
    ]
    shares = find_shares(ranks, first)
    return ranks, first, np.array(previous), following, shares, *find_running(ranks)


def change_of(time, new, prediction, share):
    change = log_t(new, prediction) - log_t(time, prediction)
    return change - share * np.log(new / time)


def log_density(times, ranks, durations, gaps):
    """Log density of times, up to a constant: what the walk draws from."""
    first, _ = find_starts(ranks)
    shares = find_shares(ranks, first)
    total = 0.0
    for (begin, end), prediction, share in zip(ranks, durations, shares, strict=True):
        total += log_t(times[end] - times[begin], prediction)
        total -= share * np.log(times[end] - times[begin])
    starts = [r for r in range(len(first)) if first[r] >= 0]
    for before, r in zip(starts, starts[1:]):  # noqa: B905, RUF007
        total += log_t(times[r] - times[before], gaps[first[r]]) - np.log(times[r] - times[before])
    return total


def stretch(times, r, longer, layout, durations, gaps):
    moved = np.append(times[: r + 1], times[r + 1 :] + longer)
    now, new = (log_density(some, layout[0], durations, gaps) for some in (times, moved))
    return new - now


def shift(times, r, new, layout, durations, gaps):
    moved = times.copy()
    moved[r] = new
    now, then = (log_density(some, layout[0], durations, gaps) for some in (times, moved))
    return then - now


def walk_times(ranks, times, durations, gaps, sweeps, rng):
    times, layout = times.copy(), lay_out(ranks)
    for _ in range(sweeps):
        for r in range(len(times) - 1):
            step = LEAST_STEP * (MOST_STEP / LEAST_STEP) ** rng.random()
            factor = step * rng.standard_normal()
            longer = (times[r + 1] - times[r]) * np.expm1(factor)
            change = factor + stretch(times, r, longer, layout, durations, gaps)
            if rng.random() < np.exp(min(change, 0.0)):
                times[r + 1 :] += longer
        for r in range(1, len(times) - 1):
            new = times[r - 1] + (times[r + 1] - times[r - 1]) * rng.random()
            change = shift(times, r, new, layout, durations, gaps)
            if rng.random() < np.exp(min(change, 0.0)):
                times[r] = new
    return times
