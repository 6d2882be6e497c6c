"""BORIS: coded behaviour, from project files and from tables of exported events."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal, get_args

from ibgn._files import LINE, InputFile
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.choices import check_flag
from ibgn.io.files import Files
from ibgn.io.formats.boris.exports import is_export, is_standard, read_export
from ibgn.io.formats.boris.observations import Coded, Observation
from ibgn.io.formats.boris.projects import read_project
from ibgn.io.head import CERTAIN, Head
from ibgn.io.outline import Entry
from ibgn.io.parsing.json import VALUES, parse_text
from ibgn.io.parsing.pairing import Event, Pair, Pairing, Repeated, Unpaired
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_boris"]

Points = Literal["error", "drop", "keep"]
Unknown = Literal["error", "drop"]
Subjects = Literal["tracks", "instances"]

NO_SUBJECT = "No focal subject"  # what BORIS calls it
STARTS = {"START": True, "STOP": False, "STATE": None, "RANGE": True}


def _sniff(head: Head) -> float:
    """Tell a project by its parts, and exported events by the names of their columns."""
    if isinstance(head.json, dict):
        return CERTAIN if {"observations", "behaviors_conf"} <= head.json.keys() else 0.0
    return CERTAIN if is_export(head.lines) else 0.0


def _outline(files: Files, *, subjects: "Subjects" = "tracks") -> Iterator[Entry]:
    """Variables of the observations that stay the same within each of them."""
    values: dict[str, list[str | None]] = {}
    for file in files:
        for observation in _observations(file, subjects == "instances"):
            for name, value in observation.variables.items():
                values.setdefault(name, []).append(value)
    for name, each in values.items():
        steady = [value for value in each if value is not None]
        if len(steady) == len(each) and any(steady) and not is_standard(name):
            yield Entry.of("variable", name, steady, Option("activity", f"variable:{name}"))


def _observations(file: InputFile, by_subject: bool) -> Iterator[Observation]:
    """Observations of a project, or of a table of exported events, or those of each subject."""
    file.expect({**VALUES, "\n": LINE}, "its observations")
    text = file.text()
    if text.lstrip().startswith("{"):
        return read_project(parse_text(text, file.prefix), by_subject)
    return read_export(text, file, by_subject)


@reader(
    "boris",
    (".boris",),
    also=(".csv", ".tsv"),
    about="BORIS projects and exported events",
    unit="s",
    activity=("track", "variable"),
    group=("variable",),
    sniff=_sniff,
    outline=_outline,
)
def read_boris(
    files: Files,
    *,
    modifiers: bool = False,
    points: Points = "error",
    unpaired: Unpaired = "error",
    repeated: Repeated = "unpaired",
    unknown: Unknown = "error",
    overlaps: Overlaps = "keep",
    subjects: Subjects = "tracks",
) -> Iterator[Recording]:
    r"""Read observations coded with BORIS; an observation is an instance, a subject a track.

    Three kinds of files are understood: projects (.boris), as "File > Save project" writes them;
    and as .csv or .tsv what "Observations > Export events" writes, "Aggregated events", one row per
    state with start and stop, and "Tabular events", one row per START, STOP or POINT, also as R
    writes them, or without their header. Files of the same observation with other subjects belong
    together. Times are those of the medium; the time offset of an observation is not added.
    activity="variable:meal" takes the independent variable "meal", and group="variable:cook"
    likewise.

    Parameters
    ----------
    modifiers : whether modifiers are part of the name of the action: "eat (fruit, ripe)"
    points : what to do with point events, which have no duration: "error", "drop" them with a
        count, or "keep" them, which needs a min_duration
    unpaired : what to do with a state that is started and not stopped, or stopped and not
        started: "error", "drop" it with a count, or "close" it, with a count, at the end of the
        observation; a stop without a start is dropped all the same
    repeated : what to do with a start of something that is already going on: "unpaired" treats the
        earlier start as one without a stop, and closes it there; "merge" ignores the later one,
        "restart" ends what is going on and starts again, "overlap" lets both go on, "error"
        refuses it
    unknown : what to do with behaviours that the project does not define, and with rows that are
        neither states nor points: "error", or "drop" them with a count
    overlaps : what to do with a state that overlaps the same one of a subject: "keep" it, "merge"
        the two, both with a warning, or "error"
    subjects : what the subjects of an observation are: its "tracks", or "instances" of their own,
        named "observation#subject", whose variables may differ

    Returns
    -------
    X : the observations; of a project, also those without events
    y : (n,) one activity per observation, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "events.tsv"
    >>> _ = path.write_text(
    ...     "Observation id\tmeal\tSubject\tBehavior\tBehavior type\tStart (s)\tStop (s)\n"
    ...     "morning\ttea\tAnn\tboil\tSTATE\t0\t2.5\n"
    ...     "morning\ttea\tAnn\tpour\tSTATE\t2.5\t4\n")
    >>> X, y = read_boris(path, activity="variable:meal")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      morning: boil [0, 2.5), pour [2.5, 4)
    >>> y
    array(['tea'], dtype=object)
    """
    check_choice("subjects", subjects, get_args(Subjects))
    apart = subjects == "instances"
    coding = _Coding(files, modifiers, points, unknown, apart, Pairing(unpaired, repeated, files))
    recordings = (recording for file in files for recording in coding.recordings(file))
    yield from settle_overlaps(_join_subjects(recordings), overlaps, files)


def _join_subjects(recordings: Iterable[Recording]) -> list[Recording]:
    """Join recordings of one observation whose subjects are in different files."""
    joined: dict[str, list[Recording]] = {}
    for recording in recordings:
        tracks = {note.track for note in recording.annotations}
        same = joined.setdefault(recording.name, [])
        others = [other for other in same if other.known == recording.known]
        apart = not any(note.track in tracks for other in others for note in other.annotations)
        if others and len(others) == len(same) and apart and tracks:
            notes = [*others[0].annotations, *recording.annotations]
            same[0] = replace(others[0], annotations=notes)
        else:
            same.append(recording)
    return [recording for same in joined.values() for recording in same]


@dataclass(frozen=True)
class _Coding:
    """Checked options: how what was coded becomes annotations."""

    files: Files
    modifiers: bool
    points: Points
    unknown: Unknown
    by_subject: bool
    pairing: Pairing

    def __post_init__(self) -> None:
        check_flag("modifiers", self.modifiers)
        check_choice("points", self.points, get_args(Points))
        check_choice("unknown", self.unknown, get_args(Unknown))

    def recordings(self, file: InputFile) -> Iterator[Recording]:
        """One for each observation of a file."""
        observations = _observations(file, self.by_subject)
        return (self.recording(observation, file) for observation in observations)

    def recording(self, observation: Observation, file: InputFile) -> Recording:
        """Recording of an observation, named within the folder of its file."""
        known = {}
        for ours, option in (("label", "activity"), ("group", "group")):
            name = self.files.choices.name_of(option, "variable")
            if name is not None:
                known[ours] = observation.variable(name)
        path = PurePath(file.name)
        folder = "" if path.name == file.name else f"{path.parent.as_posix()}/"
        coded = {event.place: event for event in observation.events}
        pairs = self._pairs(observation, file.prefix)
        notes = []
        for pair in pairs:
            event = coded[pair.place]
            action = event.behavior
            if self.modifiers and event.modifiers:
                action = f"{action} ({', '.join(event.modifiers)})"
            track = event.subject or NO_SUBJECT
            notes.append(Annotation(track, action, pair.start, pair.end, event.place))
        return Recording(f"{folder}{observation.name}", notes, known)

    def _pairs(self, observation: Observation, source: str) -> Iterator[Pair]:
        """Intervals from starts to stops of the same behaviour, subject and modifiers."""
        switches = []
        last = observation.length
        for event in observation.events:
            last = max(last, event.time, -math.inf if event.end is None else event.end)
            # a row with its own stop goes with no other, also where the stop is missing
            own = event.place if event.kind == "RANGE" else ""
            what = (own, event.subject, "|".join(event.modifiers), event.behavior)
            if event.kind == "POINT":
                if self._keeps_point(event, source):
                    yield Pair(what, event.time, event.time, event.place)
            elif event.kind == "RANGE" and event.end is not None:
                yield Pair(what, event.time, event.end, event.place)
            elif event.kind in STARTS:
                switches.append(Event(what, STARTS[event.kind], event.time, event.place))
            else:
                self._leave_out(event, source)
        # a stop alone tells nothing of its start, which may be before the observation
        yield from self.pairing.pairs(switches, lambda p: f"{source}{p}", math.inf, last)

    def _keeps_point(self, event: Coded, source: str) -> bool:
        keep = (Option("points", "keep"), " with a ", Option("min_duration"))
        if self.points == "error":
            raise DataError(
                f"{source}{event.place}: {quote(event.behavior)} is a point event, without "
                "duration; use ",
                Option("points", "drop"),
                ", or ",
                *keep,
            )
        if self.points == "drop":
            self.files.leave_out(": dropped; ", *keep, " keeps them", noun="point event")
        return self.points == "keep"

    def _leave_out(self, event: Coded, source: str) -> None:
        if self.unknown == "error":
            raise DataError(
                f"{source}{event.place}: {quote(event.behavior)} is neither state nor point, but "
                f"{event.kind}; correct it in BORIS, or use ",
                Option("unknown", "drop"),
            )
        self.files.leave_out(": neither state nor point; dropped")
