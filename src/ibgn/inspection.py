"""What is in the data, and what looks like a mistake."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats, Ints, find_runs
from ibgn.cleaning import WHOLE_TICK, snap
from ibgn.columns import as_column
from ibgn.errors import DataWarning, Option, Part
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences, count_pairs
from ibgn.text import count, printable, quote

__all__ = ["Inspection", "inspect"]


ENOUGH = 0.05  # share of intervals that makes a pattern a habit of the recording ...
EVIDENCE = 3  # ... and how many of them, as fewer may be chance
TOLERANCE_SHARE = 0.01  # share of gaps that must be tiny before a tolerance is advised
TINY = 0.1  # tiny gaps are below this share of the median duration ...
JUMP = 4.0  # ... and this many times smaller than the next larger gap
LONGEST = 30_000  # intervals of the longest instance whose pairs are counted; takes seconds
DECIMALS = (1.0, 0.1, 0.01, 0.001, 0.0001)  # places in which times are written
SENTENCE = 3  # words of the median action that make a transcript
ODD_SCALE = 50.0  # an instance this many times longer than the median is in another unit


@dataclass(frozen=True)
class Inspection:
    """Counts of everything, and warnings about likely mistakes.

    Parameters
    ----------
    instances, activities, actions, intervals : how many there are
    unlabelled : how many instances have no label
    groups : how many there are, or None if instances have no group
    intervals_per_instance, duration : smallest, median and largest
    instances_per_activity, intervals_per_action : counts by name
    relations, constraints : pairs of intervals by symbol, in fully linked networks; instances of
        more than 30,000 intervals are left out, with a warning
    warnings : what looks like a mistake, and what to do about it

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> found = inspect(X, y)
    >>> found.instances, found.activities, found.warnings
    (20, 4, ())
    """

    instances: int
    activities: int
    actions: int
    intervals: int
    unlabelled: int
    groups: int | None
    intervals_per_instance: dict[str, float]
    duration: dict[str, float]
    instances_per_activity: dict[str, int]
    intervals_per_action: dict[str, int]
    relations: dict[str, int]
    constraints: dict[str, int]
    warnings: tuple[DataWarning, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dictionaries."""
        return asdict(self) | {"warnings": list(map(str, self.warnings))}


def inspect(
    X: Sequences, y: Sequence[Any] | npt.NDArray[Any] | None = None, n_jobs: int | None = None
) -> Inspection:
    """Count instances, activities, actions, intervals and relations, and look for mistakes.

    Examples
    --------
    >>> data = inspect([[("reach", 0, 2), ("grasp", 2, 5)], [("reach", 0, 1)]], ["take", "wave"])
    >>> data.instances, data.activities, data.actions, data.intervals, data.relations["m"]
    (2, 2, 2, 3, 1)
    """
    X = as_sequences(X)
    labels = [None] * len(X) if y is None else as_column("y", y, len(X)).tolist()
    activities = Counter(str(label) for label in labels if label is not None)
    short = X.lengths <= LONGEST
    counts = count_pairs(X if short.all() else X[short], n_jobs=n_jobs)
    each = np.bincount(X.action, minlength=len(X.actions)).tolist()
    return Inspection(
        instances=len(X),
        activities=len(activities),
        actions=len(X.actions),
        intervals=len(X.action),
        unlabelled=labels.count(None),
        groups=None if X.groups is None else len(set(X.groups.tolist())),
        intervals_per_instance=_spread(X.lengths.astype(float)),
        duration=_spread(X.end - X.start),
        instances_per_activity=dict(sorted(activities.items())),
        intervals_per_action=dict(zip(X.actions, each, strict=True)),
        relations=counts.relations,
        constraints=counts.constraints,
        warnings=tuple(_warnings(X, activities)),
    )


def _spread(values: Floats) -> dict[str, float]:
    if len(values) == 0:
        return {"least": 0.0, "median": 0.0, "most": 0.0}
    least, median, most = float(values.min()), float(np.median(values)), float(values.max())
    return {"least": least, "median": median, "most": most}


def _warnings(X: IntervalSequences, activities: Counter[str]) -> Iterator[DataWarning]:
    sentences = _sentences(X)
    wrong_ends = _wrong_ends(X)
    warnings = [
        *_about_lengths(X),
        sentences,
        wrong_ends,
        # what is spoken has no instants that were written twice, and a tick off is no jitter
        _near_end_points(X) if sentences is wrong_ends is None else None,
        _overlapping_itself(X),
        _repeated_intervals(X),
        _odd_scale(X),
        _similar_names("actions", X.actions),
        _similar_names("activities", tuple(activities)),
        _lonely_activities(activities),
    ]
    return (warning for warning in warnings if warning is not None)


