"""Samples of behaviour coding, homes, calendars and traces, parsed by plain Python."""

import csv
import json
import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from zoneinfo import ZoneInfo

PARSERS = {}
EDGES = {"START": "start", "STOP": "end"}


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


@parses("eyelink/trials.asc")
def eyelink(path):
    names = {"EFIX": "fixation", "ESACC": "saccade", "EBLINK": "blink"}
    for words in (line.split() for line in path.read_text().splitlines()):
        if words and words[0] in names:
            start, lasts = float(words[2]) / 1000, float(words[4]) / 1000
            yield names[words[0]], start, start + lasts


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


def _stretches(cells, times, last):
    """Runs of equal cells: what, when they begin, and when the next cell does."""
    edges = [*times, last]
    first = 0
    for row in range(1, len(cells) + 1):
        if row == len(cells) or cells[row] != cells[first]:
            yield cells[first], edges[first], edges[row]
            first = row


@parses("tracks/home_day.txt")
def states_of_a_home(path):
    columns = list(zip(*(line.split() for line in path.read_text().splitlines()), strict=True))
    for place, column in enumerate(columns):
        for state, start, end in _stretches(column, range(len(column)), len(column)):
            if state != "0":
                yield (state if place >= 20 else f"column {place + 1}"), start, end


@parses("tracks/wrist.dat")
def codes_beside_readings(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    times = [float(row[0]) for row in rows]
    for code, start, end in _stretches([row[1] for row in rows], times, times[-1] + 0.02):
        if code != "0":
            yield code, start, end


@parses("tracks/ankle.log")
def codes_after_readings(path):
    codes = [line.split("\t")[-1] for line in path.read_text().splitlines()]
    for code, start, end in _stretches(codes, range(len(codes)), len(codes)):
        if code != "0":
            yield code, start, end


@parses("tracks/arena.txt")
def below_a_block_of_notes(path):
    lines = path.read_text().splitlines()
    names = [name.strip('"') for name in lines[4].split(";")]
    rows = [dict(zip(names, line.split(";"), strict=True)) for line in lines[7:]]
    times = [float(row["Trial time"]) for row in rows]
    yield from _runs(rows, names[4:6], times, 0.04)


@parses("tracks/coded_columns.csv")
def a_track_for_each_column(path):
    rows = _rows(path)
    times = [float(row["Time"]) for row in rows]
    for column in ("Posture", "Object", "Light"):
        cells = [row[column] for row in rows]
        yield from (each for each in _stretches(cells, times, times[-1] + 0.2) if each[0])


@parses("tracks/tools.txt")
def tools_by_frame(path):
    rows = _rows(path, "\t")
    times = [int(row["Frame"]) for row in rows]
    yield from _runs(rows, ["Forceps", "Scissors", "Drill"], times, 25)


@parses("tracks/poses.csv")
def flags_beside_poses(path):
    rows = _rows(path)
    yield from _runs(rows, ["chase", "freeze"], range(len(rows)), 1)


@parses("tracks/without_times.csv")
def labels_without_times(path):
    cells = [row["activity"] for row in _rows(path)]
    yield from _stretches(cells, range(len(cells)), len(cells))


@parses("csv/frames_of_seconds.txt")
def clocks_with_frames(path):
    def seconds(text):
        hours, minutes, whole, frames = map(int, text.split(":"))
        return 3600 * hours + 60 * minutes + whole + frames / 25

    for row in _rows(path, "\t"):
        code = row["Parent gaze"] or row["Child gaze"]
        yield code, seconds(row["Onset_Time"]), seconds(row["Offset_Time"])


@parses("csv/chapters.txt", "csv/dashes.bvs")
def each_until_the_next(path):
    rows = re.findall(r"^(\d[\d:]*) (?:- )?(.*)$", path.read_text(), re.M)
    times = []
    for clock, _ in rows:
        parts = [int(part) for part in clock.split(":")]
        parts, thousandths = (parts[:3], parts[3]) if len(parts) == 4 else (parts, 0)
        times.append(
            sum(60**n * part for n, part in enumerate(reversed(parts))) + thousandths / 1e3
        )
    for (_, label), start, end in zip(rows, times, times[1:], strict=False):
        yield label, start, end


@parses("csv/lengths_in_days.csv")
def lengths_in_days(path):
    def seconds(text):
        days, clock = text.split(" days ")
        hours, minutes, rest = clock.split(":")
        return 86400 * int(days) + 3600 * int(hours) + 60 * int(minutes) + float(rest)

    for row in _rows(path):
        start = seconds(row["begin"])
        yield row["behaviour"], start, start + seconds(row["duration"])


@parses("csv/raw_samples.txt")
def samples_of_users(path):
    users = defaultdict(list)
    for line in path.read_text().splitlines():
        user, activity, time, *_ = line.split(",")
        users[user].append((activity, int(time)))
    steps = [b - a for rows in users.values() for (_, a), (_, b) in pairwise(rows)]
    for rows in users.values():
        times = [time for _, time in rows]
        cells = [activity for activity, _ in rows]
        yield from _stretches(cells, times, times[-1] + median(steps))


@parses("csv/utterances")
def spoken_segments(path):
    for line in path.read_text().splitlines():
        _, _, start, end = line.split()
        yield "utterances", float(start), float(end)


@parses("csv/aligned.csv")
def aligned_words_and_sounds(path):
    for row in _rows(path):
        yield row["Label"], float(row["Begin"]), float(row["End"])


@parses("csv/frame_list.txt")
def offsets_and_numbers_of_frames(path):
    for line in path.read_text().splitlines():
        _, offset, frames, code = line.split()
        yield code, int(offset), int(offset) + int(frames)


@parses("events/residents.txt")
def tasks_of_residents(path):
    going, tasks, last = {}, {}, None
    for line in path.read_text().splitlines():
        day, clock, sensor, state, *pairs = line.split()
        last = datetime.fromisoformat(f"{day} {clock}").timestamp()
        if state in ("ON", "OPEN"):
            going[sensor] = last
        else:
            yield sensor, going.pop(sensor), last
        for resident, task in zip(pairs[::2], pairs[1::2], strict=True):
            before, since = tasks.get(resident, (task, last))
            if before != task:
                yield before, since, last
                since = last
            tasks[resident] = task, since
    for task, since in tasks.values():
        yield task, since, last


@parses("json/buckets.json")
def events_in_buckets(path):
    for bucket in json.loads(path.read_text())["buckets"].values():
        for event in bucket["events"]:
            start = datetime.fromisoformat(event["timestamp"]).timestamp()
            yield (
                event["data"].get("app", event["data"].get("status")),
                start,
                start + event["duration"],
            )


def _logged(rows):
    """What sensors do, and what goes on meanwhile: rows of a time, a sensor, a state and a note."""
    going = {}
    for time, sensor, state, note in rows:
        if state in ("ON", "OPEN"):
            going[sensor] = time
        elif state in ("OFF", "CLOSE"):
            yield sensor, going.pop(sensor), time
        task, _, edge = note.partition("-")
        if edge == "start":
            going[task] = time
        elif edge == "end":
            yield task, going.pop(task), time


@parses("events/steps_of_tasks.txt")
def steps_of_tasks(path):
    rows = (line.split("\t") for line in path.read_text().splitlines())
    yield from _logged(
        (datetime.fromisoformat(time).timestamp(), sensor, state, "".join(note))
        for time, sensor, state, *note in rows
    )


@parses("events/activity_of_events.csv")
def activities_of_events(path):
    rows = _rows(path)
    times = [
        datetime.strptime(f"{r['date']} {r['time']}", "%Y/%m/%d %H:%M:%S").timestamp() for r in rows
    ]
    yield from _logged((t, r["sensor"], r["state"], "") for t, r in zip(times, rows, strict=True))
    yield from _stretches([r["activity"] for r in rows], times, times[-1])


@parses("xml/notes_of_songs.xml")
def notes_of_songs(path):
    for note in re.findall(r"<Note>(.*)</Note>", path.read_text()):
        start, length, label = re.findall(r">([^<]+)<", note)
        yield label, int(start), int(start) + int(length)


@parses("textgrid/fractions.TextGrid")
def fractions_of_seconds(path):
    numbers = (0.0, 0.5, 2.5, 3.0)
    words = re.findall(r'text = "(\w+)"', path.read_text())
    yield from zip(words, numbers, numbers[1:], strict=False)


@parses("events/no_movement.csv")
def states_and_their_ends(path):
    going = {}
    for row in _rows(path, ";"):
        time = datetime.strptime(row["TIMESTAMP"], "%Y/%m/%d %H:%M:%S").timestamp()
        if row["STATE"].startswith("No ") or row["STATE"] == "Close":
            yield row["OBJECT"], going.pop(row["OBJECT"]), time
        else:
            going[row["OBJECT"]] = time


@parses("events/starts_and_stops.csv")
def starts_and_stops(path):
    rows = [(row["Label"].partition(":"), row["Time"]) for row in _rows(path)]
    yield from _logged(
        (datetime.fromisoformat(time).timestamp(), "", "", f"{what}-{EDGES[edge]}")
        for (edge, _, what), time in rows
    )


@parses("csv/one_species.txt")
def one_species(path):
    for row in _rows(path, "\t"):
        yield row["Species Code"], float(row["Begin Time (s)"]), float(row["End Time (s)"])


@parses("csv/codes_before_times.txt")
def codes_before_times(path):
    for line in path.read_text().splitlines():
        code, start, end, _ = line.split(",")
        yield code, int(start), int(end)


@parses("csv/recordings_before_actions.txt")
def recordings_before_actions(path):
    day = "2000-01-01T"
    for line in path.read_text().splitlines():
        _, action, *times = line.split("\t")
        yield action, *(datetime.fromisoformat(day + time).timestamp() for time in times)


@parses("events/quoted_labels.csv")
def quoted_labels(path):
    rows = list(csv.reader(path.read_text().splitlines()))
    times = [datetime.fromisoformat(f"{row[0]}T{row[1]}").timestamp() for row in rows]
    states = [(time, row[2], row[3], "") for time, row in zip(times, rows, strict=True)]
    yield from _logged(states)
    yield from _stretches([row[4] for row in rows], times, times[-1])


@parses("via/without_flags.csv")
def segments_without_flags(path):
    for _, _, times, _, values in csv.reader(path.read_text().splitlines()[1:]):
        start, end = json.loads(times)
        yield json.loads(values)["behaviour"], start, end


@parses("csv/trials_of_people.csv")
def trials_of_people(path):
    for row in _rows(path, ";"):
        yield row["aoi"], float(row["onset_ms"]), float(row["offset_ms"])
