"""Intervals of the states of signals, with hysteresis; short states are absorbed.

All signals are processed at once, as one long row of frames; segments keep them apart.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from ibgn._arrays import Bools, Floats, Ints, find_runs

__all__ = ["Band", "Signal", "detect_states", "find_ends", "vote_states"]


UNDECIDED = -1
ROUNDING = 1e-9  # seconds; times this close are the same
COVERED = 0.3  # part of the way between the two states that a band covers
LEAST_NOISE = 5.0  # degrees; fingers are never exactly straight or bent
NORMAL = 1.4826 / np.sqrt(2)  # deviation of frames, for each median step between two of them


class Band(NamedTuple):
    """A signal is in state 0 up to low and in state 1 from high; between, it keeps its state."""

    low: float
    high: float


class Signal(NamedTuple):
    """Frames of one series, or of many in a row; each frame lasts until `until`."""

    series: npt.NDArray[Any]
    height: npt.NDArray[Any]  # above the middle of the band, NaN where missing
    begin: npt.NDArray[Any]
    until: npt.NDArray[Any]
    decided: npt.NDArray[Any]  # state, or -1 within the band and where missing

    @classmethod
    def of(cls, series: int, begin: Floats, until: Floats, values: Floats, band: Band) -> "Signal":
        """Frames of one series."""
        decided = np.full(len(values), UNDECIDED, np.int64)
        decided[values <= band.low] = 0
        decided[values >= band.high] = 1
        return cls(np.full(len(values), series), values - sum(band) / 2, begin, until, decided)

    def keep(self, kept: Bools) -> "Signal":
        """Leave other frames out."""
        return Signal(*(column[kept] for column in self))


class Voted(NamedTuple):
    """Frames of a series without a gap: (frames + 1,) edges, and (frames, 2) votes of states."""

    series: int
    edges: Floats
    votes: Floats


def find_ends(time: Floats, max_gap: float) -> Floats:
    """(frames,) when each frame ends: with the next, or after the usual time if that is too late.

    Frames may be left out of a recording instead of missing in it.
    """
    frame = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    until = np.append(time[1:], time[-1:] + frame)
    return np.where(until - time - frame > max_gap + ROUNDING, time + frame, until)


def detect_states(
    signals: list[Signal], min_duration: float, max_gap: float
) -> list[tuple[int, int, float, float]]:
    """Series, state, start and end of each interval, of all signals at once.

    Examples
    --------
    >>> time = np.array([0.0, 1, 2, 3, 4])
    >>> values = np.array([0.0, 5, 9, 5, 0])
    >>> signal = Signal.of(7, time, find_ends(time, 0), values, Band(2, 8))
    >>> detect_states([signal], 0, 0)
    [(7, 0, 0.0, 2.0), (7, 1, 2.0, 4.0), (7, 0, 4.0, 5.0)]
    """
    if not signals:
        return []
    signal = Signal(*(np.concatenate(columns) for columns in zip(*signals, strict=True)))
    signal = _without_gaps(signal, max_gap)
    segment = _segments(signal)
    state = _settle(signal.decided, segment, np.nan_to_num(signal.height))
    first = find_runs(segment, state)
    lasts = signal.until[first[1:] - 1] - signal.begin[first[:-1]]
    short = np.repeat(lasts < min_duration - ROUNDING, np.diff(first))
    seconds = (signal.until - signal.begin) * np.where(state == 1, 1.0, -1.0)
    state = _settle(np.where(short, UNDECIDED, state), segment, seconds)
    first = find_runs(segment, state)
    begin, stop = first[:-1], first[1:] - 1
    columns = (signal.series[begin], state[begin], signal.begin[begin], signal.until[stop])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def vote_states(signals: list[Signal], band: Sequence[Band], max_gap: float) -> list[Voted]:
    """Series of each segment without gaps, when its frames begin and end, and its votes.

    Parameters
    ----------
    signals : of each series
    band : of each series. States are where learned thresholds would have them: the band covers
        `COVERED` of the way from one to the other
    max_gap : seconds; see `FingerDetector`

    Measured values are normal around the two states, with the deviation that neighbouring frames
    have from each other; votes are the probabilities of the states that follow.
    """
    voted = []
    for signal, (low, high) in zip(signals, band, strict=True):
        kept = _without_gaps(signal, max_gap)
        height = kept.height[~np.isnan(kept.height)]
        if not len(height):
            continue
        steps = np.abs(np.diff(height))
        noise = max(NORMAL * float(np.median(steps)) if len(steps) else 0.0, LEAST_NOISE)
        bent = expit(np.nan_to_num(kept.height) * (high - low) / COVERED / noise**2)
        first = find_runs(_segments(kept))
        for begin, stop in pairwise(first.tolist()):
            edges = np.append(kept.begin[begin:stop], kept.until[stop - 1])
            votes = np.stack([1 - bent[begin:stop], bent[begin:stop]], axis=1)
            voted.append(Voted(int(kept.series[begin]), edges, votes))
    return voted


def _segments(signal: Signal) -> Ints:
    """Number of the stretch of each frame; a stretch is part of a series without a gap."""
    apart = (np.diff(signal.series) != 0) | (signal.begin[1:] != signal.until[:-1])
    return np.concatenate([np.zeros(min(1, len(signal.series)), np.int64), np.cumsum(apart)])


def _without_gaps(signal: Signal, max_gap: float) -> Signal:
    """Leave out frames that are missing for too long, or have no neighbours."""
    missing = np.isnan(signal.height)
    segment = _segments(signal)
    first = find_runs(segment, missing)
    lasts = signal.until[first[1:] - 1] - signal.begin[first[:-1]]
    too_long = np.repeat(lasts > max_gap + ROUNDING, np.diff(first))
    alone = np.bincount(segment, ~missing)[segment] == 0
    return signal.keep(~(missing & (too_long | alone)))


def _settle(states: Ints, segment: Ints, leaning: Floats) -> Ints:
    """Give undecided frames the state before them in their segment, or else the state after.

    If nothing is decided in a segment, it is in state 1 if its leanings add up to more than 0.
    """
    frame = np.arange(len(states))
    known = states != UNDECIDED
    before = np.maximum.accumulate(np.where(known, frame, 0))
    after = np.minimum.accumulate(np.where(known, frame, len(states) - 1)[::-1])[::-1]
    settled = (np.bincount(segment, leaning) > 0)[segment].astype(np.int64)
    for source in (after, before):  # the state before has priority
        fits = known[source] & (segment[source] == segment)
        settled[fits] = states[source[fits]]
    return settled
