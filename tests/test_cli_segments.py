"""Streams on the command line: fit-segments and segment."""

import json
import shlex

import pytest

from ibgn import IntervalSequences, load, read, write
from ibgn.io import read_elan

TEA = [("boil", 0, 4), ("pour", 4, 6)]
COFFEE = [("grind", 0, 2), ("pour", 1, 5)]


def shifted(instance, late):
    return [(action, start + late, end + late) for action, start, end in instance]


@pytest.fixture
def days(tmp_path):
    """Streams, their activities, and a new stream, as files."""
    intervals, activities = [], []
    for day in range(4):
        done = [((TEA, COFFEE)[(n + day) % 2], 20 * n) for n in range(6)]
        intervals.append([row for instance, late in done for row in shifted(instance, late)])
        names = {"boil": "tea", "grind": "coffee"}
        activities.append([(names[what[0][0]], late, late + 6) for what, late in done])
        intervals[-1] += [("pour", 20 * n + 12, 20 * n + 13) for n in range(0, 6, 2)]
    ids = [f"day {n}" for n in range(4)]
    write(IntervalSequences.from_lists(intervals, ids=ids), tmp_path / "days.csv")
    write(IntervalSequences.from_lists(activities, ids=ids), tmp_path / "activities.csv")
    new = IntervalSequences.from_lists([[*shifted(TEA, 7), *shifted(COFFEE, 30)]], ids=["new"])
    write(new, tmp_path / "new.csv")
    write(new, tmp_path / "new.eaf")
    return tmp_path


@pytest.fixture
def learned(days, ibgn):
    result = ibgn("fit-segments", "days.csv", "-o", "days.ibgn", "--activities", "activities.csv")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "learned 2 activities from 4 streams\n"
    assert "use it with: ibgn segment days.ibgn DATA" in result.stderr
    return days


def test_activities_are_printed_and_written(learned, ibgn):
    printed = ibgn("segment", "days.ibgn", "new.csv")
    lines = printed.stdout.splitlines()
    assert lines[0] == "instance,action,start,end,confidence"
    assert [line.split(",")[:4] for line in lines[1:]] == [
        ["new", "tea", "7.0", "13.0"],
        ["new", "coffee", "30.0", "35.0"],
    ]
    written = ibgn("segment", "days.ibgn", "new.csv", "-o", "found.csv")
    assert "wrote 2 activities of 1 stream to found.csv" in written.stderr
    found, _ = read(learned / "found.csv")
    assert found.to_lists() == [[("tea", 7, 13), ("coffee", 30, 35)]]
    assert found == load(learned / "days.ibgn").segment(read(learned / "new.csv")[0])


def test_a_terminal_shows_a_table(learned, ibgn_at):
    result = ibgn_at(80, "segment", "days.ibgn", "new.csv")
    assert result.stdout.split()[:5] == ["stream", "activity", "start", "end", "confidence"]
    assert "%" in result.stdout


def test_how_well_activities_were_found_is_said(learned, ibgn):
    arguments = ("segment", "days.ibgn", "days.csv", "--activities", "activities.csv")
    result = ibgn(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    scores = json.loads(result.stdout)["scores"]
    assert scores["edit score"] == pytest.approx(1)
    assert scores.keys() == {"frame accuracy", "edit score", "F1@10", "F1@25", "F1@50"}
    assert "frame accuracy" in result.stderr


def test_activities_become_a_tier(learned, ibgn):
    result = ibgn("segment", "days.ibgn", "new.eaf", "--into", "new.eaf", "-o", "copy.eaf")
    assert "wrote 2 annotations to tier 'activities' of copy.eaf" in result.stderr
    X, _ = read_elan(learned / "copy.eaf", tracks=["activities"])
    assert [action for action, _, _ in X.to_lists()[0]] == ["tea", "coffee"]
    again = ibgn("fit-segments", "copy.eaf", "-o", "more.ibgn", "--activities", "track:activities")
    assert again.returncode == 0, again.stderr
    assert load(learned / "more.ibgn").classes_.tolist() == ["coffee", "tea"]


def test_instances_are_enough_to_learn_from(days, ibgn):
    X = IntervalSequences.from_lists([TEA, COFFEE] * 8)
    write(X, days / "takes.csv", ["tea", "coffee"] * 8)
    write(IntervalSequences.from_lists([[("nap", 0, 5)]] * 4), days / "naps.csv")
    command = ("fit-segments", "takes.csv", "-o", "takes.ibgn", "--background", "naps.csv")
    result = ibgn(*command, "--json")
    assert json.loads(result.stdout)["activities"] == ["coffee", "tea"]
    assert "nap" in load(days / "takes.ibgn").trained_on_.actions


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("predict", "days.ibgn", "new.csv"), "finds activities in streams, see `ibgn segment`"),
        (("segment", "classifier.ibgn", "new.csv"), "recognises whole instances"),
        (("segment", "days.ibgn", "new.csv", "--activities", "track:a"), "there is no track 'a'"),
        (
            ("segment", "days.ibgn", "new.csv", "--activities", "activities.csv"),
            "'activities.csv' has activities of 'day 0', which is no stream of 'new.csv'",
        ),
        (("fit-segments", "new.csv", "-o", "more.ibgn"), "there are no labels to learn from"),
        (
            (*("fit-segments", "days.csv", "-o", "more.ibgn", "--background", "new.csv"),
             *("--activities", "activities.csv")),
            "is for labelled instances",
        ),
        (
            ("segment", "days.ibgn", "new.csv", "-o", "activities.csv", "--activities",
             "activities.csv", "--force"),
            "is also an input",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(learned, ibgn, arguments, message):
    labelled = IntervalSequences.from_lists([TEA, COFFEE] * 2)
    write(labelled, learned / "takes.csv", ["tea", "coffee"] * 2)
    assert ibgn("fit", "takes.csv", "-o", "classifier.ibgn").returncode == 0
    result = ibgn(*arguments)
    assert result.returncode in (1, 2)
    assert message in result.stderr


def test_a_segmenter_shows_what_it_knows(learned, ibgn):
    result = ibgn("show", "days.ibgn")
    assert result.returncode == 0
    assert "(none)" in result.stdout
    assert "ibgn segment days.ibgn DATA" in result.stdout


def test_what_is_proposed_for_streams_runs(days, ibgn):
    words = ("fit-segments", "days.csv", "-o", "my days.ibgn", "--activities", "activities.csv")
    said = ibgn(*words).stderr
    shown = ibgn("show", "my days.ibgn").stdout
    for text in (said.partition("use it with: ")[2], shown[shown.index("ibgn segment") :]):
        program, *proposed = shlex.split(text.splitlines()[0])
        assert [program, proposed[0], proposed[-1]] == ["ibgn", "segment", "DATA"]
        result = ibgn(*proposed[:-1], "new.csv")
        assert result.returncode == 0, result.stderr
