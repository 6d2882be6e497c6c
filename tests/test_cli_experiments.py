"""Comparisons on the command line, as processes."""

import json

import pandas as pd
import pytest

from ibgn import write
from ibgn.datasets import make_relations


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
    journal.write_text('{"key": "of another", "result": {}}\n{"key": "cut sh')
    again = json.loads(ibgn("evaluate", takes, *options).stdout)
    for row in (*whole["folds"], *again["folds"]):
        del row["fit_seconds"], row["predict_seconds"]
    assert again["folds"] == whole["folds"]
    assert journal.read_text() == '{"key": "of another", "result": {}}\n'  # not of this run


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-m", "magic"], 2, "--method magic is not a choice; choose among"),
        (["--scheme", "group"], 1, "needs at least two groups"),
        (["--folds", "11", "-m", "DBN"], 1, "none has more than 10; use fewer folds"),
        (["-o", "scores.xlsx"], 2, "must be a .csv or a .parquet file"),
        (["--column", "label=start", "-m", "DBN"], 1, "error: "),
    ],
)
def test_failures(ibgn, takes, options, code, message):
    result = ibgn("evaluate", takes, *options)
    assert result.returncode == code, result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr
