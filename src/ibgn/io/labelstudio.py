"""Label Studio: tasks with labelled stretches of time series, audio and video."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack, get_args

from ibgn._files import Source, reading
from ibgn.checks import check_choice, check_number
from ibgn.errors import DataError, OptionError
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
from ibgn.text import printable, quote

__all__ = ["load_labelstudio", "read_labelstudio"]

Unknown = Literal["drop", "error"]
TIMED = ("timeserieslabels", "labels")  # kinds of results with a start and an end
FRAMED = "timelinelabels"  # with ranges of frames


def read_labelstudio(
    path: Source,
    *,
    fps: float | None = None,
    annotator: str | int = "first",
    name_field: str | None = None,
    label_choice: str | None = None,
    unknown: Unknown = "drop",
    overlaps: Overlaps = "keep",
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    r"""Read an export of Label Studio; a task is an instance.

    The file is what "Export" and then "JSON" in a project of Label Studio writes, not "JSON-MIN".
    Labels of time series (TimeSeriesLabels), of audio (Labels) and of video (TimelineLabels) are
    read. A tag of the labeling interface is a track, by its name.

    Parameters
    ----------
    path : JSON file, or compressed (.gz, .bz2, .xz)
    fps : frames a second, needed for TimelineLabels only. These count frames from 1, and the last
        frame belongs to the range: 1 to 50 at 25 frames a second is [0, 2).
    annotator : whose annotation of a task is taken: the "first" in the file, the "last", or that
        of a user, by id or e-mail address. Cancelled ones and those of others are counted, and so
        are tasks that are left without any.
    name_field : field of the data of a task that names it, as "video"; by default its id. It is
        the path from which label= and group= are found.
    label_choice : name of the tag Choices whose choice is the label of the task
    unknown : what to do with other results (regions of images, text, relations): "drop" them
        with a count, or "error"
    overlaps : what to do with a stretch that overlaps one of the same tag and label: "keep" it,
        "merge" the two, both with a count, or "error"
    **options : tracks, action, activity, crossing, label, group of `ibgn.io.annotations.Choices`,
        and closed, tick, tolerance, zero_length, min_duration, duplicates of
        `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the tasks
    y : (n,) one label a task, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "export.json"
    >>> _ = path.write_text('''[{"id": 7, "data": {"audio": "a.wav"}, "annotations": [{"result": [
    ...     {"type": "labels", "from_name": "sound", "value": {"start": 0, "end": 2.5,
    ...      "labels": ["boil"]}},
    ...     {"type": "choices", "from_name": "what", "value": {"choices": ["tea"]}}]}]}]''')
    >>> X, y = read_labelstudio(path, name_field="audio", label_choice="what")
    >>> X
    IntervalSequences: 1 instance, 1 interval, 1 action
      a.wav: boil [0, 2.5)
    >>> y
    array(['tea'], dtype=object)
    """
    choices, cleaning = split_options(options)
    table = load_labelstudio(
        path,
        fps=fps,
        annotator=annotator,
        name_field=name_field,
        label_choice=label_choice,
        unknown=unknown,
        overlaps=overlaps,
        **vars(choices),
    )
    return table.read(cleaning)


def load_labelstudio(
    path: Source,
    *,
    fps: float | None = None,
    annotator: str | int = "first",
    name_field: str | None = None,
    label_choice: str | None = None,
    unknown: Unknown = "drop",
    overlaps: Overlaps = "keep",
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the labels of all tasks as they are; options as for `read_labelstudio`."""
    chosen = Choices(**choices)
    check_choice("overlaps", overlaps, get_args(Overlaps))
    check_names(name_field=name_field, label_choice=label_choice)
    if label_choice is not None and (chosen.label or chosen.activity):
        raise OptionError("the label comes from label_choice=, label= or activity=; give one")
    reader = _Reader(fps, annotator, name_field, label_choice, unknown)
    with reading(path) as recording:
        root = parse_json(recording)
    takes = list(reader.takes(root))
    _refuse_repeated(takes, recording.prefix)
    reader.check_labels(recording.prefix)
    warn_counts(reader.counts, recording.prefix)
    takes = settle_overlaps(takes, overlaps, recording.prefix, chosen.tracks)
    return to_table(takes, chosen, recording.prefix)


@dataclass(frozen=True)
class _Reader:
    """Options, and what was met on the way."""

    fps: float | None
    annotator: str | int
    name_field: str | None
    label_choice: str | None
    unknown: Unknown
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    choice_tags: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        check_choice("unknown", self.unknown, get_args(Unknown))
        if self.fps is not None:
            check_number("fps", self.fps, "positive", lambda value: value > 0)
        if isinstance(self.annotator, bool) or not isinstance(self.annotator, str | int):
            raise OptionError(
                f"annotator is 'first', 'last', or the id or e-mail address of a user; "
                f"got {quote(self.annotator)}"
            )

    def takes(self, root: Node) -> Iterator[Take]:
        """One for each task that has an annotation."""
        for task in root.items():
            if not task.has("annotations"):
                raise task.error(
                    'there are no "annotations"; export as "JSON", not "JSON-MIN" or another'
                )
            annotation = self._choose(task.child("annotations"))
            if annotation is None:
                self.counts["task", "left out, without an annotation to take"] += 1
                continue
            results = annotation.child("result").items()
            known = {} if self.label_choice is None else self._label(results)
            stretches = [one for result in results for one in self._annotations(result)]
            yield Take(self._name(task), stretches, known)

    def check_labels(self, source: str) -> None:
        """Refuse a tag for labels that no task has."""
        if self.label_choice is not None and self.label_choice not in self.choice_tags:
            listed = ", ".join(quote(name) for name in sorted(self.choice_tags)[:20]) or "none"
            raise DataError(
                f"{source}there are no choices of a tag {quote(self.label_choice)}; there are "
                f"{listed}"
            )

    def _name(self, task: Node) -> str:
        if self.name_field is None:
            return task.child("id").name()
        return task.child("data").child(self.name_field).name()

    def _choose(self, annotations: Node) -> Node | None:
        """Annotation to take of those of a task."""
        everyone = annotations.items()
        valid = [one for one in everyone if not _cancelled(one)]
        cancelled = len(everyone) - len(valid)
        fitting = valid
        if self.annotator not in ("first", "last"):
            fitting = [one for one in valid if str(self.annotator) in _users(one)]
        if cancelled:
            self.counts["cancelled annotation", "left out"] += cancelled
        others = len(valid) - bool(fitting)
        if others:
            self.counts["annotation", "left out for another one; annotator= chooses"] += others
        if not fitting:
            return None
        return fitting[0] if self.annotator == "first" else fitting[-1]

    def _label(self, results: list[Node]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for result in results:
            if self._is_label(result):
                picked = result.child("value").child("choices")
                names = [choice.name() for choice in picked.items()]
                if len(names) != 1 or found.setdefault("label", names[0]) != names[0]:
                    raise picked.error("one choice a task is wanted, to be its label")
        return found

    def _is_label(self, result: Node) -> bool:
        if not (result.has("type") and result.child("type").value == "choices"):
            return False
        if result.child("value").has("start"):  # a choice for one stretch only
            return False
        self.choice_tags.add(_tag(result))
        return _tag(result) == self.label_choice

    def _annotations(self, result: Node) -> Iterator[Annotation]:
        kind = result.child("type").name()
        if self._is_label(result):
            return
        if kind == FRAMED:
            stretches = self._frames(result.child("value").child("ranges"))
        elif kind in TIMED and _is_timed(result.child("value")):
            stretches = [_times(result.child("value"))]
        else:
            self._leave_out(kind, result)
            return
        labels = [label.name() for label in result.child("value").child(kind).items()]
        for start, end in stretches:
            for label in labels or [""]:
                yield Annotation(_tag(result), label, start, end, result.path)

    def _frames(self, ranges: Node) -> list[tuple[float, float]]:
        if self.fps is None:
            raise ranges.error("labels of video are in frames; give fps=, the frames a second")
        frames = [(one.child("start"), one.child("end")) for one in ranges.items()]
        return [
            ((start.number("frame") - 1) / self.fps, end.number("frame") / self.fps)
            for start, end in frames
        ]

    def _leave_out(self, kind: str, result: Node) -> None:
        if self.unknown == "error":
            raise result.error(
                f"a result of type {quote(kind)} is no labelled stretch of time; "
                "unknown='drop' leaves such results out"
            )
        advice = "; label_choice= makes them labels" if kind == "choices" else ""
        self.counts["result", f"of type '{printable(kind)}', left out{advice}"] += 1


def _cancelled(annotation: Node) -> bool:
    return annotation.has("was_cancelled") and annotation.child("was_cancelled").value is True


def _users(annotation: Node) -> set[str]:
    """Names that whoever made an annotation goes by: id, e-mail address."""
    if not annotation.has("completed_by"):
        return set()
    user = annotation.child("completed_by")
    if isinstance(user.value, dict):
        return {user.child(key).name() for key in ("id", "email") if user.has(key)}
    return {user.name()}


def _tag(result: Node) -> str:
    return result.child("from_name").name()


def _is_timed(value: Node) -> bool:
    """Tell stretches of time from those of text, which have a start and an end too."""
    return value.has("start") and value.has("end") and not value.has("text")


def _times(value: Node) -> tuple[float, float]:
    return value.child("start").number("start"), value.child("end").number("end")


def _refuse_repeated(takes: list[Take], source: str) -> None:
    times = Counter(take.name for take in takes)
    twice = next((name for name, number in times.items() if number > 1), None)
    if twice is not None:
        raise DataError(
            f"{source}{times[twice]} tasks go by the name {quote(twice)}; give another "
            "name_field=, or none to use their ids"
        )
