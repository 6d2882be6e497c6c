"""Time series with columns of labels: each column a track, each run of a label an annotation."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ibgn._arrays import Floats
from ibgn._files import InputFile
from ibgn.checks import as_number, check_number
from ibgn.errors import MISSING, DataError, DataWarning, Option, OptionError, Part
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import check_flag
from ibgn.io.files import Files
from ibgn.io.head import Head
from ibgn.io.parsing.columns import Column, check_column, find_places
from ibgn.io.parsing.flags import is_on
from ibgn.io.parsing.sheets import CELLS, TABS, WHITE_SPACE, Sheet, cut
from ibgn.io.parsing.signals import Signal, find_codes, find_signal, holds_readings
from ibgn.io.parsing.tabular import find_delimiter, read_columns, read_head
from ibgn.io.parsing.time import GAP, as_seconds, check_steps, count_gaps, find_runs
from ibgn.io.registry import reader
from ibgn.names import factorize
from ibgn.text import count, quote

__all__ = ["read_tracks"]

Names = Mapping[str, Mapping[Any, str]]

NULL = ("", "0", "null", "none", "nan")
FLAGS = 0.5  # how sure such columns make us: surer than of rows that last until the next
READINGS = 0.05  # so that the reader can look for labels in the whole file
BEGINNING = 200  # lines that tell whether there are names
ABSENT = ("", "nan", "NaN", "NAN", "NA", "null")
SHOWN = 20  # columns that a message lists
WHOLE = 2.0**53  # numbers below it are whole without doubt


def _sniff(head: Head) -> float:
    """Tell a time series by columns of 0 and 1, of labels, or of many numbers without names."""
    if head.json is not None or head.xml is not None:
        return 0.0
    sheet = cut("\n".join(head.lines), "")
    if find_signal(sheet) is not None:
        return FLAGS
    return READINGS if holds_readings(sheet) else 0.0


@reader(
    "tracks",
    also=(".csv", ".tsv", ".dat", ".txt"),
    about="label columns of a time series",
    sniff=_sniff,
)
def read_tracks(
    files: Files,
    *,
    columns: Sequence[Column] | Mapping[str, Column] | None = None,
    time: Column | None = None,
    rate: float | None = None,
    unit: float = 1.0,
    names: Names | None = None,
    null: Sequence[Any] = NULL,
    gap: float | None = GAP,
    header: bool = True,
    delimiter: str | None = None,
) -> Iterator[Recording]:
    r"""Read the label columns of a time series, one row per frame; a file is one recording.

    activity="track:do" makes an instance of each run of the track "do".

    Parameters
    ----------
    columns : columns that hold labels, by name or by number from 1 on; or a mapping from names of
        tracks to columns, such as {"posture": 244}. Other columns are ignored. By default columns
        of 0 and 1, each of which is an action that goes on where it has 1, or columns of labels
        or their codes, which stay the same for some rows; a warning says which.
    time : column of the times, which increase: numbers, or ISO date-times, which become seconds
        since the first; by default rows follow each other evenly
    rate : rows per second. With time it says how long the last row lasts; without either, times
        are row numbers from 0 on.
    unit : seconds that a time of 1 stands for: 0.001 where times are in milliseconds
    names : what the codes of a track mean, such as {"posture": {1: "stand", 2: "walk"}}. The codes
        1, "1" and "1.0" are the same. Tracks not listed here keep their labels.
    null : labels that stand for none; upper and lower case are the same
    gap : rows more than this many steps apart end all runs, with a warning that counts such gaps;
        None joins rows however far apart
    header : whether the first line names the columns
    delimiter : what separates columns, " " for any white space; by default a comma in .csv files, a
        tab in .tsv files, and white space in others

    Returns
    -------
    X : the instances, with times in seconds
    y : (n,) one activity per instance, or None where activity= is not given

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "take.dat"
    >>> _ = path.write_text("0 1 0\n500 1 7\n1000 2 7\n1500 2 0\n")
    >>> X, y = read_tracks(
    ...     path, columns={"posture": 2, "hand": 3}, time=1, unit=0.001, header=False,
    ...     names={"posture": {1: "stand", 2: "walk"}, "hand": {7: "hold"}},
    ... )
    >>> X
    IntervalSequences: 1 instance, 3 intervals, 3 actions
      take.dat: stand [0, 1), hold [0.5, 1.5), walk [1, 2)
    """
    check_flag("header", header)
    tracks = {} if columns is None else _check_columns(columns, header)
    if time is not None:
        check_column("time", time, header)
    check_number("unit", unit, "above 0", lambda value: value > 0)
    check_steps(rate, gap)
    meanings = _check_names(names, tracks)
    if isinstance(null, str) or not isinstance(null, Iterable):
        raise OptionError("null", null, "must be a list of labels")
    blank = frozenset(_code(label).casefold() for label in null)
    layout = _Layout(tracks, time, rate, unit, meanings, blank, gap, header, delimiter)
    for file in files:
        read = layout.annotations if tracks else layout.found
        yield Recording(file.name, list(read(file)))


@dataclass(frozen=True)
class _Layout:
    """Checked options of `read_tracks`: which columns a file has, and what they mean."""

    columns: Mapping[str, Column]
    time: Column | None
    rate: float | None
    unit: float
    names: Mapping[str, Mapping[str, str]]
    null: frozenset[str]
    gap: float | None
    header: bool
    delimiter: str | None

    def annotations(self, file: InputFile) -> Iterator[Annotation]:
        """Runs of all tracks of a file."""
        source = file.prefix
        delimiter = find_delimiter(file, self.delimiter)
        head = read_head(file, delimiter)
        places = find_places(self.columns, head, self.header, source)
        time_place = None
        if self.time is not None:
            time_place = find_places({"time": self.time}, head, self.header, source)["time"]
            if time_place in places.values():
                raise OptionError(
                    "time", self.time, "is also one of the columns of labels; choose another"
                )
        table, times = self._read(file, delimiter, places, time_place, len(head))
        self._check_times(times, source)
        for track, column in places.items():
            cells = table[column].cat
            labels = [self._label(track, text, source) for text in cells.categories]
            # None, the last, is what codes of -1 point to: cells that a short row lacks
            values = np.array([*labels, None], object)
            codes, distinct = factorize(values)  # one code for all that means the same
            frames = codes[cells.codes]
            runs = find_runs(frames, times, rate=self.rate, ignore=(-1,), gap=self.gap)
            for start, end, code, row in zip(*(part.tolist() for part in runs), strict=True):
                place = f"track {quote(track)}, row {row + 1}"
                yield Annotation(track, str(distinct[code]), start, end, place)

    def found(self, file: InputFile) -> Iterator[Annotation]:
        """Runs of 1 in columns of 0 and 1, whose names are actions, and of labels in others."""
        delimiter = None if self.delimiter is None else find_delimiter(file, self.delimiter)
        beginning = "\n".join(file.lines()[:BEGINNING])
        sheet = cut(beginning, file.prefix, delimiter, None if self.header else False)
        if holds_readings(sheet):
            return self._numbered(file, sheet)
        file.expect(CELLS, "its rows and cells")
        sheet = cut(file.text(), file.prefix, delimiter, None if self.header else False)
        return self._named(file, sheet)

    def _numbered(self, file: InputFile, sheet: Sheet) -> Iterator[Annotation]:
        """Annotations of columns without names, all of numbers; "column 3" names the third."""
        mark = WHITE_SPACE if sheet.delimiter == TABS else sheet.delimiter
        width = len(sheet.names)
        types = dict.fromkeys(range(width), "float")
        try:
            table = read_columns(file, mark, False, types, width, ABSENT)
        except ValueError as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{file.prefix}not all cells are numbers: {error}") from error
        found = find_codes(table.to_numpy(np.float64))
        if found is None:
            raise DataError(
                f"{file.prefix}all columns are numbers without names, as of sensors, and "
                "none seems to hold labels, which are codes that stay the same for some rows; if "
                "one does, name it with ",
                Option("columns"),
                " and ",
                Option("header", False),
            )
        names = {place: f"column {place + 1}" for place in (*found.flags, *found.labels)}
        self._say(file, names, found, None if found.time is None else found.time + 1)
        known = replace(
            self,
            columns={name: place + 1 for place, name in names.items()},
            names={names[place]: {"1": names[place]} for place in found.flags},
            time=None if found.time is None else found.time + 1,
            header=False,
            delimiter=" " if mark == WHITE_SPACE else mark,
        )
        return known.annotations(file)

    def _named(self, file: InputFile, sheet: Sheet) -> Iterator[Annotation]:
        """Annotations of columns that are told apart by their names."""
        found = find_signal(sheet)
        if found is None:
            raise _no_columns()
        place = found.time
        if self.time is not None:
            place = find_places({"time": self.time}, sheet.names, True, file.prefix)["time"]
        columns = [column for column in (*found.flags, *found.labels) if column != place]
        times = None
        if place is not None:
            texts = [cell.replace(",", ".") for cell in sheet.column(place)]
            where = f"{file.prefix}line {{}}"
            times = as_seconds(texts, lambda row: where.format(sheet.lines[row]), self.unit)
        self._check_times(times, file.prefix)
        names = {column: sheet.names[column].strip() for column in columns}
        self._say(file, names, found, None if place is None else sheet.names[place] or place + 1)
        for column, name in names.items():
            labels = self._labels(sheet.column(column), name, column in found.flags)
            runs = find_runs(labels, times, rate=self.rate, gap=self.gap)
            for start, end, value, row in zip(*(part.tolist() for part in runs), strict=True):
                yield Annotation(name, value, start, end, f"line {sheet.lines[row]}")

    def _labels(self, cells: Sequence[str], name: str, is_flag: bool) -> list[str | None]:
        if is_flag:
            return [name if is_on(cell) else None for cell in cells]
        codes = {cell: _code(cell) for cell in set(cells)}
        return [None if codes[c].casefold() in self.null else codes[c] for c in cells]

    def _say(
        self, file: InputFile, names: Mapping[int, str], found: Signal, time: Column | None
    ) -> None:
        """Say which columns were found."""
        told: list[Part] = []
        for places, are in (
            (found.flags, "columns of 0 and 1 are an action each"),
            (found.labels, "labels are in"),
        ):
            listed = [quote(names[place]) for place in places if place in names]
            if listed:
                more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
                told.append(f"{'; ' if told else ''}{are}: {', '.join(listed[:SHOWN])}{more}")
        if time is None:
            told.append("; times are row numbers, from 0 on")
        else:
            told += ["; times are those of ", Option("time", time)]
        warnings.warn(DataWarning(file.prefix, *told), stacklevel=2)

    def _read(
        self,
        file: InputFile,
        delimiter: str,
        places: Mapping[str, int],
        time: int | None,
        width: int,
    ) -> tuple[pd.DataFrame, Floats | None]:
        types = dict.fromkeys(places.values(), "category")
        if time is None:
            return read_columns(file, delimiter, self.header, types, width), None
        try:
            numbers = types | {time: "float"}
            table = read_columns(file, delimiter, self.header, numbers, width)
            return table, table[time].to_numpy() * self.unit
        except ValueError as error:  # dates, or what is no time at all
            if isinstance(error, DataError):
                raise
        table = read_columns(file, delimiter, self.header, types | {time: "str"}, width)
        where = f"{file.prefix}row {{}}"
        return table, as_seconds(table[time].tolist(), lambda row: where.format(row + 1), self.unit)

    def _check_times(self, times: Floats | None, source: str) -> None:
        if times is None:
            return
        try:
            gaps = count_gaps(times, rate=self.rate, gap=self.gap)
        except OptionError:
            raise
        except DataError as error:
            raise error.within(source) from error
        if gaps:
            warnings.warn(
                DataWarning(
                    f"{source}{count(gaps, 'gap')} in time, longer than {self.gap:g} steps, end "
                    "all labels there; ",
                    Option("gap", None),
                    " joins both sides",
                ),
                stacklevel=2,
            )

    def _label(self, track: str, text: str, source: str) -> str | None:
        code = _code(text)
        if code.casefold() in self.null:
            return None
        if track not in self.names:
            return code
        if code not in self.names[track]:
            raise DataError(
                f"{source}track {quote(track)} has the label {quote(code)}, whose meaning ",
                Option("names"),
                " does not give; add it there, or to ",
                Option("null"),
            )
        return self.names[track][code]


def _code(label: Any) -> str:
    """Label as text; whole numbers without a decimal point, as pandas adds one beside gaps."""
    text = str(label).strip()
    number = as_number(text)
    if number is None or not abs(number) < WHOLE or number != int(number):
        return text
    return str(int(number))


def _no_columns() -> OptionError:
    return OptionError("columns", MISSING, "names the columns that hold labels; give at least one")


def _check_columns(columns: Any, header: bool) -> dict[str, Column]:
    if columns is None:
        raise _no_columns()
    if not isinstance(columns, Mapping):
        if not isinstance(columns, list | tuple):
            raise OptionError(
                "columns",
                columns,
                "must be the list of columns that hold labels, by name or by number from 1 on, or "
                "such columns by the names of their tracks",
            )
        columns = {str(column): column for column in columns}
    if not columns:
        raise OptionError("columns", columns, "is empty; name at least one that holds labels")
    for column in columns.values():
        check_column("columns", column, header)
    return {str(track): column for track, column in columns.items()}


def _check_names(names: Any, columns: Mapping[str, Column]) -> dict[str, dict[str, str]]:
    meanings = {} if names is None else names
    pairs = meanings.items() if isinstance(meanings, Mapping) else [(meanings, None)]
    if not all(
        isinstance(codes, Mapping) and all(isinstance(name, str) for name in codes.values())
        for _, codes in pairs
    ):
        raise OptionError(
            "names",
            names,
            "must give the meaning of codes by track, as {'posture': {1: 'stand'}}",
        )
    alien = [track for track in meanings if str(track) not in columns]
    if alien:
        listed = ", ".join(quote(track) for track in columns)
        raise OptionError(
            "names", names, f"has {quote(alien[0])}, which is not a track; there are {listed}"
        )
    return {
        str(track): {_code(code): name for code, name in codes.items()}
        for track, codes in meanings.items()
    }
