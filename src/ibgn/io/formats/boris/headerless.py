"""Exports of BORIS that have lost their header: columns told apart by what is in them."""

from collections.abc import Sequence

from ibgn.io.parsing.moments import kind_of_column

__all__ = ["find_without_header"]

RANGES = {"STATE", "POINT"}
SWITCHES = {"START", "STOP", "POINT"}
NOBODY = "No focal subject"  # what BORIS writes where an event has no subject
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
        named = _find_after_nobody(columns, kinds, status)
        if not named and ranged:
            named = _find_before_type(columns, kinds, status)
        named = named or _find_names(columns, kinds, status)
        if not named:
            continue
        found = {"observation": _find_observation(columns, kinds)} | named | {"status": status}
        if ranged:
            return found | {"start": status + 1, "stop": status + 2}
        time = _find_time(columns, kinds, status)
        return {} if time is None else found | {"time": time}
    return {}


def _find_after_nobody(
    columns: Sequence[list[str]], kinds: Sequence[str], status: int
) -> dict[str, int]:
    """Subject and behaviour where some events have no subject, which BORIS says in words."""
    subject = next((p for p in range(status) if NOBODY in columns[p]), None)
    if subject is None:
        return {}
    behavior = subject + 2 if kinds[subject + 1] == "number" else subject + 1
    return {"subject": subject, "behavior": behavior} if behavior < status else {}


def _find_before_type(
    columns: Sequence[list[str]], kinds: Sequence[str], status: int
) -> dict[str, int]:
    """Subject and behaviour where category and modifiers stand between them and the type.

    Nothing is found where the column of the subject tells that of the behaviour: with modifiers in
    two columns, these would be the behaviour and its category.
    """
    behavior = status - 3
    subject = behavior - 2 if kinds[behavior - 1] == "number" else behavior - 1
    if subject < 0 or {kinds[subject], kinds[behavior]} != {"text"} or not all(columns[behavior]):
        return {}
    if not {kinds[status - 2], kinds[status - 1]} <= {"text", "empty"}:
        return {}
    if not _tells(columns[behavior], columns[status - 2]):
        return {}
    if _tells(columns[subject], columns[behavior]):
        return {}
    return {"subject": subject, "behavior": behavior}


def _tells(these: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a value of one column always goes with the same value of another."""
    return len(set(zip(these, others, strict=True))) == len(set(these))


def _find_names(columns: Sequence[list[str]], kinds: Sequence[str], status: int) -> dict[str, int]:
    """Subject and behaviour: the behaviour tells its category, which stands after it.

    Newer versions have the duration of the observation of the subject between the two.
    """
    for place in range(1, status - 1):
        if kinds[place] != "text" or not all(columns[place]) or place + 1 == status:
            continue
        these, others = columns[place], columns[place + 1]
        tells = _tells(these, others) and len(set(these)) > 1
        if tells and kinds[place + 1] in ("text", "empty") and set(others) != set(these):
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
