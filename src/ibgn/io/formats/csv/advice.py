"""Which columns a table seems to have, where their names do not say it, or say it wrongly."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas as pd

from ibgn.errors import DataError, Option
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.roles import find_roles
from ibgn.io.parsing.sheets import Sheet

__all__ = ["guess_by_cells", "names_instances", "refuse_swapped"]

ENOUGH = 4  # rows whose numbers must look like times
FEWEST = 2  # rows that end before they start which make columns look swapped


def guess_by_cells(sheet: Sheet, known: Mapping[str, Places]) -> dict[str, Places]:
    """Places of the columns by what is in them alone; empty where that is not clear.

    An instance is named by cells that stay the same while time goes on, and change where it goes
    back; an action by the only other text.
    """
    bare = replace(sheet, names=[""] * len(sheet.names))
    times = {n: p for n, p in find_roles(bare, known).places.items() if n in ("start", "end")}
    if len(times) < 2 or any(len(places) > 1 for places in times.values()):
        return {}
    guess = Guess(bare, {})
    free = [
        place
        for place, kind in enumerate(guess.kinds)
        if kind in ("text", "number") and all((place,) != used for used in times.values())
    ]
    start = guess.numbers(times["start"][0])
    naming = [place for place in free if names_instances(sheet.column(place), start)]
    instance = (max(naming, key=guess.distinct),) if naming else ()
    goes_on = [time for time in start if time is not None]
    if len(goes_on) < ENOUGH or not (instance or goes_on == sorted(goes_on)):
        return {}  # numbers that may be no times
    others = [place for place in free if (place,) != instance]
    actions = [place for place in others if guess.changes_within(place, instance)]
    if len(actions) != 1 or any(guess.kinds[place] == "number" for place in others):
        return {}  # other numbers may be times as well
    named = {"instance": instance} if instance else {}
    return {**named, "action": (actions[0],), **times, **known}


def names_instances(cells: Sequence[str], start: Sequence[float | None]) -> bool:
    """Whether cells stay the same while time goes on, and time goes back where they change."""
    times = [time for time in start if time is not None]
    if len(times) < len(cells) or not 1 < len(set(cells)) <= len(cells) / 2:
        return False
    rows = list(pairwise(zip(cells, times, strict=True)))
    changes = [(one, two) for one, two in rows if one[0] != two[0]]
    stays = all(one[1] <= two[1] for one, two in rows if one[0] == two[0])
    back = any(one[1] > two[1] for one, two in changes)
    return stays and back and len(changes) == len(set(cells)) - 1


def refuse_swapped(
    frame: LongFrame, times: tuple[Any, Any], columns: Mapping[str, Any], source: str
) -> None:
    """Refuse a table of which each row ends before it starts; `times` name the two columns."""
    begins, ends = (_as_numbers(frame.series[name]) for name in ("start", "end"))
    both = begins.notna() & ends.notna()
    if both.sum() >= FEWEST and (ends[both] < begins[both]).all():
        raise DataError(
            f"{source}all {int(both.sum())} rows end before they start; if start and end are "
            "swapped, read with ",
            Option("columns", {**columns, "start": times[1], "end": times[0]}),
        )


def _as_numbers(values: Any) -> "pd.Series[float]":
    """Numbers that text may hold, NaN where there is none."""
    series = pd.Series(values)
    if series.dtype.kind != "f":
        series = pd.to_numeric(series.astype(object), errors="coerce")
    return series
