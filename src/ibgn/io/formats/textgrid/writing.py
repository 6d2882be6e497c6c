"""Instances as TextGrids of Praat, one file each."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._files import Source
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.export import Known, lay_out, to_json, write_instances
from ibgn.io.registry import writer
from ibgn.text import quote

__all__ = ["MINE", "Stretch", "write_textgrid"]

Stretch = tuple[float, float, str]

SUFFIX = ".TextGrid"
MINE = "ibgn"  # the tier on which a file speaks of itself
NOT_IN_PRAAT = re.compile("[\0\r]")  # where a text ends, and what is read as the end of a line


@writer("textgrid")
def write_textgrid(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write TextGrids of Praat, one per instance, which `read_textgrid` reads back exactly.

    Parameters
    ----------
    X : instances; times are in seconds
    path : a file if there is one instance; otherwise a folder, created if needed, of files numbered
        in the order of X. A folder with other TextGrids is refused, since they would be
        read together with these; files of the same name are replaced.
    y : (n,) labels, optional

    Each action has a tier, and more, "name (2)", where it overlaps itself. The instance,
    its label and group stand on the tier "ibgn".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "takes"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("pour", 1, 2)]], ids=["a", "b/c"])
    >>> write_textgrid(X, folder)
    >>> sorted(path.name for path in folder.iterdir())
    ['0_a.TextGrid', '1_b_c.TextGrid']
    """
    write_instances(X, path, y, SUFFIX, _check, _render)


def _check(rows: Instance, known: Known) -> None:
    """Refuse what Praat cannot hold; instance, label and group are escaped in any case."""
    for action in {row[0] for row in rows}:
        match = NOT_IN_PRAAT.search(action)
        if match:
            raise DataError(
                f"instance {quote(known['instance'])}: the action {quote(action)} holds the "
                f"character {match[0]!r}, which Praat does not keep; replace it"
            )


def _render(rows: Instance, known: Known) -> Iterator[str]:
    """Lines of the file of one instance, in the long format."""
    earliest = min((start for _, start, _ in rows), default=0.0)
    latest = max((end for _, _, end in rows), default=1.0)
    span = (min(earliest, 0.0), latest)
    tiers: list[tuple[str, list[Stretch]]] = [
        (
            tier.name,
            [(start, end, action) for action, start, end in map(rows.__getitem__, tier.places)],
        )
        for tier in lay_out(rows, (MINE,))
    ]
    tiers.append((MINE, [(*span, to_json(known))]))
    yield 'File type = "ooTextFile"'
    yield 'Object class = "TextGrid"'
    yield ""
    yield from _times("", *span)
    yield "tiers? <exists> "
    yield f"size = {len(tiers)} "
    yield "item []: "
    for number, (name, stretches) in enumerate(tiers, 1):
        yield f"    item [{number}]:"
        yield from _tier_lines(name, stretches, span)


def _tier_lines(name: str, stretches: list[Stretch], span: tuple[float, float]) -> Iterator[str]:
    tiled: list[Stretch] = []  # with blank intervals, since a tier of Praat has no gaps
    begin, stop = span
    for start, end, text in stretches:
        if begin < start:
            tiled.append((begin, start, ""))
        tiled.append((start, end, text))
        begin = end
    if begin < stop:
        tiled.append((begin, stop, ""))
    yield '        class = "IntervalTier" '
    yield f"        name = {_quoted(name)} "
    yield from _times("        ", *span)
    yield f"        intervals: size = {len(tiled)} "
    for number, (start, end, text) in enumerate(tiled, 1):
        yield f"        intervals [{number}]:"
        yield from _times("            ", start, end)
        yield f"            text = {_quoted(text)} "


def _times(indent: str, start: float, end: float) -> Iterator[str]:
    for name, time in (("xmin", start), ("xmax", end)):
        # all digits that tell the number, and no exponent, which some readers do not know
        yield f"{indent}{name} = {np.format_float_positional(time + 0.0, trim='-')} "


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
