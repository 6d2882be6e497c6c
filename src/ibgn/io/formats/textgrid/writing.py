"""Instances as TextGrids of Praat, one file each."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy.typing as npt

from ibgn._files import Source
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.export import Known, lay_out, to_json, write_instances
from ibgn.io.formats.textgrid.grid import MINE, Grid, GridTier, check_text, grid_lines, tile
from ibgn.io.registry import writer
from ibgn.io.tiers import write_into
from ibgn.text import quote

__all__ = ["write_textgrid"]

SUFFIX = ".TextGrid"


@writer("textgrid")
def write_textgrid(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    into: Source | None = None,
) -> None:
    """Write TextGrids of Praat, one per instance, which `read_textgrid` reads back exactly.

    Parameters
    ----------
    X : instances; times are in seconds
    path : a file if there is one instance; otherwise a folder, created if needed, of files numbered
        in the order of X. A folder with other TextGrids is refused, since they would be
        read together with these; files of the same name are replaced.
    y : (n,) labels, optional
    into : file or folder that X was read from. Copies of its files are written, with the same names
        in a folder: intervals that differ are changed, and everything else stays as it is.

    Notes
    -----
    Each track has a tier, or each action where there are no tracks, and more, "name (2)", where it
    overlaps itself. The instance, its label and group stand on the tier "ibgn".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "takes"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("pour", 1, 2)]], ids=["a", "b/c"])
    >>> write_textgrid(X, folder)
    >>> sorted(path.name for path in folder.iterdir())
    ['0_a.TextGrid', '1_b_c.TextGrid']
    """
    if into is not None:
        write_into(X, path, y, into, "textgrid")
    else:
        write_instances(X, path, y, SUFFIX, _check, _render)


def _check(rows: Instance, known: Known, tracks: Sequence[str]) -> None:
    """Refuse what Praat cannot hold; instance, label and group are escaped in any case."""
    for name in {*(row[0] for row in rows), *tracks}:
        check_text(name, f"instance {quote(known['instance'])}: ")


def _render(rows: Instance, known: Known, tracks: Sequence[str]) -> Iterator[str]:
    """Lines of the file of one instance, in the long format."""
    earliest = min((start for _, start, _ in rows), default=0.0)
    latest = max((end for _, _, end in rows), default=1.0)
    span = (min(earliest, 0.0), latest)
    tiers = []
    for number, tier in enumerate(lay_out(rows, (MINE,), tracks), 1):
        stretches = [
            (start, end, action) for action, start, end in map(rows.__getitem__, tier.places)
        ]
        tiers.append(GridTier(number, tier.name, False, span, tile(stretches, span)))
    mine = [(*span, to_json(known))]
    return grid_lines(Grid(span, [*tiers, GridTier(len(tiers) + 1, MINE, False, span, mine)]))
