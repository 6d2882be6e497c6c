"""What is in tests/samples, parsed by plain Python and none of our readers.

Each parser takes the path of a sample and gives its intervals as (action, start, end), in any
order, as `ibgn convert` with the command that `ibgn inspect` proposes should give them. Times are
compared by their differences, as a reader may set the clock to 0 where a recording begins.
"""

import csv
import gzip
import json
import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import independent_behaviour
import independent_documents
import independent_lines
import independent_media
import independent_tables
import independent_tiers
import independent_videos

PARSERS = (
    {
        name: lambda path, parse=parse: [row[1:] for row in parse(path)]
        for name, parse in independent_tables.PARSERS.items()
    }
    | independent_tiers.PARSERS
    | independent_behaviour.PARSERS
)
PARSERS |= independent_videos.OTHERS | independent_media.PARSERS | independent_documents.PARSERS
PARSERS |= independent_lines.PARSERS


def parses(*samples):
    """Register a parser for samples, by their paths within tests/samples."""

    def register(parse):
        for sample in samples:
            assert sample not in PARSERS, sample
            PARSERS[sample] = parse
        return parse

    return register


def _trace_events(path):
    """Events of each trace of an XES log, as dictionaries of their attributes."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    without_namespace = re.sub(r'\sxmlns="[^"]*"', "", text)
    for trace in ElementTree.fromstring(without_namespace).iter("trace"):  # noqa: S314
        yield [{a.get("key"): a.get("value") for a in event} for event in trace.iter("event")]


def _seconds(stamp):
    return datetime.fromisoformat(stamp).timestamp()


@parses("xes/lifecycle.xes")
def started_and_completed(path):
    for events in _trace_events(path):
        going = {}
        for event in events:
            name, state = event["concept:name"], event["lifecycle:transition"]
            if state == "start":
                going[name] = _seconds(event["time:timestamp"])
            elif state == "complete":
                yield name, going.pop(name), _seconds(event["time:timestamp"])


@parses("xes/start_timestamp.xml")
def stamped_twice(path):
    for event in (event for events in _trace_events(path) for event in events):
        stamps = event["start_timestamp"], event["time:timestamp"]
        yield event["concept:name"], *map(_seconds, stamps)


@parses(
    "xes/complete_only.xes",
    "xes/packed.xes.gz",
    "xes/own_transitions.xes",
    "xes/incomplete_events.xes",
)
def completed(path):
    """Every event lasts since the one before it in its trace; the first lasts no time."""
    for every in _trace_events(path):
        events = [event for event in every if {"concept:name", "time:timestamp"} <= event.keys()]
        times = [_seconds(event["time:timestamp"]) for event in events]
        for event, before, time in zip(events[1:], times, times[1:], strict=False):
            if before < time:
                yield event["concept:name"], before, time


def _results(path):
    """Results of the first annotation of each task of Label Studio."""
    document = json.loads(path.read_text())
    for task in document if isinstance(document, list) else [document]:
        one = [task.get("annotation", task)]
        for annotation in (task.get("annotations") or task.get("completions") or one)[:1]:
            yield from annotation.get("result", [])


@parses(
    "labelstudio/time_series.json",
    "labelstudio/audio.json",
    "labelstudio/one_completion.json",
    "labelstudio/predictions.json",
)
def regions(path):
    for result in _results(path):
        value = result["value"]
        if result["type"] in ("labels", "timeserieslabels"):
            yield from ((label, value["start"], value["end"]) for label in value[result["type"]])


@parses("labelstudio/dates.json")
def dated_regions(path):
    for value in (result["value"] for result in _results(path)):
        both = [datetime.fromisoformat(value[end]).replace(tzinfo=UTC) for end in ("start", "end")]
        yield value["timeserieslabels"][0], *(moment.timestamp() for moment in both)


@parses("labelstudio/video_timeline.json", "labelstudio/webhook.json")
def ranges_of_frames(path):
    for value in (result["value"] for result in _results(path)):
        for frames in value["ranges"]:
            yield value["timelinelabels"][0], frames["start"] - 1, frames["end"]


@parses("labelstudio/video_boxes.json")
def shown_objects(path):
    """An object is shown up to the box that is not enabled, or to the end of the video."""
    for value in (result["value"] for result in _results(path)):
        since = None
        for box in value["sequence"]:
            if not box["enabled"]:
                yield value["labels"][0], since - 1, box["frame"]
            since = None if not box["enabled"] else since or box["frame"]
        if since is not None:
            yield value["labels"][0], since - 1, value["framesCount"]


@parses("labelstudio/json_min.json")
def short_export(path):
    for task in json.loads(path.read_text()):
        yield from ((row["labels"][0], row["start"], row["end"]) for row in task["tricks"])


@parses("labelstudio/export.csv", "labelstudio/few_columns.tsv")
def exported_table(path):
    mark = "\t" if path.suffix == ".tsv" else ","
    for row in csv.DictReader(path.read_text().splitlines(), delimiter=mark):
        for value in json.loads(row["label"] or "[]"):
            yield value["labels"][0], value["start"], value["end"]


@parses("labelstudio/storage")
def stored_annotations(path):
    for file in path.glob("*.json"):
        for result in json.loads(file.read_text())["result"]:
            value = result["value"]
            yield value["labels"][0], value["start"], value["end"]


def _videos(path):
    document = json.loads(path.read_text())
    return document.get("database", document.get("results", document)).values()


@parses(
    "activitynet/database.json",
    "activitynet/numbers_as_text.json",
    "activitynet/no_database.json",
    "activitynet/results.json",
    "activitynet/proposals.json",
    "activitynet/steps.json",
)
def segments(path):
    for video in _videos(path):
        rows = (
            video if isinstance(video, list) else video.get("annotations", video.get("annotation"))
        )
        for row in rows:
            yield row.get("label", "segment"), *map(float, row["segment"])


@parses("activitynet/actions.json")
def numbered_actions(path):
    for video in _videos(path):
        yield from ((str(action), start, end) for action, start, end in video["actions"])


@parses("activitynet/captions.json")
def sentences(path):
    for video in _videos(path):
        for text, times in zip(video["sentences"], video["timestamps"], strict=True):
            yield text, *times


@parses("via/project.json")
def chosen_options(path):
    project = json.loads(path.read_text())
    for entry in project["metadata"].values():
        for key, value in entry["av"].items() if len(entry["z"]) == 2 else ():
            yield project["attribute"][key]["options"].get(value, value), *entry["z"]


@parses("via/export.csv")
def chosen_options_in_a_table(path):
    lines = path.read_text().splitlines()
    begin = "# ATTRIBUTE = "
    attributes = json.loads(next(x for x in lines if x.startswith(begin)).removeprefix(begin))
    for _, _, _, times, _, values in csv.reader(x for x in lines if not x.startswith("#")):
        if len(json.loads(times)) == 2:
            for key, value in json.loads(values).items():
                yield attributes[key]["options"].get(value, value), *json.loads(times)


@parses("via/unset.json")
def unset_options(path):
    project = json.loads(path.read_text())
    for entry in project["metadata"].values():
        yield project["attribute"]["1"]["aname"], *entry["z"]


@parses("cvat/tracks.xml", "cvat/project.xml")
def objects(path):
    """An object is there until it is outside, or for one frame more than it was seen."""
    for track in ElementTree.parse(path).iter("track"):  # noqa: S314
        since = None
        for box in track.iter("box"):
            frame, outside = int(box.get("frame")), box.get("outside") == "1"
            if outside:
                yield track.get("label"), since, frame
            since = None if outside else frame if since is None else since
        if since is not None:
            yield track.get("label"), since, frame + 1


@parses("cvat/tags.xml")
def tagged_frames(path):
    root = ElementTree.parse(path)  # noqa: S314
    frames = sorted(int(tag.get("frame")) for tag in root.iter("tag"))
    firsts = [frame for frame in frames if frame - 1 not in frames]
    lasts = [frame for frame in frames if frame + 1 not in frames]
    yield from (("rain", first, last + 1) for first, last in zip(firsts, lasts, strict=True))


@parses("cvat/frames_as_images.xml")
def tagged_images(path):
    root = ElementTree.parse(path)  # noqa: S314
    for label in {tag.get("label") for tag in root.iter("tag")}:
        seen = "".join(
            "x" if any(tag.get("label") == label for tag in image) else " "
            for image in root.iter("image")
        )
        yield from ((label, *run.span()) for run in re.finditer("x+", seen))


@parses("cvat/skeletons.xml")
def skeletons(path):
    for track in ElementTree.parse(path).iter("track"):  # noqa: S314
        since = None
        for skeleton in track.iter("skeleton"):
            frame, points = int(skeleton.get("frame")), [p.get("outside") for p in skeleton]
            if set(points) == {"1"}:
                yield track.get("label"), since, frame
                since = None
            elif since is None:
                since = frame


@parses("json/numbered.json")
def numbered_segments(path):
    for video in json.loads(path.read_text())["annotations"].values():
        yield from (("segments", *row["timestamps"]) for row in video["segments"].values())


@parses("json/windows.jsonl")
def windows(path):
    for line in path.read_text().splitlines():
        row = json.loads(line)
        yield from ((row["query"], *window) for window in row["relevant_windows"])


@parses("json/transcript.json")
def spoken(path):
    for row in json.loads(path.read_text())["segments"]:
        yield row["text"].strip(), row["start"], row["end"]


@parses("json/by_video.json")
def labels_by_video(path):
    for rows in json.loads(path.read_text()).values():
        yield from ((row["label"], row["start"], row["end"]) for row in rows)


@parses("json/clips.json")
def labels_of_clips(path):
    (video,) = json.loads(path.read_text())["videos"]
    for row in video["clips"][0]["annotations"][0]["labels"]:
        yield row["label"], row["start_time"], row["end_time"]


@parses("json/annotations_ms.json")
def milliseconds(path):
    for file in json.loads(path.read_text()):
        for row in file["annotations"]:
            yield row["type"], row["beginMs"] / 1000, row["endMs"] / 1000


@parses("json/categories.json")
def named_by_category(path):
    document = json.loads(path.read_text())
    names = {each["id"]: each["name"] for each in document["categories"]}
    for row in document["annotations"]:
        yield names[row["category_id"]], row["start"], row["end"]


@parses("json/columns.json")
def lists_of_times(path):
    for video in json.loads(path.read_text()).values():
        yield from zip(video["text"], video["start"], video["end"], strict=True)


@parses("json/frames.json")
def labelled_frames(path):
    for video in json.loads(path.read_text())[0]["annotation"]:
        labels = "".join(str(frame["label"]) for frame in video["labels"])
        yield from ((run[0][0], *run.span()) for run in re.finditer(r"(.)\1*", labels))


@parses("json/nested_events.json")
def events_and_stages(path):
    for video in json.loads(path.read_text()).values():
        for event in video.values():
            yield from ((f"event {event['event']}", *pair) for pair in event["timestamps"])
            for stage in (event["segments"] or {}).values():
                yield from ((f"stages {stage['stages']}", *pair) for pair in stage["timestamps"])


@parses("json/said_around.json")
def ranges_within_labels(path):
    (annotation,) = json.loads(path.read_text())["annotations"]
    for row in annotation["videoLabels"]:
        yield row["timelinelabels"][0], row["ranges"][0]["start"], row["ranges"][0]["end"]
