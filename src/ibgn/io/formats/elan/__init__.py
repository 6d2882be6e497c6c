"""ELAN: annotations on tiers, their times in whole milliseconds (.eaf)."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.export import KNOWN, check_known, parse_known
from ibgn.io.files import Files
from ibgn.io.formats.elan.document import Timed, read_notes, read_properties
from ibgn.io.formats.elan.writing import ACTIVITY, MINE, milliseconds, write_elan
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader
from ibgn.text import printable, quote

__all__ = ["read_elan", "write_elan"]


def _sniff(head: Head) -> float:
    """Tell an ELAN file by its root."""
    return CERTAIN if head.xml and head.xml.tag == "ANNOTATION_DOCUMENT" else 0.0


@reader("elan", (".eaf",), also=(".xml",), about="ELAN", sniff=_sniff)
def read_elan(files: Files) -> Iterator[Recording]:
    """Read an ELAN file, or a folder of them; a file is an instance.

    Tracks are its tiers. An annotation that refers to another has the times of that one. Slots
    without a time, as in tiers that divide their parents, are spread evenly between those that have
    one. A file written by `write_elan` gives back exact times, its instance, label and group.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn import IntervalSequences
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
    for file in files:
        root = parse_xml(file)
        notes = read_notes(root, file.prefix)
        mine = {  # what the file says of itself
            name.removeprefix(MINE): parse_known(
                text, f"{file.prefix}the property {printable(name)}"
            )
            for name, text in read_properties(root, file.prefix).items()
            if name.startswith(MINE)
        }
        exact = _Exact.of(mine, file.prefix)
        known = {name: mine[name] for name in KNOWN if name in mine}
        annotations = []
        for timed in notes:
            note = timed.note
            if "label" not in known or note.tier != ACTIVITY:
                times = exact.seconds(timed)
                annotations.append(Annotation(note.tier, note.value, *times, str(note)))
            elif note.value != str(known["label"]):  # someone changed it in ELAN
                known["label"] = note.value
        known = check_known(known, f"{file.prefix}the header")
        yield Recording(file.name, annotations, known)


class _Exact(NamedTuple):
    """Times in the header: an offset of all, and exact times that rounding changed."""

    offset: float
    times: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, mine: Mapping[str, Any], prefix: str) -> "_Exact":
        offset, times = mine.get("offset", 0.0), mine.get("times", {})
        if not _are_times([offset]) or not isinstance(times, dict):
            raise DataError(
                f"{prefix}the property {MINE}offset or {MINE}times is damaged; remove it"
            )
        for name, pair in times.items():
            if not (isinstance(pair, list) and len(pair) == 2 and _are_times(pair)):
                raise DataError(
                    f"{prefix}the property {MINE}times has {quote(pair)} for annotation "
                    f"{printable(name)}, not two times; remove it"
                )
        return cls(float(offset), {name: (float(a), float(b)) for name, (a, b) in times.items()})

    def seconds(self, timed: Timed) -> tuple[float, float]:
        """Times of an annotation, exact where they still agree with those in milliseconds."""
        start, end = (self.offset + time / 1000 for time in (timed.start, timed.end))
        if timed.aligned not in self.times:
            return start, end
        exact = self.times[timed.aligned]
        first, last = milliseconds(*exact, self.offset)
        return (
            exact[0] if first == timed.start else start,
            exact[1] if last == timed.end else end,
        )


def _are_times(values: list[Any]) -> bool:
    return all(
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= LARGEST_TIME
        for value in values
    )
