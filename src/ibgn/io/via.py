"""VIA 3, the VGG annotator of audio and video: segments of time with values of attributes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Unpack, get_args

from ibgn._files import Source, reading
from ibgn.checks import check_choice
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import (
    Annotation,
    ChoiceOptions,
    Choices,
    Overlaps,
    ReadingOptions,
    Take,
    check_names,
    settle_overlaps,
    split_options,
    to_table,
    warn_counts,
)
from ibgn.io.json import Node, parse_json
from ibgn.io.table import Labels, LongTable
from ibgn.text import quote

__all__ = ["load_via", "read_via"]

Unknown = Literal["drop", "error"]
CHECKBOX = 2  # the kind of attribute that takes several options at once, as "1,3"
DROPPED = "dropped; unknown='error' refuses them"


def read_via(
    path: Source,
    *,
    label_attribute: str | None = None,
    unknown: Unknown = "drop",
    overlaps: Overlaps = "keep",
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    r"""Read a project of VIA 3 (VGG Image Annotator, video and audio); a view is an instance.

    The file is what "Save project" in VIA 3 writes (.json). A view goes by the name of its file;
    an attribute is a track, and the option that was chosen, or the text, is the value.

    Parameters
    ----------
    path : JSON file, or compressed (.gz, .bz2, .xz)
    label_attribute : name of the attribute of whole files whose value is their label
    unknown : what to do with entries that are no segments of time (regions of one frame), or that
        name a view, an attribute or an option that the project does not define: "drop" them with
        a count, or "error"
    overlaps : what to do with a segment that overlaps one of the same attribute and value: "keep"
        it, "merge" the two, both with a count, or "error"
    **options : tracks, action, activity, crossing, label, group of `ibgn.io.annotations.Choices`,
        and closed, tick, tolerance, zero_length, min_duration, duplicates of
        `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the views, those without segments too
    y : (n,) one label a view, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.json"
    >>> _ = path.write_text('''{"project": {"pname": "kitchen"},
    ...  "attribute": {"1": {"aname": "hand", "type": 4, "options": {"0": "boil", "1": "pour"}}},
    ...  "file": {"1": {"fname": "tea_01.mp4"}}, "view": {"1": {"fid_list": ["1"]}},
    ...  "metadata": {"1_a": {"vid": "1", "z": [0, 2.5], "xy": [], "av": {"1": "0"}},
    ...               "1_b": {"vid": "1", "z": [2.5, 4], "xy": [], "av": {"1": "1"}}}}''')
    >>> X, y = read_via(path, label="([a-z]+)_")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea_01.mp4: boil [0, 2.5), pour [2.5, 4)
    """
    choices, cleaning = split_options(options)
    table = load_via(
        path,
        label_attribute=label_attribute,
        unknown=unknown,
        overlaps=overlaps,
        **vars(choices),
    )
    return table.read(cleaning)


def load_via(
    path: Source,
    *,
    label_attribute: str | None = None,
    unknown: Unknown = "drop",
    overlaps: Overlaps = "keep",
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the segments of all views as they are; options as for `read_via`."""
    chosen = Choices(**choices)
    check_choice("overlaps", overlaps, get_args(Overlaps))
    check_names(label_attribute=label_attribute)
    check_choice("unknown", unknown, get_args(Unknown))
    if label_attribute is not None and (chosen.label or chosen.activity):
        raise OptionError("the label comes from label_attribute=, label= or activity=; give one")
    with reading(path) as recording:
        root = parse_json(recording)
    project = _Project.of(root, label_attribute, unknown)
    for _, entry in root.child("metadata").members():
        project.take(entry)
    warn_counts(project.counts, recording.prefix)
    takes = settle_overlaps(project.takes(root), overlaps, recording.prefix, chosen.tracks)
    return to_table(takes, chosen, recording.prefix)


class _Attribute(NamedTuple):
    """Name of an attribute and of its options by their ids; None where it takes any text."""

    name: str
    options: Mapping[str, str] | None
    several: bool

    def values(self, node: Node) -> list[str] | None:
        """Names of what was chosen, or None where the project does not define it."""
        chosen = node.name()
        if self.options is None or not chosen:
            return [chosen]
        picked = chosen.split(",") if self.several and chosen not in self.options else [chosen]
        if not all(option in self.options for option in picked):
            return None
        return [self.options[option] for option in picked]


@dataclass(frozen=True)
class _Project:
    """Tables of a project, and what its entries add to each view."""

    attributes: Mapping[str, _Attribute]
    views: Mapping[str, str]
    label: str | None
    unknown: Unknown
    found: Mapping[str, list[Annotation]]
    labels: dict[str, str] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def of(cls, root: Node, label: str | None, unknown: Unknown) -> "_Project":
        if root.has("_via_img_metadata"):
            raise root.error("the project is one of VIA 2, which has no segments of time")
        attributes = {key: _attribute(node) for key, node in root.child("attribute").members()}
        names = sorted({attribute.name for attribute in attributes.values()})
        if label is not None and label not in names:
            listed = ", ".join(map(quote, names[:20])) or "none"
            raise root.error(f"there is no attribute {quote(label)}; there are {listed}")
        views = _name_views(root)
        return cls(attributes, views, label, unknown, {view: [] for view in views})

    def take(self, entry: Node) -> None:
        """Add what an entry says to its view."""
        view = entry.child("vid").name()
        times = [time.number() for time in entry.child("z").items()]
        if view not in self.views:
            self._leave_out("entry", "of a view that the project does not define", entry)
        elif len(times) == 2:
            self._add_segment(view, times[0], times[1], entry)
        elif not times and self.label is not None:
            self._add_label(view, entry)
        else:
            kind = "of whole files" if not times else "of single frames"
            self._leave_out("entry", f"{kind} and not of a segment of time", entry)

    def takes(self, root: Node) -> list[Take]:
        """One for each view."""
        if self.label is not None and not self.labels:
            raise root.error(f"no file as a whole has a value of {quote(self.label)}")
        return [
            Take(name, self.found[view], {"label": self.labels[view]})
            if view in self.labels
            else Take(name, self.found[view])
            for view, name in self.views.items()
        ]

    def _add_segment(self, view: str, start: float, end: float, entry: Node) -> None:
        for track, value in self._values(entry):
            self.found[view].append(Annotation(track, value, start, end, entry.path))
        if not entry.child("av").value:
            self._leave_out("segment", "without a value", entry)

    def _add_label(self, view: str, entry: Node) -> None:
        for track, label in self._values(entry):
            if track != self.label:
                self._leave_out("value", "of whole files and not the label", entry)
            elif self.labels.setdefault(view, label) != label:
                raise entry.error(
                    f"the label is {quote(label)}, but {quote(self.labels[view])} elsewhere "
                    "for the same view; keep one"
                )

    def _values(self, entry: Node) -> Iterator[tuple[str, str]]:
        """Names of attributes, and what they are here."""
        for key, node in entry.child("av").members():
            attribute = self.attributes.get(key)
            values = None if attribute is None else attribute.values(node)
            if attribute is None or values is None:
                self._leave_out("value", "that the project does not define", node)
                continue
            yield from ((attribute.name, value) for value in values)

    def _leave_out(self, noun: str, what: str, node: Node) -> None:
        if self.unknown == "error":
            raise node.error(f"a {noun} {what}; mend it in VIA, or use unknown='drop'")
        self.counts[noun, f"{what}; {DROPPED}"] += 1


def _attribute(node: Node) -> _Attribute:
    options = {}
    if node.has("options"):
        options = {key: option.name() for key, option in node.child("options").members()}
    several = node.has("type") and node.child("type").value == CHECKBOX
    return _Attribute(node.child("aname").name(), options or None, several)


def _name_views(root: Node) -> dict[str, str]:
    """Name of each view: that of its files; told apart by number where two have the same."""
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
