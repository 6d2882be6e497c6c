"""Plain parsers of the samples of tables and logs, which share nothing with the readers.

Each gives the intervals as (instance, action, start, end); the instance is None where a file is
one. Times are those of the file, date-times are seconds since the earliest in it.
"""

import csv
import re
from datetime import datetime, timedelta
from itertools import pairwise

import independent_found
import independent_lines
import independent_speech
import independent_starts
import independent_videos


def _lines(path):
    return path.read_text().splitlines()


def _dicts(path, delimiter=","):
    return list(csv.DictReader(_lines(path), delimiter=delimiter))


def _since_first(rows):
    first = min(start for _, _, start, _ in rows)
    return [(i, a, (s - first).total_seconds(), (e - first).total_seconds()) for i, a, s, e in rows]


def _clock(text):
    hours, minutes, seconds = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def kasteren(path):
    lines = _lines(path)
    names = dict(
        re.fullmatch(r"(\d+): '(.*)'", x).groups() for x in lines if re.match(r"\d+: '", x)
    )
    cells = [line.split("\t") for line in lines if re.match(r"\d\d-", line)]
    day = "%d-%b-%Y %H:%M:%S"
    return _since_first(
        [
            (None, names[c], datetime.strptime(a, day), datetime.strptime(b, day))
            for a, b, c in cells
        ]
    )


def numbered_sensors(path):
    names = dict(re.findall(r"\[ *(\d+)\] +'(.*)'", path.read_text()))
    cells = [line.split("\t") for line in _lines(path) if re.match(r"\d\d-", line)]
    day = "%d-%b-%Y %H:%M:%S"
    return _since_first(
        [
            (
                None,
                names.get(c[2], c[2]),
                datetime.strptime(c[0], day),
                datetime.strptime(c[1], day),
            )
            for c in cells
        ]
    )


def right_or_wrong(path):
    return [
        (row["youtube_id"], row["classname"], float(row["start"]), float(row["end"]))
        for row in _dicts(path)
        if row["label"] == "1"
    ]


def coded_sounds(path):
    cells = [line.split("\t") for line in _lines(path)]
    return [(None, name, float(start), float(end)) for _, start, end, name in cells]


def unnamed_clips(path):
    return [
        (row["video_id"], path.stem, _clock(row["start_timestamp"]), _clock(row["stop_timestamp"]))
        for row in _dicts(path)
    ]


def cases(path):
    rows = [
        (row["case_id"], row["activity"], datetime.fromisoformat(row["timestamp"]))
        for row in _dicts(path, ";")
    ]
    first = min(time for _, _, time in rows)
    return [
        (case, action, (start - first).total_seconds(), (end - first).total_seconds())
        for (before, _, start), (case, action, end) in pairwise(rows)
        if before == case
    ]


def headerless_dates(path):
    day = "%d-%b-%Y %H:%M:%S"
    cells = [line.split("\t") for line in _lines(path)]
    return _since_first(
        [(None, c, datetime.strptime(a, day), datetime.strptime(b, day)) for a, b, c in cells]
    )


def binary(path):
    cells = [[c for c in line.split("\t") if c] for line in _lines(path)[2:]]
    iso = datetime.fromisoformat
    return _since_first([(None, row[2], iso(row[0]), iso(row[1])) for row in cells])


def begin_is_date(path):
    iso = datetime.fromisoformat
    rows = _dicts(path, ";")
    return _since_first(
        [(r["case_id"], r["label"], iso(r["date"]), iso(r["end_date"])) for r in rows]
    )


def start_length(path):
    cells = [line.split("\t") for line in _lines(path)]
    return [(None, c, float(a), float(a) + float(b)) for a, b, c in cells]


def decimal_commas(path):
    number = lambda text: float(text.replace(",", "."))  # noqa: E731
    rows = _dicts(path, ";")
    return [(r["Aufnahme"], r["Verhalten"], number(r["Beginn"]), number(r["Ende"])) for r in rows]


