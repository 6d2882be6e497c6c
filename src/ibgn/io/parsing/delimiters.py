"""What separates the columns of a table, and how a line is cut by it."""

import csv
import re
from collections import Counter
from collections.abc import Sequence

from ibgn.io.parsing.moments import kind_of

__all__ = [
    "LONGEST_HEAD",
    "RULE",
    "SAMPLE",
    "SEEN",
    "TABS",
    "TIMES",
    "WHITE_SPACE",
    "cells_of",
    "find_delimiter",
]

WHITE_SPACE = r"\s+"
TABS = r"\t+"
DELIMITERS = ("\t", ";", ",", "|", "&", WHITE_SPACE)  # the rarer in text first
SEEN = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar", "&": "an ampersand"}
SAMPLE = 200  # lines at the end of the beginning, which tell how the rows are written
LONGEST_HEAD = 1000  # lines that may stand before the first row
CLEAR = 0.6  # a delimiter that is this much as clear as the clearest, and rarer in text, is better
TIMES = ("number", "clock", "date", "moment")
WORD = re.compile(r'"([^"]*)"|(\S+)')
# dashes below a header: two marks beside each other, before which marks may stand alone
RULE = re.compile(r"\s*+(?:[=_|+-](?![=_|+-])\s*+)*+[=_|+-]{2}[\s=_|+-]*+")


def find_delimiter(lines: Sequence[str]) -> str | None:
    """What separates the columns of these lines; None where nothing does."""
    filled = [line for line in lines[:LONGEST_HEAD] if line.strip() and not RULE.fullmatch(line)]
    sample = filled[-SAMPLE:]
    for mark in DELIMITERS[:-1]:
        if _heads_all(filled[:1], sample, mark):
            return mark
    clearness = {mark: _clearness([cells_of(line, mark) for line in sample]) for mark in DELIMITERS}
    clearest = max(clearness.values())
    if clearest == 0:
        return None
    best = next(mark for mark in DELIMITERS if clearness[mark] > CLEAR * clearest)
    return TABS if best == "\t" and _tabs_repeat(sample) else best


def _heads_all(first: Sequence[str], sample: Sequence[str], mark: str) -> bool:
    """Whether a mark cuts all lines into as many cells as the first, which names the columns."""
    names = [cell for line in first for cell in cells_of(line, mark)]
    begins = [name.split()[:1] for name in names]
    if len(names) < 2 or len({*names}) < len(names) or not all(begins):
        return False
    if any(kind_of(begin) in TIMES for (begin,) in begins):
        return False
    return len(sample) > 1 and all(len(cells_of(line, mark)) == len(names) for line in sample)


def _clearness(rows: Sequence[Sequence[str]]) -> float:
    """Number of rows with as many cells as most, times the share of their cells that are times."""
    kinds = [[kind_of(cell) in TIMES for cell in row if cell] for row in rows if len(row) > 1]
    usual = Counter(len(row) for row in kinds if any(row)).most_common(1)
    return sum(sum(row) / len(row) for row in kinds if len(row) == usual[0][0]) if usual else 0.0


def _tabs_repeat(sample: Sequence[str]) -> bool:
    """Whether several tabs stand for one: only so do all lines have the same number of cells."""
    rows = [line for line in sample if "\t" in line]
    single = {len(line.split("\t")) for line in rows}
    several = {len(re.split(TABS, line.strip())) for line in rows}
    return len(several) == 1 and len(single) > 1 and any("\t\t" in line for line in rows)


def cells_of(line: str, mark: str) -> list[str]:
    """Cells of a line that is cut by a mark."""
    if mark == WHITE_SPACE:
        words: list[str] = []
        for quoted, word in WORD.findall(line):
            if words and kind_of(word) == "clock" and kind_of(words[-1]) == "date":
                words[-1] += f" {word}"  # the space in a date-time separates no columns
            else:
                words.append(quoted or word)
        return words
    if mark == TABS:
        return [cell.strip() for cell in re.split(TABS, line.strip())]
    try:
        row = next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])
    except csv.Error:
        row = line.split(mark)
    return [cell.strip() for cell in row]