def _about_lengths(X: IntervalSequences) -> Iterator[DataWarning]:
    """Instances that are all in one, or have no intervals, only one, or too many to count."""
    if len(X) == 1 and len(X.action) > 1:
        yield DataWarning(
            f"all {len(X.action)} intervals are in one instance; an instance is one performance of "
            "an activity, and learning takes several"
        )
    if len(X) > 1 and (X.lengths == 1).all():
        yield DataWarning(
            "every instance has only one interval, so no relations; check that the instance column "
            "names the performance and not the row"
        )
    empty = int((X.lengths == 0).sum())
    if empty:
        verb = "has" if empty == 1 else "have"
        yield DataWarning(f"{empty} of {count(len(X), 'instance')} {verb} no intervals")
    long = int((X.lengths > LONGEST).sum())
    if long:
        yield DataWarning(
            f"{count(long, 'instance')} of more than {LONGEST:,} intervals left out of the counts "
            "of relations; check that the instance column names each performance"
        )


def _sentences(X: IntervalSequences) -> DataWarning | None:
    """Actions that are sentences: most occur once, and have several words."""
    words = [len(action.split()) for action in X.actions]
    if len(words) < max(3, 0.5 * len(X.action)) or np.median(words) < SENTENCE:
        return None
    return DataWarning(
        f"actions look like sentences: {len(words)} different ones in {len(X.action)} intervals "
        f"(first: {quote(X.actions[0])}); what people say tells activities apart only where its "
        "words recur, so choose tracks or a column with names of actions, if there are any"
    )


def _wrong_ends(X: IntervalSequences) -> DataWarning | None:
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


def _near_end_points(X: IntervalSequences) -> DataWarning | None:
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
    cut = int(np.argmax(ratios))
    if ratios[cut] < JUMP or cut + 1 < max(3, TOLERANCE_SHARE * len(gaps)):
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


def _overlapping_itself(X: IntervalSequences) -> DataWarning | None:
    owner = X.owner
    track = owner * len(X.actions) + X.action
    over = pd.Series(X.end).groupby(track).cummax().groupby(track).shift()
    overlap = X.start < over.to_numpy()
    if not overlap.any():
        return None
    name = X.actions[X.action[int(np.argmax(overlap))]]
    overlaps = int(overlap.sum())
    verb = "overlaps" if overlaps == 1 else "overlap"
    return DataWarning(
        f"{count(overlaps, 'interval')} {verb} another of the same action and instance (first: "
        f"{printable(name)}); if two tracks were merged, give their actions different names"
    )


def _repeated_intervals(X: IntervalSequences) -> DataWarning | None:
    repeats = len(X.action) + 1 - len(find_runs(X.owner, X.action, X.start, X.end))
    if repeats == 0:
        return None
    verb, them = ("repeats", "it") if repeats == 1 else ("repeat", "them")
    return DataWarning(
        f"{count(repeats, 'row')} {verb} another exactly; ",
        Option("duplicates", "drop"),
        f" leaves {them} out",
    )


def _odd_scale(X: IntervalSequences) -> DataWarning | None:
    filled = X[X.lengths > 0]
    if len(filled) < 3:
        return None
    begin = filled.offsets[:-1]
    whole = np.maximum.reduceat(filled.end, begin) - filled.start[begin]
    odd = whole > ODD_SCALE * np.median(whole)
    if not odd.any():
        return None
    outliers = int(odd.sum())
    return DataWarning(
        f"{count(outliers, 'instance')} {'lasts' if outliers == 1 else 'last'} more than "
        f"{ODD_SCALE:g} times the median; check that all times are in the same unit"
    )


def _similar_names(noun: str, names: tuple[str, ...]) -> DataWarning | None:
    """Names that differ only in case or white space are likely the same name."""
    by_shape: dict[str, list[str]] = {}
    for name in names:
        by_shape.setdefault(" ".join(name.casefold().split()), []).append(name)
    alike = next((same for same in by_shape.values() if len(same) > 1), None)
    if alike is None:
        return None
    shown = " and ".join(repr(printable(name)) for name in alike[:2])
    return DataWarning(
        f"{noun} {shown} differ only in case or white space; if they are the same, use one name"
    )


def _lonely_activities(activities: Counter[str]) -> DataWarning | None:
    lonely = [name for name, instances in activities.items() if instances == 1]
    if not lonely or len(activities) < 2:
        return None
    verb = "has" if len(lonely) == 1 else "have"
    return DataWarning(
        f"{len(lonely)} of {len(activities)} activities {verb} a single instance (first: "
        f"{printable(lonely[0])}), too few to learn from and test on"
    )
