"""Times of end points whose order is given, by a Metropolis walk.

End points are given by ranks (k, 2): starts and ends of the intervals, from 0 without gaps, equal
where they coincide. times (ranks,) are their instants, increasing from 0. An interval has a
duration, and each rank at which intervals start, but the first, has a gap: the time since the start
before it. It belongs to the first of these intervals. durations, gaps (k, 3) have the location, the
scale and the degrees of freedom of a Student-t distribution of the logarithm, for each interval.

Without coincidences there are as many durations and gaps as free times, and the walk draws them
independently, given the order of end points. Where end points coincide there are more: then the
distributions of all of them count, but each instant has only one density: that of its gap, or the
geometric mean of those of the durations that end there.
"""

import math
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel

LEAST_STEP, MOST_STEP = 0.05, 2.0  # of a move, as a standard deviation of the logarithm
FARTHEST = 3.0  # scales from the location beyond which a time lies only if the order asks for it
STEEP = 1000.0  # fall of the log density beyond, for each scale


class Layout(NamedTuple):
    """What the walk needs to know about ranks.

    Parameters
    ----------
    ranks : (k, 2) of starts and ends
    first : (ranks,) first interval that starts at each rank, or -1
    previous, following : (ranks,) previous and next rank at which an interval starts, or -1
    shares : (k,) see `find_shares`
    offsets, running : intervals that go on from each rank to the next, see `find_running`
    """

    ranks: Ints
    first: Ints
    previous: Ints
    following: Ints
    shares: Floats
    offsets: Ints
    running: Ints


@kernel
def log_t(time: float, prediction: Floats) -> float:
    """Log density of the logarithm of a time, up to a constant; prediction (3,).

    It falls steeply beyond three scales: a time whose logarithm has the tails of a t distribution
    has no mean, and a single draw could outlast all recordings.
    """
    location, scale, freedom = prediction
    off = abs(math.log(time) - location) / scale
    near = -(freedom + 1) / 2 * math.log1p(off * off / freedom)
    density: float = near - STEEP * max(off - FARTHEST, 0.0)
    return density


@kernel
def find_starts(ranks: Ints) -> tuple[Ints, Ints]:
    """First interval that starts at each rank, and next rank at which one starts; or -1."""
    size = ranks.max() + 1
    first, following = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    for i in range(len(ranks) - 1, -1, -1):
        first[ranks[i, 0]] = i
    for r in range(size - 2, -1, -1):
        following[r] = r + 1 if first[r + 1] >= 0 else following[r + 1]
    return first, following


@kernel
def find_shares(ranks: Ints, first: Ints) -> Floats:
    """Share of each duration in the density of the instant at which it ends -> (k,).

    One over the intervals that end there, and 0 where one starts.
    """
    ending = np.zeros(len(first))
    for i in range(len(ranks)):
        ending[ranks[i, 1]] += 1
    shares = np.zeros(len(ranks))
    for i in range(len(ranks)):
        if first[ranks[i, 1]] < 0:
            shares[i] = 1 / ending[ranks[i, 1]]
    return shares


@kernel
def find_running(ranks: Ints) -> tuple[Ints, Ints]:
    """Intervals that go on between each rank and the next: offsets (ranks,), and intervals."""
    size = ranks.max() + 1
    offsets = np.zeros(size, np.int64)
    for i in range(len(ranks)):
        for r in range(ranks[i, 0], ranks[i, 1]):
            offsets[r + 1] += 1
    offsets = np.cumsum(offsets)
    running, filled = np.zeros(offsets[-1], np.int64), offsets.copy()
    for i in range(len(ranks)):
        for r in range(ranks[i, 0], ranks[i, 1]):
            running[filled[r]] = i
            filled[r] += 1
    return offsets, running


@kernel
def change_of(time: float, new: float, prediction: Floats, share: float) -> float:
    """Change of the log density where a duration or a gap changes."""
    change = log_t(new, prediction) - log_t(time, prediction)
    return change - share * (math.log(new) - math.log(time))


@kernel
def lay_out(ranks: Ints) -> Layout:
    """What the walk needs to know about ranks."""
    first, following = find_starts(ranks)
    previous = np.full(len(first), -1, np.int64)
    for r in range(len(first)):
        if first[r] >= 0 and following[r] >= 0:
            previous[following[r]] = r
    offsets, running = find_running(ranks)
    return Layout(ranks, first, previous, following, find_shares(ranks, first), offsets, running)


@kernel
def stretch(
    times: Floats, r: int, longer: float, layout: Layout, durations: Floats, gaps: Floats
) -> float:
    """Change of the log density if the time from rank r to the next becomes so much longer."""
    change = 0.0
    for i in layout.running[layout.offsets[r] : layout.offsets[r + 1]]:
        time = times[layout.ranks[i, 1]] - times[layout.ranks[i, 0]]
        change += change_of(time, time + longer, durations[i], layout.shares[i])
    q = layout.following[r]
    if q >= 0:
        time = times[q] - times[layout.previous[q]]
        change += change_of(time, time + longer, gaps[layout.first[q]], 1.0)
    return change


@kernel
def shift(
    times: Floats, r: int, new: float, layout: Layout, durations: Floats, gaps: Floats
) -> float:
    """Change of the log density if rank r, neither first nor last, moves to a new instant."""
    change, now = 0.0, times[r]
    # all intervals with an end point at r go on just before or just after it
    for i in layout.running[layout.offsets[r - 1] : layout.offsets[r + 1]]:
        begin, end = layout.ranks[i]
        if end == r:
            begun = times[begin]
            change += change_of(now - begun, new - begun, durations[i], layout.shares[i])
        elif begin == r:
            ended = times[end]
            change += change_of(ended - now, ended - new, durations[i], layout.shares[i])
    if layout.first[r] >= 0:
        begun, q = times[layout.previous[r]], layout.following[r]
        change += change_of(now - begun, new - begun, gaps[layout.first[r]], 1.0)
        if q >= 0:
            change += change_of(times[q] - now, times[q] - new, gaps[layout.first[q]], 1.0)
    return change


@kernel
def walk_times(
    ranks: Ints,
    times: Floats,
    durations: Floats,
    gaps: Floats,
    sweeps: int,
    rng: np.random.Generator,
) -> Floats:
    """Times after a Metropolis walk from these -> (ranks,).

    Each sweep multiplies the time from each rank to the next by a log-normal factor, and then
    moves each instant but the first and the last to anywhere between its neighbours. The density
    with respect to the times is the product of the distributions of log durations and log gaps,
    divided by each gap, and by each duration to the power of its share (`find_shares`).
    """
    times, size, layout = times.copy(), len(times), lay_out(ranks)
    for _ in range(sweeps):
        for r in range(size - 1):
            step = LEAST_STEP * (MOST_STEP / LEAST_STEP) ** rng.random()
            factor = step * rng.standard_normal()
            longer = (times[r + 1] - times[r]) * math.expm1(factor)
            change = factor + stretch(times, r, longer, layout, durations, gaps)
            if rng.random() < math.exp(min(change, 0.0)):
                times[r + 1 :] += longer
        for r in range(1, size - 1):
            new = times[r - 1] + (times[r + 1] - times[r - 1]) * rng.random()
            change = shift(times, r, new, layout, durations, gaps)
            if rng.random() < math.exp(min(change, 0.0)):
                times[r] = new
    return times
