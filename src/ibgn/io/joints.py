"""Recordings of hand joints: a folder of CSV files, one row per frame, one file per instance."""

import csv
import io
import re
import warnings
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ibgn._files import InputFile
from ibgn.checks import as_number, check_number
from ibgn.errors import DataError, DataWarning, Option
from ibgn.io.annotations import names_by_path
from ibgn.io.choices import Choices, Kinds
from ibgn.io.files import Files, Sources
from ibgn.io.longframe import Labels
from ibgn.io.parsing.sheets import CELLS
from ibgn.recordings import SensorRecording
from ibgn.text import count, quote

__all__ = ["read_joints"]

TIME = "time"
FINGER = re.compile(
    r"(right|left) (thumb|index|middle|ring|pinky)( (cmc|mcp|pip|ip|dip|tip) [xyz])?"
)


class _Row(NamedTuple):
    """Cells of a row, and the line it ends on."""

    line: int
    cells: list[str]

    def numbers(self, used: dict[str, int], source: str) -> list[float]:
        """Numbers in the columns that are used, by their places."""
        numbers = []
        for name, place in used.items():
            number = as_number(self.cells[place])
            if number is None:
                raise DataError(
                    f"{source}line {self.line}: {quote(name)} is {quote(self.cells[place])}, not a "
                    "number; leave the cell empty where it is missing"
                )
            numbers.append(number)
        return numbers


def read_joints(
    path: Sources,
    *,
    activity: str | None = "folder",
    group: str | None = None,
    rate: float | None = None,
) -> tuple[list[SensorRecording], Labels]:
    r"""Read a folder of CSV files with a header, one row per frame and one file per recording.

    A file has angles, in columns such as "right index", in degrees, 0 for straight; or
    positions in space, in columns such as "right index pip x". Hands are right and left, fingers
    thumb, index, middle, ring and pinky, all or some of them in any order. The points of a finger
    are mcp, pip, dip and tip, those of a thumb cmc, mcp, ip and tip. A column "time" has seconds.
    Case does not matter, and "_" may stand for a space. An empty cell or NaN is missing.

    Parameters
    ----------
    path : folder with files .csv, also in folders within, or a file
    activity, group : where the activity, and the group, of a recording come from: "folder", the
        name of the folder that its file is in; "file", the name of the file without suffix; a
        regular expression with one group (...), searched in the path of the file; or None
    rate : frames per second, for files without a column "time"

    Returns
    -------
    recordings : what `FingerDetector` takes
    y : (n,) activities, or None with activity=None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "wave").mkdir()
    >>> _ = (folder / "wave" / "s1_take1.csv").write_text("right index,right thumb\n3,80\n5,\n")
    >>> recordings, y = read_joints(folder, group="(s[0-9]+)_", rate=25)
    >>> recordings[0].id, recordings[0].group, y[0]
    ('wave/s1_take1.csv', 's1', 'wave')
    >>> recordings[0].names, recordings[0].channels
    (('right index', 'right thumb'), array([[ 3., 80.], [ 5., nan]]))
    """
    if rate is not None:
        check_number("rate", rate, "frames per second", lambda value: value > 0)
    choices = Choices(activity=activity, group=group, kinds=Kinds((), ()))
    files = Files(path, [".csv"])
    left_out: Counter[str] = Counter()
    recordings = []
    with files.reading():
        for file in files:
            recordings.append(_read_one(file, rate, left_out))
    names = [file.name for file in files]
    groups, labels = (
        names_by_path(names, option, choices, files.prefix) for option in ("group", "activity")
    )
    recordings = [replace(each, group=own) for each, own in zip(recordings, groups, strict=True)]
    if left_out:
        warnings.warn(
            DataWarning(
                f"{files.prefix}left out {count(left_out.total(), 'column')} that name no finger "
                f"(first: {quote(next(iter(left_out)))}); fingers are named like 'right index' or "
                "'right index pip x'"
            ),
            stacklevel=2,
        )
    return recordings, None if activity is None else np.array(labels, object)


def _read_one(file: InputFile, rate: float | None, left_out: Counter[str]) -> SensorRecording:
    cells = _read_cells(file)
    names = [" ".join(cell.lower().replace("_", " ").split()) for cell in cells[0].cells]
    used = _find_columns(names, file.prefix)
    left_out.update(name for name in names if name and name not in used)
    table = np.array([row.numbers(used, file.prefix) for row in cells[1:]], np.float64)
    columns = dict(zip(used, table.reshape(-1, len(used)).T, strict=True))
    time = columns.pop(TIME, None)
    if time is None:
        if rate is None:
            raise DataError(
                f"{file.prefix}there is no column 'time'; add it, or give ", Option("rate")
            )
        time = np.arange(len(table)) / rate
    return SensorRecording(time, np.stack([*columns.values()], 1), tuple(columns), {}, file.name)


def _read_cells(file: InputFile) -> list[_Row]:
    """All rows that are not blank, each as wide as the header."""
    file.expect(CELLS, "its rows and cells")
    try:
        with (
            file.open() as stream,
            io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text,
        ):
            reader = csv.reader(text, strict=True)
            rows = [_Row(reader.line_num, cells) for cells in reader if any(cells)]
    except UnicodeDecodeError as error:
        raise DataError(f"{file.prefix}the text is not UTF-8: {error}; save it as UTF-8") from error
    except csv.Error as error:
        raise DataError(f"{file.prefix}not readable as CSV: {error}; check quotes") from error
    if not rows:
        raise DataError(f"{file.prefix}the file is empty; it needs a header and a row per frame")
    for line, cells in rows:
        if len(cells) != len(rows[0].cells):
            raise DataError(
                f"{file.prefix}line {line} has {count(len(cells), 'cell')}, the header "
                f"{len(rows[0].cells)}; leave a missing cell empty between its commas"
            )
    return rows


def _find_columns(names: list[str], source: str) -> dict[str, int]:
    """Places of the columns of fingers and of the time."""
    used = {name: n for n, name in enumerate(names) if name == TIME or FINGER.fullmatch(name)}
    if not used.keys() - {TIME}:
        raise DataError(
            f"{source}no column names a finger, as 'right index' or 'right index pip x' does; "
            f"the header has {quote(', '.join(names))}"
        )
    twice = [name for n, name in enumerate(names) if used.get(name, n) != n]
    if twice:
        raise DataError(f"{source}two columns are called {quote(twice[0])}; rename one")
    return used
