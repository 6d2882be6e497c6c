"""Names that a spreadsheet would take for formulas, made harmless and back again.

Spreadsheets run a cell of a CSV file that begins like a formula, whoever wrote it. An apostrophe in
front of it makes it plain text. A name that begins with an apostrophe itself gets a second one, so
that removing one always gives the name back.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["escape_formula", "escape_formulas", "unescape_formula"]

MARK = "'"
BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", MARK)


def escape_formula(cell: Any) -> Any:
    """Text that no spreadsheet runs; numbers and all that is not text stay as they are.

    Examples
    --------
    >>> escape_formula("=1+1"), escape_formula("pour"), escape_formula(-1.5)
    ("'=1+1", 'pour', -1.5)
    """
    return MARK + cell if isinstance(cell, str) and cell.startswith(BEGINNINGS) else cell


def unescape_formula(cell: Any) -> Any:
    """Text as it was before `escape_formula`.

    Examples
    --------
    >>> [unescape_formula(escape_formula(name)) for name in ("=1+1", "'tis", "pour")]
    ['=1+1', "'tis", 'pour']
    """
    return cell.removeprefix(MARK) if isinstance(cell, str) else cell


def escape_formulas(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The same frame with harmless names, in its header too."""
    safe = frame.rename(columns=escape_formula)
    for name, column in safe.items():
        if column.dtype.kind not in "iufb":
            safe[name] = column.map(escape_formula, na_action="ignore")
    return safe