def kitchens(path):
    return [
        (r["video_id"], r["verb"], _clock(r["start_timestamp"]), _clock(r["stop_timestamp"]))
        for r in _dicts(path)
    ]


def packed_actions(path):
    rows = [
        (r["id"], each.split()) for r in _dicts(path) for each in r["actions"].split(";") if each
    ]
    return [(name, action, float(start), float(end)) for name, (action, start, end) in rows]


def label_track(path):
    cells = [line.split("\t") for line in _lines(path) if not line.startswith("\\")]
    return [(None, c, float(a), float(b)) for a, b, c in cells]


def point_labels(path):
    """Points, to which inspect gives a length of 1."""
    return [(name, label, start, start + 1) for name, label, start, _ in label_track(path)]


def named(delimiter, instance, action, start, end):
    def parse(path):
        return [
            (instance and r[instance], r[action], float(r[start]), float(r[end]))
            for r in _dicts(path, delimiter)
        ]

    return parse


def onset_duration(path):
    return [
        (None, r["trial_type"], float(r["onset"]), float(r["onset"]) + float(r["duration"]))
        for r in _dicts(path, "\t")
    ]


def high_jump(path):
    cells = [line.split() for line in _lines(path)]
    return [(video, "HighJump", float(a), float(b)) for video, a, b in cells]


def step_codes(path):
    cells = [line.split(",") for line in _lines(path)]
    return [(None, code, float(a), float(b)) for code, a, b in cells]


def clip_times(path):
    rows = [[cell.strip() for cell in line.split(";")] for line in _lines(path)[1:]]
    return [(r[1], r[4], float(r[2]), float(r[3])) for r in rows]


def time_sheet(path):
    iso = datetime.fromisoformat
    return _since_first(
        [
            (
                None,
                r["Description"],
                iso(f"{r['Start date']}T{r['Start time']}"),
                iso(f"{r['End date']}T{r['End time']}"),
            )
            for r in _dicts(path)
        ]
    )


def diary(path):
    rows = []
    for r in _dicts(path):
        day = datetime.strptime(r["date"], "%m/%d/%Y")
        start, end = (day + timedelta(seconds=_clock(r[name])) for name in ("start", "end"))
        rows.append((None, r["activity"], start, end + timedelta(days=end < start)))
    return _since_first(rows)


def american_dates(path):
    day = "%m/%d/%Y %I:%M %p"
    return _since_first(
        [
            (
                None,
                r["Event"],
                datetime.strptime(r["Started at"], day),
                datetime.strptime(r["Ended at"], day),
            )
            for r in _dicts(path)
        ]
    )


def postures(path):
    cells = [line.split() for line in _lines(path)]
    return [(c[0], c[2], float(c[3]), float(c[4])) for c in cells]


def segments(path):
    rows = [line.split(", ", 3) for line in _lines(path) if not line.startswith("#")]
    return [(name, labels.strip('"'), float(a), float(b)) for name, a, b, labels in rows]


def hypnogram(path):
    cells = [line.split("\t") for line in _lines(path)[3:]]
    rows = []
    for _, _, clock, event, length, _ in cells:
        start = _clock(clock) + (86400 if clock.startswith("00:") else 0)
        rows.append((None, event, start, start + float(length)))
    return rows


def session(path):
    return [
        (file.relative_to(path).as_posix(), r["label"], float(r["onset"]), float(r["offset"]))
        for file in sorted(path.rglob("*.csv"))
        for r in _dicts(file)
    ]


def _switched(events, first=None):
    """Intervals of (time, what, starts); the earliest event is 0."""
    first = min(time for time, _, _ in events) if first is None else first
    going, rows = {}, []
    for time, what, starts in events:
        if starts:
            going[what] = time
        else:
            rows.append((None, what, going.pop(what), time))
    return [(i, a, (s - first).total_seconds(), (e - first).total_seconds()) for i, a, s, e in rows]


