"""ELAN: annotations on tiers, their times in whole milliseconds (.eaf)."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Unpack
from xml.sax.saxutils import escape, quoteattr

import numpy.typing as npt

from ibgn._files import Recording, Source, reading
from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.annotations import (
    Annotation,
    ChoiceOptions,
    Choices,
    ReadingOptions,
    Take,
    split_options,
    to_table,
)
from ibgn.io.eaf import Timed, read_notes, read_properties
from ibgn.io.folders import find_files
from ibgn.io.table import Labels, LongTable
from ibgn.io.tiers import (
    KNOWN,
    Known,
    Tier,
    check_known,
    lay_out,
    parse_known,
    refuse_repeated,
    to_json,
    write_instances,
)
from ibgn.io.xml import parse_xml
from ibgn.text import printable, quote

__all__ = ["load_elan", "read_elan", "write_elan"]

SUFFIX = ".eaf"
ACTIVITY = "ibgn activity"  # tier that shows the label
MINE = "ibgn."  # begins the names of the properties in which a file speaks of itself
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LARGEST_SLOT = 2**32 - 2  # milliseconds; the schema has unsigned numbers of 32 bits
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


def read_elan(path: Source, **options: Unpack[ReadingOptions]) -> tuple[IntervalSequences, Labels]:
    """Read an ELAN file, or a folder of them; a file is an instance.

    Parameters
    ----------
    path : file, or folder whose files *.eaf are read; compressed ones too (.gz, .bz2, .xz)
    **options : tracks (the tiers), action, activity, crossing, label, group of
        `ibgn.io.annotations.Choices`, and closed, tick, tolerance, zero_length, min_duration,
        duplicates of `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one label an instance, or None

    An annotation that refers to another has its times. Slots without a time, as in tiers that
    divide their parents, lie evenly between those that have one. A file of `write_elan` gives
    the exact times, its instance, label and group back.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "take.eaf"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 3.2, 5)]], ids=["monday"])
    >>> write_elan(X, path, ["tea"])
    >>> X, y = read_elan(path)
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      monday: boil [0, 4), pour [3.2, 5)
    >>> y
    array(['tea'], dtype=object)
    """
    choices, cleaning = split_options(options)
    return load_elan(path, **vars(choices)).read(cleaning)


def load_elan(path: Source, **choices: Unpack[ChoiceOptions]) -> LongTable:
    """Load the annotations of all files as they are; options as for `read_elan`."""
    chosen = Choices(**choices)
    takes = []
    with reading(path) as folder:
        for name, file in find_files(path, (SUFFIX,)):
            with reading(file) as recording:
                takes.append(_parse(recording, name))
    refuse_repeated(takes, chosen, folder.prefix)
    return to_table(takes, chosen, folder.prefix)


def write_elan(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write ELAN files, one an instance, which `read_elan` reads back exactly.

    Parameters
    ----------
    X : instances; times are taken for seconds
    path : file, where there is one instance; else a folder, made where it is missing, of files
        numbered in the order of X. A folder with other ELAN files is refused, since they would be
        read together with these; those of the same name are replaced.
    y : (n,) labels, optional

    Each action has a tier, and further ones, "name (2)", where it overlaps itself. The tier "ibgn
    activity" shows the label; what is written there in ELAN is read as the label. ELAN holds
    whole milliseconds from 0 on: exact times, and an offset where times are negative or beyond
    49 days, stand in the header with the instance, its label and group. ELAN keeps them; they
    hold for annotations that were not moved.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "takes"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("pour", 1, 2)]], ids=["a", "b/c"])
    >>> write_elan(X, folder)
    >>> sorted(path.name for path in folder.iterdir())
    ['0_a.eaf', '1_b_c.eaf']
    """
    write_instances(X, path, y, SUFFIX, _check, _render)


class _Exact(NamedTuple):
    """What the header tells of times: an offset to all, and those that rounding changed."""

    offset: float
    times: Mapping[str, tuple[float, float]]

    def seconds(self, timed: Timed) -> tuple[float, float]:
        """Times of an annotation, exact where they still agree with those in milliseconds."""
        start, end = (self.offset + time / 1000 for time in (timed.start, timed.end))
        if timed.aligned not in self.times:
            return start, end
        exact = self.times[timed.aligned]
        first, last = _milliseconds(*exact, self.offset)
        return (
            exact[0] if first == timed.start else start,
            exact[1] if last == timed.end else end,
        )


def _milliseconds(start: float, end: float, offset: float) -> tuple[int, int]:
    """Whole milliseconds of an interval, at least one, since ELAN shows nothing shorter."""
    first = round((start - offset) * 1000)
    return first, max(round((end - offset) * 1000), first + 1)


def _parse(recording: Recording, name: str) -> Take:
    root = parse_xml(recording)
    notes = read_notes(root, recording.prefix)
    mine = _mine(read_properties(root, recording.prefix), recording.prefix)
    exact = _exact(mine, recording.prefix)
    known = {name: mine[name] for name in KNOWN if name in mine}
    annotations = []
    for timed in notes:
        note = timed.note
        if "label" in known and note.tier == ACTIVITY:
            # who changed it in ELAN meant it
            known["label"] = known["label"] if note.value == str(known["label"]) else note.value
            continue
        annotations.append(Annotation(note.tier, note.value, *exact.seconds(timed), str(note)))
    return Take(name, annotations, check_known(known, f"{recording.prefix}the header"))


def _mine(properties: Mapping[str, str], prefix: str) -> dict[str, Any]:
    """What the file says of itself, by the rest of the name of the property."""
    return {
        name.removeprefix(MINE): parse_known(text, f"{prefix}the property {printable(name)}")
        for name, text in properties.items()
        if name.startswith(MINE)
    }


def _exact(mine: Mapping[str, Any], prefix: str) -> _Exact:
    offset, times = mine.get("offset", 0.0), mine.get("times", {})
    if not _are_times([offset]) or not isinstance(times, dict):
        raise DataError(f"{prefix}the property {MINE}offset or {MINE}times is damaged; remove it")
    for name, pair in times.items():
        if not (isinstance(pair, list) and len(pair) == 2 and _are_times(pair)):
            raise DataError(
                f"{prefix}the property {MINE}times has {quote(pair)} for annotation "
                f"{printable(name)}, where two times are wanted; remove it"
            )
    return _Exact(float(offset), {name: (float(a), float(b)) for name, (a, b) in times.items()})


def _are_times(values: list[Any]) -> bool:
    return all(
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= LARGEST_TIME
        for value in values
    )


def _check(rows: Instance, known: Known) -> None:
    """Refuse what ELAN cannot hold."""
    what = f"instance {quote(known['instance'])}"
    for text in [*(row[0] for row in rows), *known.values()]:
        found = NOT_IN_XML.search(text) if isinstance(text, str) else None
        if found:
            raise DataError(
                f"{what}: {quote(text)} holds the character {found[0]!r}, which XML cannot; "
                "replace it"
            )
    latest = max((row[2] for row in rows), default=0.0)
    if (latest - _offset(rows)) * 1000 > LARGEST_SLOT:
        raise DataError(
            f"{what} lasts longer than 49 days of seconds, which ELAN cannot hold; use a larger "
            "unit, or another format"
        )


def _offset(rows: Instance) -> float:
    """What is taken off all times, so that ELAN can hold them."""
    earliest = min((row[1] for row in rows), default=0.0)
    latest = max((row[2] for row in rows), default=0.0)
    fits = earliest >= 0 and latest * 1000 <= LARGEST_SLOT
    return 0.0 if fits else float(math.floor(earliest))


def _render(rows: Instance, known: Known) -> Iterator[str]:
    """Lines of the file of one instance."""
    offset, actions = _offset(rows), len(rows)
    rows = [*rows, *_label_row(rows, known)]
    spans = [_milliseconds(start, end, offset) for _, start, end in rows]
    named = [(row[0], *span) for row, span in zip(rows, spans, strict=True)]
    tiers = lay_out(named[:actions], taken=(ACTIVITY,))
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
    yield from _time_order(slots)
    yield from _tier_lines(tiers, rows, ids)
    yield from FOOT


def _label_row(rows: Instance, known: Known) -> list[tuple[str, float, float]]:
    """The label as an annotation of the whole instance, for people to see."""
    if "label" not in known or not rows:
        return []
    return [(str(known["label"]), min(row[1] for row in rows), max(row[2] for row in rows))]


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


def _time_order(slots: list[tuple[int, int, int]]) -> Iterator[str]:
    yield "    <TIME_ORDER>"
    for number, (time, _, _) in enumerate(slots, 1):
        yield f'        <TIME_SLOT TIME_SLOT_ID="ts{number}" TIME_VALUE="{time}"/>'
    yield "    </TIME_ORDER>"


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
