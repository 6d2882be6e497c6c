"""Plain parsers of samples in the manner of documents with times in fields, elements and frames.

They share nothing with the readers, and give intervals as (action, start, end).
"""

import json
from datetime import datetime
from xml.etree import ElementTree


def _json(path):
    return json.loads(path.read_text())


def _elements(path, tag):
    return ElementTree.parse(path).iter(tag)  # noqa: S314


def coded_match(path):
    for each in _elements(path, "instance"):
        yield each.findtext("code"), float(each.findtext("start")), float(each.findtext("end"))


def scored_night(path):
    for each in _elements(path, "ScoredEvent"):
        start = float(each.findtext("Start"))
        yield each.findtext("EventConcept"), start, start + float(each.findtext("Duration"))


def child_talk(path):
    space = "{http://www.talkbank.org/ns/talkbank}"
    for each in _elements(path, f"{space}u"):
        media = each.find(f"{space}media").attrib
        words = " ".join(word.text for word in each.iter(f"{space}w"))
        yield words, int(media["start"]) / 1000, int(media["end"]) / 1000


def run_of_tests(path):
    for tag in ("suite", "test", "kw"):
        for each in _elements(path, tag):
            status = each.find("status")
            ends = (status.get("starttime"), status.get("endtime"))
            moments = (datetime.strptime(end, "%Y%m%d %H:%M:%S.%f") for end in ends)
            yield each.get("name"), *(moment.timestamp() for moment in moments)


def objects_in_frames(path):
    for each in _elements(path, "{http://lamp.cfar.umd.edu/viper#}object"):
        for span in each.get("framespan").split():
            yield each.get("name"), *map(int, span.split(":"))


def tracks_of_points(path):
    (track,) = ElementTree.parse(path).getroot().findall("track")  # noqa: S314
    first, last = (int(each.get("frame")) for each in track.findall("skeleton"))
    yield track.get("label"), first, last


def signs(path):
    for entry in _json(path):
        for each in entry["instances"]:
            ends = (each[f"frame_{end}"] / each["fps"] for end in ("start", "end"))
            yield entry["gloss"], *ends


def scored_tracks(path):
    for track in _json(path)["tracks"].values():
        likeliest = max(track["confidencePairs"], key=lambda pair: pair[1])[0]
        yield likeliest, track["begin"], track["end"]


def relations(path):
    for each in _json(path)["relation_instances"]:
        yield each["predicate"], each["begin_fid"] / 30, each["end_fid"] / 30


def durations_of_frames(path):
    for video in _json(path)["results"].values():
        yield from ((each["category"], *each["duration"]) for each in video)


def monologues(path):
    for monologue in _json(path)["monologues"]:
        for each in monologue["elements"]:
            if "ts" in each:
                yield each["value"], each["ts"], each["end_ts"]


def words_in_ms(path):
    for each in _json(path)["words"]:
        yield each["text"], each["start"] / 1000, each["end"] / 1000


def spans_of_traces(path):
    for each in _json(path)["data"][0]["spans"]:
        since = (each["startTime"] - 1581604040000000) / 1e6
        yield each["operationName"], since, since + each["duration"] / 1e6


def ways_and_stays(path):
    for entry in _json(path)["timelineObjects"]:
        (each,) = entry.values()
        ends = (each["duration"][f"{end}Timestamp"] for end in ("start", "end"))
        named = each["activityType"] if "activityType" in each else each["location"]["name"]
        yield named, *(datetime.fromisoformat(end).timestamp() for end in ends)


def numbered_signs(path):
    return [(each["text"], each["start_time"], each["end_time"]) for each in _json(path)]


def fragments(path):
    for each in _json(path)["fragments"]:
        yield " ".join(each["lines"]), float(each["begin"]), float(each["end"])


def offsets(path):
    for line in path.read_text().splitlines():
        each = json.loads(line)
        yield each["text"], each["offset"], each["offset"] + each["duration"]


def frames_of_videos(path):
    for video in _json(path).values():
        for said, ends in zip(video["sentences"], video["timestamps"], strict=True):
            yield said, *(end / video["fps"] for end in ends)


PARSERS = {
    "xml/coded_match.xml": coded_match,
    "xml/scored_night.xml": scored_night,
    "xml/child_talk.xml": child_talk,
    "xml/run_of_tests.xml": run_of_tests,
    "xml/objects.xgtf": objects_in_frames,
    "cvat/tracks_of_points.xml": tracks_of_points,
    "json/signs.json": signs,
    "json/scored_tracks.json": scored_tracks,
    "json/relations.json": relations,
    "json/durations_of_frames.json": durations_of_frames,
    "json/monologues.json": monologues,
    "json/words_in_ms.json": words_in_ms,
    "json/spans_of_traces.json": spans_of_traces,
    "json/ways_and_stays.json": ways_and_stays,
    "json/numbered_signs.json": numbered_signs,
    "json/fragments.json": fragments,
    "json/offsets.jsonl": offsets,
    "activitynet/frames_of_videos.json": frames_of_videos,
}
