"""Instances as ELAN files, one each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy.typing as npt

from ibgn._files import Source
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.export import Known, Tier, lay_out, to_json, write_instances
from ibgn.io.formats.elan.content import ACTIVITY, LARGEST_SLOT, MINE, check_text, milliseconds
from ibgn.io.registry import writer
from ibgn.io.tiers import write_into
from ibgn.text import quote

__all__ = ["write_elan"]

SUFFIX = ".eaf"
HEAD = (  # of no day, so that equal data are equal files
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ANNOTATION_DOCUMENT AUTHOR="ibgn" DATE="1970-01-01T00:00:00+00:00" FORMAT="3.0" '
    'VERSION="3.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">',
)
FOOT = (
    '    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" '
    'TIME_ALIGNABLE="true"/>',
    "</ANNOTATION_DOCUMENT>",
)


@writer("elan")
def write_elan(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    into: Source | None = None,
) -> None:
    """Write ELAN files, one per instance, which `read_elan` reads back exactly.

    Parameters
    ----------
    X : instances; times are in seconds
    path : a file if there is one instance; otherwise a folder, created if needed, of files numbered
        in the order of X. A folder with other ELAN files is refused, since they would be
        read together with these; files of the same name are replaced.
    y : (n,) labels, optional
    into : file or folder that X was read from. Copies of its files are written, with the same names
        in a folder: annotations that differ are changed, and all other tiers, types, vocabularies,
        media and slots stay as they are.

    Notes
    -----
    Each track has a tier, or each action where there are no tracks, and more, "name (2)", where it
    overlaps itself. The tier "ibgn activity" shows the label; what is written there in ELAN is read
    as the label. ELAN holds whole milliseconds from 0 on: exact times, and an offset where times
    are negative or beyond 49 days, are in the header with the instance, its label and group. ELAN
    keeps them; they apply to annotations that were not moved.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "takes"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("pour", 1, 2)]], ids=["a", "b/c"])
    >>> write_elan(X, folder)
    >>> sorted(path.name for path in folder.iterdir())
    ['0_a.eaf', '1_b_c.eaf']
    """
    if into is not None:
        write_into(X, path, y, into, "elan")
    else:
        write_instances(X, path, y, SUFFIX, _check, _render)


def _check(rows: Instance, known: Known, tracks: Sequence[str]) -> None:
    """Refuse what ELAN cannot hold."""
    what = f"instance {quote(known['instance'])}"
    for text in [*(row[0] for row in rows), *tracks, *known.values()]:
        check_text(str(text), f"{what}: ")
    latest = max((row[2] for row in rows), default=0.0)
    if (latest - _offset(rows)) * 1000 > LARGEST_SLOT:
        raise DataError(
            f"{what} lasts longer than 49 days of seconds, which ELAN cannot hold; use a larger "
            "unit, or another format"
        )


def _offset(rows: Instance) -> float:
    """Offset that is subtracted from all times, so that ELAN can hold them."""
    earliest = min((row[1] for row in rows), default=0.0)
    latest = max((row[2] for row in rows), default=0.0)
    fits = earliest >= 0 and latest * 1000 <= LARGEST_SLOT
    return 0.0 if fits else float(math.floor(earliest))


def _render(rows: Instance, known: Known, tracks: Sequence[str]) -> Iterator[str]:
    """Lines of the file of one instance."""
    offset, actions = _offset(rows), len(rows)
    if "label" in known and rows:  # as an annotation of the whole instance, for people to see
        whole = min(row[1] for row in rows), max(row[2] for row in rows)
        rows = [*rows, (str(known["label"]), *whole)]
    spans = [milliseconds(start, end, offset) for _, start, end in rows]
    named = [(row[0], *span) for row, span in zip(rows, spans, strict=True)]
    tiers = lay_out(named[:actions], (ACTIVITY,), tracks)
    tiers += [Tier(ACTIVITY, [place]) for place in range(actions, len(rows))]
    order = [place for tier in tiers for place in tier.places]
    exact = {}
    for number, place in enumerate(order, 1):
        _, *times = rows[place]
        if place < actions and times != [offset + time / 1000 for time in spans[place]]:
            exact[f"a{number}"] = times
    slots = sorted((spans[place][side], place, side) for place in order for side in (0, 1))
    ids = {(place, side): f"ts{number}" for number, (_, place, side) in enumerate(slots, 1)}
    yield from HEAD
    yield from _header(known, offset, exact, len(order))
    yield "    <TIME_ORDER>"
    for number, (time, _, _) in enumerate(slots, 1):
        yield f'        <TIME_SLOT TIME_SLOT_ID="ts{number}" TIME_VALUE="{time}"/>'
    yield "    </TIME_ORDER>"
    yield from _tier_lines(tiers, rows, ids)
    yield from FOOT


def _header(
    known: Known, offset: float, exact: Mapping[str, list[float]], annotations: int
) -> Iterator[str]:
    mine = {
        **known,
        **({"offset": offset} if offset else {}),
        **({"times": exact} if exact else {}),
    }
    yield '    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">'
    # from which on ELAN numbers new annotations
    yield f'        <PROPERTY NAME="lastUsedAnnotationId">{annotations}</PROPERTY>'
    for name, value in mine.items():
        yield f'        <PROPERTY NAME="{MINE}{name}">{_text(to_json(value))}</PROPERTY>'
    yield "    </HEADER>"


def _tier_lines(
    tiers: list[Tier], rows: Instance, ids: Mapping[tuple[int, int], str]
) -> Iterator[str]:
    number = 0
    for tier in tiers:
        yield f'    <TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID={quoteattr(tier.name)}>'
        for place in tier.places:
            number += 1
            yield "        <ANNOTATION>"
            yield (
                f'            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" '
                f'TIME_SLOT_REF1="{ids[place, 0]}" TIME_SLOT_REF2="{ids[place, 1]}">'
            )
            yield f"                <ANNOTATION_VALUE>{_text(rows[place][0])}</ANNOTATION_VALUE>"
            yield "            </ALIGNABLE_ANNOTATION>"
            yield "        </ANNOTATION>"
        yield "    </TIER>"


def _text(text: str) -> str:
    """Text as XML has it; a bare carriage return would be read as the end of a line."""
    return escape(text, {"\r": "&#13;"})
