"""JAMS: annotations of music and sounds, each of a namespace such as chords or beats (.jams)."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.registry import reader

__all__ = ["read_jams"]

NAMES = ("label", "name", "value", "tag")  # fields of a value that say what it is


def _sniff(head: Head) -> float:
    """Tell the file by annotations with a namespace, or by the layout of the first version."""
    document = head.json
    if not isinstance(document, dict):
        return 0.0
    annotations = document.get("annotations")
    if isinstance(annotations, list) and annotations:
        first = annotations[0]
        return CERTAIN if isinstance(first, dict) and {"namespace", "data"} <= first.keys() else 0.0
    return CERTAIN if _first_version(Node(document, "")) else 0.0


def _first_version(document: Node) -> list[str]:
    """Names of lists of annotations, as the first version has them: {"chord": [{"data": ...}]}."""
    return [
        key
        for key, value in ((key, member.value) for key, member in document.members())
        if isinstance(value, list) and value
        if all(isinstance(each, dict) and "annotation_metadata" in each for each in value)
    ]


@reader(
    "jams", (".jams",), also=(".json",), about="JAMS of music and sounds", unit="s", sniff=_sniff
)
def read_jams(files: Files) -> Iterator[Recording]:
    r"""Read annotations of music and sounds, or a folder of them; a file is an instance.

    Tracks are the namespaces, such as "chord"; further annotations of the same one are on the
    tracks "chord (2)" and so on. Of values with several fields, the label or the like is the
    action, or else all of them. What has a time and no duration is a point of no length.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "song.jams"
    >>> _ = path.write_text('''{"annotations": [{"namespace": "chord", "data": [
    ...     {"time": 0, "duration": 2.5, "value": "C:maj", "confidence": 1}]}]}''')
    >>> read_jams(path)[0].to_lists()
    [[('C:maj', 0.0, 2.5)]]
    """
    for file in files:
        root = parse_json(file)
        taken: Counter[str] = Counter()
        notes = []
        for name, annotation in _annotations(root):
            taken[name] += 1
            track = name if taken[name] == 1 else f"{name} ({taken[name]})"
            for note in _observations(annotation.child("data")):
                start = _plain(note.first("time", "start")).number()
                end = _end(note, start)
                notes.append(Annotation(track, _value(note), start, end, note.path))
        yield Recording(file.name, notes)


def _annotations(root: Node) -> Iterator[tuple[str, Node]]:
    """Annotations with the names of what they are of."""
    if root.has("annotations"):
        for annotation in root.child("annotations").items():
            yield annotation.child("namespace").name(), annotation
        return
    for key in _first_version(root):
        for annotation in root.child(key).items():
            if annotation.has("data"):
                yield key, annotation


def _observations(data: Node) -> list[Node]:
    """Observations of an annotation, which may also be one list for each of their fields."""
    if not isinstance(data.value, dict):
        return data.items()
    columns = {key: child.items() for key, child in data.members()}
    rows = zip(*columns.values(), strict=False)
    made = [dict(zip(columns, (cell.value for cell in row), strict=True)) for row in rows]
    return [Node(row, data.prefix, data, place) for place, row in enumerate(made)]


def _end(note: Node, start: float) -> float:
    end, length = note.first("end"), note.first("duration")
    if end is not None:
        return _plain(end).number()
    return start if length is None else start + _plain(length).number()


def _plain(field: Node | None) -> Node:
    """Field of an observation; the first version has {"value": 2.5} in place of 2.5."""
    if field is None:
        return Node(None, "")
    return field.child("value") if isinstance(field.value, dict) else field


def _value(note: Node) -> str:
    """What was observed."""
    field = note.first("value", "label")
    if field is None:
        return ""
    if not isinstance(field.value, dict):
        return _text(field.value)
    named = field.first(*NAMES)
    if named is not None:
        return _text(named.value)
    return ", ".join(f"{key}={_text(value)}" for key, value in field.value.items())


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value).strip()
