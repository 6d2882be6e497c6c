"""Samples of behaviour coding, homes, calendars and traces, parsed by plain Python."""

import csv
import json
import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

PARSERS = {}


def parses(*samples):
    """Register a parser for samples, by their paths within tests/samples."""

    def register(parse):
        PARSERS.update(dict.fromkeys(samples, parse))
        return parse

    return register


def _rows(path, delimiter=",", encoding="utf-8"):
    with path.open(encoding=encoding, newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


def _runs(rows, columns, times, step):
    """Runs of 1 in columns of rows that last for a step each."""
    for column in columns:
        on = [row[column] in ("1", "1.0") for row in rows]
        for place, is_on in enumerate(on):
            if is_on and (place == 0 or not on[place - 1]):
                last = next((p for p in range(place, len(on)) if not on[p]), len(on))
                yield column, times[place], times[last - 1] + step


@parses("bento/hamster.annot")
def bouts(path):
    behaviour = None
    for line in path.read_text().splitlines():
        if line.startswith(">"):
            behaviour = line[1:]
        elif behaviour and re.fullmatch(r"[\d.]+\t[\d.]+\t[\d.]+", line):
            start, _, length = map(float, line.split("\t"))  # which counts the last frame
            yield behaviour, start, start + length


@parses("bento/ranges.txt")
def inclusive_ranges(path):
    for first, last, what in re.findall(r"^ +(\d+) +(\d+) +(\w+)$", path.read_text(), re.M):
        yield what, int(first), int(last) + 1


@parses("datavyu/cells.csv")
def cells(path):
    for row in _rows(path):
        codes = [code for code in (row["object"], row["share"]) if code]
        yield ",".join(codes) or row["column"], *_in_seconds(row["onset"], row["offset"])


def _in_seconds(*thousandths):
    return [int(text) / 1000 for text in thousandths]


@parses("datavyu/columns.csv")
def columns(path):
    for row in _rows(path):
        if row["task.onset"]:
            yield row["task.name"], *_in_seconds(row["task.onset"], row["task.offset"])
        codes = ",".join(code for code in (row["gaze.at"], row["gaze.long"]) if code)
        yield codes, *_in_seconds(row["gaze.onset"], row["gaze.offset"])


@parses("datavyu/by_frame.csv")
def cells_of_frames(path):
    seen = {(row["step.name"], row["step.onset"], row["step.offset"]) for row in _rows(path)}
    for name, onset, offset in seen - {("", "", "")}:
        yield name, *_in_seconds(onset, offset)


@parses("datavyu/stored.csv")
def stored_cells(path):
    pattern = r"^(\d+):(\d+):(\d+):(\d+),(\d+):(\d+):(\d+):(\d+),\((.*)\)$"
    for *parts, codes in re.findall(pattern, path.read_text(), re.M):
        h, m, s, ms, h2, m2, s2, ms2 = map(int, parts)
        start, end = 3600 * h + 60 * m + s + ms / 1000, 3600 * h2 + 60 * m2 + s2 + ms2 / 1000
        yield codes.strip(","), start, end


@parses("ical/week.ics")
def appointments(_):
    berlin = datetime(2024, 3, 4, 9, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    yield (
        "Breakfast, porridge",
        *(datetime(2024, 3, 4, 7, m, tzinfo=UTC).timestamp() for m in (0, 30)),
    )
    yield "A walk that is described by a rather long title", berlin, berlin + 75 * 60
    yield "Market day", *(datetime(2024, 3, day, tzinfo=UTC).timestamp() for day in (5, 6))


@parses("trace/page.json")
def complete_events(path):
    for event in json.loads(path.read_text())["traceEvents"]:
        if event["ph"] == "X":
            yield event["name"], event["ts"] / 1e6, (event["ts"] + event["dur"]) / 1e6


@parses("trace/nested.json")
def begun_and_ended(path):
    going, uploads = [], []
    for event in json.loads(path.read_text()):
        if event["ph"] in "Bb":
            (going if event["ph"] == "B" else uploads).append(event)
        else:
            begun = (going if event["ph"] == "E" else uploads).pop()
            yield begun["name"], begun["ts"] / 1e6, event["ts"] / 1e6


@parses("tracks/frames.csv")
def flags_by_frame(path):
    rows = _rows(path)
    yield from _runs(rows, ["other", "dig", "climb"], [int(row[""]) for row in rows], 1)


@parses("tracks/minutes.csv")
def flags_by_minute(path):
    rows = _rows(path)
    names = [name for name in rows[0] if name.startswith("label:")]
    yield from _runs(rows, names, [int(row["timestamp"]) for row in rows], 60)


@parses("tracks/readings.csv")
def flags_among_readings(path):
    rows = _rows(path, ";")
    times = [datetime.fromisoformat(row["Time"]).timestamp() for row in rows]
    yield from _runs(rows, ["Door", "Lamp"], times, 60)


def _clock(day, text, days):
    return datetime.strptime(f"{day} {text}", f"{days} %I:%M{':%S' * (text.count(':') > 1)} %p")


@parses("csv/am_pm.csv", "csv/appointments.csv")
def halves_of_days(path):
    days = "%d/%m/%Y" if path.name == "am_pm.csv" else "%m/%d/%Y"
    for row in _rows(path):
        start, end = (
            _clock(row[f"{edge} Date"], row[f"{edge} Time"], days).timestamp()
            for edge in ("Start", "End")
        )
        yield row["Description" if path.name == "am_pm.csv" else "Subject"], start, end


@parses("csv/time_spent.csv")
def time_spent(path):
    for row in _rows(path):
        start = datetime.fromisoformat(row["Date"])
        length = timedelta(seconds=int(row["Time Spent (seconds)"]))
        yield row["Activity"], start.timestamp(), (start + length).timestamp()


@parses("csv/eyes_events.tsv")
def points_of_a_second(path):
    for row in _rows(path, "\t"):
        yield row["trial_type"], float(row["onset"]), float(row["onset"]) + 1  # as is assumed


@parses("csv/shares.csv")
def shares(path):
    for row in _rows(path):
        for action in ("walk", "stand", "sit"):
            if float(row[action]) > 0:
                yield action, int(row["start"]), int(row["end"])


@parses("csv/grazing.csv")
def codes_by_class(path):
    rows = _rows(path)
    last = float(rows[-1]["time"])
    by_class = defaultdict(list)
    for row in rows[:-1]:
        by_class[row["class"]].append((row["code"], float(row["time"])))
    for codes in by_class.values():
        ends = [time for _, time in codes[1:]] + [last]
        yield from ((code, start, end) for (code, start), end in zip(codes, ends, strict=True))


@parses("csv/accents.csv")
def decimal_commas_in_latin_1(path):
    for row in _rows(path, ";", "latin-1"):
        start, end = (float(row[name].replace(",", ".")) for name in ("Début", "Fin"))
        yield row["Activité"], start, end


@parses("csv/by_channel.txt")
def codes_after_times(path):
    for line in path.read_text().split():
        _, start, end, code = line.split(",")
        yield code, float(start), float(end)


@parses("csv/versioned.tse")
def after_a_version(path):
    for line in path.read_text().splitlines()[2:]:
        start, end, label, _ = line.split()
        yield label, float(start), float(end)


@parses("events/mixed_states.csv")
def on_and_off(path):
    going = {}
    for row in _rows(path):
        time = datetime.fromisoformat(row["last_changed"]).timestamp()
        if row["state"] == "on":
            going[row["entity_id"]] = time
        elif row["state"] == "off":
            yield row["entity_id"], going.pop(row["entity_id"]), time


@parses("events/items.csv")
def items_and_activities(path):
    going = {}
    for row in _rows(path):
        time = datetime.fromisoformat(row["Time"]).timestamp()
        state, _, activity = row["Value"].partition(":")
        what = activity or row["ItemName"]
        if state in ("START", "OPEN", "ON"):
            going[what] = time
        elif state in ("STOP", "CLOSED", "OFF"):
            yield what, going.pop(what), time


@parses("events/two_subjects.csv", "events/wide_characters.txt")
def states_with_durations(path):
    wide = path.suffix == ".txt"
    for row in _rows(path, *((";", "utf-16") if wide else ())):
        if row["Event_Type"] == "State start":
            start, length = (
                float(row[name].replace(",", ".")) for name in ("Time_Relative_sf", "Duration_sf")
            )
            yield row["Behavior"], start, start + length


@parses("events/history.json")
def states_of_devices(path):
    for states in json.loads(path.read_text()):
        start = None
        for state in states:
            time = datetime.fromisoformat(state["last_changed"]).timestamp()
            if state["state"] == "on":
                start = time
            elif state["state"] == "off" and start is not None:
                yield states[0]["entity_id"], start, time
