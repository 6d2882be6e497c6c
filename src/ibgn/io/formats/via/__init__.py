"""VIA 3, the VGG annotator of audio and video: segments of time with values of attributes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from ibgn._files import InputFile
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.files import Files
from ibgn.io.formats.via.tables import COLUMNS, OF_IMAGES, read_table
from ibgn.io.head import CERTAIN, Head
from ibgn.io.outline import Entry
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.registry import reader
from ibgn.text import count, quote

__all__ = ["read_via"]

Unknown = Literal["error", "drop"]
TRACK = "segment"  # of segments without a value
UNSET = "_DEFAULT"  # what VIA writes for an option that was not chosen
CHECKBOX = 2  # the kind of attribute that takes several options at once, as "1,3"


def _sniff(head: Head) -> float:
    """Tell a project by its parts, and exported annotations by their columns."""
    if not isinstance(head.json, dict):
        known = any(COLUMNS[0] in line and COLUMNS[3] in line for line in head.lines[:20])
        return CERTAIN if known or OF_IMAGES in head.lines[0] else 0.0
    if "_via_img_metadata" in head.json or {"attribute", "metadata"} <= head.json.keys():
        return CERTAIN
    return CERTAIN if {"project", "attribute"} <= head.json.keys() else 0.0


def _outline(files: Files) -> Iterator[Entry]:
    """Values of attributes for whole files."""
    values: dict[str, list[str]] = {}
    for file in files:
        project = _Project.of(_root(file), "drop", files)
        for _, entry in _root(file).child("metadata").members():
            if not entry.child("z").value:
                for track, value in project.values(entry):
                    values.setdefault(track, []).append(value)
    for name, each in values.items():
        yield Entry.of("attribute", name, each, Option("activity", f"attribute:{name}"))


@reader(
    "via",
    also=(".json", ".csv"),
    about="projects and exported annotations of VIA 3",
    unit="s",
    activity=("track", "attribute"),
    sniff=_sniff,
    outline=_outline,
)
def read_via(
    files: Files, *, unknown: Unknown = "error", overlaps: Overlaps = "keep"
) -> Iterator[Recording]:
    r"""Read a project of VIA 3 (VGG Image Annotator, video and audio); a view is an instance.

    The file is written by "Save project" in VIA 3 (.json), or by "Export annotations" as CSV. A
    view has the name of its file; an attribute is a track, and the option that was chosen, or the
    text, is the value. A segment without a value of any attribute has no action, unless
    action="track" names it by its track. activity="attribute:meal" takes the value of the attribute
    "meal" of a whole file.

    Parameters
    ----------
    unknown : what to do with entries that are not segments of time (regions of one frame), or that
        name a view, an attribute or an option that the project does not define: "error", or
        "drop" them with a count
    overlaps : what to do with a segment that overlaps one of the same attribute and value: "keep"
        it, "merge" the two, both with a warning, or "error"

    Returns
    -------
    X : the views, including those without segments
    y : (n,) one activity per view, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.json"
    >>> _ = path.write_text('''{"project": {"pname": "kitchen"},
    ...  "attribute": {"1": {"aname": "hand", "type": 4, "options": {"0": "boil", "1": "pour"}}},
    ...  "file": {"1": {"fname": "tea_01.mp4"}}, "view": {"1": {"fid_list": ["1"]}},
    ...  "metadata": {"1_a": {"vid": "1", "z": [0, 2.5], "xy": [], "av": {"1": "0"}},
    ...               "1_b": {"vid": "1", "z": [2.5, 4], "xy": [], "av": {"1": "1"}}}}''')
    >>> X, y = read_via(path, activity="([a-z]+)_")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea_01.mp4: boil [0, 2.5), pour [2.5, 4)
    """
    check_choice("unknown", unknown, get_args(Unknown))
    recordings = (
        recording
        for file in files
        for recording in _Project.of(_root(file), unknown, files).recordings()
    )
    yield from settle_overlaps(recordings, overlaps, files)


def _root(file: InputFile) -> Node:
    """Project in a file: it begins with a brace, a table of annotations does not."""
    is_project = file.text().lstrip().startswith(("{", "["))
    return parse_json(file) if is_project else read_table(file)


class _Attribute(NamedTuple):
    """Name of an attribute and of its options by their ids; None where it takes any text."""

    name: str
    options: Mapping[str, str] | None
    several: bool

    def values(self, node: Node) -> list[str] | None:
        """Names of what was chosen, or None where the project does not define it."""
        chosen = node.name()
        if chosen == UNSET:
            return [""]
        if self.options is None or not chosen:
            return [chosen]
        picked = chosen.split(",") if self.several and chosen not in self.options else [chosen]
        if not all(option in self.options for option in picked):
            return None
        return [self.options[option] for option in picked]


@dataclass(frozen=True)
class _Project:
    """Attributes and views of a project, and the annotations of each view."""

    attributes: Mapping[str, _Attribute]
    views: Mapping[str, str]
    label: str | None
    unknown: Unknown
    files: Files
    annotations: Mapping[str, list[Annotation]]
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Node, unknown: Unknown, files: Files) -> "_Project":
        label = files.choices.name_of("activity", "attribute")
        if root.has("_via_img_metadata"):
            raise root.error("the project is one of VIA 2, which has no segments of time")
        attributes = {}
        for key, node in root.child("attribute").members():
            members = node.child("options").members() if node.has("options") else ()
            options = {option: name.name() for option, name in members}
            several = node.has("type") and node.child("type").value == CHECKBOX
            attributes[key] = _Attribute(node.child("aname").name(), options or None, several)
        names = sorted({attribute.name for attribute in attributes.values()})
        if label is not None and label not in names:
            listed = ", ".join(map(quote, names[:20])) or "none"
            raise root.error(f"there is no attribute {quote(label)}; there are {listed}")
        views = _name_views(root)
        project = cls(attributes, views, label, unknown, files, {view: [] for view in views})
        for _, entry in root.child("metadata").members():
            project.add(entry)
        if label is not None and not project.labels:
            raise root.error(f"no file as a whole has a value of {quote(label)}")
        return project

    def add(self, entry: Node) -> None:
        """Add what an entry says to its view."""
        view = entry.child("vid").name()
        times = [time.number() for time in entry.child("z").items()]
        if view not in self.views:
            self._leave_out("entry", "of a view that the project does not define", entry)
        elif len(times) == 2:
            start, end = times
            values = list(self.values(entry))
            if not values and not entry.child("av").value:
                values = [(self.unset_track, "")]
            for track, value in values:
                self.annotations[view].append(Annotation(track, value, start, end, entry.path))
        elif not times and self.label is not None:
            self._add_label(view, entry)
        else:
            kind = "of whole files" if not times else "of single frames"
            self._leave_out("entry", f"{kind} and not of a segment of time", entry)

    @property
    def unset_track(self) -> str:
        """Track of segments without a value: the attribute, where there is but one."""
        names = {attribute.name for attribute in self.attributes.values()}
        return names.pop() if len(names) == 1 else TRACK

    def recordings(self) -> list[Recording]:
        """One for each view."""
        every = [annotation for notes in self.annotations.values() for annotation in notes]
        unset = self.files.choices.action != "track" and not any(a.value.strip() for a in every)
        if every and unset:
            raise DataError(
                f"{self.files.prefix}none of {count(len(every), 'segment')} has a value, which "
                "would be its action; ",
                Option("action", "track"),
                " names all by their attribute",
            )
        known = {view: {"label": label} for view, label in self.labels.items()}
        return [
            Recording(name, self.annotations[view], known.get(view, {}))
            for view, name in self.views.items()
        ]

    def _add_label(self, view: str, entry: Node) -> None:
        for track, label in self.values(entry):
            if track != self.label:
                self._leave_out("value", "of whole files and not the label", entry)
            elif self.labels.setdefault(view, label) != label:
                raise entry.error(
                    f"the label is {quote(label)}, but {quote(self.labels[view])} elsewhere "
                    "for the same view; keep one"
                )

    def values(self, entry: Node) -> Iterator[tuple[str, str]]:
        """Names and values of the attributes of an entry."""
        for key, node in entry.child("av").members():
            attribute = self.attributes.get(key)
            values = None if attribute is None else attribute.values(node)
            if attribute is None or values is None:
                self._leave_out("value", "that the project does not define", node)
                continue
            yield from ((attribute.name, value) for value in values)

    def _leave_out(self, noun: str, what: str, node: Node) -> None:
        if self.unknown == "error":
            drop = Option("unknown", "drop")
            article = "an" if noun[0] in "aeiou" else "a"
            raise node.error(f"{article} {noun} {what}; correct it in VIA, or use ", drop)
        refused = Option("unknown", "error")
        self.files.leave_out(f": {what}; dropped; ", refused, " refuses them", noun=noun)


def _name_views(root: Node) -> dict[str, str]:
    """Name of each view: that of its files, with a number where two have the same."""
    files = {key: node.child("fname").name() for key, node in root.child("file").members()}
    names = {}
    for view, node in root.child("view").members():
        listed = [(file, file.name()) for file in node.child("fid_list").items(least=1)]
        strange = [file for file, key in listed if key not in files]
        if strange:
            raise strange[0].error(f"there is no file {quote(strange[0].value)} in the project")
        names[view] = "+".join(files[key] for _, key in listed)
    times = Counter(names.values())
    return {v: n if times[n] == 1 else f"{n} (view {v})" for v, n in names.items()}
