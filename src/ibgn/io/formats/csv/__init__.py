"""Comma-separated values: instance,label,action,start,end[,group], one row per interval."""

import csv
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._files import InputFile, Source, writing
from ibgn.errors import DataError, DataWarning, OptionError, Part
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import names_by_path
from ibgn.io.choices import Choices, Kinds, check_flag
from ibgn.io.export import IN_TEXT, check_writable
from ibgn.io.files import Files
from ibgn.io.formats.csv.advice import refuse_swapped
from ibgn.io.formats.csv.foreign import Foreign, Given
from ibgn.io.formats.csv.outline import outline_table
from ibgn.io.formats.csv.own import load_own, stream_own
from ibgn.io.formats.csv.remarks import Remarks
from ibgn.io.formats.csv.unfold import unfold
from ibgn.io.formulas import escape_formulas as harmless
from ibgn.io.formulas import unescape_formula
from ibgn.io.head import LIKELY, POSSIBLE, Head
from ibgn.io.longframe import LongFrame, join
from ibgn.io.parsing.columns import OPTIONAL, OURS, REQUIRED
from ibgn.io.parsing.guess import Guess
from ibgn.io.parsing.lasting import ends_with_mark
from ibgn.io.parsing.roles import Roles, find_roles
from ibgn.io.parsing.sheets import WHITE_SPACE, Sheet, cut, read_text
from ibgn.io.parsing.tabular import check_delimiter, check_encoding, decoding, find_encoding
from ibgn.io.parsing.time import check_steps
from ibgn.io.registry import reader, streamer, writer
from ibgn.text import quote

__all__ = ["read_csv", "write_csv"]

TABLES = (".csv", ".tsv", ".tab")
MORE = ("length",)  # columns that have a meaning besides ours

SPARSE = 6  # numbers of classes for each that has a name
CLASSES = 5  # the fewest that are known as such
ARROW = "-->"
MOST_CUES = 20  # lines among which one has it in subtitles
OWN = 0.85  # how sure we are of columns with our names
WITHOUT_NAMES = 0.4


def _sniff(head: Head) -> float:
    """Tell a table by our columns, or by columns that can be told apart."""
    if head.json is not None or head.xml is not None or head.has_json_lines:
        return 0.0
    if set(REQUIRED) <= set(head.rows[0] if head.rows else ()):
        return OWN
    if any(ARROW in line for line in head.lines[:MOST_CUES]):
        return 0.0  # between the times of subtitles
    sheet, _ = unfold(cut("\n".join(head.lines), ""))
    roles = find_roles(sheet, {})
    timed = {"start"} < roles.places.keys() & {"start", "end", "length"}
    if roles.until_next:
        return POSSIBLE if _tells_starts(sheet, roles) else 0.0
    if roles.packed is None and not timed and not roles.since_before:
        return 0.0
    return LIKELY if sheet.has_header else WITHOUT_NAMES


def _tells_starts(sheet: Sheet, roles: Roles) -> bool:
    """Whether rows with one time may be events; names with a number each are a list of codes."""
    if sheet.has_header or "track" in roles.places or roles.sampled:
        return True
    start, action = (roles.places[ours][0] for ours in ("start", "action"))
    guess = Guess(sheet, {})
    codes = guess.is_unique(action) and (guess.counts_rows(start) or _are_codes(guess, start))
    names = guess.kinds[action] == "text" or ends_with_mark(guess)
    return start < action and names and not codes and not sheet.odd


def _are_codes(guess: Guess, place: int) -> bool:
    """Whether a column holds numbers of classes, which are small, whole and few are left out."""
    numbers = [-1.0 if number is None else number for number in guess.numbers(place)]
    small = min(numbers) > 0 and max(numbers) <= SPARSE * len(numbers)
    return small and len(numbers) >= CLASSES and all(number.is_integer() for number in numbers)


