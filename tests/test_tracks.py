"""Label columns of time series: several tracks at once, codes, gaps, activities."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ibgn
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io import read_tracks
from ibgn.io.parsing.flags import find_flags
from ibgn.io.parsing.sheets import cut
from ibgn.io.parsing.signals import Signal, find_codes, find_signal
from ibgn.io.registry import load
from strategies import one_track

POSTURE = {"posture": {1: "stand", 2: "walk"}}

SAMPLES = {
    "take.csv": b"time,posture,hand,do\n0,1,,tea\n0.5,1,hold,tea\n1,2,hold,tea\n1.5,2,,0\n",
    "take.dat": b"0 1 0 9.81\n500 1 7 9.8\n1000 2 7 NaN\n1500 2 0 9.9\n",
    "day.tsv": b"when\tdo\n2020-01-01 10:00:00\tsit\n2020-01-01 10:00:01\tsit\n"
    b"2020-01-01 10:00:02\tgo\n",
}
READERS = {
    "take.csv": lambda path: read_tracks(
        path, columns=["posture", "hand", "do"], time="time", activity="track:do", names=POSTURE
    ),
    "take.dat": lambda path: read_tracks(
        path, columns={"posture": 2, "hand": 3}, time=1, unit=0.001, header=False
    ),
    "day.tsv": lambda path: read_tracks(path, columns=["do"], time="when"),
}


@pytest.fixture
def file(tmp_path):
    def make(content, name="take.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@given(st.lists(one_track(), min_size=1, max_size=3), st.sampled_from([",", "\t"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tracks_made_from_intervals_give_them_back(tmp_path, tracks, delimiter):
    length = int(max([end for rows in tracks for *_, end in rows], default=0)) + 2
    columns = [["0"] * length for _ in tracks]
    for frames, rows in zip(columns, tracks, strict=True):
        for action, start, end in rows:
            frames[int(start) : int(end)] = [action] * int(end - start)
    head = [f"track {number}" for number in range(len(tracks))]
    lines = [
        ["time", *head],
        *([str(t / 4), *row] for t, row in enumerate(zip(*columns, strict=True))),
    ]
    path = tmp_path / "take.txt"
    path.write_text("\n".join(delimiter.join(line) for line in lines) + "\n")
    X, _ = read_tracks(path, columns=head, time="time", action="both", delimiter=delimiter)
    wanted = [
        (f"{name}: {action}", start / 4, end / 4)
        for name, rows in zip(head, tracks, strict=True)
        for action, start, end in rows
    ]
    assert X.to_lists() == [sorted(wanted, key=lambda row: (row[1], row[2], row[0]))]


def test_columns_by_name_or_number_are_the_same(file):
    path = file(SAMPLES["take.csv"])
    by_name, _ = read_tracks(path, columns=["posture", "hand"], time="time")
    by_number, _ = read_tracks(path, columns=[2, 3], time=1)
    assert by_name.to_lists() == by_number.to_lists()
    assert by_name.to_lists() == [[("1", 0, 1), ("hold", 0.5, 1.5), ("2", 1, 2)]]


def test_labels_may_name_the_tracks(file):
    path = file(SAMPLES["take.csv"])
    X, _ = read_tracks(path, columns={"body": 2, "arm": "hand"}, tracks=["arm"], action="track")
    assert X.to_lists() == [[("arm", 1, 3)]]


def test_names_tell_what_codes_mean(file):
    path = file("a\n1\n1.0\n 2 \n2\n\n")
    X, _ = read_tracks(path, columns=["a"], names={"a": {1: "stand", "2": "walk"}})
    assert X.to_lists() == [[("stand", 0, 2), ("walk", 2, 4)]]


def test_codes_with_one_meaning_are_one_run(file):
    X, _ = read_tracks(file("a\n1\n2\n"), columns=["a"], names={"a": {1: "go", 2: "go"}})
    assert X.to_lists() == [[("go", 0, 2)]]


def test_a_code_without_a_name_is_refused(file):
    with pytest.raises(DataError, match="take.csv: track 'a' has the label '3'"):
        read_tracks(file("a\n1\n3\n"), columns=["a"], names={"a": {1: "stand"}})


def test_null_labels_are_none(file):
    path = file("a,b\n0,x\n,x\nNULL,x\n0.0,x\nNaN,x\n7,x\n")
    assert read_tracks(path, columns=["a"])[0].to_lists() == [[("7", 5, 6)]]
    assert read_tracks(path, columns=["a"], null=[7, "", "nan"])[0].to_lists() == [
        [("0", 0, 1), ("NULL", 2, 3), ("0", 3, 4)]
    ]


def test_activity_makes_an_instance_of_each_stretch(file):
    rows = "do,hand\ntea,hold\ntea,pour\n0,pour\nmilk,pour\n"
    with pytest.warns(DataWarning, match="outside of every activity"):
        X, y = read_tracks(
            file(rows + "0,0\n0,stir\n"), columns=["do", "hand"], activity="track:do"
        )
    assert y.tolist() == ["tea", "milk"]
    assert X.ids.tolist() == ["take.csv#1", "take.csv#2"]
    assert X.to_lists() == [[("hold", 0, 1), ("pour", 1, 2)], [("pour", 3, 4)]]


def test_a_gap_in_time_ends_runs_and_is_counted(file):
    path = file("t,a\n0,x\n1,x\n2,x\n9,x\n10,x\n")
    with pytest.warns(DataWarning, match="take.csv: 1 gap in time, longer than 3 steps"):
        X, _ = read_tracks(path, columns=["a"], time="t")
    assert X.to_lists() == [[("x", 0, 3), ("x", 9, 11)]]
    assert read_tracks(path, columns=["a"], time="t", gap=None)[0].to_lists() == [[("x", 0, 11)]]


def test_a_rate_gives_times_and_the_length_of_the_last_row(file):
    path = file("t,a\n0,x\n1,y\n")
    assert read_tracks(path, columns=["a"], rate=4)[0].to_lists() == [
        [("x", 0, 0.25), ("y", 0.25, 0.5)]
    ]
    X, _ = read_tracks(path, columns=["a"], time="t", rate=2)
    assert X.to_lists() == [[("x", 0, 1), ("y", 1, 1.5)]]
    assert read_tracks(path, columns=["a"])[0].to_lists() == [[("x", 0, 1), ("y", 1, 2)]]


def test_white_space_separates_the_columns_of_other_files(file):
    X, _ = READERS["take.dat"](file(SAMPLES["take.dat"], "take.dat"))
    assert X.to_lists() == [[("1", 0, 1), ("7", 0.5, 1.5), ("2", 1, 2)]]


def test_date_times_become_seconds(file):
    X, _ = READERS["day.tsv"](file(SAMPLES["day.tsv"], "day.tsv"))
    assert X.to_lists() == [[("sit", 0, 2), ("go", 2, 3)]]


def test_a_folder_gives_labels_by_path(file):
    path = file("a\nx\n", "tea_1.csv")
    file("a\ny\n", "milk_1.csv")
    X, y = read_tracks(path.parent, columns=["a"], activity="([a-z]+)_", group="file")
    assert y.tolist() == ["milk", "tea"]
    assert X.groups.tolist() == ["milk_1", "tea_1"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("frame,dig,climb\n0,1,0\n1,1,1\n2,0,1\n", [("dig", 0, 2), ("climb", 1, 3)]),
        (
            "t;warmth;lamp;door\n0,5;21,5;1;\n1;21;true;0\n1,5;20;0;1\n",
            [("lamp", 0.5, 1.5), ("door", 1.5, 2)],
        ),
        (
            ",rest,run\n" + "".join(f"{n},{n < 4:d},{n > 3:d}\n" for n in range(8)),
            [("rest", 0, 4), ("run", 4, 8)],
        ),
    ],
)
def test_columns_of_0_and_1_are_actions(tmp_path, content, expected):
    path = tmp_path / "flags.csv"
    path.write_text(content)
    with pytest.warns(DataWarning, match="columns of 0 and 1 are an action each: "):
        X, _ = ibgn.read(path)
    assert X.to_lists() == [expected]


@pytest.mark.parametrize(
    "content",
    [
        "id,smokes,drives\n" + "".join(f"{n},{n % 2},{n // 2 % 2}\n" for n in range(20)),  # answers
        "time,warmth,label\n0,1.5,0\n1,1.7,1\n2,1.5,1\n",  # codes of a class
        "time,dig,climb\n1,0,1\n0,0,1\n1,1,1\n",  # time goes back
        "time,who,dig,climb\n0,ann,0,1\n1,bob,0,1\n2,ann,1,1\n",
    ],
)
def test_other_columns_of_0_and_1_are_no_actions(content):
    assert find_flags(cut(content, "")) is None


def test_columns_of_labels_are_tracks_unless_they_say_the_same():
    both = [("stand", "ball" if n > 3 else "") for n in range(6)] + [("lie", "")] * 6
    rows = "".join(f"{n},{a},{b}\n" for n, (a, b) in enumerate(both))
    assert find_signal(cut("frame,posture,object\n" + rows, "")) == Signal(0, (), (1, 2))
    rows = "".join(f"{n},{n // 4},{'abc'[n // 4]}\n" for n in range(12))
    assert find_signal(cut("frame,phase,phase_name\n" + rows, "")) is None
    rows = "".join(f"{n * n},{a},{b}\n" for n, (a, b) in enumerate(both))  # events, no samples
    assert find_signal(cut("time,posture,object\n" + rows, "")) is None


def test_codes_are_told_from_readings_and_from_what_counts():
    rows = np.arange(60)
    code, time = np.repeat([0.0, 4, 0, 7], 15), rows / 50
    waves = np.column_stack([np.sin(rows / (5 + n)) for n in range(6)])
    pulse, noise = 70.0 + rows // 10, np.random.default_rng(0).normal(size=(60, 6))
    assert find_codes(np.column_stack([time, code, pulse, waves])) == Signal(0, (), (1,))
    assert find_codes(np.column_stack([waves, code])) == Signal(None, (), (6,))
    assert find_codes(np.column_stack([noise, code])) is None  # examples of classes
    assert find_codes(np.column_stack([waves, 1 + rows // 6])) is None  # a list of tracks
    flags = np.column_stack([rows < 9, rows > 30]).astype(float)
    assert find_codes(np.column_stack([flags, code])) == Signal(None, (0, 1), (2,))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("t,a\n", "no rows"),
        ("a,b,t", "no rows"),
        ("t,b\n0,x\n", "no column 'a' .found: 't', 'b'"),
        ("t,a,a\n0,x,x\n", "2 columns 'a'"),
        ("t;a\n0;x\n", "no column 'a' .found: 't;a'"),
        ("t,a\n0,x\n1,5,x\n", "line 3 has 3 columns, while the first has 2"),
        ("t,a\n0,x\nsoon,x\n", "row 2: the time is 'soon'"),
        ("t,a\nsoon,x\n1,x\n", "row 1: the time 'soon' is not understood"),
        ("t,a\n0,x\n,x\n", "row 2: the time is ''"),
        ("t,a\n0,x\nnan,x\n", "row 2"),
        ("t,a\n1,x\n1,x\n", "increase"),
        ("t,a\n1,x\n1e300,x\n", "increase"),
        ("t,a\n1,x\n", "give rate="),
        ('t,a\n0,"x\n', "quotes"),
        (b"t,a\n0,\xff\n", "UTF-8"),
        ("t,a\n2020-01-01,x\n2020-01-02T00:00Z,x\n", "row 2: the time has a time zone"),
    ],
)
def test_files_that_cannot_be_read_say_why(file, content, message):
    with pytest.raises(DataError, match=f"take.csv: .*{message}"):
        read_tracks(file(content), columns=["a"], time="t")


def test_short_rows_are_refused_where_cells_cannot_be_empty(file):
    with pytest.raises(DataError, match="line 2 has 1 column, while the first has 2"):
        read_tracks(file("0 1\n1\n", "take.dat"), columns=[2], header=False)


def test_an_empty_line_of_a_single_column_is_refused(file):
    with pytest.raises(DataError, match="line 3 is empty, the only cell of its row"):
        read_tracks(file("a\nx\n\nx\n"), columns=["a"])


def test_a_column_that_is_not_there_is_named(file):
    with pytest.raises(DataError, match="no column 9: the first line has 4"):
        read_tracks(file(SAMPLES["take.csv"]), columns=[9])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "columns= names the columns"),
        ({"columns": "hand"}, "columns=.* must be the list"),
        ({"columns": []}, "columns=.. is empty"),
        ({"columns": [0]}, "number from 1 on"),
        ({"columns": [True]}, "number from 1 on"),
        ({"columns": ["hand"], "header": False}, "header=False"),
        ({"columns": [1], "time": 1.5}, "time=.* must name a column"),
        ({"columns": [1], "time": 1}, "one of the columns of labels"),
        ({"columns": [1], "rate": -1}, "rate"),
        ({"columns": [1], "unit": 0}, "unit"),
        ({"columns": [1], "gap": 0}, "gap"),
        ({"columns": [1], "null": "0"}, "null=.* must be a list"),
        ({"columns": [1], "names": {"hand": {}}}, "is not a track"),
        ({"columns": [1], "names": {"1": "x"}}, "must give the meaning"),
        ({"columns": [1], "names": 3}, "must give the meaning"),
        ({"columns": [1], "names": {"1": {"x": None}}}, "must give the meaning"),
        ({"columns": [1], "header": "no"}, "header=.* must be true or false"),
        ({"columns": [1], "delimiter": ";;"}, "delimiter"),
        ({"columns": [1], "colour": 1}, "colour=.* is not an option of the format tracks"),
    ],
)
def test_options_are_checked(file, options, message):
    with pytest.raises(OptionError, match=message):
        read_tracks(file(SAMPLES["take.csv"]), **options)


def test_loading_tells_the_rows(file):
    table = load(file("a\nx\ny\n"), columns=["a"], format="tracks")
    assert table.place(1) == "take.csv, track 'a', row 2"


def test_a_wide_file_gives_only_what_is_asked_for(file, rng):
    sensors = rng.normal(size=(20_000, 30)).round(3)
    codes = np.repeat(rng.integers(0, 3, 200), 100)
    table = np.column_stack([np.arange(20_000) * 33, sensors, codes])
    lines = [" ".join(f"{cell:.6g}" for cell in row) for row in table.tolist()]
    X, _ = read_tracks(
        file("\n".join(lines), "take.dat"), columns=[32], time=1, unit=0.001, header=False
    )
    assert X.actions == ("1", "2")
    assert X.end.max() < 661
