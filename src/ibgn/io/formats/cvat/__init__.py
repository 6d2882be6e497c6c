"""CVAT: tracks of objects in a video, and tags of its frames, from "CVAT for video 1.1"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, get_args
from xml.etree.ElementTree import Element

from ibgn._files import InputFile
from ibgn.checks import as_number, check_choice, check_number
from ibgn.errors import DataError, Option, Part
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.formats.cvat.dumps import is_dump, parse
from ibgn.io.head import CERTAIN, LIKELY, Head
from ibgn.io.outline import Entry
from ibgn.io.registry import reader
from ibgn.text import printable, quote

__all__ = ["read_cvat"]

Unclosed = Literal["last", "end", "drop", "error"]
Unknown = Literal["error", "drop"]

CLOSED: dict[str, tuple[Part, ...]] = {
    "last": (
        "taken to its last frame, ",
        Option("unclosed", "end"),
        " takes it to the end of the video",
    ),
    "end": ("taken to the end of the video",),
    "drop": ("dropped from where it was last outside",),
}
NOT_SHAPES = ("attribute", "track")  # of a track as a whole, and of the points of a skeleton
FRAME = re.compile(r"[0-9]{1,15}")
STEP = re.compile(r"step\s*=\s*([0-9]{1,9})")


def _sniff(head: Head) -> float:
    """Tell an export by its root and what is in it."""
    if head.json is not None:
        return CERTAIN if is_dump(head.json) else 0.0
    if head.xml is None or head.xml.tag != "annotations":
        return 0.0
    return CERTAIN if head.xml.tags & {"meta", "track", "image"} else LIKELY


def _outline(files: Files) -> Iterator[Entry]:
    """Attributes of objects and tags."""
    values: dict[str, list[str]] = {}
    for file in files:
        for element in parse(file).iterfind(".//attribute"):
            if "name" in element.attrib:
                values.setdefault(element.attrib["name"], []).append(element.text or "")
    for name, each in values.items():
        yield Entry.of("attribute", name, each, Option("attribute", name))


@reader(
    "cvat", also=(".xml",), about="CVAT for video 1.1, and backups", sniff=_sniff, outline=_outline
)
def read_cvat(
    files: Files,
    *,
    rate: float | None = None,
    attribute: str | None = None,
    unclosed: Unclosed = "last",
    unknown: Unknown = "error",
    overlaps: Overlaps = "keep",
) -> Iterator[Recording]:
    r"""Read an export of CVAT, "CVAT for video 1.1"; a file is an instance.

    The file is annotations.xml from "Export task dataset" in the menu of a task of CVAT, in that
    format; in that of a project, each task is an instance. The annotations.json of a backup, or of
    the interface for programs, is read alike. An object is there from its first frame
    up to the frame at which it is "outside"; frame 50 at 25 frames per second is at 2 seconds. The
    label is the track; it is also the value, unless an attribute is chosen. Tags of frames that
    follow each other are one stretch, and so are the objects of a label in "CVAT for images", where
    its images are frames of a video.

    Parameters
    ----------
    rate : frames per second; by default what the file says, which CVAT seldom writes, and
        otherwise times are frames, with a warning
    attribute : name of the attribute whose value names the action, each value for as long as it
        stays the same; by default the label names the action
    unclosed : what to do with an object that is never "outside": let it last until its
        "last" frame or the "end" of the video, "drop" it, or "error". Counted, unless the last
        frame is the end.
    unknown : what to do with objects and frames without the attribute, and with entries that are
        neither tracks nor tags: "error", or "drop" them with a count
    overlaps : what to do with an object that is there while another of the same label and value
        is: "keep" it, "merge" the two, both with a warning, or "error"

    Returns
    -------
    X : the files, times in seconds
    y : (n,) one activity per file, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tea_01.xml"
    >>> _ = path.write_text('''<annotations><version>1.1</version><track id="0" label="cup">
    ...     <box frame="0" outside="0" keyframe="1"><attribute name="state">empty</attribute></box>
    ...     <box frame="50" outside="0" keyframe="1"><attribute name="state">full</attribute></box>
    ...     <box frame="75" outside="1" keyframe="1"><attribute name="state">full</attribute></box>
    ...     </track></annotations>''')
    >>> X, y = read_cvat(path, rate=25, attribute="state", activity="file")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea_01.xml: empty [0, 2), full [2, 3)
    """
    objects = _Objects(files, rate, attribute, unclosed, unknown)
    recordings = (recording for file in files for recording in objects.recordings(file))
    yield from settle_overlaps(recordings, overlaps, files)
    objects.check_attribute()


class _Video(NamedTuple):
    """What a file says of its video: frames per second, frames between two, and the last frame."""

    rate: float
    step: int
    last: int | None
    source: str

    @classmethod
    def of(cls, root: Element, rate: float | None, files: Files, source: str) -> "_Video":
        if rate is None:
            rates = [root.findtext(f".//{name}") for name in ("fps", "frame_rate", "framerate")]
            rate = next((as_number(text) for text in rates if text), None)
            if rate is None or not 0 < rate < float("inf"):
                rate = 1.0
                files.leave_out(
                    " without the frames per second, so that times are frames; ",
                    Option("rate"),
                    " makes them seconds",
                    noun="file",
                )
        match = STEP.search(root.findtext(".//frame_filter") or "")
        step = max(int(match[1]), 1) if match else 1
        names = ("stop_frame", "size", "start_frame")
        texts = [(root.findtext(f".//{name}") or "").strip() for name in names]
        stop, size, start = (int(text) if FRAME.fullmatch(text) else None for text in texts)
        if stop is None and size is not None:
            stop = (start or 0) + (size - 1) * step
        return cls(float(rate), step, stop, source)


class _Shape(NamedTuple):
    """An object at a frame: its value there, or None where it is outside."""

    frame: int
    value: str | None


@dataclass(frozen=True)
class _Objects:
    """Checked options, and the attributes that objects were seen to have."""

    files: Files
    rate: float | None
    attribute: str | None
    unclosed: Unclosed
    unknown: Unknown
    attributes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        check_names(attribute=self.attribute)
        check_choice("unclosed", self.unclosed, get_args(Unclosed))
        check_choice("unknown", self.unknown, get_args(Unknown))
        if self.rate is not None:
            check_number("rate", self.rate, "positive", lambda value: value > 0)

    def recordings(self, file: InputFile) -> Iterator[Recording]:
        """Recording of a file, or of each task of a project, whose frames are its own."""
        root, source = parse(file), file.prefix
        _refuse_others(root, source)
        tasks = dict.fromkeys(e.get("task_id") for e in root if e.get("task_id"))
        if len(tasks) < 2:
            video = _Video.of(root, self.rate, self.files, source)
            yield Recording(file.name, self._annotations(root, video))
            return
        about = {task.findtext("id", "").strip(): task for task in root.iterfind("meta//task")}
        names = {key: task.findtext("name", "").strip() for key, task in about.items()}
        for key in tasks:
            of_task = [e for e in root if e.get("task_id", key) == key]
            video = _Video.of(about.get(str(key), root), self.rate, self.files, source)
            distinct = list(names.values()).count(names.get(str(key), "")) == 1
            name = names[str(key)] if distinct and names[str(key)] else key
            yield Recording(f"{file.name}#{name}", self._annotations(of_task, video))

    def _annotations(self, root: Iterable[Element], video: "_Video") -> list[Annotation]:
        """Stretches of all tracks and tags."""
        annotations, source = [], video.source
        tags: dict[tuple[str, str], set[int]] = {}
        for number, element in enumerate(root):
            if element.tag == "track":
                annotations += self._of_track(element, f"track {number}", video)
            elif element.tag in ("tag", "image"):
                is_tag = element.tag == "tag"
                frame = element.get("frame" if is_tag else "id", "")
                for noted in [element] if is_tag else element:
                    label, place = noted.get("label", ""), f"{element.tag} {number}"
                    shape = self._shape(noted, frame, place, video, label)
                    if shape.value is not None:
                        tags.setdefault((label, shape.value), set()).add(shape.frame)
            elif element.tag not in ("version", "meta"):
                self._leave_out("entry", f"<{printable(element.tag)}> and no track or tag", source)
        for (label, value), frames in tags.items():
            # an end after each tagged frame that no other follows
            ends = {frame + video.step for frame in frames} - frames
            shapes = [_Shape(n, value if n in frames else None) for n in sorted(frames | ends)]
            annotations += _stretches(label, shapes, "tags", video)
        return annotations

    def check_attribute(self) -> None:
        """Refuse an attribute that nothing has."""
        if self.attribute is not None and self.attribute not in self.attributes:
            listed = ", ".join(quote(name) for name in sorted(self.attributes)[:20]) or "none"
            raise DataError(
                f"{self.files.prefix}there is no attribute {quote(self.attribute)}; there are "
                f"{listed}"
            )

    def _of_track(self, track: Element, number: str, video: _Video) -> list[Annotation]:
        label = track.get("label", "")
        place = f"{number} ({quote(label)})"
        shapes = [
            self._shape(element, element.get("frame", ""), place, video, label)
            for element in track
            if element.tag not in NOT_SHAPES
        ]
        shapes.sort(key=lambda shape: shape.frame)
        for shape, following in pairwise(shapes):
            if shape.frame == following.frame:
                raise DataError(f"{video.source}{place}: frame {shape.frame} appears twice")
        if shapes and shapes[-1].value is not None:
            shapes = self._closed(shapes, place, video)
        return _stretches(label, shapes, place, video)

    def _shape(self, element: Element, frame: str, place: str, video: _Video, label: str) -> _Shape:
        if not FRAME.fullmatch(frame):
            raise DataError(
                f"{video.source}{place}: the frame is {quote(frame)}; it must be a whole number"
            )
        if _is_outside(element):
            return _Shape(int(frame), None)
        values = {a.get("name", ""): a.text or "" for a in element.findall("attribute")}
        self.attributes.update(values)
        if self.attribute is None:
            return _Shape(int(frame), label)
        if self.attribute not in values:
            where = f"{video.source}{place}, frame {frame}"
            there = f"; it has {', '.join(map(quote, values)) or 'none'}"
            self._leave_out("frame", f"of an object without {quote(self.attribute)}", where, there)
        return _Shape(int(frame), values.get(self.attribute))

    def _closed(self, shapes: list[_Shape], place: str, video: _Video) -> list[_Shape]:
        """Shapes of an object that is never outside, with an end, or none."""
        after = shapes[-1].frame + video.step
        if video.last is not None and after > video.last:
            return [*shapes, _Shape(after, None)]
        if self.unclosed == "error" or (self.unclosed == "end" and video.last is None):
            raise DataError(
                f"{video.source}{place}: the object is never outside, and has no known end; "
                "close it in CVAT, or use ",
                Option("unclosed", "last"),
            )
        self.files.leave_out(": never outside; ", *CLOSED[self.unclosed], noun="object")
        if self.unclosed == "drop":
            outside = [place for place, shape in enumerate(shapes) if shape.value is None]
            return shapes[: outside[-1] + 1] if outside else []
        if self.unclosed == "end" and video.last is not None:
            after = video.last + 1
        return [*shapes, _Shape(after, None)]

    def _leave_out(self, noun: str, what: str, where: str, there: str = "") -> None:
        if self.unknown == "error":
            drop = Option("unknown", "drop")
            raise DataError(f"{where}: a {noun} {what}{there}; correct it, or use ", drop)
        refused = Option("unknown", "error")
        self.files.leave_out(f": {what}; dropped, ", refused, " refuses them", noun=noun)


def _is_outside(shape: Element) -> bool:
    """Tell whether an object is not there; a skeleton is not where none of its points is."""
    if shape.tag == "skeleton" and "outside" not in shape.attrib:
        parts = [part for part in shape if part.tag not in NOT_SHAPES]
        return bool(parts) and all(_is_outside(part) for part in parts)
    return shape.get("outside", "0") == "1"


def _refuse_others(root: Element, source: str) -> None:
    if root.tag != "annotations":
        raise DataError(f"{source}the root is <{printable(root.tag)}>, not <annotations> of CVAT")
    if root.find("image") is not None and not _is_video(root):
        raise DataError(
            f"{source}the file is in the format 'CVAT for images', and its pictures are of no "
            "video, so that it holds no times; export a video as 'CVAT for video 1.1'"
        )


def _is_video(root: Element) -> bool:
    """Tell whether the pictures are frames of a video, which CVAT calls interpolation."""
    return (root.findtext("meta//mode") or "").strip() == "interpolation"


def _stretches(label: str, shapes: Iterable[_Shape], place: str, video: _Video) -> list[Annotation]:
    """Runs of the same value, each up to the frame at which another one begins."""
    stretches = []
    first: _Shape | None = None
    for shape in shapes:
        if first is None or shape.value != first.value:
            if first is not None and first.value is not None:
                start, end = first.frame / video.rate, shape.frame / video.rate
                where = f"{place}, frame {first.frame}"
                stretches.append(Annotation(label, first.value, start, end, where))
            first = shape
    return stretches
