"""The command detect as users run it."""

import json

import numpy as np
import pytest

from ibgn import read_csv

pytestmark = pytest.mark.own_seed(reason="what is detected in noise has no known bound")


def write_recording(path, rng, seconds=40, noise=0.1):
    """A hand that shakes in the second half of every five seconds, on day and at night."""
    time = np.arange(0, seconds, 1 / 30)
    shakes = time % 5 >= 2.5
    x = np.where(shakes, np.sin(30 * time), 0) + rng.normal(0, noise, len(time))
    rows = [
        f"{1000 * t:.3f},{v:.4f},{'shake' if s else '-'},{'day' if t < 20 else 'night'}"
        for t, v, s in zip(time, x, shakes, strict=True)
    ]
    path.write_text("\n".join(["ms,x,hand,light", *rows, ""]))


@pytest.fixture
def folders(tmp_path, rng):
    for name in ("train/a", "train/b", "new/c", "new/d"):
        path = tmp_path / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        write_recording(path, rng)
    return "train", "new"


OPTIONS = ["--label", "hand", "--null", "-", "--time", "ms", "--unit", "0.001"]


@pytest.mark.parametrize("classifier", ["knn", "svm", "tree"])
def test_intervals_are_detected_and_written(ibgn, folders, tmp_path, classifier):
    options = [*OPTIONS, "--ignore", "light", "--classifier", classifier]
    result = ibgn("detect", *folders, *options, "-o", "intervals.csv", "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["instances"] == told["recordings"] == 2
    assert told["intervals_per_action"] == {"hand: shake": told["intervals"]}
    assert told["warnings"] == []
    X, y = read_csv(tmp_path / "intervals.csv")
    assert X.ids.tolist() == ["c.csv", "d.csv"]
    assert y is None
    assert len(X.action) == told["intervals"] == 16
    np.testing.assert_allclose(X.start % 5, 2.5, atol=0.3)


def test_formulas_among_names_are_harmless(ibgn, folders, tmp_path):
    for path in tmp_path.glob("*/*.csv"):
        path.rename(path.with_name(f"={path.name}"))
    for output in ([], ["-o", "out.csv"]):
        for flags in ([], ["--escape-formulas"]):
            options = [*OPTIONS, "--ignore", "light", *output, *flags, "--force"]
            result = ibgn("detect", *folders, *options)
            assert result.returncode == 0, result.stderr
            text = (tmp_path / "out.csv").read_text() if output else result.stdout
            assert ("\n=c.csv," in text) is not bool(flags)


def test_soft_intervals_say_how_sure_they_are(ibgn, folders, tmp_path, rng):
    for path in tmp_path.glob("*/*.csv"):
        write_recording(path, rng, noise=2.0)
    result = ibgn("detect", *folders, *OPTIONS, "--ignore", "light", "--soft", "-o", "soft.csv")
    assert result.returncode == 0, result.stderr
    X, _ = read_csv(tmp_path / "soft.csv")
    assert X.uncertainty is not None
    assert (X.uncertainty.confidence > 0).all()


def test_stretches_of_an_activity_become_instances_with_labels(ibgn, folders, tmp_path):
    result = ibgn("detect", *folders, *OPTIONS, "--activity", "light", "-o", "out.jsonl")
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""
    assert "wrote 4 instances, 16 intervals to out.jsonl" in result.stderr
    from ibgn import read

    X, y = read(tmp_path / "out.jsonl")
    assert X.ids.tolist() == ["c.csv#1", "c.csv#2", "d.csv#1", "d.csv#2"]
    assert y.tolist() == ["day", "night"] * 2


def test_without_a_file_intervals_are_printed(ibgn, folders):
    result = ibgn("detect", "train/a.csv", "new/c.csv", *OPTIONS, "--ignore", "light")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("instance,action,start,end\nc.csv,hand: shake,2.")
    again = ibgn("detect", "train/a.csv", "new/c.csv", *OPTIONS, "--ignore", "light")
    assert again.stdout == result.stdout


def test_options_of_the_chain_are_passed_on(ibgn, folders):
    options = ["--ignore", "light", "--window", "0.5", "--step", "0.2", "--rate", "20"]
    more = ["--smooth", "0", "--min-duration", "4", "--json"]
    result = ibgn("detect", *folders, *OPTIONS, *options, *more)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["intervals"] == 0  # none lasts four seconds


@pytest.mark.parametrize(("arguments", "code", "words"), [
    (["train", "new"], 2, "Missing option '--label'"),
    (["train", "new", "--label", "foot"], 1, "no column 'time'"),
    (["train", "new", *OPTIONS], 1, "column 'light' is 'day', not a number"),
    (["train", "none", *OPTIONS, "--ignore", "light"], 1, "there is no file 'none'"),
    (["train", "new", *OPTIONS, "--ignore", "light", "--window", "0"], 2, "--window 0.0 must"),
    (["train", "new", *OPTIONS, "--ignore", "light", "--jobs", "0"], 2, "--jobs 0 must be a whole"),
    (["train", "new", *OPTIONS, "-o", "out.docx"], 1, "not known by its suffix"),
    (["train", "new", "--label", "hand", "--time", "ms", "--ignore", "light"], 1, "in seconds"),
])  # fmt: skip
def test_mistakes_end_in_a_message_without_a_traceback(ibgn, folders, arguments, code, words):
    result = ibgn("detect", *arguments)
    assert result.returncode == code, result.stderr
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
