"""From tracks of labelled stretches of time, as annotation tools have them, to intervals.

Readers of ELAN, Praat, BORIS and the like yield one `Recording` after the other; how recordings
become instances with an activity is the same for all, and `Choices` says it.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ibgn.budgets import Allowance
from ibgn.checks import check_choice
from ibgn.errors import DataError, DataWarning, Option, Part
from ibgn.io.choices import Choices, Crossing
from ibgn.io.files import Files
from ibgn.io.longframe import LongFrame
from ibgn.io.patterns import search_names
from ibgn.text import count, quote

__all__ = [
    "Annotation",
    "Overlaps",
    "Recording",
    "names_by_path",
    "settle_overlaps",
    "to_frame",
]

Overlaps = Literal["keep", "merge", "error"]

ROW = 500  # bytes of a row with its cells
CHECKED = 10_000  # rows at once


class Annotation(NamedTuple):
    """A stretch of time on a track, with what was noted there; times in seconds.

    `place` names it in messages, for example "tier 'hands', annotation a12".

    Examples
    --------
    >>> Annotation("left hand", "hold cup", 0.5, 2.0, "tier 'left hand', annotation 1").value
    'hold cup'
    """

    track: str
    value: str
    start: float
    end: float
    place: str


@dataclass(frozen=True)
class Recording:
    """One recording.

    Parameters
    ----------
    name : name of the recording; for a file, its path within the folder that was read
    annotations : in any order
    known : label, group or instance, where the file itself names them

    Examples
    --------
    >>> boil = Annotation("hands", "boil", 0.0, 4.0, "line 1")
    >>> Recording("tea.notes", [boil], {"label": "tea"}).known
    {'label': 'tea'}
    """

    name: str
    annotations: Sequence[Annotation]
    known: Mapping[str, Any] = field(default_factory=dict)


def settle_overlaps(
    recordings: Iterable[Recording], overlaps: Overlaps, files: Files
) -> Iterator[Recording]:
    """Count annotations that overlap an earlier one of the same track and value.

    "keep" leaves them as they are, "merge" joins them into one stretch, and both are counted in
    a warning; "error" refuses them. Only the chosen tracks are checked, by default all.
    """
    check_choice("overlaps", overlaps, get_args(Overlaps))
    for recording in recordings:
        merged, again = _merge(recording.annotations, files.choices.tracks)
        if again and overlaps == "error":
            raise DataError(
                f"{files.prefix}{recording.name}, {again[0].place}: overlaps another of "
                f"{quote(again[0].value)}; correct it, or use ",
                Option("overlaps", "merge"),
                " or ",
                Option("overlaps", "keep"),
            )
        what: tuple[Part, ...] = ("merged with it",)
        if overlaps == "keep":
            what = ("kept; ", Option("overlaps", "merge"), " makes them one")
        files.leave_out(
            ": with an earlier one of the same track and name; ",
            *what,
            noun="overlapping annotation",
            number=len(again),
        )
        yield replace(recording, annotations=merged) if overlaps == "merge" else recording


def _merge(
    annotations: Sequence[Annotation], tracks: Sequence[str] | None
) -> tuple[list[Annotation], list[Annotation]]:
    """Annotations with overlapping ones joined, and those that were joined to an earlier one."""
    last: dict[tuple[str, str], int] = {}
    merged: list[Annotation] = []
    again = []
    for annotation in sorted(annotations, key=lambda a: (a.start, a.end)):
        key = (annotation.track, annotation.value)
        counts = annotation.start < annotation.end and (not tracks or annotation.track in tracks)
        if counts and key in last and annotation.start < merged[last[key]].end:
            before = merged[last[key]]
            merged[last[key]] = before._replace(end=max(annotation.end, before.end))
            again.append(annotation)
        else:
            if counts:
                last[key] = len(merged)
            merged.append(annotation)
    return merged, again


class Action(NamedTuple):
    """An annotation that stands for an action."""

    name: str
    start: float
    end: float
    track: str
    place: str


class _Row(NamedTuple):
    """One row: an interval, or without action and times an instance that has no intervals."""

    instance: str
    label: Any
    group: Any
    action: str | None
    start: float
    end: float
    track: str | None
    place: str


def to_frame(
    recordings: Iterable[Recording],
    choices: Choices,
    source: str,
    allowance: Allowance,
    unnamed: str | None = None,
) -> LongFrame:
    """Make one row per interval; what is left out is counted in warnings.

    Parameters
    ----------
    recordings : one after the other
    choices : how they become instances
    source : begins every message, for example "talks: "
    allowance : what the rows may take, as an annotation is one of each activity that it crosses
    unnamed : a track that no file names; where all are on it, no track is given
    """
    recordings = list(recordings)
    known = {a.track for recording in recordings for a in recording.annotations}
    named = [*(choices.tracks or []), choices.activity_track]
    missing = [name for name in named if name is not None and name not in known]
    if missing:
        listed = ", ".join(quote(name) for name in sorted(known)[:20]) or "none at all"
        raise DataError(f"{source}there is no track {quote(missing[0])}; there are {listed}")
    _refuse_repeated(recordings, choices, source)
    left_out: Counter[tuple[Part, ...]] = Counter()
    names = [recording.name for recording in recordings]
    labels, groups = (names_by_path(names, each, choices, source) for each in ("activity", "group"))
    rows: list[_Row] = []
    for recording, label, group in zip(recordings, labels, groups, strict=True):
        said = {"label": label, "group": group, **recording.known}
        for row in _rows(replace(recording, known=said), choices, left_out):
            rows.append(row)
            if len(rows) % CHECKED == 0:
                allowance.need(ROW * len(rows), f"more than {len(rows)} intervals of activities")
    for why, number in left_out.items():
        counted = f"{source}left out {count(number, 'annotation')} "
        warnings.warn(DataWarning(counted, *why), stacklevel=2)
    if not rows:
        raise DataError(
            f"{source}there are no instances; check ", Option("activity"), " and the files"
        )
    columns = {name: [getattr(row, name) for row in rows] for name in _Row._fields[:-1]}
    series = {name: np.array([*values, None], object)[:-1] for name, values in columns.items()}
    for name in ("label", "group", "track"):
        silent = unnamed if name == "track" else None
        if all(value is None or value == silent for value in columns[name]):
            del series[name]
    return LongFrame(series, (), source, lambda row: rows[row].place)


def _refuse_repeated(recordings: list[Recording], choices: Choices, source: str) -> None:
    """Refuse two recordings that are the same instance, which would be read as one."""
    first: dict[str, Recording] = {}
    for recording in recordings:
        instance = recording.name
        if choices.activity_track is None:  # instances are otherwise named by their recordings
            instance = str(recording.known.get("instance", recording.name))
        before = first.setdefault(instance, recording)
        if before is not recording:
            which = "two recordings"
            if before.name != recording.name:
                which = f"{quote(before.name)} and {quote(recording.name)} both"
            raise DataError(
                f"{source}{which} are the instance {quote(instance)}, perhaps because one "
                "is a copy; remove one, change its name inside, or put the files into folders"
            )


def _rows(
    recording: Recording, choices: Choices, left_out: Counter[tuple[Part, ...]]
) -> Iterable[_Row]:
    known = recording.known
    if choices.activity_track is None:
        instance = str(known.get("instance", recording.name))
        stretches = [(instance, known["label"], -np.inf, np.inf)]
    else:
        named = [a for a in recording.annotations if a.track == choices.activity_track]
        named.sort(key=lambda a: (a.start, a.end))
        stretches = [
            (f"{recording.name}#{number}", a.value, a.start, a.end)
            for number, a in enumerate(named, 1)
        ]
    group = known["group"]
    actions = _actions(recording, choices, left_out)
    by_time = _ByTime(actions)
    inside: set[int] = set()
    for instance, label, begin, stop in stretches:
        touching = by_time.touching(begin, stop)
        inside.update(touching)
        here = [actions[number] for number in touching]
        rows = list(_within(here, begin, stop, choices.crossing, left_out))
        for action, start, end, track, place in rows:
            where = f"{recording.name}, {place}"
            yield _Row(instance, label, group, action, start, end, track, where)
        if not rows:
            yield _Row(instance, label, group, None, np.nan, np.nan, None, recording.name)
    if len(inside) < len(actions):
        left_out["outside of every activity",] += len(actions) - len(inside)


def _actions(
    recording: Recording, choices: Choices, left_out: Counter[tuple[Part, ...]]
) -> list[Action]:
    """Annotations that stand for actions."""
    actions = []
    for track, value, start, end, place in recording.annotations:
        if track == choices.activity_track or (choices.tracks and track not in choices.tracks):
            continue
        if choices.action != "track" and not value.strip():
            why = (
                "without a value, which is the action; ",
                Option("action", "track"),
                " keeps them",
            )
            left_out[why] += 1
            continue
        names = {"value": value, "track": track, "both": f"{track}: {value}"}
        actions.append(Action(names[choices.action], start, end, track, place))
    return actions


class _ByTime:
    """Actions by their times: finds those that touch a stretch without checking all the others.

    A year in a home has thousands of stretches, and a million actions.
    """

    def __init__(self, actions: list[Action]) -> None:
        times = np.array([action[1:3] for action in actions], np.float64).reshape(-1, 2)
        self.order = np.argsort(times[:, 0], kind="stable")
        self.starts, self.ends = times[self.order].T
        # how far an action or any before it reaches; one without an end reaches nowhere
        self.reach = np.maximum.accumulate(np.where(np.isnan(self.ends), -np.inf, self.ends))

    def touching(self, begin: float, stop: float) -> list[int]:
        """Numbers of the actions that overlap a stretch or lie in it as points, in order."""
        near = slice(np.searchsorted(self.reach, begin), np.searchsorted(self.starts, stop))
        starts, ends = self.starts[near], self.ends[near]
        touch = (ends > begin) | ((starts == ends) & (begin <= starts))
        numbers: list[int] = np.sort(self.order[near][touch]).tolist()
        return numbers


def _within(
    actions: list[Action],
    begin: float,
    stop: float,
    crossing: Crossing,
    left_out: Counter[tuple[Part, ...]],
) -> Iterable[Action]:
    """Part of each action that lies in a stretch of time that it touches."""
    for action in actions:
        if (begin <= action.start and action.end <= stop) or crossing == "keep":
            yield action
        elif crossing == "clip":
            yield action._replace(start=max(action.start, begin), end=min(action.end, stop))
        else:
            why = ("that cross the edge of an activity; ", Option("crossing", "clip"))
            left_out[*why, " keeps a part"] += 1


def names_by_path(
    names: Sequence[str], option: str, choices: Choices, source: str
) -> Sequence[str | None]:
    """Activity or group of each recording from its path; None where the path does not say it.

    Parameters
    ----------
    names : of the recordings, which are paths
    option : "activity" or "group"
    choices : say where it comes from
    source : begins every message
    """
    origin = choices.origin(option)
    if origin is None or origin.kind not in ("file", "folder", "pattern") or not names:
        return [None] * len(names)
    paths = [PurePath(name) for name in names]
    if origin.kind == "file":
        return [path.name.split(".")[0] for path in paths]
    if origin.kind == "folder":
        return [_folder_of(path, option, source) for path in paths]
    found = search_names(option, origin.name, names)
    for name, value in zip(names, found, strict=True):
        if not value:
            raise DataError(
                source,
                Option(option, origin.name),
                f" finds nothing in {quote(name)}; change the expression, or the name of the file",
            )
    return found


def _folder_of(path: PurePath, option: str, source: str) -> str:
    if not path.parent.name:
        raise DataError(
            f"{source}{quote(str(path))} is in no folder that could name its {option}; "
            "put it into one, or give another ",
            Option(option),
        )
    return path.parent.name
