"""Logs in records of five lines, as of the MIT PlaceLab: an activity, and the sensors during it.

Toileting,4/1/2003,17:30:36,17:46:41
100,68
Toilet Flush,Sink faucet - hot
17:39:37,17:39:46
18:10:57,17:39:52
"""

from collections.abc import Iterator, Sequence

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.parsing.moments import as_clock, kind_of
from ibgn.text import quote

__all__ = ["are_records", "read_records"]

LINES = 5  # of a record: the activity, and numbers, names, starts and ends of sensors
HEAD = 4  # cells: the activity, its date, start and end
DAY = 86400.0


def are_records(lines: Sequence[str]) -> bool:
    """Whether the first lines are a record, and so are the next ones, as far as they are there."""
    filled = [_cells(line) for line in lines if line.strip()]
    records = [filled[at : at + LINES] for at in range(0, len(filled) - LINES + 1, LINES)]
    return bool(records) and all(map(_is_record, records))


def _is_record(lines: Sequence[Sequence[str]]) -> bool:
    head, *sensors = lines
    kinds = [kind_of(cell) for cell in head[-HEAD + 1 :]]
    return (
        len(head) >= HEAD and kinds == ["date", "clock", "clock"] and len({*map(len, sensors)}) == 1
    )


def read_records(file: InputFile) -> Iterator[Recording]:
    """A recording for each record, with the times of day at which its sensors were on."""
    lines = [(place, line) for place, line in enumerate(file.lines(), 1) if line.strip()]
    for at in range(0, len(lines), LINES):
        places = [place for place, _ in lines[at : at + LINES]]
        cells = [_cells(line) for _, line in lines[at : at + LINES]]
        if len(cells) < LINES or not _is_record(cells):
            raise DataError(
                f"{file.prefix}line {places[0]}: a record has {LINES} lines: an activity with its "
                "date, start and end, and the numbers, names, starts and ends of sensors"
            )
        (activity, *_), numbers, names, starts, ends = cells
        notes = []
        for number, name, first, last in zip(numbers, names, starts, ends, strict=True):
            start, end = (
                _seconds(file, places[3 + n], text) for n, text in enumerate((first, last))
            )
            end += DAY if end < start else 0.0  # after midnight
            notes.append(Annotation(f"{name} {number}", name, start, end, f"line {places[3]}"))
        yield Recording(f"{file.name}#{at // LINES + 1}", notes, {"label": activity})


def _seconds(file: InputFile, place: int, text: str) -> float:
    time = as_clock(text)
    if time is None:
        raise DataError(
            f"{file.prefix}line {place}: {quote(text)} is no time of day; write 17:39:37"
        )
    return time


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().rstrip(",").split(",")]
