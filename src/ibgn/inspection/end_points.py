"""End points that look wrong: inclusive ends, and instants that were written twice."""

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.cleaning import WHOLE_TICK, snap
from ibgn.errors import DataWarning, Option, Part
from ibgn.intervals import IntervalSequences
from ibgn.text import count

__all__ = ["EVIDENCE", "near_end_points", "wrong_ends"]

ENOUGH = 0.05  # share of intervals that makes a pattern a habit of the recording ...
EVIDENCE = 3  # ... and how many of them, as fewer may be chance
TOLERANCE_SHARE = 0.01  # share of gaps that must be tiny before a tolerance is advised
TINY = 0.1  # tiny gaps are below this share of the median duration ...
JUMP = 4.0  # ... and this many times smaller than the next larger gap ...
CHANCE = 1e-4  # ... which by chance must be no likelier than this
DECIMALS = (1.0, 0.1, 0.01, 0.001, 0.0001)  # places in which times are written


def wrong_ends(X: IntervalSequences) -> DataWarning | None:
    """Actions that follow each other in whole ticks meet; a tick off suggests wrong ends."""
    tick = _find_tick(X)
    if tick is None:
        return None
    start, end = (np.rint(times / tick) for times in (X.start, X.end))
    late, exact, early = (_ends_at_starts(X.owner, start, end + n) for n in (-1, 0, 1))
    off = max(late, early)
    if off < max(EVIDENCE, ENOUGH * len(end)) or off < 3 * exact:
        return None
    length = "" if tick == 1 else f" ({tick:g})"
    among = f"of {len(end)} intervals end one tick{length}"
    if late >= early:
        return DataWarning(
            f"ends look one tick too late: {late} {among} after another starts, {exact} exactly "
            "there; if they were read as inclusive, read with ",
            Option("closed", "left"),
        )
    advice: list[Part] = [Option("closed", "both")]
    if tick != 1:
        advice += [" and ", Option("tick", tick)]
    return DataWarning(
        f"ends look inclusive: {early} {among} before another starts, {exact} exactly there; if "
        "so, read with ",
        *advice,
    )


def _find_tick(X: IntervalSequences) -> float | None:
    """Length of a tick, of which all times are whole multiples; None where there is none.

    It is a decimal place, or the smallest distance of two times where that is short, as it is
    of times in frames.
    """
    times = np.unique(np.concatenate([X.start, X.end]))
    place = next((place for place in DECIMALS if _are_whole(times / place)), None)
    if place is None or len(times) < 2:
        return None
    smallest = float(f"{np.diff(times).min():.9g}")
    short = smallest < TINY * np.median(X.end - X.start)
    return smallest if short and _are_whole(times / smallest) else place


def _are_whole(ticks: Floats) -> bool:
    return bool((np.abs(ticks - np.rint(ticks)) <= WHOLE_TICK).all())


def _ends_at_starts(owner: Ints, start: Floats, end: Floats) -> int:
    """Count intervals that end where another of the instance starts."""
    _, instant = np.unique(np.concatenate([start, end]), return_inverse=True)
    key = np.tile(owner, 2) * (instant.max() + 1) + instant
    meets = np.isin(key[len(owner) :], key[: len(owner)])
    # an interval that the shift would empty ends at its own start, which proves nothing
    return int((meets & (end > start)).sum())


def near_end_points(X: IntervalSequences) -> DataWarning | None:
    """Tiny gaps between end points, far below the others, suggest one instant written twice."""
    owner, time = np.tile(X.owner, 2), np.concatenate([X.start, X.end])
    order = np.lexsort((time, owner))
    gaps = np.diff(time[order])[np.diff(owner[order]) == 0]
    gaps = np.sort(gaps[gaps > 0])
    if len(gaps) == 0:
        return None
    near = gaps[gaps < TINY * np.median(X.end - X.start)]
    if len(near) == 0 or len(near) == len(gaps):
        return None
    ratios = gaps[1 : len(near) + 1] / near
    number = np.arange(1, len(near) + 1)
    # of gaps between random instants, the k + 1st is r times the kth with probability r ** -k
    evidence = number * np.log(ratios)
    enough = (ratios >= JUMP) & (number >= max(EVIDENCE, TOLERANCE_SHARE * len(gaps)))
    cut = int(np.argmax(np.where(enough, evidence, 0)))
    if not enough[cut] or evidence[cut] < -np.log(CHANCE):
        return None
    tolerance = float(f"{np.sqrt(gaps[cut] * gaps[cut + 1]):.2g}")
    advice: list[Part] = [Option("tolerance", tolerance)]
    start, end = snap(X.owner, X.start, X.end, tolerance)
    emptied = int((start == end).sum())
    if emptied:
        advice += [f", which empties {emptied} of {count(len(X.end), 'interval')}, and "]
        advice += [Option("zero_length", "drop")]
    return DataWarning(
        f"{cut + 1} of {len(gaps)} gaps between end points are at most {gaps[cut]:.3g}, far below "
        "the others; if they are the same instants, read with ",
        *advice,
    )