@reader(
    "csv",
    (".csv",),
    also=(".tsv", ".tab", ".txt", ".lab"),
    about="one row per interval",
    activity=("column",),
    group=("column",),
    sniff=_sniff,
    outline=outline_table,
)
def read_csv(
    files: Files,
    *,
    columns: Mapping[str, Any] | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    day_first: bool | None = None,
    rate: float | None = None,
    activity: str | None = None,
    group: str | None = None,
    unescape_formulas: bool = False,
) -> LongFrame:
    r"""Read tables with one row per interval: files of text, or all those in a folder.

    The columns of our own tables are instance, action, start, end and, if known, label and group;
    where intervals are uncertain, also confidence, alternatives, start_error and end_error, see
    `ibgn.uncertainty.Uncertainty`.

    Those of other tables are recognised by their names (onset, begin, from; offset, stop, to;
    duration; behaviour, event_label, class; video_id, filename; ...), and where there are no names
    by what is in them; a warning says what was found. Times may be numbers, also with decimal
    commas, clocks, or date-times, which become seconds since the earliest of the file; date and
    time may stand in two columns. Without a column for it, a file is an instance.

    Parameters
    ----------
    path : file, folder, or a list of these; compressed ones too (.gz, .bz2, .xz)
    columns : other names for columns, or their numbers from 1 on, for example {"action":
        "behaviour", "start": 3}; "length" in place of "end" for how long intervals last; "day+hour"
        joins two columns. With an "end" and no start, a row lasts since the row before of its
        instance; with a "start" and no end, until the next one, or for a step where rows are
        samples taken at even steps, of which equal ones that follow each other are one interval
    header : whether the first line names the columns; by default that is found
    delimiter : what separates the columns, one character of ASCII, " " for any white space; by
        default that is found
    encoding : of the text; a byte order mark is ignored
    day_first : whether the day comes before the month in dates such as 2/3/2008; by default that
        is found
    rate : frames per second, for times such as 00:00:01:12, whose last number counts frames
    activity : where the label of instances comes from where no column "label" has it: "column:task"
        for another column, "folder", "file", or a regular expression with one group (...),
        searched in the path of the file
    group : where their group comes from, likewise
    unescape_formulas : whether names were written with `escape_formulas`, see `write_csv`

    Returns
    -------
    X : the instances, in the order in which the files first name them; names are text as written.
        In a folder, names within a file follow the path of the file: "s1/day.csv#3".
    y : (n,) one label per instance, or None where there is no label column or it is empty

    Examples
    --------
    >>> import tempfile, pathlib, warnings
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.csv"
    >>> _ = path.write_text("instance,label,action,start,end\n7,tea,boil,0,3\n7,tea,pour,4,5\n")
    >>> X, y = read_csv(path, closed="both")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      7: boil [0, 4), pour [4, 6)
    >>> _ = path.write_text("08:00:00;00:00:30;boil\n08:00:20;00:00:15;pour\n")
    >>> X, y = read_csv(path, columns={"start": 1, "length": 2, "action": 3})
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      takes.csv: boil [28800, 28830), pour [28820, 28835)
    """
    options = _Options.check(
        columns, header, delimiter, encoding, day_first, rate, activity, group, unescape_formulas
    )
    notes = _Notes(files.prefix)
    frames = []
    for file in _tables(files):
        frame = _load(file, options.given, encoding, notes)
        frames.append((file.name, _unescape(frame) if unescape_formulas else frame))
    parts = _with_paths(frames, options.choices, files)
    notes.warn()
    return parts[0] if len(parts) == 1 else join(parts, files.prefix)


@streamer("csv")
def stream_csv(files: Files, rows: int, **options: Any) -> Iterator[LongFrame]:
    """Rows of tables whose columns are known, so many at a time; options as for `read_csv`."""
    checked = _Options.check(**options)
    for file in _tables(files):
        for frame in stream_own(file, checked.given, checked.encoding, rows):
            plain = _unescape(frame) if checked.unescape_formulas else frame
            yield from _with_paths([(file.name, plain)], checked.choices, files)


class _Options(NamedTuple):
    """Options of tables that were checked."""

    given: Given
    choices: Choices
    encoding: str
    unescape_formulas: bool

    @classmethod
    def check(
        cls,
        columns: Mapping[str, Any] | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
        encoding: str = "utf-8",
        day_first: bool | None = None,
        rate: float | None = None,
        activity: str | None = None,
        group: str | None = None,
        unescape_formulas: bool = False,
    ) -> "_Options":
        """Refuse invalid ones."""
        chosen = Choices(activity=activity, group=group, kinds=KINDS)
        given = _check_columns(columns)
        for option in ("label", "group"):
            named = chosen.name_of("activity" if option == "label" else option, "column")
            if named is not None:
                given[option] = named
        for name, value in (("header", header), ("day_first", day_first)):
            if value is not None:
                check_flag(name, value)
        check_flag("unescape_formulas", unescape_formulas)
        check_steps(rate, None)
        if delimiter is not None and delimiter != " ":
            check_delimiter(delimiter, "a tab is '\\t', and ' ' stands for any white space")
        check_encoding(encoding)
        mark = WHITE_SPACE if delimiter == " " else delimiter
        shown = Given(given, header, mark, day_first, rate)
        return cls(shown, chosen, encoding, unescape_formulas)


