"""Comma-separated values: instance,label,action,start,end[,group], one row per interval."""

import codecs
import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._files import InputFile, Source, writing
from ibgn.checks import check_choice
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import name_by_path
from ibgn.io.choices import Choices, Kinds, check_flag
from ibgn.io.export import IN_TEXT, check_writable
from ibgn.io.files import Files
from ibgn.io.formats.csv.foreign import Foreign, Given
from ibgn.io.formats.csv.times import read_times
from ibgn.io.head import LIKELY, Head
from ibgn.io.longframe import LongFrame, join
from ibgn.io.parsing.moments import kind_of_column
from ibgn.io.parsing.roles import Roles, find_roles
from ibgn.io.parsing.sheets import WHITE_SPACE, Sheet, cut
from ibgn.io.parsing.tabular import (
    OPTIONAL,
    OURS,
    REQUIRED,
    check_delimiter,
    check_encoding,
    decoding,
    find_columns,
    parse_csv,
    parse_head,
    parsing,
)
from ibgn.io.registry import reader, writer
from ibgn.text import quote

__all__ = ["read_csv", "write_csv"]

NEEDS = "a header and one row per interval"
DELIMITERS = (",", "\t", ";", "|")
TABLES = (".csv", ".tsv", ".tab")
MORE = ("length",)  # columns that have a meaning besides ours

OWN = 0.85  # how sure we are of columns with our names
WITHOUT_NAMES = 0.4

Unknown = Literal["error", "drop"]


def _sniff(head: Head) -> float:
    """Tell a table by our columns, or by columns that can be told apart."""
    if head.json is not None or head.xml is not None:
        return 0.0
    if set(REQUIRED) <= set(head.rows[0] if head.rows else ()):
        return OWN
    sheet = cut("\n".join(head.lines), "")
    roles = find_roles(sheet, {})
    if roles.packed is None and not {"start"} < roles.places.keys() & {"start", "end", "length"}:
        return 0.0
    return LIKELY if sheet.has_header else WITHOUT_NAMES


@reader(
    "csv",
    (".csv",),
    also=(".tsv", ".tab", ".txt", ".lab", ".rttm"),
    about="one row per interval",
    activity=("column",),
    group=("column",),
    sniff=_sniff,
)
def read_csv(
    files: Files,
    *,
    columns: Mapping[str, Any] | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    day_first: bool | None = None,
    unknown: Unknown = "error",
    activity: str | None = None,
    group: str | None = None,
) -> LongFrame:
    r"""Read tables with one row per interval: files of text, or all those in a folder.

    The columns of our own tables are instance, action, start, end and, if known, label and group;
    where intervals are uncertain, also confidence, alternatives, start_error and end_error, see
    `ibgn.uncertainty.Uncertainty`.

    Those of other tables are told apart by their names (onset, begin, from; offset, stop, to;
    duration; behaviour, event_label, class; video_id, filename; ...), and where there are no names
    by what is in them; a warning says what was found. Times may be numbers, also with decimal
    commas, clocks, or date-times, which become seconds since the earliest of the file; date and
    time may stand in two columns. Without a column for it, a file is an instance.

    Parameters
    ----------
    path : file, folder, or a list of these; compressed ones too (.gz, .bz2, .xz)
    columns : other names for columns, or their numbers from 1 on, for example {"action":
        "behaviour", "start": 3}; "length" in place of "end" for how long intervals last; "day+hour"
        joins two columns
    header : whether the first line names the columns; by default that is found
    delimiter : what separates the columns, one character of ASCII, " " for any white space; by
        default that is found
    encoding : of the text; a byte order mark is ignored
    day_first : whether the day comes before the month in dates such as 2/3/2008; by default that
        is found
    unknown : what to do with rows without an action, a start or an end, and with lines that have
        another number of columns: "error", or "drop" with a count
    activity : where the label of instances comes from where no column "label" has it: "column:task"
        for another column, "folder", "file", or a regular expression with one group (...),
        searched in the path of the file
    group : where their group comes from, likewise

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
      takes.csv: boil [2.88e+04, 28830), pour [28820, 28835)
    """
    chosen = Choices(activity=activity, group=group, kinds=KINDS)
    given = _check_columns(columns)
    for option in ("label", "group"):
        named = chosen.name_of("activity" if option == "label" else option, "column")
        if named is not None:
            given[option] = named
    for name, value in (("header", header), ("day_first", day_first)):
        if value is not None:
            check_flag(name, value)
    if delimiter is not None and delimiter != " ":
        check_delimiter(delimiter, "a tab is '\\t', and ' ' stands for any white space")
    check_encoding(encoding)
    check_choice("unknown", unknown, get_args(Unknown))
    mark = WHITE_SPACE if delimiter == " " else delimiter
    foreign = Given(given, header, mark, day_first, unknown == "drop")
    parts = [
        _with_path(_load(file, foreign, encoding), file.name, chosen, len(files) > 1)
        for file in _tables(files)
    ]
    return parts[0] if len(parts) == 1 else join(parts, files.prefix)


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


