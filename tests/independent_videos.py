"""Plain parsers of samples in the manner of data sets of videos, and of logs of processes.

They share nothing with the readers. Those of tables give intervals as (instance, action, start,
end), the others as (action, start, end).
"""

import csv
import json
import re
from datetime import datetime
from itertools import groupby
from xml.etree import ElementTree


def _lines(path):
    return path.read_text().splitlines()


def _documents(path):
    return [json.loads(line) for line in _lines(path)]


def _dicts(path, delimiter=","):
    return csv.DictReader(_lines(path), delimiter=delimiter)


def named(*columns, delimiter=","):
    """Rows of a table by the names of four columns."""

    def parse(path):
        rows = [[row[name] for name in columns] for row in _dicts(path, delimiter)]
        return [(instance, action, float(a), float(b)) for instance, action, a, b in rows]

    return parse


def anomalies(path):
    for line in _lines(path):
        video, label, *times = line.split()
        for start, end in (times[:2], times[2:]):
            if start != "-1":
                yield video, label, float(start), float(end)


def spans_of_videos(path):
    for line in _lines(path):
        video, *times = line.split()
        while times:
            yield video, path.stem, float(times.pop(0)), float(times.pop(0))


def _runs(samples, step):
    """Runs of keys that are seen at times, whose first two parts come with them."""
    times = {}
    for key, time in samples:
        times.setdefault(key, []).append(time)
    for key, seen in times.items():
        first = last = seen[0]
        for time in [*seen[1:], None]:
            if time is None or time - last > 1.5 * step:
                yield *key[:2], first, last + step
                first = time
            last = time


def edge_boxes(path):
    rows = csv.reader(_lines(path))
    return _runs([((row[0], row[6]), float(row[1])) for row in rows], 1)


def faces(path):
    seen = [
        ((row["video_id"], row["label"], row["entity_id"]), float(row["frame_timestamp"]))
        for row in _dicts(path)
    ]
    return _runs(seen, 0.04)


def labels_of_frames(path):
    rows = [line.split() for line in _lines(path)[1:]]
    seen = [
        ((video, label), int(frame))
        for video, frame, _, labels in rows
        for label in labels.strip('"').split(",")
        if label
    ]
    return _runs(seen, 1)


def picture_frames(path):
    for row in _dicts(path):
        frames = (int(row[end].removesuffix(".jpg")) for end in ("start_frame", "end_frame"))
        yield row["video_id"], row["action_name"], *frames


def ids_of_videos(path):
    return [(row[0], path.stem, float(row[1]), float(row[2])) for row in csv.reader(_lines(path))]


def montage(path):
    for line in _lines(path)[3:]:
        _, start, end, label, _ = line.split(",")
        yield path.name, label, float(start), float(end)


def one_segment(path):
    for video in json.loads(path.read_text()).values():
        yield video["annotations"]["label"], *video["annotations"]["segment"]


def moments(path):
    return [(each["desc"], *each["ts"]) for each in _documents(path)]


def text_spans(path):
    return [(each["q"], *map(float, each["ts"].split("-"))) for each in _documents(path)]


def found_windows(path):
    for each in _documents(path):
        for start, end, _ in each["pred_relevant_windows"]:
            yield each["query"], start, end


def sentence_rows(path):
    return [(text, *times) for _, _, times, text in json.loads(path.read_text())]


def label_lists(path):
    for labels in json.loads(path.read_text()).values():
        frame = 0
        for label, run in groupby(labels):
            length = len(list(run))
            yield label, frame, frame + length
            frame += length


def labels_by_frame(path):
    for frames in json.loads(path.read_text()).values():
        seen = [((None, label), int(re.search(r"\d+", name)[0])) for name, label in frames.items()]
        yield from (row[1:] for row in _runs(seen, 1))


def times_named_alike(path):
    for video in json.loads(path.read_text()).values():
        yield video["leak_class"], video["leak_start"], video["leak_end"]


def inclusive_chunks(path):
    for each in json.loads(path.read_text()):
        for first, last in each["times"]:
            yield each["description"], first, last + 1


def moments_of_films(path):
    for each in json.loads(path.read_text()).values():
        yield each["sentence"], *each["timestamps"]


def tracks_of_videos(path):
    for video in json.loads(path.read_text()).values():
        for each in video["action_localisation"] + video["sound_localisation"]:
            yield each["label"], *each["timestamps"]


def _pairs(events, ends):
    going = {}
    for name, state, stamp in events:
        time = datetime.fromisoformat(stamp).timestamp()
        if state == "start":
            going[name] = time
        elif state in ends and name in going:
            yield name, going.pop(name), time


def aborted(path):
    text = re.sub(r'\sxmlns="[^"]*"', "", path.read_text())
    for trace in ElementTree.fromstring(text).iter("trace"):  # noqa: S314
        rows = [[child.get("value") for child in event] for event in trace.iter("event")]
        yield from _pairs(rows, ("complete", "ate_abort"))


def mxml(path):
    for instance in ElementTree.parse(path).iter("ProcessInstance"):  # noqa: S314
        entries = instance.iter("AuditTrailEntry")
        yield from _pairs([[child.text for child in entry][:3] for entry in entries], ("complete",))


# by the path of the sample
TABLES = {
    "csv/anomalies.txt": anomalies,
    "csv/spans_of_videos.txt": spans_of_videos,
    "csv/edge_boxes.csv": edge_boxes,
    "csv/faces.csv": faces,
    "csv/labels_of_frames.csv": labels_of_frames,
    "csv/initial_times.csv": named("video-name", "label-idx", "t-init", "t-end"),
    "csv/times_named_alike.csv": named(
        "File", "Grip_label", "Grip_start_rgb_sec", "Grip_end_rgb_sec"
    ),
    "csv/picture_frames.csv": picture_frames,
    "csv/ampersands.txt": named("VideoID", "Category", "StartTime", "EndTime", delimiter="&"),
    "csv/ids_of_videos.csv": ids_of_videos,
    "csv/montage.csv": montage,
    "csv/working_times.csv": named("VideoID", "Description", "Start", "End"),
}
TABLES = {name: lambda path, parse=parse: list(parse(path)) for name, parse in TABLES.items()}
OTHERS = {
    "activitynet/one_segment.json": one_segment,
    "json/moments.jsonl": moments,
    "json/text_spans.jsonl": text_spans,
    "json/found_windows.jsonl": found_windows,
    "json/sentence_rows.json": sentence_rows,
    "json/label_lists.json": label_lists,
    "json/labels_by_frame.json": labels_by_frame,
    "json/times_named_alike.json": times_named_alike,
    "json/inclusive_chunks.json": inclusive_chunks,
    "json/moments_of_films.json": moments_of_films,
    "json/tracks_of_videos.json": tracks_of_videos,
    "xes/aborted.xes": aborted,
    "xes/repairs.mxml": mxml,
}
