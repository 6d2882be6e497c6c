"""Plain parsers of samples of lines with times, of fields, and of the JSON and XML found with them.

Each gives the intervals as (action, start, end), as in independent.py; those of tables have the
instance before, as in independent_tables.py.
"""

import csv
import json
import re
from datetime import datetime
from xml.etree import ElementTree


def _json(path):
    return json.loads(path.read_text())


def _tree(path):
    return ElementTree.fromstring(path.read_text())  # noqa: S314


def _clock(text):
    hours, minutes, seconds = re.split("[:.]", text, maxsplit=2)
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))


def _when(text, pattern):
    return datetime.strptime(text, pattern).timestamp()


def recognised(path):
    for block in path.read_text().split("\n\n"):
        first, *said = block.strip().splitlines()
        yield " ".join(said), *map(_clock, re.findall(r"[\d:.]{12}", first))


def rated(path):
    for line in path.read_text().splitlines():
        if line.startswith("["):
            times, _, mood, _ = line.split("\t")
            yield mood, *map(float, times.strip("[]").split(" - "))


def turns(path):
    for line in path.read_text().splitlines()[2:]:
        start, end, _, said = line.split(" ", 3)
        yield said, float(start), float(end)


def named(path):
    for line in path.read_text().splitlines():
        name, times = line.split(": ")
        yield name, *map(float, times.split("-"))


def hours(path):
    for line in path.read_text().splitlines():
        _, start, _, end, _, name = line.split(" ", 5)
        yield name, *(_when(time, "%Y%m%dT%H%M%SZ") for time in (start, end))


def clocked(path):
    heading = None
    for line in path.read_text().splitlines():
        heading = line.removeprefix("* ").removeprefix("TODO ") if line[0] == "*" else heading
        times = re.findall(r"\d{4}-\d\d-\d\d \w+ \d\d:\d\d", line)
        if times:
            yield heading, *(_when(time, "%Y-%m-%d %a %H:%M") for time in times)


def summary(path):
    numbers = re.findall(r"Seizure.* Time: (\d+) seconds", path.read_text())
    return [("seizure", int(a), int(b)) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]


def clocks(path):
    for block in path.read_text().split("\n\n"):
        yield "seizure", *map(_clock, re.findall(r"[\d.]{8}", block)[-2:])


def chapters_of_film(path):
    for block in path.read_text().split("[CHAPTER]\n")[1:]:
        fields = dict(line.split("=") for line in block.splitlines())
        yield fields["title"], int(fields["START"]) / 1000, int(fields["END"]) / 1000


def parts(path):
    found = re.findall(r"start: (\S+)\n *end: (\S+)\n *title: \"?(\w+)", path.read_text())
    return [(title, float(start), float(end)) for start, end, title in found]


def cuts(path):
    found = re.findall(r"start: (\S+),\s+end: (\S+),\s+name: '(\w+)'", path.read_text())
    return [(name, float(start), float(end)) for start, end, name in found]


def chapters(path):
    for atom in _tree(path).iter("ChapterAtom"):
        times = (_clock(atom.findtext(f"ChapterTime{edge}")) for edge in ("Start", "End"))
        yield atom.findtext("ChapterDisplay/ChapterString"), *times


def label_track(path):
    for each in _tree(path).iter("{http://audacity.sourceforge.net/xml/}label"):
        yield each.get("title"), float(each.get("t")), float(each.get("t1"))


def layers(path):
    for point in _tree(path).iter("point"):
        start, length = int(point.get("frame")) / 8000, int(point.get("duration")) / 8000
        yield point.get("label"), start, start + length


def health(path):
    names = {"Record": "type", "Workout": "workoutActivityType"}
    for each in _tree(path):
        if each.tag in names:
            value = each.get("value", "0")
            name = each.get(names[each.tag]) if value.isdigit() else value
            yield name, *(_when(each.get(f"{edge}Date")[:19], DAY) for edge in ("start", "end"))


DAY = "%Y-%m-%d %H:%M:%S"


def song_notes(path):
    for note in _tree(path).iter("Note"):
        start = int(note.findtext("Position"))
        yield note.findtext("Label"), start, start + int(note.findtext("Length"))


def levels(path):
    for item in _json(path)["levels"][0]["items"]:
        start, length = item["sampleStart"] / 8000, item["sampleDur"] / 8000
        yield item["labels"][1]["value"], start, start + length


def action_labels(path):
    names = {1: "lift", 2: "pour"}
    for each in _json(path)["annotation"]["actionAnnotationList"]:
        yield names[each["action"]], each["start"], each["end"]


def named_types(path):
    for each in _json(path):
        start = _clock(each["timestamp"])
        yield each["type"]["name"], start, start + each["duration"]