def _load(file: InputFile, given: Given, encoding: str) -> LongFrame:
    """Rows of one file: of our own columns, or else of columns that are told apart."""
    own = _find_own(file, given, encoding)
    if own is not None:
        return _load_own(file, *own, encoding, given.day_first)
    with decoding(file.prefix, encoding):
        plain = codecs.lookup(encoding).name == "utf-8"
        text = file.content().decode("utf-8-sig" if plain else encoding)
    return Foreign(file, text, given).frame()


def _find_own(
    file: InputFile, given: Given, encoding: str
) -> tuple[str, list[str], dict[str, int]] | None:
    """Delimiter, header and places of columns that have our names, or those that are given."""
    names = given.columns.values()
    plain = all(isinstance(name, str) for name in names) and "length" not in given.columns
    if not plain or given.header is False or given.delimiter == WHITE_SPACE:
        return None
    required = {given.columns.get(ours, ours) for ours in REQUIRED}
    with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
        for mark in DELIMITERS if given.delimiter is None else (given.delimiter,):
            header = parse_head(file, mark, encoding)
            if required <= set(header):
                used = find_columns(header, dict(given.columns), f"{file.prefix}the header has")
                return mark, header, used
    return None


def _load_own(
    file: InputFile,
    delimiter: str,
    header: list[str],
    used: dict[str, int],
    encoding: str,
    day_first: bool | None,
) -> LongFrame:
    with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
        frame = _read_rows(file, header, used, delimiter, encoding)
    series: dict[str, Any] = {ours: frame[place].array for ours, place in used.items()}
    series |= _as_seconds(series, file.prefix, day_first)
    left_out = [
        name
        for place, name in enumerate(header)
        # spreadsheets leave empty columns without a name behind
        if place not in used.values() and (name.strip() or (frame[place].str.strip() != "").any())
    ]
    return LongFrame(series, left_out, file.prefix)


def _as_seconds(
    series: Mapping[str, Any], source: str, day_first: bool | None
) -> dict[str, npt.NDArray[Any]]:
    """Starts and ends that are clocks or date-times, as seconds."""
    cells = [[str(cell) for cell in series[name]] for name in ("start", "end")]
    if any(series[name].dtype.kind == "f" for name in ("start", "end")):
        return {}
    if any(kind_of_column(each) not in ("clock", "moment", "date", "empty") for each in cells):
        return {}
    rows = [list(pair) for pair in zip(*cells, strict=True)]
    sheet = Sheet(["start", "end"], True, rows, list(range(1, len(rows) + 1)), [], [], ",")
    start, end = read_times(
        sheet,
        Roles({"start": (0,), "end": (1,)}),
        np.asarray(series["instance"], object),
        lambda row: f"{source}row {row + 1}",
        day_first,
    )
    return {"start": start, "end": end}


def _with_path(frame: LongFrame, name: str, choices: Choices, one_of_many: bool) -> LongFrame:
    """Rows with what the path of their file says; in a folder, it is part of their names."""
    series = dict(frame.series)
    instance = np.asarray(series["instance"], object)
    if one_of_many:
        series["instance"] = np.array(
            [*(i if i == name else f"{name}#{i}" for i in instance.tolist()), None], object
        )[:-1]
    for ours, option in (("label", "activity"), ("group", "group")):
        value = name_by_path(name, option, choices, frame.source)
        if value is not None:
            series[ours] = np.full(len(instance), value, object)
    return replace(frame, series=series)


@writer("csv")
def write_csv(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    delimiter: str = ",",
) -> None:
    """Write one row per interval; times are written so that reading gives them back exactly.

    The file is compressed where its suffix says so (.gz, .bz2, .xz).

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
    check_writable(X, y, IN_TEXT)
    frame = X.to_frame(y)
    for name in ("start", "end"):
        if (frame[name] == frame[name].round()).all():  # 12, not 12.0; never with empty cells
            frame[name] = frame[name].astype(np.int64)
    # a carriage return ends a row for some readers, but only a line feed makes the writer quote
    columns = [values for values in (X.actions, X.ids, X.groups, y) if values is not None]
    returns = any("\r" in str(name) for values in columns for name in values)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    with writing(path) as file:
        frame.to_csv(file, index=False, sep=delimiter, lineterminator="\n", quoting=quoting)


def _read_rows(
    file: InputFile, header: list[str], used: dict[str, int], delimiter: str, encoding: str
) -> pd.DataFrame:
    """Columns by their places: times as numbers where all are, everything else as text."""
    options: dict[str, Any] = {"header": 0, "names": range(len(header))}
    types: dict[int, type] = defaultdict(lambda: str)
    types |= dict.fromkeys((used["start"], used["end"]), float)
    try:
        frame = parse_csv(file, delimiter, encoding, dtype=types, **options)
        # a column of True and False only is one of numbers to pandas, 1.0 and 0.0
        are_numbers = not any(frame[used[name]].isin([0, 1]).all() for name in ("start", "end"))
    except ValueError as error:  # a time is not a number: read it as text, to say where
        if isinstance(error, pd.errors.ParserError | UnicodeError | DataError):
            raise
        are_numbers = False
    return frame if are_numbers else parse_csv(file, delimiter, encoding, dtype=str, **options)
