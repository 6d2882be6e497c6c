"""Datavyu: cells with codes, as its scripts export them to tables, or as its files have them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.sheets import CELLS, Sheet, cut
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_datavyu"]

COLUMN = re.compile(r"(?P<name>\S.*?) \((?P<type>MATRIX|TEXT|NOMINAL|PREDICATE),\w+,.*\)-?.*")
CELL = re.compile(r"(?P<start>[\d:]+),(?P<end>[\d:]+),(?P<codes>.*)")
EDGES = ("ordinal", "onset", "offset")
MILLISECONDS = 1000.0  # of a second
CUT_LONG = ("file", "column", *EDGES)  # the first columns of a table with a row for each cell


class _Block(NamedTuple):
    """Places of number, onset, offset and codes of the cells of a column of Datavyu in a table."""

    ordinal: int
    onset: int
    offset: int
    codes: tuple[int, ...]


def _sniff(head: Head) -> float:
    """Tell a table by its names, and what is in files of Datavyu by the types of columns."""
    if head.json is not None or head.xml is not None or not head.lines:
        return 0.0
    if _is_database(head.lines):
        return CERTAIN
    names = head.rows[0] if head.rows else []
    return CERTAIN if _is_long(names) or _blocks(names) else 0.0


@reader(
    "datavyu",
    also=(".csv", ".txt"),
    about="exports of Datavyu",
    unit="s",
    sniff=_sniff,
)
def read_datavyu(files: Files) -> Iterator[Recording]:
    r"""Read cells that were exported from Datavyu, or a folder of such files.

    There are tables with a row for each cell (file,column,ordinal,onset,offset and codes), tables
    with columns for each column of Datavyu (look.ordinal,look.onset,look.offset and codes), also
    with a row for each frame, and the text in which Datavyu itself stores cells. Tracks are the
    columns of Datavyu; an action is the codes of a cell, with commas between them, or the name of
    the column where it has none. A file is an instance, or what the column "file" names.

    Returns
    -------
    X : the instances; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "dyad.csv"
    >>> _ = path.write_text("look.ordinal,look.onset,look.offset,look.at\n1,500,2000,toy\n")
    >>> read_datavyu(path)[0].to_lists()
    [[('toy', 0.5, 2.0)]]
    """
    for file in files:
        file.expect(CELLS, "its rows and cells")
        lines = file.lines()
        if _is_database(lines):
            yield Recording(file.name, list(_database(file, lines)))
            continue
        sheet = cut(file.text(), file.prefix, ",", header=True)
        names = [name.strip() for name in sheet.names]
        if _is_long(names):
            yield from _long(file, sheet, names, len(files) > 1)
        elif _blocks(names):
            yield Recording(file.name, _wide(file, sheet, _blocks(names)))
        else:
            raise DataError(
                f"{file.prefix}the header has no onset and offset, as look.onset and look.offset; "
                "export the columns of Datavyu with one of its scripts"
            )


def _is_database(lines: Sequence[str]) -> bool:
    filled = [line.strip() for line in lines[:20] if line.strip()]
    return bool(filled) and filled[0].startswith("#") and any(map(COLUMN.fullmatch, filled[1:2]))


def _is_long(names: Sequence[str]) -> bool:
    return tuple(name.lower() for name in names[: len(CUT_LONG)]) == CUT_LONG


def _blocks(names: Sequence[str]) -> dict[str, _Block]:
    """Columns of Datavyu by their names, each with its places."""
    parts = [name.strip().rpartition(".") for name in names]
    owners = dict.fromkeys(owner for owner, _, last in parts if owner and last == "onset")
    blocks = {}
    for owner in owners:
        own = {last: place for place, (first, _, last) in enumerate(parts) if first == owner}
        codes = tuple(place for last, place in own.items() if last not in EDGES)
        if {*EDGES} <= own.keys():
            blocks[owner] = _Block(own["ordinal"], own["onset"], own["offset"], codes)
    return blocks


def _database(file: InputFile, lines: Sequence[str]) -> Iterator[Annotation]:
    """Cells below the lines that name their columns."""
    track = None
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or (line.startswith("#") and track is None):
            continue
        column, cell = COLUMN.fullmatch(line), CELL.fullmatch(line)
        if column is not None:
            track = column["name"]
        elif cell is None or track is None:
            raise DataError(
                f"{file.prefix}line {number} is {quote(line)}; it must name a column, or be a cell "
                "such as 00:00:01:500,00:00:02:000,(toy)"
            )
        else:
            where = f"{file.prefix}line {number}"
            start, end = (_clock(cell[edge], where) for edge in ("start", "end"))
            codes = cell["codes"].strip().removeprefix("(").removesuffix(")").split(",")
            yield Annotation(track, _action(codes, track), start, end, f"line {number}")


def _wide(file: InputFile, sheet: Sheet, blocks: Mapping[str, _Block]) -> list[Annotation]:
    """Cells of a table; in one with a row for each frame, a cell stands in many rows."""
    annotations: dict[tuple[str, ...], Annotation] = {}
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        for track, block in blocks.items():
            cells = [row[place] for place in (block.onset, block.offset, *block.codes)]
            key = (track, row[block.ordinal], *cells)
            if any(cells) and key not in annotations:
                annotations[key] = _annotate(file, track, cells, line)
    return list(annotations.values())


def _long(
    file: InputFile, sheet: Sheet, names: Sequence[str], one_of_many: bool
) -> Iterator[Recording]:
    """Cells of a table that names the file and the column of each."""
    places = {name.lower(): place for place, name in enumerate(names[: len(CUT_LONG)])}
    annotations: dict[str, list[Annotation]] = {}
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        cells = [row[places["onset"]], row[places["offset"]], *row[len(CUT_LONG) :]]
        mine = annotations.setdefault(row[places["file"]], [])
        mine.append(_annotate(file, row[places["column"]], cells, line))
    for name, mine in annotations.items():
        known = {"instance": f"{file.name}#{name}" if one_of_many else name}
        yield Recording(file.name, mine, known)


def _annotate(file: InputFile, track: str, cells: Sequence[str], line: int) -> Annotation:
    start, end = (_milliseconds(cell, f"{file.prefix}line {line}") for cell in cells[:2])
    return Annotation(track, _action(cells[2:], track), start, end, f"line {line}")


def _action(codes: Sequence[str], track: str) -> str:
    filled = [code.strip() for code in codes if code.strip()]
    return ",".join(filled) or track


def _milliseconds(text: str, where: str) -> float:
    number = as_number(text)
    if number is None:
        raise DataError(f"{where}: the time {quote(text)} is no number of milliseconds")
    return number / MILLISECONDS


def _clock(text: str, where: str) -> float:
    """Seconds of 00:00:01:500."""
    parts = [as_number(part) for part in text.split(":")]
    if len(parts) != 4 or None in parts:
        raise DataError(f"{where}: the time {quote(text)} is not written as 00:00:01:500")
    hours, minutes, seconds, thousandths = (part or 0.0 for part in parts)
    return (1000 * (3600 * hours + 60 * minutes + seconds) + thousandths) / MILLISECONDS
