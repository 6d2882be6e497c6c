"""Read files as far as possible: what they hold, and the options that reading them takes."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from os import PathLike
from typing import Any, Self

from ibgn._files import is_folder
from ibgn._inputs import opening_once
from ibgn.errors import MISSING, BudgetError, DataError, DataWarning, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import Recording
from ibgn.io.choices import Choices
from ibgn.io.files import Files, Sources
from ibgn.io.longframe import Labels, LongFrame
from ibgn.io.outline import Entry, covering_tracks, outline_frame, outline_recordings
from ibgn.io.registry import FORMATS, Format, find_format
from ibgn.text import quote

__all__ = ["Survey", "outline", "survey"]

UNKNOWN = "..."  # stands in messages for what only the user knows
SHOWS_MORE = {"unlabelled": "keep"}  # values that are preferred to what else an error proposes
# what is assumed where only the user knows: times in frames, and points as long as one of them
ASSUMED = {"rate": 1, "min_duration": 1}
NOT_READ = {"unlabelled": "label", "ungrouped": "group"}  # options that leave these out
MOST_TRIALS = 20  # tracks that are tried as the activity, as each takes reading the files again
OF_POINTS = {"points", "zero_length"}  # options that leave points out


@dataclass(frozen=True)
class Survey:
    """What files hold.

    Parameters
    ----------
    format : name of their format
    X, y : what was read: the instances, and one label for each or None
    needed : options that had to be added to those that were given; each is a part of an error
        that reading without it ends in
    entries : tracks, variables, columns and whatever else reading can choose
    activity : option that gives each instance a label, such as {"activity": "track:phase"}, where
        there is none and the files seem to say it; otherwise empty
    advice : what else may be read better, with the option that does

    Examples
    --------
    >>> from ibgn.datasets import sample_path
    >>> found = survey(sample_path("textgrid"))
    >>> found.format, found.activity
    ('textgrid', {'activity': 'track:phase'})
    >>> [(entry.name, entry.number) for entry in found.entries][:2]
    [('speech', 17), ('hands', 25)]
    """

    format: str
    X: IntervalSequences
    y: Labels
    needed: Mapping[str, Any]
    entries: tuple[Entry, ...]
    activity: Mapping[str, Any]
    advice: tuple[DataWarning, ...] = ()


@opening_once()
def survey(path: Sources, *, format: str | None = None, **options: Any) -> Survey:
    r"""Read files as far as possible, and say how.

    Where reading fails and the error names an option with a value that avoids it, the files are
    read with that option; what it leaves out is counted in warnings. Options that are given stay
    as they are.

    Parameters
    ----------
    path : file, folder, or a list of these
    format : name of the format, if the content does not tell
    **options : of the reader

    Examples
    --------
    >>> import tempfile, pathlib, warnings
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.csv"
    >>> _ = path.write_text("Instance;Action;Start;End\n7;boil;0;3\n7;stir;3;\n7;pour;4;5\n")
    >>> with warnings.catch_warnings(action="ignore"):  # of what is left out
    ...     found = survey(path)
    >>> found.needed
    {'bad_rows': 'drop'}
    >>> found.X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      7: boil [0, 3), pour [4, 5)
    """
    chosen = FORMATS[find_format(path, format)]
    read = _Reading(chosen, path, options).with_needed()
    if len(read.X.action) == 0 and read.needed.keys() & OF_POINTS:
        # files of points only: as short intervals they can at least be looked at
        keep: dict[str, Any] = {"points": "keep"} if "points" in read.needed else {}
        if "min_duration" not in options:
            keep["min_duration"] = ASSUMED["min_duration"]
        others = {name: value for name, value in read.needed.items() if name not in OF_POINTS}
        read = _Reading(chosen, path, options, others | keep).with_needed()
    for warning in read.warnings:
        warnings.warn(warning, stacklevel=2)
    for name in ASSUMED.keys() & read.needed.keys():
        assumed = (Option(name, read.needed[name]), " is assumed; give the value that is right")
        warnings.warn(DataWarning(*assumed), stacklevel=2)
    if "columns" in read.needed:
        taken = ("the columns are read as with ", Option("columns", read.needed["columns"]))
        warnings.warn(DataWarning(*taken, "; check that this is right"), stacklevel=2)
    for name, what in NOT_READ.items():
        if read.needed.get(name) == "all":
            without = (f"{what}s are not read, as with ", Option(name, read.needed[name]))
            why = (", because ", *read.causes[name].parts)
            warnings.warn(DataWarning(*without, *why), stacklevel=2)
    own = outline(path, chosen, options | read.needed)  # which knows better what a track is
    named = {entry.name for entry in own}
    entries = (*(entry for entry in read.outline() if entry.name not in named), *own)
    activity = {} if read.y is not None else _find_activity(read, entries)
    advice = tuple(_about_instances(entries)) if len(read.X) == 1 else ()
    return Survey(chosen.name, read.X, read.y, read.needed, entries, activity, advice)


def _about_instances(entries: Iterable[Entry]) -> Iterator[DataWarning]:
    """Advice to read instances from the column that seems to name them, the one with the most."""
    options = [(e, e.chosen_by) for e in entries if e.chosen_by and e.chosen_by.name == "columns"]
    if options:
        entry, option = max(options, key=lambda pair: pair[0].distinct)
        yield DataWarning(
            f"the column {quote(entry.name)} may name the instances, as time goes back where it "
            "changes; if so, read with ",
            option,
        )


class _Reading:
    """Files read with the given options, and with those that they need."""

    X: IntervalSequences
    y: Labels
    warnings: list[Warning]

    def __init__(
        self,
        format: Format,
        path: Sources,
        given: Mapping[str, Any],
        needed: Mapping[str, Any] | None = None,
    ) -> None:
        self.format, self.path, self.given = format, path, given
        self.needed = dict(needed or {})
        self.causes: dict[str, DataError] = {}  # why the files need each of these
        self.parsed: list[Any] = []

    def with_needed(self) -> Self:
        """Read the files; as long as an error names an option that avoids it, read with that.

        Options that leave nothing are not what the files need, so the first error stands.
        """
        errors = []
        while True:
            try:
                self.X, self.y = self._read()
            except (OptionError, BudgetError):
                raise
            except DataError as error:
                errors.append(error)
                advice = self._advice(error)
                if advice is None:
                    raise
                self.needed |= advice
                self.causes |= dict.fromkeys(advice, error)
            else:
                if errors and len(self.X.action) == 0 and not self.needed.keys() & OF_POINTS:
                    raise errors[0]
                return self

    def _read(self) -> tuple[IntervalSequences, Labels]:
        self.parsed = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read = _tap(self.format, self.parsed).read(self.path, **{**self.given, **self.needed})
        self.warnings = [each.message for each in caught if isinstance(each.message, Warning)]
        return read

    def _advice(self, error: DataError) -> dict[str, Any] | None:
        """The first option that an error names with a value; None where that was tried.

        Of columns that only the user knows, an error may give an example, which is taken.
        """
        options = self.format.options
        asked = False  # for something that only the user knows; an example of it may follow
        for part in error.parts:
            if not isinstance(part, Option) or part.name not in options:
                continue
            name, value = part
            if Option(name, SHOWS_MORE.get(name)) in error.parts:
                value = SHOWS_MORE[name]
            if value is MISSING and name in ASSUMED:
                value = ASSUMED[name]
            if value is MISSING:
                continue
            used = {**self.given, **self.needed}.get(name)
            if isinstance(value, Mapping) and (used is None or isinstance(used, Mapping)):
                before = used or {}
                if UNKNOWN in value.values():
                    asked = True
                    continue
                return None if value.keys() & before.keys() else {name: {**before, **value}}
            if asked:
                return None
            return {name: value} if used is None else None
        return None

    def outline(self) -> Iterator[Entry]:
        """Tracks or columns of what was read."""
        if self.format.yields_recordings:
            return outline_recordings(self.parsed)
        return outline_frame(self.parsed[-1])


def _tap(format: Format, parsed: list[Any]) -> Format:
    """The same format; what it parses is also put into the list."""
    if format.yields_recordings:

        @wraps(format.parse)
        def parse(files: Files, **options: Any) -> Iterator[Recording]:
            for recording in format.parse(files, **options):
                parsed.append(recording)
                yield recording
    else:

        @wraps(format.parse)
        def parse(files: Files, **options: Any) -> LongFrame:
            frame: LongFrame = format.parse(files, **options)
            parsed.append(frame)
            return frame

    return replace(format, parse=parse)


def outline(path: Sources, format: Format, options: Mapping[str, Any]) -> list[Entry]:
    """What the format itself says its files hold; nothing where it cannot."""
    if format.outline is None:
        return []
    takes = signature(format.outline).parameters
    own = {name: options[name] for name in format.own_options if name in options and name in takes}
    files = Files(path, format.suffixes + format.also, Choices(kinds=format.kinds))
    with warnings.catch_warnings(), suppress(DataError):  # its reader says what is wrong
        warnings.simplefilter("ignore")
        with files.reading():
            return list(format.outline(files, **own))
    return []


def _find_activity(read: _Reading, entries: Iterable[Entry]) -> dict[str, Any]:
    """First option that gives instances at least two labels, one of them more than once."""
    candidates = [entry.chosen_by for entry in entries if entry.distinct > 1]
    named = [option.value for option in candidates if option and option.name == "activity"]
    if "track" in read.format.kinds.activity and read.format.yields_recordings:
        named += [f"track:{name}" for name in covering_tracks(read.parsed)]
    folder = []
    if isinstance(read.path, str | PathLike) and is_folder(read.path):
        folder = ["folder"]
    for value in [*named[:MOST_TRIALS], *folder]:
        if "activity" not in read.format.options or "activity" in read.given:
            break
        trial = _Reading(read.format, read.path, {**read.given, "activity": value}, read.needed)
        with suppress(DataError):
            labels = trial.with_needed().y
            if labels is not None and 1 < len(set(labels.tolist())) < len(labels):
                return {"activity": value} | {
                    name: each for name, each in trial.needed.items() if name not in read.needed
                }
    return {}
