"""Tables with a column for each tier or each action, as rows with one action each.

ELAN exports a column for each tier, with what was noted there; INTERACT fills one of several
columns of codes in each row; data sets of sounds have a column for each kind of sound, marked where
it is heard.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ibgn.io.parsing.moments import kind_of_column
from ibgn.io.parsing.sheets import Sheet
from ibgn.io.parsing.words import END, NO_ACTION, START, words_of

__all__ = ["unfold"]

ELAN = re.compile(r"(begin|end) time - (hh:mm:ss|ss\.msec|msec|mm:ss|.*frames).*", re.IGNORECASE)
ABOUT = frozenset({"tier", "annotation", "file", "path", "media", "participant", "duration"})
MARKED = frozenset({"pos"})
MARKS = MARKED | {"neg", "unk", ""}
TIER, ACTION = "tier", "action"
MOST = 0.9  # share of the rows in which one of several columns of codes is filled


def unfold(sheet: Sheet) -> tuple[Sheet, list[str]]:
    """Rows with one action each, and the names of the columns that had them.

    The sheet itself, and no names, where it has one column of actions as other tables do.
    """
    if not sheet.has_header or not sheet.rows:
        return sheet, []
    words = [{*words_of(name)} for name in sheet.names]
    times = [bool(each & (START | END)) for each in words]
    free = [p for p, name in enumerate(sheet.names) if name.strip() and not times[p]]
    if sum(bool(ELAN.fullmatch(name.strip())) for name in sheet.names) > 1:
        if any({"annotation"} == each or {"tier"} == each for each in words):
            return sheet, []
        tiers = [p for p in free if not words[p] & ABOUT]
        return _unfolded(sheet, tiers, marked=False) if len(tiers) > 1 else (sheet, [])
    if sum(times) < 2:
        return sheet, []
    marked = [p for p in free if {cell.casefold() for cell in sheet.column(p)} <= MARKS]
    is_marked = any(cell.casefold() in MARKED for p in marked for cell in sheet.column(p))
    if len(marked) > 1 and is_marked:
        return _unfolded(sheet, marked, marked=True)
    classes = [p for p in free if not words[p] & (ABOUT | NO_ACTION) and "" in sheet.column(p)]
    classes = [p for p in classes if kind_of_column(sheet.column(p)) == "text"]
    filled = [sum(bool(row[p]) for p in classes) for row in sheet.rows]
    takes_turns = len(classes) > 1 and max(filled) == 1 and sum(filled) >= MOST * len(filled)
    return _unfolded(sheet, classes, marked=False) if takes_turns else (sheet, [])


def _unfolded(sheet: Sheet, places: Sequence[int], marked: bool) -> tuple[Sheet, list[str]]:
    kept = [p for p in range(len(sheet.names)) if p not in places]
    rows, lines = [], []
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        for place in places:
            name, cell = sheet.names[place].strip(), row[place]
            if cell.casefold() in MARKED if marked else cell:
                own = [name] if marked else [name, cell]
                rows.append([*(row[p] for p in kept), *own])
                lines.append(line)
    names = [*(sheet.names[p] for p in kept), *([ACTION] if marked else [TIER, ACTION])]
    changed = replace(sheet, names=names, rows=rows, lines=lines)
    return changed, [sheet.names[place].strip() for place in places]
