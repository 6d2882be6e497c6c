"""Sensor recordings as comma-separated values: one row per frame, one file per recording."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._files import InputFile
from ibgn.checks import as_number, check_number, is_date, span_advice
from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.io.annotations import names_by_path
from ibgn.io.choices import Choices, Kinds, check_list
from ibgn.io.files import Files, Sources
from ibgn.io.parsing.tabular import (
    check_delimiter,
    check_encoding,
    decoding,
    parse_csv,
    parse_head,
    parsing,
)
from ibgn.recordings import SensorRecording
from ibgn.text import count, quote

__all__ = ["read_sensors"]

SUFFIXES = (".csv",)
MISSING = ["", "nan", "NaN", "NAN", "NA", "N/A", "null"]
NEEDS = "a header and one row per frame"
SHOWN = 20  # columns that a message lists


def read_sensors(
    path: Sources,
    *,
    time: str = "time",
    tracks: Sequence[str] = (),
    channels: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    null: Sequence[str] = (),
    unit: float = 1.0,
    group: str | None = None,
    delimiter: str = ",",
    encoding: str = "utf-8",
) -> list[SensorRecording]:
    r"""Read sensor recordings from a CSV file, or from all those in a folder.

    Parameters
    ----------
    path : file with a header and one row per frame, or folder of such files, each a recording that
        is named by its path in it; compressed ones are read by their suffix (.gz, .bz2, .xz)
    time : name of the column of times
    tracks : names of the columns that hold labels, each a track; empty cells are no label
    channels : names of the columns of numbers, by default all others; empty cells and NaN are
        missing values
    ignore : names of columns to leave out, if there are such
    null : labels that mean none, such as "0"
    unit : seconds that a unit of time lasts, for example 0.001 for milliseconds
    group : where the group of a recording comes from: "folder", the name of the folder that its
        file is in; "file", the name of the file without suffix; or a regular expression with one
        group (...), searched in the path of the file
    delimiter, encoding : of the file, see `read_csv`

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "walk.csv"
    >>> _ = path.write_text("time,x,y,legs\n0,1.5,2,step\n0.1,,3,step\n0.2,1.0,4,\n")
    >>> read_sensors(path, tracks=["legs"])
    [SensorRecording 'walk.csv': 3 frames of 2 channels, 0 to 0.2 s, labels of 'legs']
    """
    lists = {"tracks": tracks, "channels": channels or (), "ignore": ignore, "null": null}
    for option, names in lists.items():
        check_list(option, names)
    check_number("unit", unit, "positive", lambda value: value > 0)
    choices = Choices(group=group, kinds=Kinds((), ()))
    check_delimiter(delimiter)
    check_encoding(encoding)
    columns = _Columns(time, tracks, channels, ignore)
    files = Files(path, SUFFIXES)
    recordings = []
    with files.reading():
        for file in files:
            with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
                header = parse_head(file, delimiter, encoding)
                used = columns.find(header, file.prefix)
                texts = [used[name] for name in columns.tracks]
                frame = _read_columns(file, header, used, texts, delimiter, encoding)
            frame.columns = pd.Index(list(used))
            recordings.append(_as_recording(frame, columns, null, unit, file.name))
    groups = names_by_path([file.name for file in files], "group", choices, files.prefix)
    return [replace(each, group=own) for each, own in zip(recordings, groups, strict=True)]


class _Columns(NamedTuple):
    """Names of the columns that are read."""

    time: str
    tracks: Sequence[str]
    channels: Sequence[str] | None
    ignore: Sequence[str]

    def find(self, header: list[str], source: str) -> dict[str, int]:
        """Place of each column that is read: time, tracks, channels."""
        named = [self.time, *self.tracks, *(self.channels or [])]
        self._refuse(named, header, source)
        others = [name for name in header if name.strip() and name not in self.ignore]
        chosen = [*named, *(others if self.channels is None else [])]
        times = Counter(header)
        repeated = [name for name in chosen if times[name] > 1]
        if repeated:
            raise DataError(
                f"{source}the header has the column {quote(repeated[0])} "
                f"{times[repeated[0]]} times; rename or drop all but one"
            )
        return {name: header.index(name) for name in dict.fromkeys(chosen)}

    def _refuse(self, named: list[str], header: list[str], source: str) -> None:
        twice = [name for name, times in Counter(named).items() if times > 1]
        if twice:
            option = next(
                o for o in ("channels", "tracks", "time") if twice[0] in (getattr(self, o) or ())
            )
            raise OptionError(
                option,
                getattr(self, option),
                f"names the column {quote(twice[0])}, which is named twice; it holds the time, "
                "labels or a channel",
            )
        missing = [name for name in named if name not in header]
        if missing:
            listed = ", ".join(map(quote, header[:SHOWN]))
            more = f" and {len(header) - SHOWN} more" if len(header) > SHOWN else ""
            raise DataError(
                f"{source}the header has no column {quote(missing[0])} (found: {listed}{more}); "
                "name the columns of time, labels and channels, or another ",
                Option("delimiter"),
            )


def _read_columns(
    file: InputFile,
    header: list[str],
    used: dict[str, int],
    texts: list[int],
    delimiter: str,
    encoding: str,
) -> pd.DataFrame:
    """Columns in the order of `used`: labels as text, everything else as numbers."""
    places = list(used.values())
    numbers = [place for place in places if place not in texts]
    options: dict[str, Any] = {"header": 0, "names": range(len(header))}
    missing = dict.fromkeys(numbers, MISSING)
    # all columns are parsed, as pandas would not tell of surplus cells in a row otherwise
    types: dict[int, type] = defaultdict(lambda: str)
    types |= dict.fromkeys(numbers, float)
    try:
        frame = parse_csv(file, delimiter, encoding, dtype=types, na_values=missing, **options)
    except ValueError as error:  # a cell is not a number: read all as text, to say where
        if isinstance(error, pd.errors.ParserError | UnicodeError | DataError):
            raise
        frame = parse_csv(file, delimiter, encoding, dtype=str, **options)
        for name, place in used.items():
            if place in numbers:
                frame[place] = _as_numbers(frame[place], name, file.prefix)
    _warn_of_nameless(frame, [place for place, name in enumerate(header) if not name.strip()])
    return frame[places]


def _warn_of_nameless(frame: pd.DataFrame, places: list[int]) -> None:
    """Warn of columns without a name, except empty ones, which spreadsheets leave behind."""
    filled = [place for place in places if (frame[place].fillna("").str.strip() != "").any()]
    if filled:
        warnings.warn(
            DataWarning(
                f"left out {count(len(filled), 'column')} without a name (first: column "
                f"{filled[0] + 1}); name it in the header if it is a channel"
            ),
            stacklevel=2,
        )


def _as_numbers(cells: "pd.Series[Any]", name: str, source: str) -> npt.NDArray[np.float64]:
    numbers = [np.nan if cell.strip() in MISSING else as_number(cell) for cell in cells]
    for row, number in enumerate(numbers):
        if number is None:
            cell = cells.iloc[row]
            what = f"column {quote(name)} is {quote(cell)}, not a number"
            advice = (
                span_advice("time", cell)
                if is_date(cell)
                else "if it holds labels name it among them, else choose channels or ignore it"
            )
            raise DataError(f"{source}row {row + 2}: {what}; {advice}")
    return np.array(numbers, np.float64)


def _as_recording(
    frame: pd.DataFrame,
    columns: _Columns,
    null: Sequence[str],
    unit: float,
    name: str,
) -> SensorRecording:
    time, tracks = columns.time, columns.tracks
    channels = [name for name in frame.columns if name != time and name not in tracks]
    if not channels:
        raise DataError(f"{quote(name)} has no channels besides time and labels; name some")
    labels = {track: frame[track].mask(frame[track].isin(null)).to_numpy() for track in tracks}
    return SensorRecording(
        frame[time].to_numpy(np.float64) * unit,
        frame[channels].to_numpy(np.float64),
        tuple(channels),
        labels,
        name,
    )
