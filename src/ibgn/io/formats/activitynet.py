"""ActivityNet: one JSON file of videos, each with labelled segments."""

from collections.abc import Iterator

from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_activitynet"]

TRACK = "segment"
LABELS = ("class", "label")  # what data sets call the label of a whole video


def _sniff(head: Head) -> float:
    """Tell the layout by its database of videos."""
    return CERTAIN if isinstance(head.json["database"], dict) else 0.0


@reader("activitynet", also=(".json",), about="videos with labelled segments", sniff=_sniff)
def read_activitynet(
    files: Files, *, subset: str | None = None, overlaps: Overlaps = "keep"
) -> Iterator[Recording]:
    r"""Read a file in the layout of the ActivityNet data set; a video is an instance.

    Many data sets are published in this layout (ActivityNet, HACS, FineAction, THUMOS as converted
    by tools for temporal action detection): {"database": {"video": {"subset": "training",
    "duration": 9, "annotations": [{"segment": [0, 2.5], "label": "reach"}]}}}, with times in
    seconds.

    All segments are on the track "segment". The name of a video is its path, for activity= and
    group=; without activity= the field "class" or "label" of a video is its activity, if there
    is one.

    Parameters
    ----------
    subset : read only videos of this subset, for example "training"; by default all
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
    own_label = files.choices.activity is None
    recordings = (
        recording
        for file in files
        for recording in _recordings(_database(parse_json(file)), subset, own_label)
    )
    yield from settle_overlaps(recordings, overlaps, files)


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


def _recordings(database: Node, subset: str | None, own_label: bool) -> Iterator[Recording]:
    """Videos of one subset, or all."""
    videos = list(database.members())
    subsets = [video.child("subset").name() if video.has("subset") else "" for _, video in videos]
    if subset is not None and subset not in subsets:
        listed = ", ".join(quote(name) for name in sorted(set(subsets) - {""})[:20]) or "none"
        raise DataError(f"{database.prefix}there is no subset {quote(subset)}; there are {listed}")
    for (name, video), its in zip(videos, subsets, strict=True):
        if subset not in (None, its):
            continue
        annotations = []
        for node in video.child("annotations").items():
            segment = node.child("segment")
            times = segment.items(least=2)
            if len(times) > 2:
                raise segment.error(f"[start, end] is needed, got {len(times)} values")
            start, end = (time.number() for time in times)
            annotations.append(Annotation(TRACK, node.child("label").name(), start, end, node.path))
        label = next((video.child(field).name() for field in LABELS if video.has(field)), None)
        known = {"label": label} if own_label and label is not None else {}
        yield Recording(name, annotations, known)
