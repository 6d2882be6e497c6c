"""How a page writes numbers, names and sentences; a dash stands for what is not known."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from markupsafe import Markup
from matplotlib.colors import to_hex

from ibgn.allen import Relation
from ibgn.plots.style import method_looks
from ibgn.text import printable

__all__ = ["FILTERS"]

UNKNOWN = Markup('<span class="unknown" title="not known">–</span>')
LONGEST_NAME = 80  # letters
LONGEST_TEXT = 10_000
ERRORS = {
    "misdetection": "this share of the intervals is lost or gets another action, half and half.",
    "duration": "each end of an interval moves by up to this share of its duration, either way.",
}
VERBS = {"before": "is before", "finished-by": "is finished by"}
CLOSE = 0.02  # largest gap of mean confidence and accuracy that has no direction


def is_known(value: Any) -> bool:
    """Whether a value is a finite number, not None, NaN or infinity."""
    return value is not None and isfinite(value)


def as_name(name: Any) -> Markup:
    """Write a name from the data, set apart from the text around it."""
    return Markup("<bdi>{}</bdi>").format(printable(name, LONGEST_NAME))


def as_text(text: Any) -> str:
    """Write text line by line, without characters that cannot be shown."""
    lines = (printable(line, LONGEST_TEXT) for line in str(text).split("\n"))
    return "\n".join(lines).replace("± ", "±\N{NO-BREAK SPACE}")


def as_share(value: float | None, digits: int = 3) -> str:
    """Write a share or a difference of shares without the leading zero.

    Examples
    --------
    >>> as_share(0.9017), as_share(1), as_share(-0.05)
    ('.902', '1.000', '−.050')
    """
    if value is None or not is_known(value) or abs(round(value, 3)) >= 1:
        return as_number(value)
    return as_number(value, digits).replace("0.", ".", 1)


def as_number(value: float | None, digits: int = 3) -> str:
    """Write a number with this many digits after the point, and a true minus sign."""
    if value is None or not is_known(value):
        return UNKNOWN
    return f"{value:z,.{digits}f}".replace("-", "−")


def as_signed(value: float | None, digits: int = 2) -> str:
    """Write a number with its sign."""
    if value is None or not is_known(value):
        return UNKNOWN
    return f"{value:+z,.{digits}f}".replace("-", "−")


def as_count(value: float | None) -> str:
    """Write a count with commas between thousands; a mean keeps three digits."""
    if value is None or not is_known(value):
        return UNKNOWN
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:,.3g}"


def as_many(value: int, noun: str) -> str:
    """Write a number and its noun.

    Examples
    --------
    >>> as_many(1, "table"), as_many(1200, "table")
    ('1 table', '1,200 tables')
    """
    return f"{as_count(value)} {noun if value == 1 else noun + 's'}"


def as_percent(value: float | None, digits: int = 0) -> str:
    """Write a share as per cent."""
    return UNKNOWN if value is None or not is_known(value) else f"{100 * value:.{digits}f}%"


def after_number(unit: str) -> str:
    """Write a unit that stays on the line of its number."""
    return f"\N{NO-BREAK SPACE}{printable(unit, LONGEST_NAME)}" if unit else ""


def as_p(value: float | None) -> str:
    """Write the p of a test.

    Examples
    --------
    >>> as_p(0.0312), as_p(1e-9)
    ('0.031', '< 0.001')
    """
    return "< 0.001" if is_known(value) and value < 0.001 else as_number(value)  # type: ignore[operator]


def as_seconds(value: float | None) -> str:
    """Write a time in a suitable unit.

    Examples
    --------
    >>> as_seconds(0.0123), as_seconds(2.345), as_seconds(75), as_seconds(7300)
    ('12 ms', '2.3 s', '1 min 15 s', '2 h 1 min')
    """
    if value is None or not is_known(value):
        return UNKNOWN
    if value < 0.9995:
        return f"{1000 * value:.0f} ms" if value >= 0.0095 else f"{1000 * value:.1f} ms"
    if value < 59.5:
        return f"{value:.1f} s"
    minutes, seconds = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    return "{} h {} min".format(*divmod(minutes, 60))


def as_cell(value: Any) -> Any:
    """Write a cell of a table: text, a number, or a dash."""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return UNKNOWN
    if isinstance(value, bool) or not isinstance(value, int | float):
        return as_text(value)
    return as_count(value) if isinstance(value, int) else as_number(value)


def number_columns(rows: Sequence[Sequence[Any]]) -> list[bool]:
    """Whether each column holds numbers, also as text like '0.9 ± 0.1', rather than words."""
    return [all(_looks_like_number(cell) for cell in column) for column in zip(*rows, strict=True)]


def _looks_like_number(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip()[:1] in set("0123456789.+-−±<>–") and any(map(str.isdigit, cell))
    return not isinstance(cell, bool) and isinstance(cell, int | float | None)


def as_verb(relation: str) -> str:
    """Write a relation between two names."""
    return VERBS.get(relation, relation)


def as_relations(symbols: str) -> str:
    """Write a set of relations in words.

    Examples
    --------
    >>> as_relations("bmo")
    'before, meets or overlaps'
    """
    words = [Relation.from_symbol(symbol).label for symbol in symbols]
    return " or ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def in_words(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by the names of relations instead of their letters."""
    return {Relation.from_symbol(symbol).label: number for symbol, number in counts.items()}


def most_frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names and counts, the largest first."""
    return sorted(counts.items(), key=lambda pair: -pair[1])


def meaning_of_error(error: str) -> Markup:
    """Name a kind of errors in the data, and say what their rate means."""
    meaning = ERRORS.get(error)
    named = Markup('<b class="capital">{} errors</b>').format(printable(error, LONGEST_NAME))
    return named + (f": {meaning}" if meaning else "")


def method_colours(methods: Iterable[str]) -> dict[str, str]:
    """Colours of methods, as in all figures, in the words of a style sheet."""
    return {name: to_hex(look["color"]) for name, look in method_looks(methods).items()}


def judge_confidence(row: Mapping[str, Any]) -> str:
    """Say whether a method is right as often as it says.

    Parameters
    ----------
    row : its mean confidence, accuracy, calibration_error and calibration_limit, and whether it
        is always_sure
    """
    if row["always_sure"]:
        return "It states no probabilities: it is always sure."
    if row["calibration_error"] <= row["calibration_limit"]:
        return "It is about as sure as it should be: the difference may be chance."
    surplus = row["confidence"] - row["accuracy"]
    if abs(surplus) <= CLOSE:
        return "It is too sure of some predictions and not sure enough of others."
    return f"It is {'too sure' if surplus > 0 else 'not sure enough'} of itself."


FILTERS = {
    "name": as_name,
    "text": as_text,
    "share": as_share,
    "number": as_number,
    "signed": as_signed,
    "thousands": as_count,
    "many": as_many,
    "percent": as_percent,
    "p": as_p,
    "after_number": after_number,
    "seconds": as_seconds,
    "cell": as_cell,
    "number_columns": number_columns,
    "verb": as_verb,
    "relations": as_relations,
    "in_words": in_words,
    "most_frequent": most_frequent,
    "meaning_of_error": meaning_of_error,
    "method_colours": method_colours,
    "judge_confidence": judge_confidence,
}
"""Filters of the templates, by name."""
