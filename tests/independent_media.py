"""Plain parsers of samples in the manner of clouds, logs of objects, subtitles and proposals.

They share nothing with the readers, and give intervals as (action, start, end).
"""

import html
import json
import re
from datetime import datetime
from xml.etree import ElementTree


def _json(path):
    return json.loads(path.read_text())


def labels_of_clouds(path):
    for label in _json(path)["annotationResults"][0]["segmentLabelAnnotations"]:
        for each in label["segments"]:
            ends = (each["segment"][f"{end}TimeOffset"] for end in ("start", "end"))
            yield label["entity"]["description"], *(float(end.rstrip("s")) for end in ends)


def words_of_clouds(path):
    for word in _json(path)["results"][0]["alternatives"][0]["words"]:
        ends = []
        for end in ("start", "end"):
            if f"{end}Offset" in word:
                ends.append(float(word[f"{end}Offset"].rstrip("s")))
            else:
                parts = word[f"{end}Time"]
                ends.append(int(parts.get("seconds", 0)) + parts.get("nanos", 0) / 1e9)
        yield word["word"], *ends


def answers_of_videos(path):
    for video in _json(path).values():
        for question, spans in video["location"].items():
            for start, end in spans:
                yield f"location {question}", start, end


def microdvd(path):
    first, *lines = path.read_text().splitlines()
    rate = float(first.rpartition("}")[2])
    for line in lines:
        start, end, text = re.fullmatch(r"\{(\d+)\}\{(\d+)\}(.*)", line).groups()
        said = text.removeprefix("{y:i}").removeprefix("/").replace("|", " ")
        yield said, int(start) / rate, int(end) / rate


def mpl2(path):
    for line in path.read_text().splitlines():
        start, end, text = line[1:].replace("][", "]").split("]")
        yield text.replace("|", " "), int(start) / 10, int(end) / 10


def framed(path):
    for block in path.read_text().strip().split("\n\n"):
        _, times, text = block.split("\n")
        ends = [[int(part) for part in end.split(":")] for end in times.split(" --> ")]
        yield text, *(h * 3600 + m * 60 + s + f / 25 for h, m, s, f in ends)


def sami(path):
    body = path.read_text().split("hand -->")[1]
    shown = [piece.partition(">") for piece in body.split("<SYNC Start=")[1:]]
    starts = [int(start.strip('"')) / 1000 for start, _, _ in shown]
    texts = [html.unescape(re.sub("<[^>]*>", " ", text)).split() for _, _, text in shown]
    for place, words in enumerate(texts):
        if words:
            yield " ".join(words), starts[place], starts[place + 1]


def _since_the_one_before(events):
    """Events as (object, activity, time), each lasting since the one before of its object."""
    last = {}
    for name, activity, stamp in events:
        time = datetime.fromisoformat(stamp).timestamp()
        if name in last:
            yield activity, last[name], time
        last[name] = time


def orders(path):
    events = [
        (name, event["ocel:activity"], event["ocel:timestamp"])
        for event in _json(path)["ocel:events"].values()
        for name in event["ocel:omap"]
        if name.startswith("o")
    ]
    return _since_the_one_before(events)


def visits(path):
    events = [
        (link["objectId"], event["type"], event["time"])
        for event in _json(path)["events"]
        for link in event["relationships"]
        if link["objectId"] != "w"
    ]
    return _since_the_one_before(events)


def visits_of_xml(path):
    events = [
        (link.get("object-id"), event.get("type"), event.get("time"))
        for event in ElementTree.parse(path).iter("event")  # noqa: S314
        for link in event.iter("relationship")
    ]
    return _since_the_one_before(events)


def orders_of_xml(path):
    for event in ElementTree.parse(path).iter("event"):  # noqa: S314
        values = {each.get("key"): each.get("value") for each in event.iter()}
        yield values["object-id"], values["activity"], values["timestamp"]


def proposals(path):
    for video in path.read_text().split("#")[1:]:
        _, _, _, _, number, *rows = video.strip().split("\n")
        for row in rows[: int(number)]:
            action, start, end = row.split()
            yield action, float(start), float(end)


def dump(path):
    for job in _json(path):
        for track in job["tracks"]:
            start = None
            for shape in track["shapes"]:
                if not shape["outside"] and start is None:
                    start = shape["frame"]
                elif shape["outside"] and start is not None:
                    yield track["label"], start, shape["frame"]
                    start = None


# by the path of the sample
PARSERS = {
    "cvat/backup.json": dump,
    "ssn/list.txt": proposals,
    "xes/orders.jsonocel": orders,
    "xes/objects.json": visits,
    "xes/objects.xml": visits_of_xml,
    "xes/orders.xmlocel": lambda path: _since_the_one_before(orders_of_xml(path)),
    "subtitles/film.sub": microdvd,
    "subtitles/tenths.txt": mpl2,
    "subtitles/frames.srt": framed,
    "subtitles/talk.smi": sami,
    "json/labels_of_clouds.json": labels_of_clouds,
    "json/seconds_and_nanos.json": words_of_clouds,
    "json/since_the_start.json": words_of_clouds,
    "json/answers_of_videos.json": answers_of_videos,
}
