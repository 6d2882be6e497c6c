"""ActivityNet: one JSON file of videos, each with labelled segments."""

from typing import Unpack, get_args

from ibgn._files import Source, reading
from ibgn.checks import check_choice
from ibgn.errors import DataError
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
)
from ibgn.io.json import Node, parse_json
from ibgn.io.table import Labels, LongTable
from ibgn.text import quote

__all__ = ["load_activitynet", "read_activitynet"]

TRACK = "segment"
LABELS = ("class", "label")  # what data sets call the label of a whole video


def read_activitynet(
    path: Source,
    *,
    subset: str | None = None,
    overlaps: Overlaps = "keep",
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    r"""Read a file in the layout of the ActivityNet data set; a video is an instance.

    Many data sets are published so (ActivityNet, HACS, FineAction, THUMOS as converted by tools
    for temporal action detection): {"database": {"video": {"subset": "training", "duration": 9,
    "annotations": [{"segment": [0, 2.5], "label": "reach"}]}}}, with times in seconds.

    Parameters
    ----------
    path : JSON file, or compressed (.gz, .bz2, .xz)
    subset : only videos of this subset, as "training"; by default all
    overlaps : what to do with a segment that overlaps one of the same label and video: "keep" it,
        "merge" the two, both with a count, or "error"
    **options : tracks, action, activity, crossing, label, group of `ibgn.io.annotations.Choices`,
        and closed, tick, tolerance, zero_length, min_duration, duplicates of
        `ibgn.cleaning.Cleaning`. The name of a video is its path, for label= and group=; without
        label= the field "class" or "label" of a video is its label, where there is one. All
        segments are on the track "segment".

    Returns
    -------
    X : the videos, those without segments too
    y : (n,) one label a video, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.json"
    >>> _ = path.write_text('''{"database": {"tea_01": {"subset": "training", "annotations": [
    ...     {"segment": [0, 2.5], "label": "boil"}, {"segment": [2.5, 4], "label": "pour"}]}}}''')
    >>> X, y = read_activitynet(path, label="([a-z]+)_")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea_01: boil [0, 2.5), pour [2.5, 4)
    >>> y
    array(['tea'], dtype=object)
    """
    choices, cleaning = split_options(options)
    table = load_activitynet(path, subset=subset, overlaps=overlaps, **vars(choices))
    return table.read(cleaning)


def load_activitynet(
    path: Source,
    *,
    subset: str | None = None,
    overlaps: Overlaps = "keep",
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the segments of all videos as they are; options as for `read_activitynet`."""
    chosen = Choices(**choices)
    check_choice("overlaps", overlaps, get_args(Overlaps))
    check_names(subset=subset)
    with reading(path) as recording:
        videos = list(_database(parse_json(recording)).members())
    if subset is not None:
        videos = _of_subset(videos, subset, recording.prefix)
    own_label = chosen.label is None and chosen.activity is None
    takes = [_take(name, video, own_label) for name, video in videos]
    takes = settle_overlaps(takes, overlaps, recording.prefix, chosen.tracks)
    return to_table(takes, chosen, recording.prefix)


def _database(root: Node) -> Node:
    if root.has("database"):
        return root.child("database")
    if root.has("results"):
        raise root.error('"results" are what a detector found; read the file with a "database"')
    if isinstance(root.value, list) or root.has("annotations"):
        raise root.error(
            "annotations of all videos in one list are another layout; make it "
            '{"database": {"video": {"annotations": [...]}}} first'
        )
    raise root.error('there is no "database" of videos; is it in the layout of ActivityNet?')


def _of_subset(videos: list[tuple[str, Node]], subset: str, source: str) -> list[tuple[str, Node]]:
    subsets = [video.child("subset").name() if video.has("subset") else "" for _, video in videos]
    if subset not in subsets:
        listed = ", ".join(quote(name) for name in sorted(set(subsets) - {""})[:20]) or "none"
        raise DataError(f"{source}there is no subset {quote(subset)}; there are {listed}")
    return [video for video, its in zip(videos, subsets, strict=True) if its == subset]


def _take(name: str, video: Node, own_label: bool) -> Take:
    annotations = [_annotation(segment) for segment in video.child("annotations").items()]
    label = next((video.child(field).name() for field in LABELS if video.has(field)), None)
    known = {"label": label} if own_label and label is not None else {}
    return Take(name, annotations, known)


def _annotation(node: Node) -> Annotation:
    times = node.child("segment").items(least=2)
    if len(times) > 2:
        raise node.child("segment").error(f"[start, end] is wanted, got {len(times)} values")
    start, end = (time.number() for time in times)
    return Annotation(TRACK, node.child("label").name(), start, end, node.path)
