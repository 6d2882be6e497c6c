"""Exports of BORIS that have lost their header: columns told apart by what is in them."""

from collections.abc import Sequence

from ibgn.io.parsing.moments import kind_of_column

__all__ = ["find_without_header"]

RANGES = {"STATE", "POINT"}
SWITCHES = {"START", "STOP", "POINT"}
LOOKED_AT = 200  # rows


def find_without_header(rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Places of our columns by what BORIS writes around that of the status; none where it lacks.

    Before the status stand subject, behaviour, category and modifiers. Aggregated events have
    start and stop after it; tabular ones have the time there, or in the first column.
    """
    filled = [row for row in rows[:LOOKED_AT] if any(row)]
    if len(filled) < 2 or len({len(row) for row in filled}) > 1:
        return {}
    columns = [[row[place].strip() for row in filled] for place in range(len(filled[0]))]
    kinds = [kind_of_column(column) for column in columns]
    for status, column in enumerate(columns):
        values = {value.upper() for value in column}
        ranged = values <= RANGES and kinds[status + 1 : status + 3] == ["number", "number"]
        if not (ranged or values <= SWITCHES):
            continue
        named = _find_names(columns, kinds, status)
        if not named:
            continue
        found = {"observation": _find_observation(columns, kinds)} | named | {"status": status}
        if ranged:
            return found | {"start": status + 1, "stop": status + 2}
        time = _find_time(columns, kinds, status)
        return {} if time is None else found | {"time": time}
    return {}


def _find_names(columns: Sequence[list[str]], kinds: Sequence[str], status: int) -> dict[str, int]:
    """Subject and behaviour: the behaviour tells its category, which stands after it.

    Newer versions have the duration of the observation of the subject between the two.
    """
    for place in range(1, status - 1):
        if kinds[place] != "text" or not all(columns[place]) or place + 1 == status:
            continue
        pairs = set(zip(columns[place], columns[place + 1], strict=True))
        tells = len(pairs) == len(set(columns[place])) > 1 and kinds[place + 1] in ("text", "empty")
        if tells and set(columns[place + 1]) != set(columns[place]):
            subject = place - 2 if kinds[place - 1] == "number" else place - 1
            named = subject >= 0 and kinds[subject] == "text"
            return {"subject": subject} | {"behavior": place} if named else {"behavior": place}
    return {}


def _find_observation(columns: Sequence[list[str]], kinds: Sequence[str]) -> int:
    """The column before that of the date, else the first."""
    dates = [place for place, kind in enumerate(kinds) if kind in ("moment", "date")]
    return dates[0] - 1 if dates and dates[0] > 0 else 0


def _find_time(columns: Sequence[list[str]], kinds: Sequence[str], status: int) -> int | None:
    after = [p for p in range(status + 1, len(kinds)) if kinds[p] in ("number", "clock")]
    if after:
        return after[0]
    increasing = [p for p in range(status) if kinds[p] in ("number", "clock")]
    changing = [p for p in increasing if len(set(columns[p])) > 1]
    return changing[0] if changing else None
