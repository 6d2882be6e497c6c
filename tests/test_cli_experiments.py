"""Comparisons on the command line, as processes."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ibgn import IntervalSequences, read, write
from ibgn.cli.comparison import describe_design, say_design
from ibgn.cli.experiments import unit_of
from ibgn.cli.results import Watch
from ibgn.datasets import make_relations, sample_path
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.journal import Journal


@pytest.fixture
def takes(tmp_path):
    X, y = make_relations(instances_per_activity=10, random_state=0)
    write(X, tmp_path / "takes.csv", y)
    return "takes.csv"


def test_methods_are_compared(ibgn, takes, tmp_path):
    options = ["-m", "ITBN", "-m", "DBN", "--folds", "2", "--predictions", "all.csv"]
    result = ibgn("evaluate", takes, *options, "-o", "scores.csv", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert [row["method"] for row in found["summary"]] == ["ITBN", "DBN"]
    assert len(found["folds"]) == len(pd.read_csv(tmp_path / "scores.csv")) == 4
    assert len(pd.read_csv(tmp_path / "all.csv")) == 2 * 40
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "all.csv",
        "scores.csv",
        "takes.csv",
    ]
    told = ibgn("evaluate", takes, *options[:6])
    assert "Against ITBN" in told.stdout
    assert not told.stderr  # quiet where it is not watched


def test_an_interrupted_evaluation_resumes(ibgn, takes, tmp_path):
    options = ["-m", "ITBN", "--folds", "2", "-o", "scores.parquet", "--json"]
    whole = json.loads(ibgn("evaluate", takes, *options).stdout)
    journal = tmp_path / "scores.parquet.journal"
    Journal(journal).add("of another", {})
    other = journal.read_text()
    journal.write_text(other + '{"key": "cut sh')
    again = json.loads(ibgn("evaluate", takes, *options, "--force").stdout)
    for row in (*whole["folds"], *again["folds"]):
        del row["fit_seconds"], row["predict_seconds"]
    assert again["folds"] == whole["folds"]
    assert journal.read_text() == other  # not of this run


def test_learning_curves_and_reliability(ibgn, takes, tmp_path):
    options = ["-m", "ITBN", "-m", "DBN", "--folds", "2", "--curve", "1,50%"]
    mixed = ibgn("evaluate", takes, *options)
    assert mixed.returncode == 2
    assert "--curve '[1, 0.5]' must be either numbers of instances" in mixed.stderr
    options[-1] = " 3, 1"
    result = ibgn("evaluate", takes, *options, "--draws", "2", "-o", "scores.csv", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert [row["size"] for row in found["curve"]] == ["1", "3", "all"] * 2
    assert [row["per_activity"] for row in found["curve"]] == [1, 3, 5] * 2
    assert len(found["folds"]) == 4  # of whole training sets
    scores = pd.read_csv(tmp_path / "scores.csv", dtype={"size": str})
    assert len(scores) == 2 * 2 * 5
    whole = scores[scores["size"] == "all"]["accuracy"].tolist()
    assert whole == [row["accuracy"] for row in found["folds"]]
    assert {row["method"] for row in found["reliability"]} == {"ITBN", "DBN"}
    assert sum(row["instances"] for row in found["reliability"]) == 80
    told = ibgn("evaluate", takes, *options[:6], "--curve", "20%,100%", "--reliability")
    assert [line.split()[:2] for line in told.stdout.splitlines() if "±" in line][-2:] == [
        ["20%", "1"],
        ["all", "5"],
    ]
    assert "90% to 100%" in told.stdout
    assert "95 of 100 perfectly calibrated" in told.stdout
    assert not told.stderr  # quiet where it is not watched


def test_draws_without_a_curve_are_not_used(ibgn, takes):
    result = ibgn("evaluate", takes, "-m", "DBN", "--folds", "2", "--draws", "3")
    assert "warning: --draws is not used without --curve" in result.stderr


@pytest.mark.parametrize("alike", [True, False])
def test_progress_has_a_mean_only_of_what_is_alike(alike):
    shown = []
    watch = Watch(SimpleNamespace(update=shown.append))
    watch.begin("comparing", 4, alike=alike)
    for accuracy in (0.5, 1.0):
        watch.done(SimpleNamespace(method="DBN"), {"tests": [{"accuracy": accuracy}]})
    columns = [(column.header, *column.cells) for column in shown[-1].columns]
    mean = [("folds", "2"), ("accuracy so far", "0.750")]
    assert columns == [("method", "DBN"), *(mean if alike else [("done", "2")])]
    assert shown[-1].title.startswith("comparing: 2 of 4 done, about ")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-m", "magic"], 2, "--method magic is not a method; choose among 'DBN', "),
        (["--scheme", "group"], 1, "needs at least two groups"),
        (["--folds", "11", "-m", "DBN"], 1, "none has more than 10; use --folds 10"),
        (["-o", "scores.xlsx"], 2, "must be a .csv or a .parquet file"),
        (["--column", "label=start", "-m", "DBN"], 1, "error: "),
        (["--curve", "one", "-m", "DBN"], 2, "--curve one must be whole numbers or shares"),
        (["--curve", "1,,2", "-m", "DBN"], 2, "--curve 1,,2 must be whole numbers or shares"),
        (["--curve", "0", "-m", "DBN"], 2, "--curve 0 must be a whole number from 1 on"),
        (["--curve", "120%", "-m", "DBN"], 2, "--curve 1.2 must be above 0 and at most 1"),
        (["--curve", "9", "-m", "DBN"], 1, "8 at most; name smaller --curve"),
    ],
)
def test_failures(ibgn, takes, options, code, message):
    result = ibgn("evaluate", takes, *options)
    assert result.returncode == code, result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("format", "options", "unit"),
    [
        ("elan", {}, "s"),
        ("textgrid", {}, "s"),
        ("boris", {"points": "drop"}, "s"),
        ("casas", {}, "s"),
        ("csv", {}, ""),
    ],
)
@pytest.mark.filterwarnings("ignore:.*point events")
def test_reports_know_the_unit_of_formats_that_have_one(format, options, unit):
    X, _ = read(sample_path(format), **options)
    assert unit_of(X) == unit
    assert unit_of(X[:1]) == unit


def test_frames_are_seconds_where_their_rate_is_given(tmp_path):
    path = tmp_path / "take.txt"
    path.write_text("boil\nboil\npour\npour\n")
    assert unit_of(read(path, format="frames")[0]) == "frames"
    assert unit_of(read(path, format="frames", rate=25)[0]) == "s"
    assert unit_of(IntervalSequences.from_lists([[("boil", 0, 1)]])) == ""


def test_actions_that_no_training_set_has_are_counted_once():
    rows = [[("boil", 0, 1)], [("boil", 0, 1), ("sing", 0, 2)], [("cut", 0, 1)], [("cut", 0, 2)]]
    X, y = IntervalSequences.from_lists(rows), np.array(["tea", "tea", "soup", "soup"])
    halves = np.array([0, 2]), np.array([1, 3])
    folds = [Fold(0, 0, *halves), Fold(0, 1, *reversed(halves))]
    design = describe_design(X, y, folds, "stratified")
    assert design["tested_intervals"] == 5
    assert design["unknown_intervals"] == 1
    assert design["unknown_actions"] == {"sing": 1}
    assert "Unknown actions: 1 of 5 tested intervals" in say_design(design, len(X))
    assert "'sing' 1" in say_design(design, len(X))
    known = describe_design(X[[0, 0, 2, 2]], y, folds, "stratified")
    assert known["unknown_actions"] == {}
    assert "Unknown" not in say_design(known, 4)