def sleep_levels(path):
    (night,) = _json(path)
    yield "stages", 0.0, 3600.0
    for each in night["levels"]["data"] + night["levels"]["shortData"]:
        start = datetime.fromisoformat(each["dateTime"]).timestamp()
        yield each["level"], start, start + each["seconds"]


def said_twice(path):
    for each in _json(path)["transcription"]:
        yield each["text"].strip(), *(each["offsets"][edge] / 1000 for edge in ("from", "to"))


def calls(path):
    return [(said[0]["species"], a, b) for a, b, _, _, said in _json(path)[1:]]


def periods(path):
    for each in _json(path)["recognizedPhrases"]:
        start, length = (each[f"{name}InTicks"] / 1e7 for name in ("offset", "duration"))
        yield each["nBest"][0]["display"], start, start + length


def presented(path):
    for row in csv.DictReader(path.read_text().splitlines(), delimiter="\t"):
        start = float(row["onset"])
        yield None, row["trial_type"], start, start + float(row["duration"])


def entries(path):
    for row in csv.DictReader(path.read_text().splitlines()):
        yield row["Video"], row["Shape"], float(row["Entry_times"]), float(row["Exit_times"])


def scored_epochs(path):
    for line in path.read_text().splitlines()[1:]:
        _, _, onset, length, stage, _ = (cell.strip() for cell in line.split(","))
        yield None, stage, int(onset), int(onset) + int(length)


def spans_in_cells(path):
    for row in csv.DictReader(path.read_text().splitlines()):
        times = map(float, row["segment"].strip("[]()").split(","))
        yield row["video"], row["label"], *times


def time_ranges(path):
    for row in csv.DictReader(path.read_text().splitlines()):
        times = (_clock(f"0:{time}") for time in row["time_range"].split(" - "))
        yield None, row["activity"], *times


def named_columns(start, end, action):
    def parse(path):
        for row in csv.DictReader(path.read_text().splitlines()):
            yield None, row[action], float(row[start]), float(row[end])

    return parse


def minutes_apart(path):
    for row in csv.DictReader(path.read_text().splitlines()):
        times = (60 * int(row[f"{end}_min"]) + float(row[f"{end}_sec"]) for end in ("start", "end"))
        yield None, row["event"], *times


def clusters(path):
    for row in csv.DictReader(path.read_text().splitlines()):
        start = float(row["OFFSET"])
        yield row["IN FILE"], row["species"], start, start + float(row["DURATION"])


def dialogues(path):
    for row in csv.DictReader(path.read_text().splitlines()):
        times = (_clock(row[f"{edge}Time"]) for edge in ("Start", "End"))
        yield row["Dialogue_ID"], row["Utterance"], *times


def frames_and_times(path):
    for each in _json(path)["annotations"]:
        yield each["label"], each["start"]["time"], each["end"]["time"]


def rows_with_scores(path):
    return [(name, start, end) for start, end, name, _ in _json(path)]


PARSERS = {
    "json/frames_and_times.json": frames_and_times,
    "json/rows_with_scores.json": rows_with_scores,
    "spans/recognised.txt": recognised,
    "spans/rated.txt": rated,
    "spans/turns.txt": turns,
    "spans/named.txt": named,
    "spans/hours.data": hours,
    "spans/clocked.org": clocked,
    "fields/summary.txt": summary,
    "fields/clocks.txt": clocks,
    "fields/chapters.txt": chapters_of_film,
    "fields/talk.yaml": parts,
    "fields/cuts.llc": cuts,
    "xml/chapters.xml": chapters,
    "xml/label_track.aup": label_track,
    "xml/layers.svl": layers,
    "xml/health.xml": health,
    "xml/song_notes.xml": song_notes,
    "json/levels.json": levels,
    "json/action_labels.json": action_labels,
    "json/named_types.json": named_types,
    "json/sleep_levels.json": sleep_levels,
    "json/said_twice.json": said_twice,
    "json/calls.data": calls,
    "json/periods.json": periods,
}

# of tables, with the instance before
TABLES = {
    "csv/clusters.csv": clusters,
    "csv/dialogues.csv": dialogues,
    "csv/minutes_apart.csv": minutes_apart,
    "csv/entries.csv": entries,
    "csv/first_frames.csv": named_columns("first_frame", "last_frame", "behavior"),
    "csv/in_chinese.csv": named_columns("开始时间", "结束时间", "动作"),
    "csv/presented.tsv": presented,
    "csv/scored_epochs.txt": scored_epochs,
    "csv/spans_in_cells.csv": spans_in_cells,
    "csv/time_ranges.csv": time_ranges,
}
