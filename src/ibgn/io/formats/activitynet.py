"""ActivityNet: one JSON file of videos, each with labelled segments."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ibgn.checks import as_number, check_number
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, LIKELY, Head
from ibgn.io.outline import Entry
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_activitynet"]

TRACK = "segment"
# what data sets and tools call these
VIDEOS = ("database", "results")
LABELS = ("class", "label")  # of a whole video
SUBSET = ("subset", "split")
SEGMENTS = ("annotations", "annotation", "actions", "timestamps")
ACTION = ("label", "sentence", "caption", "action", "label_name")
TEXTS = ("sentences", "labels")  # beside timestamps
RATES = ("fps", "frame_rate")
FRAMES = ("num_frames", "frame_num", "frames", "duration_frame")
ENDS = (("start", "end"), ("start_time", "end_time"), ("t_start", "t_end"))


def _sniff(head: Head) -> float:
    """Tell the layout by its videos, each with segments."""
    if isinstance(head.json.get("database"), dict):
        return CERTAIN
    results = head.json.get("results")
    videos = list((results if isinstance(results, dict) else head.json).values())[:20]
    listed = [video for video in videos if isinstance(video, list)]
    if any(isinstance(row.get("segment"), list) for video in listed for row in video[:1]):
        return LIKELY
    objects = [video for video in videos if isinstance(video, dict)]
    with_segments = [
        video for video in objects if video.keys() & set(SEGMENTS) and not _is_one_span(video)
    ]
    return LIKELY if len(with_segments) * 2 > len(objects) else 0.0


def _is_one_span(video: Mapping[str, Any]) -> bool:
    """Whether an object has the times of a single moment, and so is no video."""
    stamps = video.get("timestamps")
    return isinstance(stamps, list) and bool(stamps) and not isinstance(stamps[0], list)


def _outline(files: Files) -> Iterator[Entry]:
    """Subsets of videos."""
    subsets = Counter(
        found.name()
        for file in files
        for _, video in _videos(parse_json(file))
        if (found := video.first(*SUBSET))
    )
    for name, number in subsets.items():
        yield Entry("subset", name, number, chosen_by=Option("subset", name))


@reader(
    "activitynet",
    also=(".json",),
    about="videos with labelled segments, THUMOS",
    unit="s",
    unnamed=TRACK,
    sniff=_sniff,
    outline=_outline,
)
def read_activitynet(
    files: Files,
    *,
    subset: str | None = None,
    min_score: float | None = None,
    overlaps: Overlaps = "keep",
) -> Iterator[Recording]:
    r"""Read a file in the layout of the ActivityNet data set; a video is an instance.

    Many data sets are published in this layout (ActivityNet, HACS, FineAction, COIN, YouCook2,
    THUMOS as converted by tools for temporal action detection): {"database": {"video": {"subset":
    "training", "duration": 9, "annotations": [{"segment": [0, 2.5], "label": "reach"}]}}}, with
    times in seconds. The videos may also stand alone, without the "database". In place of
    "annotations" a video may have "actions": [["reach", 0, 2.5]], as Charades and MultiTHUMOS as
    converted for networks, or "timestamps": [[0, 2.5]] and "sentences": ["reach"], as captions.
    What a detector found, {"results": {"video": [{"segment": [0, 2.5], "label": "reach", "score":
    0.9}]}}, is read too.

    All segments are on the track "segment". The name of a video is its path, for activity= and
    group=; without activity= the field "class" or "label" of a video is its activity, if there
    is one.

    Parameters
    ----------
    subset : read only videos of this subset, for example "training"; by default all
    min_score : leave out, with a count, what a detector found with a lower score; by default
        everything is read, with a warning
    overlaps : what to do with a segment that overlaps one of the same label and video: "keep" it,
        "merge" the two, both with a warning, or "error"

    Returns
    -------
    X : the videos, including those without segments
    y : (n,) one activity per video, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.json"
    >>> _ = path.write_text('''{"database": {"tea_01": {"subset": "training", "annotations": [
    ...     {"segment": [0, 2.5], "label": "boil"}, {"segment": [2.5, 4], "label": "pour"}]}}}''')
    >>> X, y = read_activitynet(path, activity="([a-z]+)_")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea_01: boil [0, 2.5), pour [2.5, 4)
    >>> y
    array(['tea'], dtype=object)
    """
    check_names(subset=subset)
    if min_score is not None:
        check_number("min_score", min_score, "a number", lambda _: True)
    segments = _Segments(files, min_score)
    recordings = (
        recording for file in files for recording in _recordings(parse_json(file), subset, segments)
    )
    yield from settle_overlaps(recordings, overlaps, files)


def _recordings(root: Node, subset: str | None, segments: "_Segments") -> Iterator[Recording]:
    """Videos of one subset, or all."""
    videos = _videos(root)
    subsets = [found.name() if (found := video.first(*SUBSET)) else "" for _, video in videos]
    if subset is not None and subset not in subsets:
        listed = ", ".join(quote(name) for name in sorted(set(subsets) - {""})[:20]) or "none"
        raise DataError(f"{root.prefix}there is no subset {quote(subset)}; there are {listed}")
    own_label = segments.files.choices.activity is None
    kept = [each for each, its in zip(videos, subsets, strict=True) if subset in (None, its)]
    read = [(name, video, list(segments.of(video))) for name, video in kept]
    count_frames = any(_ends_late(video, own) for _, video, own in read)
    for name, video, own in read:
        label = video.first(*LABELS) if own_label else None
        known = {} if label is None else {"label": label.name()}
        rate = _number(video, RATES) if count_frames else None
        if rate:
            made = ": times are frames, made seconds by the frames per second named beside them"
            segments.files.leave_out(made, noun="video")
            own = [e._replace(start=e.start / rate, end=e.end / rate) for e in own]
        yield Recording(name, own, known)


def _ends_late(video: Node, segments: Iterable[Annotation]) -> bool:
    """Whether segments end after the end of a video, so that their times are its frames."""
    rate, frames = _number(video, RATES), _number(video, FRAMES)
    if not rate or not frames:
        return False
    return any(frames / rate + 1 < each.end <= frames + 1 for each in segments)


def _number(video: Node, names: Sequence[str]) -> float | None:
    """Number that a video has under one of some names."""
    found = video.first(*names)
    return None if found is None else as_number(found.value)


def _videos(root: Node) -> list[tuple[str, Node]]:
    """Videos by name: those of the database, or the members of the document themselves."""
    listed = isinstance(root.value, dict) and isinstance(root.value.get("annotations"), list)
    if isinstance(root.value, list) or listed:
        raise root.error(
            "annotations of all videos in one list are another layout; make it "
            '{"database": {"video": {"annotations": [...]}}} first'
        )
    within = root.first(*VIDEOS)
    if within is not None:
        return list(within.members())
    videos = [
        (name, video)
        for name, video in root.members()
        if isinstance(video.value, list) or video.first(*SEGMENTS) is not None
    ]
    if not videos:
        raise root.error(
            'there is no "database" of videos, and no video with "annotations"; is it in the '
            "layout of ActivityNet?"
        )
    return videos


@dataclass(frozen=True)
class _Segments:
    """Segments of videos, of which those with a low score are left out."""

    files: Files
    min_score: float | None

    def of(self, video: Node) -> Iterator[Annotation]:
        """Segments of a video, which may be nothing but their list."""
        if isinstance(video.value, list):
            yield from self._rows(video.items())
        elif video.has("timestamps"):
            stamps, texts = video.child("timestamps").items(), video.first(*TEXTS)
            labels = [] if texts is None else texts.items(least=len(stamps))
            for place, stamp in enumerate(stamps):
                yield self._annotation(stamp, labels[place] if labels else None, stamp)
        elif video.has("actions"):
            for row in video.child("actions").items():
                label, *times = row.items(least=3)
                yield self._annotation(row, label, *times[:2])
        else:
            segments = video.first(*SEGMENTS) or video.child("annotations")
            only = isinstance(segments.value, dict)  # Kinetics has one segment for each video
            yield from self._rows([segments] if only else segments.items())

    def _rows(self, rows: Sequence[Node]) -> Iterator[Annotation]:
        """Segments that are objects, with a label and perhaps a score."""
        for row in rows:
            score = row.child("score").number("score") if row.has("score") else None
            if score is not None and self.min_score is None:
                every = (": found by a detector and read, whatever the score; ",)
                advice = (Option("min_score", 0.5), " leaves out those with a lower one")
                self.files.leave_out(*every, *advice, noun="segment")
            if score is not None and self.min_score is not None and score < self.min_score:
                low = Option("min_score", self.min_score)
                self.files.leave_out(": with a lower score, left out (", low, ")", noun="segment")
                continue
            ends = next((ends for ends in ENDS if row.has(ends[0])), None)
            times = [row.child(key) for key in ends] if ends else [row.child("segment")]
            yield self._annotation(row, row.first(*ACTION), *times)

    def _annotation(self, row: Node, label: Node | None, *times: Node) -> Annotation:
        """Annotation of a segment, whose times are in one list or two values."""
        if len(times) == 1:
            segment, times = times[0], tuple(times[0].items(least=2))
            if len(times) > 2:
                raise segment.error(f"[start, end] is needed, got {len(times)} values")
        start, end = (time.number() for time in times)
        if label is None and self.files.choices.action != "track":
            raise row.error(
                "the segment has no label; ",
                Option("action", "track"),
                " gives all segments the same action",
            )
        return Annotation(TRACK, "" if label is None else label.name(), start, end, row.path)
