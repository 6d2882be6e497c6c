"""What annotation tools know, tracks of labelled stretches of time, to a table of intervals.

Readers of ELAN, Praat, BORIS and their like give a `Take` for each recording; how takes
become instances with a label is the same for all, and told by `Choices`.
"""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import numpy as np

from ibgn.checks import check_choice
from ibgn.cleaning import Cleaning, CleaningOptions
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io.table import LongTable
from ibgn.text import count, quote

__all__ = [
    "Annotation",
    "ChoiceOptions",
    "Choices",
    "Overlaps",
    "ReadingOptions",
    "Take",
    "check_names",
    "settle_overlaps",
    "split_options",
    "to_table",
    "warn_counts",
]

ActionFrom = Literal["value", "track", "both"]
Crossing = Literal["clip", "keep", "drop"]
Overlaps = Literal["keep", "merge", "error"]


class Annotation(NamedTuple):
    """A stretch of time on a track, with what was noted there; times in seconds.

    `place` names it for a message, as "tier 'hands', annotation a12".
    """

    track: str
    value: str
    start: float
    end: float
    place: str


@dataclass(frozen=True)
class Take:
    """One recording.

    Parameters
    ----------
    name : of the recording; for a file its path in the folder that was read
    annotations : in any order
    known : label, group or instance, where the file itself names them
    """

    name: str
    annotations: Sequence[Annotation]
    known: Mapping[str, Any] = field(default_factory=dict)


class ChoiceOptions(TypedDict, total=False):
    """Keyword arguments that readers of annotations pass on to `Choices`."""

    tracks: Sequence[str] | None
    action: ActionFrom
    activity: str | None
    crossing: Crossing
    label: str | None
    group: str | None


@dataclass(frozen=True)
class Choices:
    """How annotations become instances, actions and labels.

    Parameters
    ----------
    tracks : names of the tracks (tiers, subjects, columns) that hold actions, by default all
    action : what names the action: the "value" of an annotation, its "track", or "both", as
        "track: value"
    activity : track whose annotations are the activities. Each becomes an instance with its value
        as label, made of the annotations of other tracks at that time. By default a recording is
        one instance.
    crossing : what to do with an annotation that begins or ends outside of its activity: "clip" it,
        "keep" it as it is, or "drop" it, with a count
    label, group : where the label, and the group, of a recording come from: "folder", the name of
        the folder that its file is in; "file", the name of the file without suffix; or a regular
        expression with one group (...), searched in the path of the file
    """

    tracks: Sequence[str] | None = None
    action: ActionFrom = "value"
    activity: str | None = None
    crossing: Crossing = "clip"
    label: str | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        check_choice("action", self.action, get_args(ActionFrom))
        check_choice("crossing", self.crossing, get_args(Crossing))
        _check_list("tracks", self.tracks)
        check_names(activity=self.activity)
        if self.activity is not None and self.label is not None:
            raise OptionError("the label comes from the track activity= or from label=; give one")
        for name in ("label", "group"):
            _check_pattern(name, getattr(self, name))


class ReadingOptions(ChoiceOptions, CleaningOptions, total=False):
    """Keyword arguments of readers of annotations: of `Choices`, and of `Cleaning`."""


def split_options(options: Mapping[str, Any]) -> tuple[Choices, Cleaning]:
    """How annotations become instances, and how intervals are cleaned."""
    known = [*ChoiceOptions.__annotations__, *CleaningOptions.__annotations__]
    alien = [name for name in options if name not in known]
    if alien:
        raise OptionError(f"there is no option {alien[0]}; there are {', '.join(known)}")
    chosen = {name: value for name, value in options.items() if name in known[:6]}
    return Choices(**chosen), Cleaning(**{n: v for n, v in options.items() if n not in chosen})


def _check_list(option: str, names: Any) -> None:
    listed = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if names is not None and not (listed and all(isinstance(name, str) for name in names)):
        raise OptionError(f"{option} is a list of names, got {quote(names)}; write [...]")


def _check_pattern(option: str, source: str | None) -> None:
    check_names(**{option: source})
    if source is None or source in ("folder", "file"):
        return
    try:
        groups = re.compile(source).groups
    except re.error as error:
        raise OptionError(
            f"{option}={source!r} is neither 'folder', 'file' nor a regular expression: {error}"
        ) from error
    if groups != 1:
        raise OptionError(
            f"{option}={source!r} needs one group in brackets, as in '([a-z]+)_[0-9]+', that is "
            f"the {option}; it has {groups}"
        )


