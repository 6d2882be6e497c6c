"""Text cut into the cells of a table: what separates them, where it begins, whether it has names.

Public tables have notes before the header, lines of dashes below it, no header at all, row numbers
without a name, two tabs for one, or a last line with a count.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ibgn._files import InputFile, encoding_of
from ibgn.errors import DataError, Option, Part
from ibgn.io.parsing.delimiters import (
    LONGEST_HEAD,
    RULE,
    SAMPLE,
    SEEN,
    TABS,
    TIMES,
    WHITE_SPACE,
    cells_of,
    find_delimiter,
)
from ibgn.io.parsing.moments import as_clock, as_plain_number, kind_of
from ibgn.io.parsing.paired import is_pair, join_parts, split_pairs
from ibgn.io.parsing.words import END, START, words_of
from ibgn.text import printable

__all__ = ["CELLS", "TABS", "WHITE_SPACE", "Sheet", "cut", "read_text"]

ENOUGH = 0.6  # share of these lines that have as many cells as most
QUERY = re.compile(r"(\S+)\s+(\S+)\s+(\S+?)\s?##\s?(.*)")  # a sentence after three columns
QUERY_NAMES = ("video", "start", "end", "sentence")
# a name, perhaps a class, and any number of starts and ends; -1 stands for none
PAIRED = re.compile(
    r"((?=\S*?[^\W\d])\S++)(?:\s++([^\W\d]\S*+))?((?:\s++-?\d++(?:\.\d++)?){2,1000})\s*+", re.ASCII
)
FRAME_NAME = re.compile(r"(?:\S{0,200}\D)?(\d{1,15})\.(?:jpe?g|png|bmp)", re.ASCII | re.IGNORECASE)
COMMENT = ("#", "\\", "%")
DASHES = ("-", "\u2013", "\u2014")
# below the names of columns
UNITS = re.compile(
    r"(m?s|sec|seconds|min|h|frames?|[cmk]?m([\u00b2\u00b3]|\^?[23])?|px|pixels?|[cmk]?m/s2?|deg(/s)?|"
    r"\u00b0[CF]?|%|k?hz|m?v|a\.u\.|g|bpm)",
    re.IGNORECASE,
)
SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))  # all that may separate words
# bytes that rows and cells take, by their ends; two quotes without anything between are a cell too
CELLS = {**dict.fromkeys(f",;|&{SPACES}", 60), '"': 45, "\n": 400, "\r": 0}


@dataclass(frozen=True)
class Sheet:
    """Cells of a table.

    Parameters
    ----------
    names : of the columns, empty where they have none
    has_header : whether the names stand in the file
    rows : cells as text without white space around them, all of the same number
    lines : of each row, from 1 on
    before : lines before the table
    odd : lines after the last row that are none; one among the rows is a row of empty cells
    delimiter : what separates the cells
    """

    names: list[str]
    has_header: bool
    rows: list[list[str]]
    lines: list[int]
    before: list[str]
    odd: list[int]
    delimiter: str

    def column(self, place: int) -> list[str]:
        """Cells of a column."""
        return [row[place] for row in self.rows]


def cut(text: str, source: str, delimiter: str | None = None, header: bool | None = None) -> Sheet:
    r"""Cut text into cells; refuses text that is no table.

    Parameters
    ----------
    text : of the file
    source : begins a message
    delimiter, header : where these are known

    Examples
    --------
    >>> sheet = cut("notes\n\nfrom\tto\twhat\n----\t--\t----\n0\t2\twalk\n2\t3\tsit\n2 rows\n", "")
    >>> sheet.names, sheet.rows, sheet.lines, sheet.odd
    (['from', 'to', 'what'], [['0', '2', 'walk'], ['2', '3', 'sit']], [5, 6], [7])
    """
    text = _without_last_semicolons(text) if delimiter is None else text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    paired = _cut_pairs(lines) if delimiter is None and not header else None
    if paired is not None:
        return paired
    queries = [QUERY.fullmatch(line) for line in lines if line.strip()]
    are_queries = delimiter is None and bool(queries) and all(queries)
    if are_queries:
        lines = ["\t".join(query.groups()) for query in queries if query]
        text = "\n".join(lines)
    mark = delimiter or find_delimiter(lines)
    if mark is None:
        raise _no_times(source, lines)
    cells = _split(text, lines, mark, source)
    width = _usual_width(cells)
    first = _first_row(cells, width)
    if first is None:
        raise _no_times(source, lines, delimiter)
    first = _leave_out_units(cells, first)
    named = _find_header(cells[:first], width, header)
    names = list(QUERY_NAMES) if are_queries else [""] * width
    if named is not None:
        found = cells[named][1]
        # R names all columns but that of row numbers
        names = [""] * (width - len(found)) + found if len(found) == width - 1 else found[:width]
        names += [""] * (width - len(names))
    start = first if named is None else named + 1
    rows: list[tuple[int, list[str]]] = []
    odd: list[int] = []
    for number, row in cells[start:]:
        if len(row) < width and mark != WHITE_SPACE and len(row) > max(1, width // 2):
            row = row + [""] * (width - len(row))  # a short row lacks the last cells
        if len(row) == width or (len(row) > width and not any(row[width:])):
            rows += [(line, [""] * width) for line in odd]
            rows.append((number, row[:width]))
            odd = []
        else:
            odd.append(number)
    before = lines[: cells[start - 1][0]] if start else []
    table = [row for _, row in rows]
    if named is not None:
        names, table = split_pairs(names, table) or join_parts(names, table) or (names, table)
    _number_frames(names, table)
    return Sheet(names, named is not None, table, [n for n, _ in rows], before, odd, mark)


def _no_times(source: str, lines: Sequence[str], delimiter: str | None = None) -> DataError:
    """What is wrong with text that has no row with a time; `delimiter` if it was given."""
    if delimiter is None and sum(map(bool, map(str.strip, lines))) == 1:
        return DataError(f"{source}there are no rows below the header; a row is one interval")
    if delimiter is None:
        return DataError(
            f"{source}no line has a time or a number in a column of its own, so there are no "
            "intervals; if there are columns, say what separates them with ",
            Option("delimiter"),
        )
    other = find_delimiter(lines)
    advice: tuple[Part, ...] = ()
    if other in SEEN:
        advice = (f"; {SEEN[other]} seems to separate columns: use ", Option("delimiter", other))
    return DataError(
        f"{source}no row has a time or a number in it, so there are no intervals", *advice
    )


def _without_last_semicolons(text: str) -> str:
    """Text without semicolons at the ends of lines, where they stand nowhere else."""
    lines = [line.rstrip() for line in text.split("\n")]
    filled = [line for line in lines[:SAMPLE] if line]
    ended = [line for line in filled if "," in line and line.find(";") == len(line) - 1]
    if not filled or len(ended) < len(filled):
        return text
    return "\n".join(line.removesuffix(";") for line in lines)


def _cut_pairs(lines: Sequence[str]) -> Sheet | None:
    """Rows of lines with several starts and ends each, as lists of anomalies have them.

    They are told from other numbers by lines that have more of them, or -1 in their place.
    """
    if not PAIRED.fullmatch(next(filter(str.strip, lines), "")):
        return None
    rows: list[tuple[int, list[str]]] = []
    widths, absent = set(), False
    for number, line in enumerate(lines, 1):
        parts = PAIRED.fullmatch(line) if line.strip() else None
        if parts is None and line.strip():
            return None
        if parts is None:
            continue
        times = parts[3].split()
        widths.add((len(times), parts[2] is None))
        pairs = [(a, b) for a, b in zip(times[::2], times[1::2], strict=False) if a != "-1"]
        absent = absent or len(pairs) < len(times) // 2
        ends = [float(time) for pair in pairs for time in pair]
        if len(times) % 2 or ends != sorted(ends) or min(ends, default=0.0) < 0:
            return None
        named = [parts[1], *([parts[2]] if parts[2] else [])]
        rows += [(number, [*named, *pair]) for pair in pairs]
        if not pairs:  # nothing went on in it
            rows.append((number, [parts[1], *[""] * len(named[1:]), "", ""]))
    several = max(width for width, _ in widths) > 2 and (len(widths) > 1 or absent)
    if not several or len({unnamed for _, unnamed in widths}) > 1:
        return None
    names = ["video", "class", "start", "end"] if len(rows[0][1]) > 3 else ["video", "start", "end"]
    return Sheet(names, False, [row for _, row in rows], [n for n, _ in rows], [], [], WHITE_SPACE)


def _number_frames(names: Sequence[str], rows: Sequence[list[str]]) -> None:
    """Write the numbers of frames in place of their names, "00023.jpg", where they are times."""
    for place, name in enumerate(names):
        if {*words_of(name)} & (START | END):
            found = [FRAME_NAME.fullmatch(row[place]) for row in rows]
            if found and all(found):
                for row, match in zip(rows, found, strict=True):
                    row[place] = match[1] if match else row[place]


def read_text(file: InputFile, encoding: str = "utf-8") -> str:
    """Text of a file, if there is memory for the cells that it may be cut into."""
    file.expect(CELLS, "its rows and cells")
    plain = codecs.lookup(encoding).name == "utf-8"
    content = file.content()
    return content.decode(encoding_of(content) if plain else encoding)


def _split(text: str, lines: Sequence[str], mark: str, source: str) -> list[tuple[int, list[str]]]:
    """Cells of each line that has any, with its number; comments and rules are left out."""
    if mark in (WHITE_SPACE, TABS):
        cut = [(number, cells_of(line, mark)) for number, line in enumerate(lines, 1)]
        if mark == WHITE_SPACE:
            cut = _join_last(_without_dashes(cut), lines)
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
        cut = []
        try:
            for row in reader:
                cut.append((reader.line_num, [cell.strip() for cell in row]))
        except csv.Error as error:
            raise DataError(
                f"{source}not readable as a table: line {reader.line_num}: {printable(error)}; "
                "check its quotes"
            ) from error
    plain: list[tuple[int, list[str]]] = []
    head: list[tuple[int, list[str]]] = []  # AudioSet has its header in the last comment
    for number, row in cut:
        line = lines[number - 1] if number <= len(lines) else ""
        if not any(row) or RULE.fullmatch(line):
            continue
        if not row[0].startswith(COMMENT):
            plain.append((number, row))
        elif len(row) > 2 and not plain:
            head = [(number, [row[0].lstrip("#%").strip(), *row[1:]])]
    return head + plain


def _without_dashes(cut: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Lines without a dash between a time and what follows: "0:12 - opens the door"."""
    dashed = [_leading_times(row) == 1 and row[1:2] != [] and row[1] in DASHES for _, row in cut]
    filled = sum(bool(row) for _, row in cut)
    if sum(dashed) < max(2, filled - 1):
        return cut
    parts = zip(cut, dashed, strict=True)
    return [(n, [row[0], *row[2:]] if has_dash else row) for (n, row), has_dash in parts]