ON, OFF = ("ON", "OPEN"), ("OFF", "CLOSE")


def casas(sensor, state, date="%Y-%m-%d %H:%M:%S.%f"):
    """Logs with begin and end; the sensor and the state are these words of a line."""

    def parse(path):
        events, times = [], []
        for line in _lines(path):
            words = re.split(r"\s+", line)
            time = datetime.strptime(f"{words[0]} {words[1]}", date)
            times.append(time)
            if words[state] in ON + OFF:
                events.append((time, words[sensor], words[state] in ON))
            edge = re.search(r'(\w+)(?: |=")(begin|end)', line)
            if edge:
                events.append((time, edge[1], edge[2] == "begin"))
        return _switched(events, min(times))

    return parse


def casas_labels(sensor, state, date="%Y-%m-%d %H:%M:%S.%f"):
    """Logs with the activity as the last word of every line."""

    def parse(path):
        events, label = [], None
        for line in _lines(path):
            words = line.split()
            time = datetime.strptime(f"{words[0]} {words[1]}", date)
            if words[-1] != label:
                if label:
                    events.append((time, label, False))
                label = words[-1]
                events.append((time, label, True))
            events.append((time, words[sensor], words[state] in ON))
        events.append((time, label, False))
        return _switched(events)

    return parse


def switches(path):
    iso = datetime.fromisoformat
    return _switched([(iso(r["timestamp"]), r["sensor"], r["value"] == "1") for r in _dicts(path)])


def home_assistant(path):
    cells = [re.fullmatch(r'"(.*)" (\w+) (\d)', line).groups() for line in _lines(path)]
    return _switched([(datetime.fromisoformat(a), b, c == "1") for a, b, c in cells])


def observer(path):
    going, rows = {}, []
    for r in _dicts(path, ";"):
        time, what = float(r["Time_Relative_sf"].replace(",", ".")), r["Behavior"]
        if r["Event_Type"] == "State start":
            going[what] = time
        elif r["Event_Type"] == "State stop":
            rows.append((r["Observation"], what, going.pop(what), time))
    return rows


def boris_ranges(delimiter, observation, behavior, kind, start, stop, header=1):
    def parse(path):
        rows = list(csv.reader(_lines(path), delimiter=delimiter))[header:]
        return [
            (r[observation], r[behavior], float(r[start]), float(r[stop]))
            for r in rows
            if r[kind] == "STATE"
        ]

    return parse


def boris_switches(delimiter, observation, subject, behavior, kind, time, header=1):
    def parse(path):
        going, intervals = {}, []
        for r in list(csv.reader(_lines(path), delimiter=delimiter))[header:]:
            name = "morning" if observation is None else r[observation]
            what = (name, r[subject], r[behavior])
            if r[kind] == "START":
                going[what] = float(r[time])
            elif r[kind] == "STOP":
                intervals.append((name, r[behavior], going.pop(what), float(r[time])))
        return intervals

    return parse


def frame_ranges(path):
    rows = [re.fullmatch(r"(\d+)-(\d+) (\w+)", line).groups() for line in _lines(path)]
    return [(None, c, float(a), float(b) + 1) for a, b, c in rows if c != "SIL"]


def gtea(path):
    rows = [re.match(r"(<.*>) \((\d+)-(\d+)\)", line).groups() for line in _lines(path)]
    return [(None, label, float(a), float(b) + 1) for label, a, b in rows]


def frame_segments(path):
    rows = [line.split(None, 2) for line in _lines(path)]
    return [(None, c, float(a), float(b)) for a, b, c in rows]


def frame_labels(path):
    rows, lines = [], _lines(path)
    for number, label in enumerate(lines):
        if number and lines[number - 1] == label:
            rows[-1] = (*rows[-1][:3], float(number + 1))
        else:
            rows.append((None, label, float(number), float(number + 1)))
    return [row for row in rows if row[1] != "SIL"]