def check_names(**options: object) -> None:
    """Refuse options for names that are neither text nor None."""
    for name, value in options.items():
        if not (value is None or isinstance(value, str)):
            raise OptionError(f"{name} is a name, as text; got {quote(value)}")


def warn_counts(counts: Mapping[tuple[str, str], int], source: str) -> None:
    """Warn of what was found how often, as "talks: 3 point events: dropped"."""
    for (noun, what), number in counts.items():
        warnings.warn(f"{source}{count(number, noun)}: {what}", DataWarning, stacklevel=3)


def settle_overlaps(
    takes: Iterable[Take], overlaps: Overlaps, source: str, tracks: Sequence[str] | None
) -> list[Take]:
    """Count annotations that overlap an earlier one of the same track and value.

    "keep" leaves them as they are, "merge" makes one stretch of them, both with a count; "error"
    refuses them. Only `tracks` are looked at, by default all.
    """
    check_choice("overlaps", overlaps, get_args(Overlaps))
    counts: Counter[tuple[str, str]] = Counter()
    what = {"keep": "kept; overlaps='merge' makes them one", "merge": "merged with it"}
    settled = []
    for take in takes:
        merged, again = _merge(take.annotations, tracks)
        if again and overlaps == "error":
            raise DataError(
                f"{source}{take.name}, {again[0].place}: overlaps another of "
                f"{quote(again[0].value)}; mend it, or use overlaps='merge' or 'keep'"
            )
        if again:
            told = f"with an earlier one of the same track and name; {what[overlaps]}"
            counts["overlapping annotation", told] += len(again)
        settled.append(replace(take, annotations=merged) if overlaps == "merge" else take)
    warn_counts(counts, source)
    return settled


def _merge(
    annotations: Sequence[Annotation], tracks: Sequence[str] | None
) -> tuple[list[Annotation], list[Annotation]]:
    """Annotations with overlapping ones made one, and those that went into an earlier one."""
    last: dict[tuple[str, str], int] = {}
    merged: list[Annotation] = []
    again = []
    for one in sorted(annotations, key=lambda a: (a.start, a.end)):
        before = last.get((one.track, one.value))
        looked_at = one.start < one.end and (not tracks or one.track in tracks)
        if looked_at and before is not None and one.start < merged[before].end:
            merged[before] = merged[before]._replace(end=max(one.end, merged[before].end))
            again.append(one)
        else:
            if looked_at:
                last[one.track, one.value] = len(merged)
            merged.append(one)
    return merged, again


class _Row(NamedTuple):
    """One interval of the table; without action and times, an instance that has none."""

    instance: str
    label: Any
    group: Any
    action: str | None
    start: float
    end: float
    place: str


def to_table(takes: Iterable[Take], choices: Choices, source: str) -> LongTable:
    """Make one row an interval; what is left out is counted in warnings.

    `source` begins every message, as "talks: ".
    """
    takes = list(takes)
    _check_tracks(takes, choices, source)
    left_out: Counter[str] = Counter()
    rows = [row for take in takes for row in _rows(take, choices, left_out, source)]
    for why, number in left_out.items():
        warnings.warn(
            f"{source}left out {count(number, 'annotation')} {why}", DataWarning, stacklevel=2
        )
    if not rows:
        raise DataError(f"{source}there are no instances; check activity= and the files")
    columns = {name: [getattr(row, name) for row in rows] for name in _Row._fields[:-1]}
    series = {name: np.array([*values, None], object)[:-1] for name, values in columns.items()}
    for name in ("label", "group"):
        if all(value is None for value in columns[name]):
            del series[name]
    return LongTable(series, (), source, lambda row: rows[row].place)


def _check_tracks(takes: list[Take], choices: Choices, source: str) -> None:
    known = {a.track for take in takes for a in take.annotations}
    wanted = [*(choices.tracks or []), *([choices.activity] if choices.activity else [])]
    missing = [name for name in wanted if name not in known]
    if missing:
        listed = ", ".join(quote(name) for name in sorted(known)[:20]) or "none at all"
        raise DataError(f"{source}there is no track {quote(missing[0])}; there are {listed}")


