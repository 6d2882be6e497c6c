"""What looks like a mistake in instances and their labels."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ibgn._arrays import find_runs
from ibgn.errors import DataWarning, Option
from ibgn.horizon import LONG, USUAL
from ibgn.inspection.end_points import EVIDENCE, near_end_points, wrong_ends
from ibgn.intervals import IntervalSequences
from ibgn.text import count, printable, quote

__all__ = ["LONGEST", "find_mistakes"]

LONGEST = 30_000  # intervals of the longest instance whose pairs are counted; takes seconds
SENTENCE = 3  # words of the median action of a transcript, which names may have too, so ...
LONG_SENTENCE = 6  # ... either there are more of them, ...
STOPS = tuple(".!?…。！？")  # ... or this share of the actions ends as sentences do, ...
STOPPED = 0.25
VARIED = 4  # ... or their number varies by this much among at least so many actions
MANY = 10
ODD_SCALE = 50.0  # an instance this many times longer than the median is in another unit ...
OTHER_UNIT = 20.0  # ... or one in which the same actions last so much longer or shorter


def find_mistakes(X: IntervalSequences, activities: Counter[str]) -> Iterator[DataWarning]:
    """Warnings about what looks wrong, of which each says what to do."""
    sentences = _sentences(X)
    inclusive = wrong_ends(X)
    warnings = [
        *_about_lengths(X),
        sentences,
        inclusive,
        # what is spoken has no instants that were written twice, and a tick off is no jitter
        near_end_points(X) if sentences is inclusive is None else None,
        _overlapping_itself(X),
        _repeated_intervals(X),
        _other_unit(X) or _odd_scale(X),
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
    longest = int(X.lengths.max(initial=0))
    if longest > LONG:
        yield DataWarning(
            f"an instance has {longest:,} intervals, each of which is related with all after it; "
            "learning with ",
            Option("horizon", USUAL),
            f" relates it with {USUAL} only, and takes time in proportion to their number",
        )


def _sentences(X: IntervalSequences) -> DataWarning | None:
    """Actions that are sentences: most occur once, and have more words than names, or end so."""
    words = [len(action.split()) for action in X.actions]
    if len(words) < max(EVIDENCE, 0.5 * len(X.action)) or np.median(words) < SENTENCE:
        return None
    stopped = sum(action.rstrip().endswith(STOPS) for action in X.actions)
    shortest, longest = np.quantile(words, [0.1, 0.9])
    if not (
        np.median(words) >= LONG_SENTENCE
        or stopped >= max(2, STOPPED * len(words))
        or (len(words) >= MANY and longest - shortest >= VARIED)
    ):
        return None
    return DataWarning(
        f"actions look like sentences: {len(words)} different ones in {len(X.action)} intervals "
        f"(first: {quote(X.actions[0])}); what people say tells activities apart only where its "
        "words recur, so choose tracks or a column with names of actions, if there are any"
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


def _other_unit(X: IntervalSequences) -> DataWarning | None:
    """Instances in which the same actions last many times longer or shorter than in others."""
    lasts = pd.DataFrame({"action": X.action, "owner": X.owner, "log": np.log(X.end - X.start)})
    by_action = lasts.groupby("action")
    usual = by_action["log"].transform("median")
    lasts["log"] -= usual
    shared = lasts[by_action["owner"].transform("nunique") > 1]
    scale = shared.groupby("owner")["log"].median().sort_values()
    if len(scale) < EVIDENCE:
        return None
    jump = int(np.argmax(np.diff(scale)))
    short, long = scale.iloc[: jump + 1], scale.iloc[jump + 1 :]
    times = float(np.exp(long.median() - short.median()))
    few = min(short, long, key=len)
    evidence = int(shared["owner"].isin(few.index).sum())
    if np.diff(scale)[jump] < np.log(OTHER_UNIT) or evidence < EVIDENCE:
        return None
    return DataWarning(
        f"in {len(few)} of {len(scale)} instances actions last about {times:.2g} times "
        f"{'longer' if few is long else 'shorter'} than the same actions in others; check that "
        "all times are in the same unit, such as seconds"
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
