"""Bento, Datavyu, calendars and traces: what they say of files that they cannot read whole."""

import warnings

import pytest

import ibgn
from ibgn import DataError, DataWarning

BENTO = "Bento annotation file\nAnnotation framerate: 10\nCh1----------\n>dig\nStart\tStop\n"
CALTECH = "Caltech Behavior Annotator - Annotation File\n\nS1: start end type\n-----\n"
CALENDAR = "BEGIN:VCALENDAR\n{}END:VCALENDAR\n"
TRACE = '[{{"ph": "B", "name": "a", "ts": 0, "pid": 1, "tid": 1}}, {}]'
EVENT = "BEGIN:VEVENT\nSUMMARY:Tea\n{}END:VEVENT\n"

REFUSED = {
    "a.annot": (BENTO + "1\tx\n", "line 6 is .*a bout has a start, a stop"),
    "b.annot": (CALTECH + "1 x dig\n", "line 5 is .*a bout has its first and last"),
    "c.csv": ("look.ordinal,look.onset,look.offset\n1,5,x\n", "line 2: the time 'x' is no number"),
    "d.csv": ("#4\nlook (MATRIX,true,)-at|NOMINAL\n0,5,(x)\n", "line 3: the time '0' is not"),
    "e.ics": (CALENDAR.format(""), "no appointments"),
    "f.ics": (CALENDAR.format(EVENT.format("")), "line 2: the appointment has no start"),
    "g.ics": (CALENDAR.format(EVENT.format("DTSTART:2024\n")), "line 2: the time '2024' is not"),
    "h.ics": (CALENDAR.format("BEGIN:VEVENT\nDTSTART:20240304\n"), "line 2: .* has no end"),
    "i.json": (TRACE.format('{"ph": "E", "ts": "x", "pid": 1, "tid": 1}'), r"\[1\].ts"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_wrong_is_said(tmp_path, name):
    content, message = REFUSED[name]
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=f"{name}: .*{message}"):
        ibgn.read(path)


LEFT_OUT = {
    "a.ics": (
        CALENDAR.format(
            EVENT.format("DTSTART:20240304T070000Z\nDURATION:PT30M\nRRULE:FREQ=DAILY\n")
            + EVENT.format("DTSTART;TZID=Our Own Zone:20240304T080000\nDURATION:PT1H\n")
        ),
        [("Tea", 0, 1800), ("Tea", 3600, 7200)],
        [
            "1 appointment that repeats: only the first time",
            "1 time in a time zone that is not known",
        ],
    ),
    "b.json": (
        TRACE.format(
            '{"ph": "X", "name": "b", "ts": 5000000, "dur": 1000000, "pid": 1, "tid": 1}, '
            '{"ph": "E", "ts": 6000000, "pid": 1, "tid": 2}, '
            '{"ph": "i", "name": "c", "ts": 6000000, "pid": 1, "tid": 2}'
        ),
        [("b", 5, 6)],
        ["1 event that ends what has not begun", "1 event that begins what does not", "1 point"],
    ),
}


@pytest.mark.parametrize("name", list(LEFT_OUT))
def test_what_is_left_out_is_counted(tmp_path, name):
    content, expected, messages = LEFT_OUT[name]
    path = tmp_path / name
    path.write_text(content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        X, _ = ibgn.read(path)
    assert X.to_lists() == [expected]
    said = " ".join(str(warning.message) for warning in caught)
    assert all(message in said for message in messages), said


def test_ranges_of_frames_take_a_rate(tmp_path):
    path = tmp_path / "mouse.txt"
    path.write_text(CALTECH + "1 20 rest\n21 30 dig\n")
    X, _ = ibgn.read(path, rate=10)
    assert X.to_lists() == [[("rest", 0.1, 2.1), ("dig", 2.1, 3.1)]]


def test_bouts_without_a_gap_meet(tmp_path):
    path = tmp_path / "mouse.annot"
    thirds = BENTO.replace("framerate: 10", "framerate: 30").replace("Stop", "Stop\tDuration")
    path.write_text(thirds + "0.0333333\t0.0666667\t0.0666667\n>run\n0.1\t0.1\t0.0333333\n")
    X, _ = ibgn.read(path)
    assert X.to_lists() == [[("dig", 1 / 30, 0.1), ("run", 0.1, 4 / 30)]]
