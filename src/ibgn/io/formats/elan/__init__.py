"""ELAN: annotations on tiers, their times in whole milliseconds (.eaf)."""

from collections.abc import Iterator

from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.formats.elan.content import read_content
from ibgn.io.formats.elan.editing import ElanDocument
from ibgn.io.formats.elan.outline import outline_tiers
from ibgn.io.formats.elan.writing import write_elan
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader
from ibgn.text import count

__all__ = ["ElanDocument", "read_elan", "write_elan"]

TEMPLATE = ".etf"


def _sniff(head: Head) -> float:
    """Tell an ELAN file by its root."""
    return CERTAIN if head.xml and head.xml.tag == "ANNOTATION_DOCUMENT" else 0.0


@reader(
    "elan", (".eaf",), also=(".xml",), about="ELAN", unit="s", sniff=_sniff, outline=outline_tiers
)
def read_elan(files: Files) -> Iterator[Recording]:
    """Read an ELAN file, or a folder of them; a file is an instance.

    Tracks are its tiers. An annotation that refers to another has the times of that one; those of
    a tier that is a symbolic subdivision share them in equal parts, as ELAN shows them. Slots
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
        content = read_content(root, file.prefix)
        if file.path.suffix.lower() == TEMPLATE and not content.notes:
            raise DataError(
                f"{file.prefix}this is a template of ELAN: "
                f"{count(len(root.findall('TIER')), 'tier')} and no annotations; name the "
                "annotated file (.eaf)"
            )
        annotations = [
            Annotation(note.tier, note.value, start, end, str(note))
            for note, start, end, _ in content.notes
        ]
        yield Recording(file.name, annotations, content.known)