# by the path of the sample
PARSERS = (
    {
        "csv/HighJump_val.txt": high_jump,
        "csv/american_dates.csv": american_dates,
        "csv/begin_is_date.csv": begin_is_date,
        "csv/binary_activities.txt": binary,
        "csv/binary_sensors.txt": binary,
        "csv/clips.csv": named(",", "youtube_id", "label", "time_start", "time_end"),
        "csv/confidence.csv": named(",", "file", "event", "begin", "finish"),
        "csv/decimal_commas.csv": decimal_commas,
        "csv/diary.csv": diary,
        "csv/from_r.csv": named(",", "video", "behaviour", "start", "end"),
        "csv/cases.csv": cases,
        "csv/coded_sounds.txt": coded_sounds,
        "csv/each_id_once.txt": numbered_sensors,
        "csv/headerless_dates.csv": headerless_dates,
        "csv/numbered_sensors.txt": numbered_sensors,
        "csv/right_or_wrong.csv": right_or_wrong,
        "csv/unnamed_clips.csv": unnamed_clips,
        "csv/house.activities": start_length,
        "csv/hypnogram.txt": hypnogram,
        "csv/clip_times.csv": clip_times,
        "csv/step_codes.csv": step_codes,
        "csv/kasteren.txt": kasteren,
        "csv/kitchens.csv": kitchens,
        "csv/label_track.txt": label_track,
        "csv/point_labels.txt": point_labels,
        "csv/packed_actions.csv": packed_actions,
        "csv/postures.txt": postures,
        "csv/segments.csv": segments,
        "csv/two_comments.csv": segments,
        "csv/selections.txt": named("\t", None, "Species", "Begin Time (s)", "End Time (s)"),
        "csv/session": session,
        "csv/strong_labels.tsv": named("\t", "filename", "event_label", "onset", "offset"),
        "csv/sub-01_task-go_events.tsv": onset_duration,
        "csv/time_sheet.csv": time_sheet,
        "events/casas_begin_end.txt": casas(2, 3),
        "events/casas_labels.txt": casas_labels(2, 3),
        "events/casas_places.txt": casas(2, 5),
        "events/casas_places_labels.csv": casas_labels(2, 4, "%Y/%m/%d %H:%M:%S"),
        "events/home_assistant.csv": home_assistant,
        "events/observer.txt": observer,
        "events/switches.csv": switches,
        "boris/aggregated.tsv": boris_ranges("\t", 0, 8, 11, 12, 13),
        "boris/aggregated_r.csv": boris_ranges(",", 1, 5, 8, 9, 10),
        "boris/headerless.tsv": boris_ranges("\t", 0, 8, 11, 12, 13, header=0),
        "boris/headerless_one_behaviour.tsv": boris_ranges("\t", 0, 9, 12, 13, 14, header=0),
        "boris/renamed_in_r.csv": boris_ranges(",", 1, 3, 5, 6, 7),
        "boris/old_tabular.tsv": boris_switches("\t", None, 4, 5, 8, 0, header=10),
        "boris/tabular_write_table.txt": boris_switches("\t", 1, 2, 3, 5, 6),
        "boris/variable_called_time.tsv": boris_switches("\t", 0, 10, 11, 14, 15),
        "boris/two_subjects.csv": boris_switches(",", 0, 3, 4, 6, 7),
        "frames/gtea.txt": gtea,
        "frames/labels.txt": frame_labels,
        "frames/ranges.txt": frame_ranges,
        "frames/segments.txt": frame_segments,
        "frames/stages.txt": frame_labels,
        "frames/words.txt": frame_segments,
    }
    | independent_starts.PARSERS
    | independent_found.PARSERS
    | independent_lines.TABLES
    | independent_speech.PARSERS
    | independent_videos.TABLES
)
