"""What else is in a table: columns that could give the activity of instances."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ibgn.errors import Option
from ibgn.io.files import Files
from ibgn.io.formats.csv.advice import names_instances
from ibgn.io.outline import Entry
from ibgn.io.parsing.guess import Guess
from ibgn.io.parsing.roles import find_roles
from ibgn.io.parsing.sheets import WHITE_SPACE, cut, read_text
from ibgn.io.parsing.tabular import check_delimiter, check_encoding, decoding
from ibgn.io.parsing.words import NO_ACTION

__all__ = ["outline_table"]

MOST_FILES = 20
# words of columns that speak of the recording, its making or its use, and not of what is done
ABOUT = {
    *NO_ACTION,
    *("path", "observer", "annotator", "rater", "coder", "date", "device", "license", "source"),
}
MOST_VALUES = 1000  # different values of a column that is still one of names


def outline_table(
    files: Files,
    *,
    columns: Mapping[str, Any] | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Iterator[Entry]:
    """Columns of text that are not read and stay the same within instances, with their values."""
    if delimiter not in (None, " "):
        check_delimiter(delimiter)
    check_encoding(encoding)
    values: dict[str, list[str]] = {}
    steady: dict[str, bool] = {}
    for file in islice(files, MOST_FILES):
        with decoding(file.prefix, encoding):
            text = read_text(file, encoding)
        sheet = cut(text, "", WHITE_SPACE if delimiter == " " else delimiter, header)
        roles = find_roles(sheet, {})
        guess = Guess(sheet, {})
        # what is no mapping is refused by the reader
        given = set(map(str, columns.values())) if isinstance(columns, Mapping) else set()
        start = roles.places.get("start", ())
        times = guess.numbers(start[0]) if len(start) == 1 else []
        for place, name in enumerate(sheet.names):
            label = name.strip() or str(place + 1)
            if place in roles.used or label in given:
                continue
            if "instance" not in {*roles.places, *(columns or {})} and len(files) == 1:
                cells = sheet.column(place)
                if times and names_instances(cells, times):
                    yield Entry.of("column", label, cells, Option("columns", {"instance": label}))
                    continue
            if guess.kinds[place] != "text":
                continue
            values.setdefault(label, []).extend(sheet.column(place))
            instance = roles.places.get("instance", ())
            stays = not guess.changes_within(place, instance) and not ABOUT & set(
                guess.words[place]
            )
            steady[label] = steady.get(label, True) and stays and not guess.is_unique(place)
    for label, cells in values.items():
        if steady[label] and len(set(cells)) <= MOST_VALUES:
            yield Entry.of("column", label, cells, Option("activity", f"column:{label}"))
