"""Label Studio: tasks with labelled stretches of time series, audio and video."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ibgn.checks import check_choice, check_number
from ibgn.errors import DataError, Option, OptionError, Part
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.registry import reader
from ibgn.text import printable, quote

__all__ = ["read_labelstudio"]

Unknown = Literal["error", "drop"]
TIMED = ("timeserieslabels", "labels")  # kinds of results with a start and an end
FRAMED = "timelinelabels"  # with ranges of frames


def _sniff(head: Head) -> float:
    """Tell an export by its tasks, whose annotations have results."""
    return CERTAIN if "result" in head.json[0]["annotations"][0] else 0.0


@reader(
    "labelstudio",
    also=(".json",),
    about="exports of Label Studio",
    activity=("track", "choice"),
    sniff=_sniff,
)
def read_labelstudio(
    files: Files,
    *,
    rate: float | None = None,
    annotator: str | int = "first",
    instance: str | None = None,
    unknown: Unknown = "error",
    overlaps: Overlaps = "keep",
) -> Iterator[Recording]:
    r"""Read an export of Label Studio; a task is an instance.

    The file is written by "Export" and then "JSON" in a project of Label Studio, not "JSON-MIN".
    Labels of time series (TimeSeriesLabels), of audio (Labels) and of video (TimelineLabels) are
    read. A tag of the labeling interface is a track, by its name. activity="choice:meal" takes the
    choice in the tag Choices named "meal".

    Parameters
    ----------
    rate : frames per second, needed for TimelineLabels only. These count frames from 1, and the
        last frame belongs to the range: 1 to 50 at 25 frames per second is [0, 2).
    annotator : which annotation of a task is used: the "first" in the file, the "last", or that
        of a user, by id or e-mail address. Cancelled annotations and those of others are counted,
        and so are tasks without any left.
    instance : field of the data of a task that names it, as "video"; by default its id. activity=
        and group= search in it as the path.
    unknown : what to do with other results (regions of images, text, relations): "error", or
        "drop" them with a count
    overlaps : what to do with a stretch that overlaps one of the same tag and label: "keep" it,
        "merge" the two, both with a warning, or "error"

    Returns
    -------
    X : the tasks
    y : (n,) one activity per task, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "export.json"
    >>> _ = path.write_text('''[{"id": 7, "data": {"audio": "a.wav"}, "annotations": [{"result": [
    ...     {"type": "labels", "from_name": "sound", "value": {"start": 0, "end": 2.5,
    ...      "labels": ["boil"]}},
    ...     {"type": "choices", "from_name": "what", "value": {"choices": ["tea"]}}]}]}]''')
    >>> X, y = read_labelstudio(path, instance="audio", activity="choice:what")
    >>> X
    IntervalSequences: 1 instance, 1 interval, 1 action
      a.wav: boil [0, 2.5)
    >>> y
    array(['tea'], dtype=object)
    """
    tasks = _Tasks(files, rate, annotator, instance, unknown)
    yield from settle_overlaps(tasks.recordings(), overlaps, files)


@dataclass(frozen=True)
class _Tasks:
    """Checked options, and the tags of choices that were seen."""

    files: Files
    rate: float | None
    annotator: str | int
    instance: str | None
    unknown: Unknown
    choice_tags: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        check_names(instance=self.instance)
        check_choice("unknown", self.unknown, get_args(Unknown))
        if self.rate is not None:
            check_number("rate", self.rate, "positive", lambda value: value > 0)
        if isinstance(self.annotator, bool) or not isinstance(self.annotator, str | int):
            raise OptionError(
                "annotator",
                self.annotator,
                "must be 'first', 'last', or the id or e-mail address of a user",
            )

    @property
    def label_tag(self) -> str | None:
        """Tag whose choice is the activity."""
        return self.files.choices.name_of("activity", "choice")

    def recordings(self) -> Iterator[Recording]:
        """One for each task that has an annotation."""
        for file in self.files:
            of_file = list(self._of_file(parse_json(file)))
            times = Counter(recording.name for recording in of_file)
            twice = next((name for name, number in times.items() if number > 1), None)
            if twice is not None:
                raise DataError(
                    f"{file.prefix}{times[twice]} tasks have the name {quote(twice)}; give "
                    "another ",
                    Option("instance"),
                    ", or none to use their ids",
                )
            yield from of_file
        if self.label_tag is not None and self.label_tag not in self.choice_tags:
            listed = ", ".join(quote(name) for name in sorted(self.choice_tags)[:20]) or "none"
            raise DataError(
                f"{self.files.prefix}there are no choices of a tag {quote(self.label_tag)}; there "
                f"are {listed}"
            )

    def _of_file(self, root: Node) -> Iterator[Recording]:
        for task in root.items():
            if not task.has("annotations"):
                raise task.error(
                    'there are no "annotations"; export as "JSON", not "JSON-MIN" or another'
                )
            annotation = self._choose(task.child("annotations"))
            if annotation is None:
                self.files.leave_out(": left out, without an annotation to take", noun="task")
                continue
            results = annotation.child("result").items()
            known = {} if self.label_tag is None else self._label(results)
            stretches = [note for result in results for note in self._annotations(result)]
            name = (
                task.child("data").child(self.instance)
                if self.instance is not None
                else task.child("id")
            )
            yield Recording(name.name(), stretches, known)

    def _choose(self, annotations: Node) -> Node | None:
        """The annotation of a task to use, or None."""
        everyone = annotations.items()
        valid = [
            annotation
            for annotation in everyone
            if not annotation.has("was_cancelled")
            or annotation.child("was_cancelled").value is not True
        ]
        fitting = valid
        if self.annotator not in ("first", "last"):
            fitting = [by for by in valid if str(self.annotator) in _users(by)]
        cancelled = len(everyone) - len(valid)
        self.files.leave_out(": left out", noun="cancelled annotation", number=cancelled)
        self.files.leave_out(
            ": left out for another one; ",
            Option("annotator"),
            " chooses",
            noun="annotation",
            number=len(valid) - bool(fitting),
        )
        if not fitting:
            return None
        return fitting[0] if self.annotator == "first" else fitting[-1]

    def _label(self, results: list[Node]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for result in results:
            if self._is_label(result):
                picked = result.child("value").child("choices")
                names = [choice.name() for choice in picked.items()]
                if len(names) != 1 or known.setdefault("label", names[0]) != names[0]:
                    raise picked.error("one choice per task is needed, to be its activity")
        return known

    def _is_label(self, result: Node) -> bool:
        if not (result.has("type") and result.child("type").value == "choices"):
            return False
        if result.child("value").has("start"):  # a choice for one stretch only
            return False
        self.choice_tags.add(_tag(result))
        return _tag(result) == self.label_tag

    def _annotations(self, result: Node) -> Iterator[Annotation]:
        kind = result.child("type").name()
        if self._is_label(result):
            return
        if kind == FRAMED:
            stretches = self._frames(result.child("value").child("ranges"))
        elif (
            kind in TIMED
            and (value := result.child("value")).has("start")
            and value.has("end")
            and not value.has("text")  # stretches of text have a start and an end too
        ):
            stretches = [(value.child("start").number("start"), value.child("end").number("end"))]
        else:
            self._leave_out(kind, result)
            return
        labels = [label.name() for label in result.child("value").child(kind).items()]
        for start, end in stretches:
            for label in labels or [""]:
                yield Annotation(_tag(result), label, start, end, result.path)

    def _frames(self, ranges: Node) -> list[tuple[float, float]]:
        if self.rate is None:
            raise ranges.error(
                "labels of video are in frames; give ", Option("rate"), ", the frames per second"
            )
        frames = [(stretch.child("start"), stretch.child("end")) for stretch in ranges.items()]
        return [
            ((start.number("frame") - 1) / self.rate, end.number("frame") / self.rate)
            for start, end in frames
        ]

    def _leave_out(self, kind: str, result: Node) -> None:
        advice: tuple[Part, ...] = ()
        if kind == "choices":
            advice = ("; ", Option("activity", "choice:..."), " makes them activities")
        if self.unknown == "error":
            raise result.error(
                f"a result of type {quote(kind)} is not a labelled stretch of time; ",
                Option("unknown", "drop"),
                " leaves such results out",
                *advice,
            )
        self.files.leave_out(f": of type '{printable(kind)}', left out", *advice, noun="result")


def _users(annotation: Node) -> set[str]:
    """Names of the user who made an annotation: id and e-mail address."""
    if not annotation.has("completed_by"):
        return set()
    user = annotation.child("completed_by")
    if isinstance(user.value, dict):
        return {user.child(key).name() for key in ("id", "email") if user.has(key)}
    return {user.name()}


def _tag(result: Node) -> str:
    return result.child("from_name").name()
