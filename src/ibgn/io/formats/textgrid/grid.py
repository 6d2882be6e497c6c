"""The grid of a TextGrid: its tiers, with all of their intervals and points."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.export import check_known, parse_known
from ibgn.io.formats.textgrid.tokens import Tokens, read_text
from ibgn.text import quote

__all__ = [
    "MINE",
    "Grid",
    "GridTier",
    "Stretch",
    "check_text",
    "grid_lines",
    "read_grid",
    "read_known",
    "tile",
]

MINE = "ibgn"  # the tier on which a file speaks of itself
NOT_IN_PRAAT = re.compile("[\0\r]")  # where a text ends, and what is read as the end of a line

Stretch = tuple[float, float, str]
Span = tuple[float, float]


class GridTier(NamedTuple):
    """A tier: its number, its name, and its stretches; points have start = end."""

    number: int
    name: str
    has_points: bool
    span: Span
    stretches: list[Stretch]

    @classmethod
    def named(cls, tokens: Tokens, number: int, prefix: str) -> "GridTier":
        """Take the head of a tier from a file."""
        kind, name = tokens.text("class of the tier"), tokens.text("name of the tier")
        if kind not in ("IntervalTier", "TextTier"):
            raise DataError(
                f"{prefix}tier {number} {quote(name)} is of class {quote(kind)}, not "
                "'IntervalTier' or 'TextTier'; save it again in Praat"
            )
        span = tokens.number("start of the tier"), tokens.number("end of the tier")
        return cls(number, name, kind == "TextTier", span, [])

    @classmethod
    def of(cls, tokens: Tokens, number: int, prefix: str) -> "GridTier":
        """Take a whole tier from a file."""
        tier = cls.named(tokens, number, prefix)
        for _ in range(tokens.size("size of the tier")):
            tier.take(tokens)
        return tier

    def take(self, tokens: Tokens) -> None:
        """Take the next interval or point."""
        start = tokens.number("time")
        end = start if self.has_points else tokens.number("end of the interval")
        self.stretches.append((start, end, tokens.text("text")))

    def place(self, entry: int) -> str:
        """Name an entry of the tier for a message."""
        kind = "point" if self.has_points else "interval"
        return f"tier {self.number} {quote(self.name)}, {kind} {entry}"

    @property
    def is_mine(self) -> bool:
        """Whether it is the tier on which a file speaks of itself."""
        texts = [text for *_, text in self.stretches if text.strip()]
        named = self.name == MINE and not self.has_points
        return named and len(texts) == 1 and texts[0][0] == "{"


class Grid(NamedTuple):
    """All of a TextGrid: from when to when it is, and its tiers."""

    span: Span
    tiers: list[GridTier]


def read_grid(file: InputFile, encoding: str | None = None) -> Grid:
    """Read a TextGrid, in the long or the short format."""
    prefix = file.prefix
    tokens = Tokens(read_text(file, encoding), prefix)
    kind = tokens.text("type of the file")
    if kind.startswith("Praat chronological TextGrid"):
        return _read_chronological(tokens, prefix)
    if kind not in ("ooTextFile", "ooTextFile short"):
        raise DataError(
            f"{prefix}the type of the file is {quote(kind)}, not 'ooTextFile'; is it a TextGrid?"
        )
    held = tokens.text("class of the object")
    if held != "TextGrid":
        raise DataError(f"{prefix}the file holds a {quote(held)}, not a 'TextGrid'; save that")
    span = tokens.number("start of the grid"), tokens.number("end of the grid")
    some = tokens.flag("flag <exists>") == "exists"
    tiers = [
        GridTier.of(tokens, number, prefix)
        for number in range(1, (tokens.size("number of tiers") if some else 0) + 1)
    ]
    tokens.end()
    return Grid(span, tiers)


def _read_chronological(tokens: Tokens, prefix: str) -> Grid:
    """Read a file that has the entries of all tiers in the order of their times."""
    span = tokens.number("start of the grid"), tokens.number("end of the grid")
    tiers = [
        GridTier.named(tokens, number, prefix)
        for number in range(1, tokens.size("number of tiers") + 1)
    ]
    while not tokens.at_end:
        number = tokens.size("number of the tier")
        if not 1 <= number <= len(tiers):
            raise DataError(f"{prefix}there is no tier {number}; it has {len(tiers)}")
        tiers[number - 1].take(tokens)
    return Grid(span, tiers)


def read_known(tiers: list[GridTier], prefix: str) -> dict[str, Any]:
    """Instance, label and group, where a tier names them."""
    mine = [tier for tier in tiers if tier.is_mine]
    if len(mine) > 1:
        raise DataError(f"{prefix}there are {len(mine)} tiers {MINE!r}; remove all but one")
    if not mine:
        return {}
    what = f"{prefix}the text on tier {MINE!r}"
    text = "".join(text for *_, text in mine[0].stretches)
    return check_known(parse_known(text, what), what)


def check_text(text: str, what: str) -> None:
    """Refuse a text that Praat cannot hold; `what` begins the message."""
    match = NOT_IN_PRAAT.search(text)
    if match:
        raise DataError(
            f"{what}{quote(text)} holds the character {match[0]!r}, which Praat does not keep; "
            "replace it"
        )


def tile(stretches: Iterable[Stretch], span: Span) -> list[Stretch]:
    """Stretches in order with blank ones between, since a tier of Praat has no gaps."""
    tiled: list[Stretch] = []
    begin, stop = span
    for start, end, text in stretches:
        if begin < start:
            tiled.append((begin, start, ""))
        tiled.append((start, end, text))
        begin = end
    if begin < stop:
        tiled.append((begin, stop, ""))
    return tiled


def grid_lines(grid: Grid) -> Iterator[str]:
    """Lines of a file in the long format."""
    yield 'File type = "ooTextFile"'
    yield 'Object class = "TextGrid"'
    yield ""
    yield from _times("", *grid.span)
    yield "tiers? <exists> "
    yield f"size = {len(grid.tiers)} "
    yield "item []: "
    for number, tier in enumerate(grid.tiers, 1):
        yield f"    item [{number}]:"
        yield from _points(tier) if tier.has_points else _intervals(tier)


def _intervals(tier: GridTier) -> Iterator[str]:
    yield '        class = "IntervalTier" '
    yield f"        name = {_quoted(tier.name)} "
    yield from _times("        ", *tier.span)
    yield f"        intervals: size = {len(tier.stretches)} "
    for number, (start, end, text) in enumerate(tier.stretches, 1):
        yield f"        intervals [{number}]:"
        yield from _times("            ", start, end)
        yield f"            text = {_quoted(text)} "


def _points(tier: GridTier) -> Iterator[str]:
    yield '        class = "TextTier" '
    yield f"        name = {_quoted(tier.name)} "
    yield from _times("        ", *tier.span)
    yield f"        points: size = {len(tier.stretches)} "
    for number, (time, _, text) in enumerate(tier.stretches, 1):
        yield f"        points [{number}]:"
        yield f"            number = {_number(time)} "
        yield f"            mark = {_quoted(text)} "


def _times(indent: str, start: float, end: float) -> Iterator[str]:
    yield f"{indent}xmin = {_number(start)} "
    yield f"{indent}xmax = {_number(end)} "


def _number(time: float) -> str:
    """All digits that tell the number, and no exponent, which some readers do not know."""
    return np.format_float_positional(time + 0.0, trim="-")


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
