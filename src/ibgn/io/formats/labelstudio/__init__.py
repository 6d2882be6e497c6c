"""Label Studio: tasks with labelled stretches of time series, audio and video."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, get_args

from ibgn.checks import check_choice, check_number
from ibgn.errors import DataError, Option, OptionError, Part
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.formats.labelstudio.frames import BOXES, FRAMED, find_frames
from ibgn.io.formats.labelstudio.results import (
    is_choice,
    moments_of,
    results_of,
    tag_of,
    users_of,
)
from ibgn.io.formats.labelstudio.tasks import (
    ANNOTATIONS,
    PREDICTIONS,
    TIMED,
    Task,
    is_table,
    parse_export,
    read_tasks,
)
from ibgn.io.head import CERTAIN, LIKELY, Head
from ibgn.io.outline import Entry
from ibgn.io.parsing.json import Node
from ibgn.io.registry import reader
from ibgn.text import number_repeats, printable, quote

__all__ = ["read_labelstudio"]

Unknown = Literal["error", "drop"]

EPOCH_MS = 1e11  # seconds since 1970 are less for thousands of years


def _sniff(head: Head) -> float:
    """Tell an export by its tasks, whose annotations have results."""
    if head.json is None:
        worked_on = "lead_time" in head.rows[0] or any("[{" in line for line in head.lines[1:])
        return CERTAIN if is_table(head.rows[0]) and worked_on else 0.0
    first = head.json[0] if isinstance(head.json, list) else head.json
    listed = [first.get(key) or [{}] for key in (*ANNOTATIONS, PREDICTIONS)]
    within = [*(each[0] for each in listed), first.get("annotation") or {}]
    if any("result" in each for each in within) or {"result", "task"} <= first.keys():
        return CERTAIN
    if "result" in first and first["result"][0].keys() >= {"from_name", "value"}:
        return CERTAIN  # what a model found
    if "data" in first and ("annotations" in first or "completions" in first):
        return LIKELY  # a task that nobody has worked on
    fields = [value[0] if isinstance(value, list) and value else value for value in first.values()]
    noted = [value.keys() for value in fields if isinstance(value, dict)]
    timed = [keys for keys in noted if keys & {"start", "ranges", "sequence"}]
    return LIKELY if any(keys & {*TIMED, *FRAMED} for keys in timed) else 0.0  # JSON-MIN


def _outline(files: Files) -> Iterator[Entry]:
    """Choices for whole tasks, and who annotated."""
    choices: dict[str, list[str]] = {}
    users: Counter[str] = Counter()
    for file in files:
        for task in read_tasks(parse_export(file)):
            for annotation in task.annotations:
                users.update(sorted(users_of(annotation))[:1])
                for result in results_of(annotation):
                    if is_choice(result):
                        picked = result.child("value").child("choices").items()
                        choices.setdefault(tag_of(result), []).extend(c.name() for c in picked)
    for tag, values in choices.items():
        yield Entry.of("choice", tag, values, Option("activity", f"choice:{tag}"))
    for user, number in users.items() if len(users) > 1 else ():
        yield Entry("annotator", user, number, chosen_by=Option("annotator", user))


@reader(
    "labelstudio",
    also=(".json", ".csv", ".tsv"),
    about="exports of Label Studio",
    activity=("track", "choice"),
    sniff=_sniff,
    outline=_outline,
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

    The file is written by "Export" and then "JSON" or "JSON-MIN" in a project of Label Studio, or
    by a cloud storage, one annotation per file; where nobody labelled a task, what a model found is
    read, with a warning. Labels of time series (TimeSeriesLabels), of audio
    (Labels) and of video (TimelineLabels, and VideoRectangle for as long as an object is shown) are
    read; date-times become seconds since the first of the task. A tag of the labeling interface is
    a track, by its name. activity="choice:meal" takes the choice in the tag Choices named "meal".

    Parameters
    ----------
    rate : frames per second, for labels of video only. These count frames from 1, and the last
        frame belongs to the range: 1 to 50 at 25 frames per second is [0, 2). By default times
        are frames, with a warning.
    annotator : which annotation of a task is used: the "first" in the file, the "last", or that
        of a user, by id or e-mail address. Cancelled annotations and those of others are counted,
        and so are tasks without any left.
    instance : field of the data of a task that names it, as "video"; by default its id, or the
        name of the file that it is about. activity= and group= search in it as the path. Where
        several files are read, the path of the file comes before it.
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
    """Checked options, and what was seen: tags of choices, and results that were left out."""

    files: Files
    rate: float | None
    annotator: str | int
    instance: str | None
    unknown: Unknown
    choice_tags: set[str] = field(default_factory=set)
    others: Counter[str] = field(default_factory=Counter)  # kinds of results that were left out

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
        is_timed = False
        for file in self.files:
            within = f"{file.name}#" if len(self.files) > 1 else ""
            tasks = enumerate(read_tasks(parse_export(file)), 1)
            every = [self._recording(task, number, within) for number, task in tasks]
            of_file = [recording for recording in every if recording is not None]
            names = [recording.name for recording in of_file]
            self.files.leave_out(
                ": of a name that another has; numbered, ",
                Option("instance"),
                " names another field",
                noun="task",
                number=len(names) - len(set(names)),
            )
            for recording, name in zip(of_file, number_repeats(names), strict=True):
                is_timed = is_timed or bool(recording.annotations)
                yield replace(recording, name=name)
        if self.others.total() and not is_timed:
            kinds = ", ".join(quote(kind) for kind, _ in self.others.most_common(5))
            raise DataError(
                f"{self.files.prefix}no result is a labelled stretch of time; labels of images and "
                f"text have no time (there are results of type {kinds})"
            )
        if self.label_tag is not None and self.label_tag not in self.choice_tags:
            listed = ", ".join(quote(name) for name in sorted(self.choice_tags)[:20]) or "none"
            raise DataError(
                f"{self.files.prefix}there are no choices of a tag {quote(self.label_tag)}; there "
                f"are {listed}"
            )

    def _recording(self, task: Task, number: int, within: str) -> Recording | None:
        """Recording of a task, or None where it has no annotation to take."""
        if task.is_predicted:
            self.files.leave_out(
                " without an annotation: the prediction of a model is read instead", noun="task"
            )
        annotation = self._choose(task.annotations)
        if annotation is None:
            self.files.leave_out(": left out, without an annotation to take", noun="task")
            return None
        results = results_of(annotation)
        known = {} if self.label_tag is None else self._label(results)
        if self.label_tag is not None and self.label_tag in task.data:
            self.choice_tags.add(self.label_tag)
            known.setdefault("label", task.data[self.label_tag])
        first = min((moment for r in results for moment in moments_of(r)), default=None)
        stretches = [note for result in results for note in self._annotations(result, first)]
        name = task.own_name or f"task {number}"
        if self.instance is not None:
            name = Node(task.data, task.node.prefix, task.node, "data").child(self.instance).name()
        return Recording(f"{within}{name}", stretches, known)

    def _choose(self, everyone: list[Node]) -> Node | None:
        """The annotation of a task to use, or None."""
        valid = [
            annotation
            for annotation in everyone
            if not annotation.has("was_cancelled")
            or annotation.child("was_cancelled").value is not True
        ]
        fitting = valid
        if self.annotator not in ("first", "last"):
            fitting = [by for by in valid if str(self.annotator) in users_of(by)]
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
        if not is_choice(result):
            return False
        self.choice_tags.add(tag_of(result))
        return tag_of(result) == self.label_tag

    def _annotations(self, result: Node, first: datetime | None) -> Iterator[Annotation]:
        """Stretches of a result; date-times become seconds since the first of the task."""
        kind = result.child("type").name()
        if self._is_label(result):
            return
        if kind in FRAMED:
            stretches = self._seconds(find_frames(result))
        elif (
            kind in TIMED
            and (value := result.child("value")).has("start")
            and value.has("end")
            and not value.has("text")  # stretches of text have a start and an end too
        ):
            moments = [] if first is None else [m - first for m in moments_of(result)]
            start, end = (
                [moment.total_seconds() for moment in moments]
                if len(moments) == 2
                else [value.child(name).number(name) for name in ("start", "end")]
            )
            if min(start, end) >= EPOCH_MS:
                said = ": times are milliseconds since 1970, and are given in seconds"
                self.files.leave_out(said, noun="result")
                start, end = start / 1000, end / 1000
            stretches = [(start, end)]
        else:
            self._leave_out(kind, result)
            return
        tags = result.child("value").first("labels" if kind == BOXES else kind)
        labels = [] if tags is None else [label.name() for label in tags.items()]
        for start, end in stretches:
            for label in labels or [""]:
                yield Annotation(tag_of(result), label, start, end, result.path)

    def _seconds(self, frames: list[tuple[float, float]]) -> list[tuple[float, float]]:
        if self.rate is None:
            self.files.leave_out(
                ": of frames, which times are counted in; ",
                Option("rate"),
                ", the frames per second, makes them seconds",
                noun="range",
                number=len(frames),
            )
        rate = 1.0 if self.rate is None else self.rate
        return [((first - 1) / rate, last / rate) for first, last in frames]

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
        self.others[kind] += kind != "choices"
        self.files.leave_out(f": of type '{printable(kind)}', left out", *advice, noun="result")
