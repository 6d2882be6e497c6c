"""Plain parsers of samples in the manner of tables that were found to be read wrongly.

Each gives the intervals as (instance, action, start, end), as in independent_tables.py.
"""

import csv
from datetime import datetime
from itertools import groupby, pairwise


def _rows(path, delimiter=","):
    return list(csv.DictReader(path.read_text().splitlines(), delimiter=delimiter))


def _seconds(text, pattern="%Y-%m-%d %H:%M:%S"):
    return datetime.strptime(text, pattern).timestamp()


def _from_first(rows):
    first = min(start for *_, start, _ in rows)
    return [(instance, action, a - first, b - first) for instance, action, a, b in rows]


def _between(events, named_by):
    """Of (instance, action, time), intervals to the next of the instance; named by 0 or 1."""
    first = min(time for *_, time in events)
    for name in dict.fromkeys(event[0] for event in events):
        own = sorted((time, action) for instance, action, time in events if instance == name)
        for both in pairwise(own):
            yield name, both[named_by][1], both[0][0] - first, both[1][0] - first


def moments_in_cells(path):
    return _between([(None, r["action"], _seconds(r["timestamp"])) for r in _rows(path)], 0)


def lengths_beside_ends(path):
    for line in path.read_text().splitlines():
        start, end, length, code, video = map(int, line.split(","))
        assert end - start == length
        yield str(video), str(code), start, end


def whistles(path):
    for r in _rows(path, "\t"):
        yield r["Begin File"], "whistles", float(r["Begin Time (s)"]), float(r["End Time (s)"])


def offsets_in_files(path):
    for r in _rows(path, "\t"):
        times = float(r["Begin Time (s)"]), float(r["End Time (s)"])
        yield r["Begin Path"], r["Species Code"], *times


def stopped_clocks(path):
    rows = _rows(path, ";")
    times = [_seconds(r["Timestamp"], "%d-%m-%Y:%H.%M") for r in rows]
    events = [(r["Case ID"], r["Activity"], t) for r, t in zip(rows, times, strict=True)]
    return _between(events, 1)


def spelt_lengths(path):
    lengths = {"30 sec": 30, "8 sec": 8, "1 min 34 sec": 94, "1 h 5 min": 3900}
    starts = [(r, _seconds(f"{r['date']} {r['time']}")) for r in _rows(path)]
    return _from_first([(None, r["event"], s, s + lengths[r["duration"]]) for r, s in starts])


def tickets(path):
    rows = _rows(path)
    return _between([(r["ticket_id"], r["event_type"], _seconds(r["timestamp"])) for r in rows], 0)


def milliseconds_of_seconds(path):
    for r in _rows(path):
        start = float(r["start_timestamp"])
        yield None, r["method"], start, start + float(r["duration"]) / 1000


def nanoseconds(path):
    rows = [(r, int(r["start timestamp [ns]"]), int(r["end timestamp [ns]"])) for r in _rows(path)]
    return _from_first([(r["recording id"], "nanoseconds", a, b) for r, a, b in rows])


def eye_movements(path):
    rows = [(int(r["Recording timestamp"]), r["Eye movement type"]) for r in _rows(path, "\t")]
    runs = [(what, [t for t, _ in run]) for what, run in groupby(rows, key=lambda row: row[1])]
    ends = [times[0] for _, times in runs[1:]] + [runs[-1][1][-1] + 8]  # a step of 8 is usual
    for (what, times), end in zip(runs, ends, strict=True):
        yield "Tea 1", what, times[0], end


def codes_of_classes(path):
    rows = [(float(r["time"]), r["code"], r["class"]) for r in _rows(path)]
    for place, (start, code, kind) in enumerate(rows[:-1]):
        after = rows[place + 1 :]
        yield None, code, start, next(t for t, c, k in after if k == kind or c == "END")


def confidence_in_words(path):
    for r in _rows(path):
        yield r["session_id"], r["class"], float(r["start_s"]), float(r["end_s"])


def two_that_may_be_actions(path):
    rows = [
        (None, r["time"], *(_seconds(r[edge], "%Y-%m-%dT%H:%M:%SZ") for edge in ("start", "end")))
        for r in _rows(path)
    ]
    return _from_first(rows)


def decimal_commas(path):
    for r in _rows(path, ";"):
        if r["Behavior type"] == "STATE":
            times = (float(r[edge].replace(",", ".")) for edge in ("Start (s)", "Stop (s)"))
            yield r["Observation id"], r["Behavior"], *times


PARSERS = {
    "boris/decimal_commas.csv": decimal_commas,
    "csv/codes_of_classes.csv": codes_of_classes,
    "csv/confidence_in_words.csv": confidence_in_words,
    "csv/eye_movements.tsv": eye_movements,
    "csv/lengths_beside_ends.csv": lengths_beside_ends,
    "csv/milliseconds_of_seconds.csv": milliseconds_of_seconds,
    "csv/moments_in_cells.csv": moments_in_cells,
    "csv/nanoseconds.csv": nanoseconds,
    "csv/offsets_in_files.txt": offsets_in_files,
    "csv/spelt_lengths.csv": spelt_lengths,
    "csv/stopped_clocks.csv": stopped_clocks,
    "csv/tickets.csv": tickets,
    "csv/two_that_may_be_actions.csv": two_that_may_be_actions,
    "csv/whistles.txt": whistles,
}
