"""Event logs: what starts and stops, paired to intervals; sensors of homes."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibgn.budgets import Budget
from ibgn.cleaning import Cleaning
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io import read_events
from ibgn.io.annotations import Annotation, Recording, to_frame
from ibgn.io.choices import Choices
from ibgn.io.parsing.time import as_seconds
from ibgn.io.registry import load
from strategies import as_events, one_track, tracked_instances

HOME = b"""\
2010-11-04 08:00:00.0 M003 ON Sleeping begin
2010-11-04 08:00:01.5 M004 ON
2010-11-04 08:00:02.0 M003 OFF
2010-11-04 08:00:04.0 M004 OFF Sleeping end
2010-11-04 08:00:05.0 D001 OPEN Leave_Home begin
2010-11-04 08:00:06.5 D001 CLOSE Leave_Home end
"""
SAMPLES = {
    "home.txt": HOME,
    "shift.csv": b"time,action,state,case,kind\n0,cut,start,a,x\n1,glue,start,a,x\n"
    b"2.5,cut,stop,a,x\n3,glue,complete,a,x\n0,cut,start,b,y\n2,cut,stop,b,y\n",
    "plain.log": b"0 lamp on\n3 radio on\n\n4 lamp off\n9 radio off\n",
}
READERS = {
    "home.txt": lambda path: read_events(path, activity="track:activity", unpaired="close"),
    "shift.csv": lambda path: read_events(
        path,
        columns={"instance": "case"},
        activity="column:kind",
        unpaired="drop",
        unknown="drop",
    ),
    "plain.log": lambda path: read_events(path),
}


@pytest.fixture
def file(tmp_path):
    def make(content, name="home.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@given(tracked_instances())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tables_written_from_intervals_give_them_back(tmp_path, drawn):
    drawn = [rows for rows in drawn if rows] or [[("x", 0, 1)]]
    lines = ["case,time,action,state"]
    for number, rows in enumerate(drawn):
        lines += [f"{number},{time},{action},{state}" for time, action, state in as_events(rows)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))
    X, _ = read_events(path, columns={"instance": "case"})
    assert X.to_lists() == drawn


@given(one_track().filter(len))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_logs_with_date_times_give_intervals_since_the_first_event(tmp_path, rows):
    first = np.datetime64("2010-11-04T23:59:58.500")
    rows = [(action.replace(" ", "_"), start, end) for action, start, end in rows]
    lines = [
        f"{str(first + int(time * 1000)).replace('T', ' ')}\t{action} {state}"
        for time, action, state in as_events(rows)
    ]
    path = tmp_path / "log.txt"
    path.write_text("\n".join(lines))
    shift = min(start for _, start, _ in rows)
    X, _ = read_events(path)
    assert X.to_lists() == [[(a, s - shift, e - shift) for a, s, e in rows]]


def test_activities_of_a_log_become_instances(file):
    X, y = read_events(file(HOME), activity="track:activity")
    assert y.tolist() == ["Sleeping", "Leave_Home"]
    assert X.to_lists() == [[("M003", 0, 2), ("M004", 1.5, 4)], [("D001", 5, 6.5)]]
    assert X.ids.tolist() == ["home.txt#1", "home.txt#2"]


def test_without_activity_they_are_actions_of_a_track(file):
    X, y = read_events(file(HOME))
    assert y is None
    assert ("Sleeping", 0, 4) in X.to_lists()[0]
    X, _ = read_events(file(HOME), tracks=["M003", "D001"])
    assert X.to_lists() == [[("M003", 0, 2), ("D001", 5, 6.5)]]


def test_several_activities_of_several_words_may_stand_on_a_line(file):
    log = "0 M1 ON R1 Sleep begin R2 Work begin\n4 M1 OFF R1 Sleep end R2 Work end\n"
    _, y = read_events(file(log), activity="track:activity")
    assert sorted(y.tolist()) == ["R1 Sleep", "R2 Work"]


@given(tracked_instances(), st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)), min_size=1))
def test_activities_get_the_actions_that_a_look_at_all_of_them_finds(drawn, stretches):
    actions = [row for rows in drawn for row in rows]
    notes = [Annotation("x", action, start, end, "") for action, start, end in actions]
    notes += [Annotation("do", "tea", start, start + length, "") for start, length in stretches]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        choices = Choices(activity="track:do", crossing="keep")
        table = to_frame([Recording("s", notes)], choices, "", Budget().of(1000))
        X, _ = table.read(Cleaning())
    for got, (start, length) in zip(
        X.to_lists(), sorted(stretches, key=lambda one: (one[0], sum(one))), strict=True
    ):
        wanted = [row for row in actions if row[1] < start + length and row[2] > start]
        assert sorted(got) == sorted(wanted)


def test_readings_are_left_out_with_a_count(file):
    log = "0 M1 ON\n1 T1 21.5\n2 T1 -3\n4 M1 OFF\n"
    with pytest.warns(DataWarning, match="home.txt: 2 events with a number for a state left out"):
        X, _ = read_events(file(log))
    assert X.to_lists() == [[("M1", 0, 4)]]


def test_unknown_states_are_refused_or_left_out_with_a_count(file):
    path = file("0 M1 ON\n1 M1 FAIL\n4 M1 OFF\n")
    with pytest.raises(DataError, match="home.txt: line 2: the state 'FAIL' is neither"):
        read_events(path)
    with pytest.warns(DataWarning, match="1 event with an unknown state left out"):
        X, _ = read_events(path, unknown="drop")
    assert X.to_lists() == [[("M1", 0, 4)]]


def test_states_may_be_named(file):
    path = file("0 cup ABSENT\n4 cup PRESENT\n5 M1 1\n6 M1 0\n")
    X, _ = read_events(path, start_values=["absent", 1], stop_values=["Present", 0])
    assert X.to_lists() == [[("cup", 0, 4), ("M1", 5, 6)]]


UNPAIRED = "0 a ON\n1 b OFF\n2 c ON\n3 c OFF\n4 c OFF\n5 a OFF\n6 d ON\n7 e ON\n8 e OFF\n"


def test_unpaired_events_are_refused_with_their_place(file):
    with pytest.raises(DataError, match="home.txt: line 2: 'b' stops, but there is no start"):
        read_events(file(UNPAIRED))
    with pytest.raises(DataError, match="home.txt: line 1: 'a' starts, but there is no stop"):
        read_events(file("0 a ON\n"))


def test_unpaired_events_are_dropped_with_a_count(file):
    with pytest.warns(DataWarning, match="home.txt: 3 events without a partner left out"):
        X, _ = read_events(file(UNPAIRED), unpaired="drop")
    assert X.to_lists() == [[("a", 0, 5), ("c", 2, 3), ("e", 7, 8)]]


def test_unpaired_events_are_closed_at_the_edges_with_a_count(file):
    with pytest.warns(DataWarning) as told:
        X, _ = read_events(file(UNPAIRED), unpaired="close")
    messages = " ".join(str(one.message) for one in told)
    assert "2 events without a partner closed at the edge" in messages
    assert "1 event without a partner left out, as closing would make no interval" in messages
    assert X.to_lists() == [[("b", 0, 1), ("a", 0, 5), ("c", 2, 3), ("d", 6, 8), ("e", 7, 8)]]


REPEATED = "0 a ON\n1 a ON\n3 a OFF\n4 b ON\n5 b OFF\n"


def test_repeated_starts_are_merged_with_a_count(file):
    with pytest.warns(DataWarning, match="1 event starting what is already going on: passed"):
        X, _ = read_events(file(REPEATED))
    assert X.to_lists() == [[("a", 0, 3), ("b", 4, 5)]]


def test_repeated_starts_restart_with_a_count(file):
    with pytest.warns(DataWarning, match="it ended there"):
        X, _ = read_events(file(REPEATED), repeated="restart")
    assert X.to_lists() == [[("a", 0, 1), ("a", 1, 3), ("b", 4, 5)]]


def test_repeated_starts_overlap_first_in_first_out_with_a_count(file):
    path = file("0 a ON\n1 a ON\n3 a OFF\n7 a OFF\n")
    with pytest.warns(DataWarning, match="first start to first stop"):
        X, _ = read_events(path, repeated="overlap")
    assert X.to_lists() == [[("a", 0, 3), ("a", 1, 7)]]


def test_repeated_starts_are_refused_with_both_places(file):
    with pytest.raises(DataError, match="line 2: 'a' starts, but goes on since home.txt: line 1"):
        read_events(file(REPEATED), repeated="error")


def test_events_are_put_in_the_order_of_time(file):
    assert read_events(file("3 a OFF\n1 a ON\n"))[0].to_lists() == [[("a", 1, 3)]]


def test_events_at_one_time_keep_their_order(file):
    log = "0 a ON\n2 a OFF\n2 a ON\n4 a OFF\n"
    assert read_events(file(log))[0].to_lists() == [[("a", 0, 2), ("a", 2, 4)]]
    with pytest.raises(DataError, match="zero length"):
        read_events(file("1 a ON\n1 a OFF\n"))


def test_columns_give_instances_labels_and_groups(file):
    path = file(SAMPLES["shift.csv"], "shift.csv")
    X, y = read_events(path, columns={"instance": "case"}, activity="column:kind", group="column:4")
    assert X.ids.tolist() == X.groups.tolist() == ["a", "b"]
    assert y.tolist() == ["x", "y"]
    assert X.to_lists() == [[("cut", 0, 2.5), ("glue", 1, 3)], [("cut", 0, 2)]]


def test_tables_without_a_header_have_columns_by_number(file):
    path = file("M1;ON;10\nM1;OFF;2000\n", "log.csv")
    columns = {"time": 3, "action": 1, "state": 2}
    X, _ = read_events(path, columns=columns, header=False, delimiter=";", unit=0.001)
    assert X.to_lists() == [[("M1", 0.01, 2)]]


def test_layout_overrules_the_suffix(file):
    path = file(SAMPLES["plain.log"], "plain.csv")
    assert len(read_events(path, layout="log")[0].action) == 2
    table = file("time action state\n0 a on\n1 a off\n", "table.txt")
    assert read_events(table, layout="table")[0].to_lists() == [[("a", 0, 1)]]


def test_files_of_a_folder_keep_their_instances_apart(file):
    path = file(SAMPLES["shift.csv"], "mon.csv")
    file(SAMPLES["shift.csv"], "tue.csv")
    X, _ = read_events(path.parent, columns={"instance": "case"}, group="file")
    assert X.ids.tolist() == ["mon.csv#a", "mon.csv#b", "tue.csv#a", "tue.csv#b"]
    assert X.groups.tolist() == ["mon", "mon", "tue", "tue"]


def test_an_instance_has_one_label(file):
    path = file("time,action,state,kind\n0,a,on,x\n1,a,off,y\n", "log.csv")
    with pytest.raises(DataError, match="row 2: the label is 'y', but 'x' at log.csv: row 1"):
        read_events(path, activity="column:kind")


def test_an_instance_of_readings_has_no_intervals(file):
    path = file("time,action,state,case\n0,t,21,a\n0,m,on,b\n1,m,off,b\n", "log.csv")
    with pytest.warns(DataWarning, match="1 event with a number"):
        X, _ = read_events(path, columns={"instance": "case"})
    assert X.to_lists() == [[], [("m", 0, 1)]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n", "an event is needed"),
        ("2010-11-04 08:00:00 M003\n", "line 1 is .* it must have a time, an action and a state"),
        ("0 M1 ON\n1 M1 OFF Sleeping\n2 M1 ON\n", "line 2: after the state comes 'Sleeping'"),
        ("0 M1 ON begin\n1 M1 OFF\n", "line 1: after the state comes 'begin'"),
        ("noon M1 ON\n", "line 1: the time 'noon' is not understood"),
        ("0 M1 ON\nnoon M1 OFF\n", "line 2: the time is 'noon'"),
        ("0 M1 ON\n1e999 M1 OFF\n", "line 2: the time is '1e999'"),
        ("2010-11-04 08:00 a ON\n5 a OFF\n", "line 2: the time '5' is not understood"),
        ("2010-11-04 08:00 a ON\n2010-11-04 09:00Z a OFF\n", "line 2: the time has a time zone"),
        (b"\xff", "UTF-8"),
    ],
)
def test_logs_that_cannot_be_read_say_why(file, content, message):
    with pytest.raises(DataError, match=f"home.txt: .*{message}"):
        read_events(file(content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("time,action,state\n", "no rows"),
        ("time,sensor,state\n0,a,on\n", "no column 'action'"),
        ("time,action,state\n0,a,on,5\n", "line 2 has 4 columns"),
        ("time,action,state\n,a,on\n1,a,off\n", "the time is ''"),
    ],
)
def test_tables_that_cannot_be_read_say_why(file, content, message):
    with pytest.raises(DataError, match=f"log.csv: .*{message}"):
        read_events(file(content, "log.csv"))


NUMBERED = {"time": 1, "action": 2, "state": 3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "xml"}, "layout"),
        ({"unit": 0}, "unit"),
        ({"unknown": "keep"}, "unknown"),
        ({"unpaired": "keep"}, "unpaired"),
        ({"repeated": "keep"}, "repeated"),
        ({"start_values": "on"}, "start_values='on' must be a list of states"),
        ({"stop_values": 5}, "stop_values=5 must be a list of states"),
        (
            {"start_values": ["on"], "stop_values": ["ON"]},
            "has the state 'on', and so has stop_values=",
        ),
        ({"columns": ["time"]}, "must be a mapping"),
        ({"columns": {"sensor": "a"}}, "'sensor', which is not one of"),
        ({"columns": {"action": 0}}, "number from 1 on"),
        ({"columns": {}, "header": False}, "header=False"),
        ({"columns": {}, "layout": "log"}, "columns= is for tables"),
        ({"activity": "column:x", "layout": "log"}, "activity= is for tables"),
        (
            {"group": "column:0", "columns": {"time": 1, "action": 2, "state": 3}, "header": False},
            "group=0 must name a column",
        ),
        ({"group": "column:who", "header": False, "columns": {"time": 1}}, "is a name, but"),
        ({"columns": {"label": "x"}}, "'label', which is not one of"),
        ({"columns": {"instance": "x"}, "activity": "track:a"}, "makes instances, and so does"),
        ({"shape": 1}, "shape=1 is not an option of the format events; there are layout=, "),
    ],
)
def test_options_are_checked(file, options, message):
    with pytest.raises(OptionError, match=message):
        read_events(file(HOME), **options)


def test_numbers_and_date_times_become_seconds():
    assert as_seconds([], str).tolist() == []
    assert as_seconds(["5", " 7.5 "], str, unit=2).tolist() == [10, 15]
    times = ["2020-01-01T12:00:00+02:00", "2020-01-01T10:00:01Z", "2020-01-01 09:59:59+00:00"]
    assert as_seconds(times, str).tolist() == [1, 2, 0]


def test_loading_tells_the_lines(file):
    assert load(file("\n0 a ON\n1 a OFF\n"), format="events").place(0) == "home.txt, line 2"
    table = file("time,action,state\n0,a,on\n1,a,off\n", "log.csv")
    assert load(table, format="events").place(0) == "log.csv, row 1"