class _Notes:
    """What was found out about tables, each said once for all files that it holds for."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.said: list[tuple[tuple[Part, ...], list[InputFile]]] = []

    def add(self, file: InputFile, note: tuple[Part, ...]) -> None:
        """Note this about a file."""
        for known, files in self.said:
            if known == note:
                files.append(file)
                return
        self.said.append((note, [file]))

    def warn(self) -> None:
        """Say it all."""
        for note, files in self.said:
            source = files[0].prefix
            if len(files) > 1:
                source = f"{self.source}{len(files)} files: "
            warnings.warn(DataWarning(source, *note), stacklevel=6)


KINDS = Kinds(("column",), ("column",))


def _check_columns(columns: Any) -> dict[str, Any]:
    renamed = {} if columns is None else columns
    if not isinstance(renamed, Mapping):
        raise OptionError("columns", columns, "must map names, as {'action': 'behaviour'}")
    unknown = [ours for ours in renamed if ours not in (*OURS, *MORE)]
    if unknown:
        choices = ", ".join(map(repr, (*REQUIRED, *MORE, *OPTIONAL)))
        raise OptionError(
            "columns", columns, f"names {quote(unknown[0])}, which is not one of {choices}"
        )
    for theirs in renamed.values():
        each = theirs if isinstance(theirs, list | tuple) else [theirs]
        whole = [isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in each]
        texts = [isinstance(one, str) for one in each]
        if not each or not all(a or b for a, b in zip(whole, texts, strict=True)):
            raise OptionError(
                "columns",
                columns,
                "must map names to names or numbers from 1 on, as {'action': 'behaviour'}",
            )
    return dict(renamed)


def _tables(files: Files) -> Iterator[InputFile]:
    """All files; in a folder with tables, notes and other text are passed over with a count."""
    named = {file.name for file in files if {*TABLES} & set(map(str.lower, file.path.suffixes))}
    for file in files:
        if not named or file.name in named or len(files) == 1:
            yield file
        else:
            files.leave_out(" that is not named as a table passed over", noun="file")


def _load(file: InputFile, given: Given, encoding: str, notes: _Notes) -> LongFrame:
    """Rows of one file: of our own columns, or else of columns that are told apart."""
    encoding = find_encoding(file, encoding)
    own = load_own(file, given, encoding)
    if own is not None:
        times = (given.columns.get("start", "start"), given.columns.get("end", "end"))
        refuse_swapped(own, times, given.columns, file.prefix)
        return own
    with decoding(file.prefix, encoding):
        text = read_text(file, encoding)
    foreign = Foreign(file, text, given)
    frame = foreign.frame()
    start, end = foreign.named("start"), foreign.named("end")
    if start is not None and end is not None:
        refuse_swapped(frame, (start, end), given.columns, file.prefix)
    for note in Remarks(foreign).notes():
        notes.add(file, note)
    return frame


def _unescape(frame: LongFrame) -> LongFrame:
    """Rows with names as they were before they were made harmless."""
    named = frame.series.keys() & {"instance", "label", "action", "group", "track"}
    cells = {name: [*map(unescape_formula, frame.series[name]), None] for name in named}
    plain = {name: np.array(values, object)[:-1] for name, values in cells.items()}
    return replace(frame, series={**frame.series, **plain})


def _with_paths(
    frames: Sequence[tuple[str, LongFrame]], choices: Choices, files: Files
) -> list[LongFrame]:
    """Rows with what the path of their file says; in a folder, it is part of their names."""
    said = {
        ours: names_by_path([name for name, _ in frames], option, choices, files.prefix)
        for ours, option in (("label", "activity"), ("group", "group"))
    }
    parts = []
    for place, (name, frame) in enumerate(frames):
        series = dict(frame.series)
        size = len(series["instance"])
        if len(files) > 1:
            names = (i if i == name else f"{name}#{i}" for i in series["instance"])
            series["instance"] = np.array([*names, None], object)[:-1]
        for ours, values in said.items():
            if values[place] is not None:
                series[ours] = np.full(size, values[place], object)
        parts.append(replace(frame, series=series))
    return parts


@writer("csv")
def write_csv(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    delimiter: str = ",",
    escape_formulas: bool = False,
) -> None:
    """Write one row per interval; times are written so that reading gives them back exactly.

    CSV knows no types: names, labels and groups are written as text and read as text, so that a
    label 1 comes back as "1". What would be read as one, such as labels 1 and "1", is refused;
    JSON Lines keeps them apart. The file is compressed where its suffix says so (.gz, .bz2, .xz).

    Parameters
    ----------
    X, path, y : instances, the file to write, and (n,) labels
    delimiter : what separates the columns, one character of ASCII
    escape_formulas : whether names that a spreadsheet would run as a formula (those that begin
        with =, +, -, @, a tab or a line break) get an apostrophe before them, and those that begin
        with an apostrophe another; `read_csv(..., unescape_formulas=True)` takes them away again

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]], ids=["take 1"])
    >>> write_csv(X, folder / "takes.csv", ["tea"])
    >>> print((folder / "takes.csv").read_text(), end="")
    instance,label,action,start,end
    take 1,tea,boil,0,4
    take 1,tea,pour,4,6
    """
    check_delimiter(delimiter)
    check_flag("escape_formulas", escape_formulas)
    check_writable(X, y, IN_TEXT)
    frame = X.to_frame(y)
    for name in ("start", "end"):
        if (frame[name] == frame[name].round()).all():  # 12, not 12.0; never with empty cells
            frame[name] = frame[name].astype(np.int64)
    # a carriage return ends a row for some readers, but only a line feed makes the writer quote
    columns = [values for values in (X.actions, X.ids, X.groups, X.track, y) if values is not None]
    names = {str(name) for values in columns for name in values}
    cut = [name for name in names if "\0" in name]
    if cut:
        raise DataError(
            f"{quote(min(cut))} holds a NUL character, at which readers of CSV cut a name; replace "
            "it, or write JSON Lines"
        )
    returns = any("\r" in name for name in names)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    written: Any = harmless(frame) if escape_formulas else frame
    with writing(path) as file:
        written.to_csv(file, index=False, sep=delimiter, lineterminator="\n", quoting=quoting)
