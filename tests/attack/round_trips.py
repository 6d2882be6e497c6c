"""What is written and read again is what it was, or was refused before."""

from attack.findings import FoundError
from attack.words import pick
from ibgn import DataError, read, write
from ibgn.io import FORMATS
from mutations import check_valid

SUFFIXES = {"csv": ".csv", "jsonl": ".jsonl", "parquet": ".parquet", "elan": "", "textgrid": ""}
EXACT = ("jsonl", "parquet")  # hold labels that are numbers apart from text


def writable():
    """Names of formats that can be written; those of no known suffix are written to folders."""
    return sorted(FORMATS.writers)


def round_trip(X, y, folder, rng):
    """Write instances in a format, read them again, and compare."""
    check_valid_or_found((X, y))
    format = pick(rng, writable())
    path = folder / f"written{SUFFIXES.get(format, FORMATS[format].suffixes[0])}"
    try:
        write(X, path, y, format=format)
    except DataError:
        if path.exists():
            raise FoundError("half output", f"{format} was refused, but is there") from None
        return
    try:
        again = read(path, format=format)
    except DataError as error:
        raise FoundError("changed value", f"{format} is written but refused: {error}") from error
    check_same((X, y), again, format)


def check_valid_or_found(found):
    """Refuse what readers must not return."""
    try:
        check_valid(found)
    except AssertionError as error:
        raise FoundError("invalid value", repr(found)[:300]) from error


def check_same(first, second, format):
    """Refuse a difference between instances."""
    for what, before, after in zip(
        ("names", "labels", "groups", "intervals"),
        _facts(*first, format),
        _facts(*second, format),
        strict=True,
    ):
        if before != after:
            pairs = [(a, b) for a, b in zip(before or [], after or [], strict=False) if a != b]
            shown = pairs[0] if pairs else (before, after)
            raise FoundError("changed value", f"{what} in {format}: {shown!r}"[:1000])


def _facts(X, y, format):
    plain = list if format in EXACT else lambda values: list(map(str, values))
    yield list(map(str, X._names()))
    yield None if y is None else plain(y)
    yield None if X.groups is None else plain(X.groups)
    yield [sorted(rows) for rows in X.to_lists()]