def _rows(take: Take, choices: Choices, left_out: Counter[str], source: str) -> Iterable[_Row]:
    if choices.activity is None:
        instance = str(take.known.get("instance", take.name))
        label = take.known.get("label", _named(take, "label", choices.label, source))
        stretches = [(instance, label, -np.inf, np.inf)]
    else:
        named = [a for a in take.annotations if a.track == choices.activity]
        named.sort(key=lambda a: (a.start, a.end))
        stretches = [
            (f"{take.name}#{number}", a.value, a.start, a.end) for number, a in enumerate(named, 1)
        ]
    group = take.known.get("group", _named(take, "group", choices.group, source))
    actions = _actions(take, choices, left_out)
    by_time = _ByTime(actions)
    inside: set[int] = set()
    for instance, label, begin, stop in stretches:
        touching = by_time.touching(begin, stop)
        inside.update(touching)
        here = [actions[number] for number in touching]
        rows = list(_within(here, begin, stop, choices.crossing, left_out))
        for action, start, end, place in rows:
            yield _Row(instance, label, group, action, start, end, f"{take.name}, {place}")
        if not rows:
            yield _Row(instance, label, group, None, np.nan, np.nan, take.name)
    if len(inside) < len(actions):
        left_out["outside of every activity"] += len(actions) - len(inside)


def _actions(
    take: Take, choices: Choices, left_out: Counter[str]
) -> list[tuple[str, float, float, str]]:
    """Annotations that stand for actions: name, start, end and place."""
    actions = []
    for track, value, start, end, place in take.annotations:
        if track == choices.activity or (choices.tracks and track not in choices.tracks):
            continue
        if choices.action != "track" and not value.strip():
            left_out["without a value, which is the action; action='track' keeps them"] += 1
            continue
        names = {"value": value, "track": track, "both": f"{track}: {value}"}
        actions.append((names[choices.action], start, end, place))
    return actions


class _ByTime:
    """Actions by their times: which of them touch a stretch, without a look at all the others.

    A year in a home has thousands of stretches, and a million of actions.
    """

    def __init__(self, actions: list[tuple[str, float, float, str]]) -> None:
        times = np.array([action[1:3] for action in actions], np.float64).reshape(-1, 2)
        self.order = np.argsort(times[:, 0], kind="stable")
        self.starts, self.ends = times[self.order].T
        # how far an action or any before it reaches; one without an end reaches nowhere
        self.reach = np.maximum.accumulate(np.where(np.isnan(self.ends), -np.inf, self.ends))

    def touching(self, begin: float, stop: float) -> list[int]:
        """Actions that have some time, or lie as a point, in a stretch; in their own order."""
        near = slice(np.searchsorted(self.reach, begin), np.searchsorted(self.starts, stop))
        starts, ends = self.starts[near], self.ends[near]
        touch = (ends > begin) | ((starts == ends) & (begin <= starts))
        found: list[int] = np.sort(self.order[near][touch]).tolist()
        return found


def _within(
    actions: list[tuple[str, float, float, str]],
    begin: float,
    stop: float,
    crossing: Crossing,
    left_out: Counter[str],
) -> Iterable[tuple[str, float, float, str]]:
    """What of each action lies in a stretch of time that it touches."""
    for action, start, end, place in actions:
        if (begin <= start and end <= stop) or crossing == "keep":
            yield action, start, end, place
        elif crossing == "clip":
            yield action, max(start, begin), min(end, stop), place
        else:
            left_out["that cross the edge of an activity; crossing='clip' keeps a part"] += 1


def _named(take: Take, option: str, source: str | None, prefix: str) -> str | None:
    """Label or group from the path of a recording."""
    path = PurePath(take.name)
    if source is None:
        return None
    if source == "file":
        return path.name.split(".")[0]
    if source == "folder":
        if not path.parent.name:
            raise DataError(
                f"{prefix}{quote(take.name)} is in no folder that could name its {option}; "
                f"put it into one, or give another {option}="
            )
        return path.parent.name
    found = re.search(source, take.name)
    if not (found and found[1]):
        raise DataError(
            f"{prefix}{option}={source!r} finds nothing in {quote(take.name)}; "
            "change the expression, or the name of the file"
        )
    return found[1]
