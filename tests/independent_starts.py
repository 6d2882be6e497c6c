"""Plain parsers of the samples of tables and logs whose rows have one time each, and of others.

Each gives the intervals as (instance, action, start, end), as in independent_tables.py.
"""

import csv
import re
from datetime import datetime
from itertools import groupby, pairwise


def _rows(path, delimiter=","):
    return list(csv.DictReader(path.read_text().splitlines(), delimiter=delimiter))


def _moment(text):
    return datetime.fromisoformat(text).timestamp()


def _until_next(events):
    """Of (time, action), each until the next."""
    return [(None, action, start, end) for (start, action), (end, _) in pairwise(events)]


def behaviour_starts(path):
    return _until_next([(float(row["time"]), row["behavior"]) for row in _rows(path)])


def focal(path):
    data = path.read_text().partition("#BEGIN DATA\n")[2].splitlines()
    return _until_next([(float(time), code) for time, code in (x.split(", ") for x in data)])


def boxes(path):
    """Seconds in a row at which someone does the same."""
    seen = {}
    for video, second, *_, action, person in csv.reader(path.read_text().splitlines()):
        seen.setdefault((video, person, action), []).append(int(second))
    for (video, _, action), seconds in seen.items():
        assert seconds == list(range(seconds[0], seconds[-1] + 1))
        yield video, action, seconds[0], seconds[-1] + 1


def sampled_labels(path):
    """Rows 20 ms apart; after the row at 0.14 some are missing."""
    rows = [(round(float(row["timestamp"]) * 50), row["label"]) for row in _rows(path)]
    runs = groupby(enumerate(rows), key=lambda each: (each[1][1], each[1][0] - each[0]))
    for (label, _), run in runs:
        ticks = [tick for _, (tick, _) in run]
        yield None, label, ticks[0] / 50, (ticks[-1] + 1) / 50


def queries(path):
    for line in path.read_text().splitlines():
        where, sentence = line.split("##")
        video, start, end = where.split()
        yield video, sentence, float(start), float(end)


def weak_labels(path):
    for row in _rows(path, "\t"):
        if row["onset"]:
            yield row["filename"], row["event_label"], float(row["onset"]), float(row["offset"])


def cases_by_id(path):
    rows = _rows(path, ";")
    first = min(_moment(row["Date"]) for row in rows)
    last = {}
    for row in rows:
        time = _moment(row["Date"]) - first
        if row["ID"] in last:
            yield row["ID"], row["Event"], last[row["ID"]], time
        last[row["ID"]] = time


def _switched(events):
    """Of (time, action, whether it starts); times since the first."""
    first, going = events[0][0], {}
    for time, action, starts in events:
        if starts:
            going[action] = time - first
        else:
            yield None, action, going.pop(action), time - first


def lifecycle(path):
    """What a patient starts and completes, of the same number; the rest has no start."""
    rows, going = _rows(path), {}
    first = min(_moment(row["timestamp"]) for row in rows)
    for row in rows:
        if row["status"] == "start":
            going[row["activity_instance"]] = _moment(row["timestamp"])
        elif row["status"] == "complete" and row["activity_instance"] in going:
            start = going.pop(row["activity_instance"])
            yield row["patient"], row["activity"], start - first, _moment(row["timestamp"]) - first


def batches(path):
    rows = [
        (row, *(_moment(row[f"{end}_time"]) for end in ("start", "end"))) for row in _rows(path)
    ]
    first = min(start for _, start, _ in rows)
    return [(row["case_id"], row["Activity"], a - first, b - first) for row, a, b in rows]


def numbered_devices(path):
    rows = [row for row in _rows(path) if row["val"] in ("0", "1")]
    return list(_switched([(_moment(r["time"]), r["device"], r["val"] == "1") for r in rows]))


def zones(path):
    lines = [line.split("|") for line in path.read_text().splitlines()[2:-1]]
    cells = [[cell.strip() for cell in line] for line in lines]
    return list(_switched([(_moment(c[0]), f"{c[1]} {c[2]}", c[3] == "1") for c in cells]))


def records(path):
    lines = path.read_text().splitlines()
    for number in range(len(lines) // 5):
        _, _, names, starts, ends = (x.split(",") for x in lines[5 * number : 5 * number + 5])
        for name, *both in zip(names, starts, ends, strict=True):
            start, end = (
                sum(
                    int(part) * unit
                    for part, unit in zip(clock.split(":"), (3600, 60, 1), strict=True)
                )
                for clock in both
            )
            end += 86400 if end < start else 0
            yield f"{path.name}#{number + 1}", re.sub(r"\s+$", "", name), start, end


PARSERS = {
    "csv/batches.csv": batches,
    "csv/behaviour_starts.csv": behaviour_starts,
    "csv/boxes.csv": boxes,
    "csv/cases_by_id.csv": cases_by_id,
    "csv/focal.dat": focal,
    "csv/queries.txt": queries,
    "csv/sampled_labels.csv": sampled_labels,
    "csv/weak_labels.tsv": weak_labels,
    "events/lifecycle.csv": lifecycle,
    "events/numbered_devices.csv": numbered_devices,
    "events/records.csv": records,
    "events/zones.data": zones,
}
PARSERS = {name: lambda path, parse=parse: list(parse(path)) for name, parse in PARSERS.items()}
