"""The paper's page as Markdown, for documentation."""

from typing import Any

__all__ = ["to_markdown"]

WORDS = {True: "agrees", False: "differs", None: "cannot tell"}
# characters that Markdown or HTML would read as markup; names of recordings are data
ESCAPED = str.maketrans(
    {c: f"\\{c}" for c in "\\|`*_[]"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def to_markdown(summary: dict[str, Any]) -> str:
    """Sections with their tables and verdicts; figures are left to the page.

    Examples
    --------
    >>> section = {"title": "Tea", "lead": ["Hot."], "tables": [], "verdicts": []}
    >>> print(to_markdown({"headline": "All agree.", "sections": [section]}))
    All agree.
    <BLANKLINE>
    ## Tea
    <BLANKLINE>
    Hot.
    """
    parts = [_text(summary["headline"])]
    for section in summary["sections"]:
        parts.append(f"## {_text(section['title'])}")
        parts += [_text(paragraph) for paragraph in section["lead"]]
        parts += [_table(table) for table in section["tables"]]
        if section["verdicts"]:
            lines = [f"- **{WORDS[v['agrees']]}**: {_text(v['text'])}" for v in section["verdicts"]]
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _table(table: dict[str, Any]) -> str:
    head = " | ".join(map(_text, table["columns"]))
    places = [2 if column.startswith("paper") else 3 for column in table["columns"]]
    rows = [
        " | ".join(
            f"{value:.{digits}f}" if isinstance(value, float) else _text(value)
            for value, digits in zip(row, places, strict=True)
        )
        for row in table["rows"]
    ]
    lines = [f"| {head} |", "|" + "---|" * len(table["columns"]), *(f"| {row} |" for row in rows)]
    return "\n".join([f"{_text(table['caption'])}:", "", *lines])


def _text(value: Any) -> str:
    return "" if value is None else " ".join(str(value).translate(ESCAPED).splitlines())