def _join_last(
    cut: list[tuple[int, list[str]]], lines: Sequence[str]
) -> list[tuple[int, list[str]]]:
    """Lines whose last column is text of several words: "0.5 1.25 closes the door".

    With one time before it, all lines must be written so, except for a first one without a time.
    """
    times = [_leading_times(row) for _, row in cut]
    filled = [(row, leading) for (_, row), leading in zip(cut, times, strict=True) if row]
    if not filled:
        return cut
    number, lines_so = Counter(leading for _, leading in filled).most_common(1)[0]
    if number < 1 or len({len(row) for row, leading in filled if leading >= number}) < 2:
        return cut
    if lines_so < (ENOUGH * len(filled) if number > 1 else len(filled) - 1):
        return cut
    if number == 1 and not _go_forward([row[0] for row, leading in filled if leading == 1]):
        return cut
    return [
        (line, [*row[:number], _rest(lines[line - 1], row, number)])
        if len(row) > number + 1 and '"' not in lines[line - 1]
        else (line, row)
        for line, row in cut
    ]


def _rest(line: str, row: Sequence[str], number: int) -> str:
    """Text after the first cells of a line; a dash that was left out of the row is none of it."""
    words = line.split(None, number)
    rest = words[number].strip() if len(words) > number else ""
    return rest if rest.startswith(row[number]) else " ".join(row[number:])


