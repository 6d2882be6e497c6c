"""Files of the Opportunity data set: which runs there are, and the numbers in them."""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn._files import InputFile
from ibgn.checks import as_number, check_choice
from ibgn.errors import DataError, DataWarning, Option
from ibgn.io.choices import check_list
from ibgn.io.files import Files
from ibgn.io.formats.opportunity.legend import LEGEND, WIDTH
from ibgn.text import count, quote

__all__ = ["Frames", "Run", "Unknown", "find_files", "load_frames"]

Unknown = Literal["error", "drop"]

LONGEST_FRAME = 1.0  # seconds to the next frame from which on something is missing between them
FRAME, CELL = 1000, 16  # bytes of a frame, and of a number while it is read


class Run(NamedTuple):
    """A file, and what its name says: the subject, and the kind of run, as "ADL3"."""

    file: InputFile
    subject: str
    kind: str


class Frames(NamedTuple):
    """The numbers of a file: time in seconds, channels asked for, codes of each track."""

    time: Floats
    channels: Floats
    codes: dict[str, Ints]


def find_files(files: Files, runs: Sequence[str] | None) -> list[Run]:
    """Files whose runs begin with one of these names."""
    if runs is not None:
        check_list("runs", runs)
    named = []
    for file in files:
        match = re.match(r"(S\d+)-([A-Za-z]+\d*)(\.|$)", file.path.name)
        if not match:
            raise DataError(
                f"{quote(file.name)} does not name a subject and a run, as S1-ADL3.dat does; "
                "rename it"
            )
        named.append(Run(file, match[1], match[2]))
    chosen = [run for run in named if runs is None or run.kind.startswith(tuple(runs))]
    if not chosen:
        kinds = ", ".join(sorted({run.kind for run in named})[:20]) or "none"
        raise DataError(
            f"no run among {quote(runs)}; there are {kinds}; ", Option("runs", None), " reads all"
        )
    name, times = Counter(run.file.name for run in chosen).most_common(1)[0]
    if times > 1:
        raise DataError(f"{quote(name)} is given {times} times; give each recording once")
    return chosen


def load_frames(run: Run, places: Sequence[int], unknown: Unknown) -> Frames:
    """Check a file and read the columns that are needed."""
    check_choice("unknown", unknown, get_args(Unknown))
    file = run.file
    number = _check_width(file)
    used = [0, *(1 + place for place in places), *range(WIDTH - len(LEGEND), WIDTH)]
    table = _read_numbers(file, used)
    if len(table) != number:
        raise DataError(f"{file.prefix}{number} lines, but {len(table)} frames; damaged file")
    time = _check_time(table[:, 0] / 1000, file.prefix)
    labels = table[:, 1 + len(places) :].T
    codes = {
        track: _check_codes(track, column, unknown, file.prefix)
        for track, column in zip(LEGEND, labels, strict=True)
    }
    return Frames(time, table[:, 1 : 1 + len(places)], codes)


def _check_width(file: InputFile) -> int:
    """Count the frames; pandas would let rows pass that are too short or too long."""
    file.expect({"\n": FRAME, " ": CELL}, "its frames")
    number = 0
    with file.open() as stream:
        for line in stream:
            width = len(line.split())
            if width not in (0, WIDTH):
                raise DataError(
                    f"{file.prefix}frame {number + 1} has {count(width, 'column')}, not "
                    f"{WIDTH}; check that it is a file of the Opportunity data set, and whole"
                )
            number += width > 0
    if number == 0:
        raise DataError(f"{file.prefix}the file is empty; it needs one line per frame")
    return number


def _read_numbers(file: InputFile, used: list[int]) -> Floats:
    try:
        with file.open() as stream:
            table = pd.read_csv(
                stream,
                sep=r"\s+",
                header=None,
                names=range(WIDTH),
                usecols=used,
                dtype=float,
                quoting=3,
                na_values=["NaN"],
                keep_default_na=False,
                encoding="utf-8-sig",
                encoding_errors="replace",
            )
    except (ValueError, pd.errors.ParserError) as error:
        if isinstance(error, DataError):
            raise
        return _read_cells(file, used)
    return table.to_numpy(np.float64)


def _read_cells(file: InputFile, used: list[int]) -> Floats:
    """Read a file cell by cell, to name one that is not a number; slow.

    Some versions of pandas also refuse numbers that are too large.
    """
    frames: list[list[float]] = []
    with file.open() as stream:
        lines = (line.split() for line in stream if line.strip())
        for number, cells in enumerate(lines, 1):
            frames.append([])
            for place in used:
                text = cells[place].decode("utf-8", "replace")
                value = np.nan if text == "NaN" else as_number(text)
                if value is None:
                    raise DataError(
                        f"{file.prefix}frame {number}, column {place + 1}: {quote(text)} is "
                        "not a number; missing values are NaN"
                    )
                frames[-1].append(value)
    return np.array(frames, np.float64)


def _check_time(time: Floats, source: str) -> Floats:
    wrong = ~np.isfinite(time)
    wrong[1:] |= ~(time[1:] > time[:-1])
    if wrong.any():
        frame = int(np.argmax(wrong))
        raise DataError(
            f"{source}frame {frame + 1} is at {time[frame] * 1000:.15g} ms; times are numbers that "
            "increase from frame to frame; sort the frames or read the parts on their own"
        )
    gaps = int((np.diff(time) > LONGEST_FRAME).sum())
    if gaps:
        warnings.warn(
            DataWarning(
                f"{source}{count(gaps, 'gap')} of more than {LONGEST_FRAME:g} s between frames; "
                "labels last until the next frame"
            ),
            stacklevel=2,
        )
    return time


def _check_codes(track: str, column: Floats, unknown: Unknown, source: str) -> Ints:
    known = np.isin(column, [0, *LEGEND[track]])
    if known.all():
        return column.astype(np.int64)
    frame, more = int(np.argmin(known)), int((~known).sum()) - 1
    also = f" ({count(more, 'more frame')} likewise)" if more else ""
    problem = f"{source}frame {frame + 1}: {track} has no code {column[frame]:.15g}{also}"
    if unknown == "error":
        codes = ", ".join(map(str, LEGEND[track]))
        drop = Option("unknown", "drop")
        raise DataError(f"{problem}; codes are 0, {codes}; ", drop, " treats others as no label")
    warnings.warn(DataWarning(f"{problem}; treated as no label"), stacklevel=2)
    return np.where(known, column, 0).astype(np.int64)