def _go_forward(times: Sequence[str]) -> bool:
    """Whether numbers or clocks never decrease."""
    for read in (as_plain_number, lambda time: as_clock(time, 1000.0)):
        numbers = [number for number in map(read, times) if number is not None]
        if len(numbers) == len(times):
            return numbers == sorted(numbers)
    return False


def _leading_times(row: Sequence[str]) -> int:
    return next((n for n, cell in enumerate(row) if kind_of(cell) not in TIMES), len(row))


def _usual_width(cells: Sequence[tuple[int, list[str]]]) -> int:
    counts = Counter(len(row) for _, row in cells[-10 * SAMPLE :] if _is_row(row, 2))
    return counts.most_common(1)[0][0] if counts else 0


def _is_row(row: Sequence[str], width: int) -> bool:
    times = (kind_of(cell) in TIMES or is_pair(cell) for cell in row)
    return len(row) >= max(2, width - 1) and any(times)


def _first_row(cells: Sequence[tuple[int, list[str]]], width: int) -> int | None:
    """First line that is a row, and so is the next one, or the one above names all columns."""
    for number in range(min(len(cells), LONGEST_HEAD)):
        if not _is_row(cells[number][1], width):
            continue
        above, following = cells[max(number - 1, 0)][1], cells[number + 1 : number + 2]
        named = len(above) == width and all(kind_of(cell) == "text" for cell in above)
        if named or all(_is_row(r, width) for _, r in following):
            return number
    return next((n for n, (_, row) in enumerate(cells) if _is_row(row, width)), None)


def _leave_out_units(cells: list[tuple[int, list[str]]], first: int) -> int:
    """Remove a line of units between the names of columns and the first row, whose place it is."""
    if first < 2:
        return first
    units, names = cells[first - 1][1], cells[first - 2][1]
    filled = [cell.strip("()[]") for cell in units if cell]
    if len(units) != len(names) or not filled or not all(map(UNITS.fullmatch, filled)):
        return first
    del cells[first - 1]
    return first - 1


def _find_header(
    head: Sequence[tuple[int, list[str]]], width: int, header: bool | None
) -> int | None:
    """Place of the line with the names of the columns, right before the first row."""
    if header is False or not head:
        return None
    row = head[-1][1]
    names = [cell for cell in row if cell]
    fits = width - 1 <= len(row) and len(names) >= 2 and "=" not in names  # as in version = 1.0
    if header or (fits and not any(kind_of(cell) in TIMES for cell in names)):
        return len(head) - 1
    return None
