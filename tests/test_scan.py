"""Files that are read piece by piece: the same instances, models and predictions as in memory."""

import gc
import json
import os
import pickle
import subprocess
import sys
from functools import partial
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differences import find_differences
from ibgn import (
    DataError,
    DataWarning,
    DBNClassifier,
    IBGNClassifier,
    IntervalSequences,
    pieces,
    read,
    scan,
    write,
)
from ibgn.classifiers.recogniser import unquestioned
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.evaluation.scanned import deal_groups, evaluate_source, take_fold
from ibgn.io import scanning
from ibgn.pieces import choose_sample, cut, recut
from ibgn.sources import GrowingSample, InstanceSource
from strategies import sequences

FORMATS = (".parquet", ".csv")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Rows that cut instances, pieces of a few instances, and a sample of less than half."""
    monkeypatch.setattr(scanning, "ROWS", 37)
    monkeypatch.setattr(pieces, "SIZE", 200)
    monkeypatch.setattr(pieces, "SAMPLE", 60)
    monkeypatch.setattr(pieces, "LEAST", 3)


@pytest.fixture(scope="module")
def signs():
    """Instances with groups; one action occurs once, and one activity is rare."""
    X, y = make_relations(instances_per_activity=30, random_state=0)
    order = np.random.default_rng(0).permutation(len(X))
    lists = [*X[order].to_lists(), [("shrug", 0, 0.25), ("nod", 0.2, 3)], [("nod", 1, 2)]]
    labels = [*y[order].tolist(), "rare", "rare"]
    names = [f"take {d}" for d in range(len(lists))]
    groups = [f"person {d % 7}" for d in range(len(lists))]
    assert len(lists) > 60 + 12
    return IntervalSequences.from_lists(lists, names, groups), np.array(labels, object)


def write_signs(signs, path):
    write(signs[0], path, signs[1])
    return path


def test_differences_are_found(signs):
    X, y = signs
    one, two = (IBGNClassifier(random_state=0).fit(X[:40], y[:40]) for _ in range(2))
    assert not list(find_differences(one, two))
    two.activities_[y[0]]["durations"].location[0] += 1e-9
    assert [name.endswith(".location") for name in find_differences(one, two)] == [True]


@given(sequences(most=9), st.sampled_from([1, 5, 40]), st.integers(1, 4))
def test_streams_are_cut_as_in_memory(X, size, step):
    before, pieces.SIZE = pieces.SIZE, size
    try:
        runs = [run for run in cut(X) if run.start < run.stop]
        numbers = np.arange(len(X))
        steps = (slice(d, d + step) for d in range(0, len(X), step))
        stream = list(recut((X[part], numbers[part]) for part in steps))
    finally:
        pieces.SIZE = before
    assert [numbers.tolist() for _, numbers in stream] == [
        list(range(run.start, run.stop)) for run in runs
    ]
    assert all(part == X[run] for (part, _), run in zip(stream, runs, strict=True))


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_samples_grow_to_that_of_all(signs, step):
    X, y = signs
    X = IntervalSequences.concatenate([X, X[5:30]])  # equal instances: the first are taken
    codes = np.unique(np.append(y, y[5:30]), return_inverse=True)[1]
    sample = GrowingSample()
    for d in range(0, len(X), step):
        sample.add(X[d : d + step], codes[d : d + step])
    chosen = choose_sample(X, codes)
    assert np.array_equal(sample.place, chosen)
    assert np.array_equal(sample.codes, codes[chosen])
    assert sample.X.to_lists() == X[chosen].to_lists()
    assert sample.instances == len(X)


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("rows", [1, 37, 10_000])
def test_a_scan_reads_what_read_reads(signs, tmp_path, monkeypatch, suffix, rows):
    monkeypatch.setattr(scanning, "ROWS", rows)
    path = write_signs(signs, tmp_path / f"signs{suffix}")
    X, y = read(path, tolerance=0.1, closed="left", zero_length="drop")
    source = scan(path, tolerance=0.1, closed="left", zero_length="drop")
    for _ in range(2):  # as often as asked
        again, labels = source.read()
        assert again == X
        assert labels.tolist() == y.tolist()
        assert again.provenance == X.provenance


OPTIONS = [
    {},
    {"tolerance": 0.3, "class_prior": "empirical"},
    {"tolerance": "learned", "weights": "equal"},
    {"terms": ("relations", "durations"), "copy_weight": 0.0},
    {"terms": ("tables", "durations"), "table_sample": 12, "draws": 20, "budget": 60},
]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.filterwarnings("ignore:merging end points", "ignore:the tables of activity")
def test_models_are_those_in_memory_to_the_bit(signs, tmp_path, suffix, options):
    path = write_signs(signs, tmp_path / f"signs{suffix}")
    X, y = read(path)
    assert len(cut(X)) > 3
    model = IBGNClassifier(random_state=0, **options).fit(X, y)
    source = scan(path)
    streamed = IBGNClassifier(random_state=0, **options).fit(source)
    assert not list(find_differences(model, streamed))
    assert ("shrug" in streamed.actions_) == (options.get("tolerance") != 0.3)  # which empties it
    assert np.array_equal(streamed.predict(source), model.predict(X))
    assert np.array_equal(streamed.predict_proba(source), model.predict_proba(X))
    assert np.array_equal(streamed.predict_log_proba(source), model.predict_log_proba(X))
    assert streamed.score(source) == model.score(X, y)


def test_few_instances_are_learned_in_memory(signs, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "SAMPLE", 10_000)
    path = write_signs(signs, tmp_path / "signs.parquet")
    model = IBGNClassifier(random_state=0).fit(*read(path))
    assert not list(find_differences(model, IBGNClassifier(random_state=0).fit(scan(path))))


def test_numbers_as_labels_and_uncertain_intervals_are_the_same(signs, tmp_path):
    X, y = signs
    confidence = np.where(np.arange(len(X.action)) % 3 == 0, 0.75, 1.0)
    X = X.with_uncertainty(confidence)
    path = tmp_path / "signs.parquet"
    write(X, path, np.unique(y, return_inverse=True)[1])
    model = IBGNClassifier(random_state=0).fit(*read(path))
    streamed = IBGNClassifier(random_state=0).fit(scan(path))
    assert streamed.classes_.dtype == np.int64
    assert not list(find_differences(model, streamed))


def test_a_folder_of_parquet_is_one_file(signs, tmp_path):
    whole = read(write_signs(signs, tmp_path / "whole.parquet"))
    frame = signs[0].to_frame(signs[1])
    (tmp_path / "parts").mkdir()
    for number in range(4):  # which cut instances
        part = frame[number * len(frame) // 4 : (number + 1) * len(frame) // 4]
        part.to_parquet(tmp_path / "parts" / f"{number}.parquet", index=False)
    for X, y in (scan(tmp_path / "parts").read(), read(tmp_path / "parts")):
        assert whole[0] == X
        assert y.tolist() == whole[1].tolist()


@pytest.mark.parametrize("load", [read, scan, partial(scan, engine="dask")])
def test_names_of_folders_are_columns(signs, tmp_path, load):
    X, y = signs
    chosen = np.flatnonzero(X.groups != "person 3")
    for group in np.unique(X.groups[chosen]):
        part = X.to_frame(y).query("group == @group").drop(columns="group")
        folder = tmp_path / f"day=1/group={quote(group)}"
        folder.mkdir(parents=True)
        part.to_parquet(folder / "0.parquet", index=False)
    found = load(tmp_path)
    found, labels = found if isinstance(found, tuple) else found.read()
    order = chosen[np.argsort(X.groups[chosen], kind="stable")]
    assert found.groups.tolist() == X.groups[order].tolist()
    assert found == X[order]
    assert labels.tolist() == y[order].tolist()


def test_a_folder_without_a_value_gives_none(tmp_path):
    folders = ("group=__HIVE_DEFAULT_PARTITION__", "group=ann")
    for folder, name in zip(folders, "ab", strict=True):
        (tmp_path / folder).mkdir()
        rows(name, name).to_parquet(tmp_path / folder / "0.parquet", index=False)
    with pytest.raises(DataError, match="no group, while other rows have one"):
        read(tmp_path)


def test_a_folder_of_csv_is_as_read_reads_it(signs, tmp_path):
    X, y = signs
    for number, part in enumerate((slice(0, 30), slice(20, 70))):
        write(X[part], tmp_path / f"{number}.csv", y[part])
    whole, labels = read(tmp_path, activity="file")
    again, others = scan(tmp_path, activity="file").read()
    assert again == whole
    assert labels.tolist() == others.tolist()


def test_other_names_of_columns(signs, tmp_path):
    path = tmp_path / "signs.parquet"
    frame = signs[0].to_frame(signs[1]).rename(columns={"action": "behaviour", "label": "task"})
    frame.to_parquet(path, index=False)
    columns = {"action": "behaviour", "label": "task"}
    X, y = scan(path, columns=columns).read()
    assert read(path, columns=columns)[0] == X
    assert y.tolist() == signs[1].tolist()


def rows(*names, **columns):
    """A frame with an interval per name."""
    plain = {"instance": names, "action": "nod", "start": np.arange(len(names))}
    return pd.DataFrame(plain | {"end": np.arange(len(names)) + 2.5} | columns)


def save(frame, folder, suffix):
    path = folder / f"takes{suffix}"
    frame.to_parquet(path) if suffix == ".parquet" else frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_an_instance_that_returns_is_refused_with_its_row(tmp_path, monkeypatch, suffix, size):
    monkeypatch.setattr(scanning, "ROWS", size)
    path = save(rows("a", "a", "b", "c", "a"), tmp_path, suffix)
    with pytest.raises(DataError, match=r"takes.*: row 5: here instance 'a' returns, after others"):
        scan(path).read()


@pytest.mark.parametrize("suffix", FORMATS)
def test_errors_name_rows_of_the_file(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(scanning, "ROWS", 2)
    path = save(rows("a", "b", "c", "d", "e").assign(end=[2, 3, 4, 5, 3.5]), tmp_path, suffix)
    with pytest.raises(DataError, match=r"row 5 \(instance 'e'\): the interval ends before"):
        scan(path).read()
    frame = rows("a", "b", "c", "c", "e").assign(action=["n", "o", "d", None, "x"])
    path = save(frame, tmp_path, suffix)
    with pytest.raises(DataError, match="row 4 .*the action is missing"):
        scan(path).read()
    with pytest.warns(
        DataWarning, match=r"left out 1 row that is not an interval \(first: row 4\)"
    ):
        X, _ = scan(path, bad_rows="drop").read()
    assert X.lengths.tolist() == [1, 1, 1, 1]


def test_missing_columns_and_empty_files(tmp_path):
    path = tmp_path / "takes.parquet"
    rows("a").drop(columns="end").to_parquet(path)
    with pytest.raises(DataError, match="takes.parquet: the file has no column 'end'"):
        scan(path).read()
    rows().to_parquet(path)
    with pytest.raises(DataError, match="takes.parquet: there are no instances"):
        scan(path).read()
    with pytest.raises(DataError, match="no instances"):
        IBGNClassifier().fit(scan(path))
    path = tmp_path / "takes.csv"
    path.write_text("instance,action,start,end\n")
    with pytest.raises(DataError, match="takes.csv: there are no instances"):
        scan(path).read()
    path.write_text("onset,offset,behaviour\n1,2,nod\n")
    with pytest.raises(DataError, match="no columns instance, action, start, end; give their"):
        scan(path, format="csv").read()
    path.write_text("instance,action,start,end\na,nod,08:00:01,08:00:02\n")
    with pytest.raises(DataError, match="the start of rows is a clock, such as '08:00:01'"):
        scan(path).read()


def test_types_must_not_change_between_files(tmp_path):
    rows("a", "b", label=[1, 2]).to_parquet(tmp_path / "0.parquet")
    rows("c", "d", label=["tea", "tea"]).to_parquet(tmp_path / "1.parquet")
    what = r"1.parquet: row 1: from here on each label is text, but a number from 0.parquet: row 1"
    with pytest.raises(DataError, match=what):
        scan(tmp_path).read()
    rows("c", "d", label=[None, None]).to_parquet(tmp_path / "1.parquet")
    with pytest.raises(DataError, match="each label is none.*unlabelled='drop'"):
        scan(tmp_path).read()
    with pytest.warns(DataWarning, match="1.parquet: left out 1 instance without a label"):
        X, y = scan(tmp_path, unlabelled="drop").read()
    assert X.ids.tolist() == ["a", "b"]
    assert y.tolist() == [1, 2]
    _, y = scan(tmp_path, unlabelled="keep").read()
    assert y.tolist() == [1, 2, None, None]


def test_times_that_pandas_takes_for_truth_are_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "ROWS", 2)
    path = save(rows("a", "b", "c", "d", "e").assign(start=[2, 1.5, 1, 0, 1]), tmp_path, ".csv")
    assert scan(path).read()[0] == read(path)[0]
    path.write_text("instance,action,start,end\na,nod,1,2\nb,nod,3,4\nc,nod,True,2\nd,nod,0,2\n")
    with pytest.raises(DataError, match="row 3 .*the start is 'True'"):
        scan(path).read()


def test_warnings_are_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "ROWS", 2)
    frame = rows(*"aabbccdd")
    path = save(frame.assign(end=frame["start"] + [0, 1] * 4), tmp_path, ".parquet")
    source = scan(path, zero_length="drop")
    with pytest.warns(DataWarning) as said:
        X, _ = source.read()
    source.read()  # without a warning
    assert X.lengths.tolist() == [1, 1, 1, 1]
    first, more = (str(warning.message) for warning in said)
    assert first == "dropped 1 interval of zero length (first: takes.parquet: row 1 (instance 'a'))"
    assert more == f"3 more warnings like this one: {first}"


def test_files_that_change_are_refused(tmp_path):
    path = save(rows("a", "b", label=["tea", "tea"]), tmp_path, ".parquet")
    source = scan(path)
    source.read()
    rows("a", "b", "c").to_parquet(path)
    with pytest.raises(DataError, match="changed between two readings; scan it again"):
        source.read()


def test_scans_of_packed_files_can_be_pickled(signs, tmp_path):
    path = write_signs(signs, tmp_path / "signs.csv.gz")
    X, y = pickle.loads(pickle.dumps(scan(path))).read()
    assert read(path)[0] == X
    assert y.tolist() == signs[1].tolist()


def test_two_scans_can_be_read_at_the_same_time(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "ROWS", 2)
    path = save(rows(*"aabbccddee"), tmp_path, ".parquet")
    one, two = scan(path).parts(), scan(path).parts()
    read = [(next(one), next(two)) for _ in range(2)]
    del one
    gc.collect()
    read += [(None, part) for part in two]
    assert sum(len(X) for _, (X, _) in read) == 5


def test_only_files_that_can_be_read_twice(tmp_path):
    (tmp_path / "takes.jsonl").write_text('{"intervals": []}\n')
    with pytest.raises(OptionError, match="format.*is read as a whole; only 'csv' or 'parquet'"):
        scan(tmp_path / "takes.jsonl")
    with pytest.raises(OptionError, match="bad_files"):
        scan(save(rows("a"), tmp_path, ".csv"), bad_files="drop")
    with pytest.raises(DataError, match="there is no file .*missing.parquet'; check the path"):
        scan(tmp_path / "missing.parquet")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(
        DataError, match=r"pipe.csv: it is read several times, so it must be a file"
    ):
        scan(tmp_path / "pipe.csv", format="csv")


class Stub(InstanceSource):
    """Instances in memory."""

    def __init__(self, *given):
        self.given = given

    def parts(self):
        yield from self.given


def test_what_needs_all_instances_at_once_is_refused(signs):
    source = Stub(signs)
    for options in (
        {"terms": ("tables",), "table_sample": "all"},
        {"structure": "learned"},
        {"smoothing": "learned"},
        {"styles": 2},
        {"unlabelled": "self-training"},
    ):
        with pytest.raises(OptionError, match="needs all instances at once"):
            IBGNClassifier(**options).fit(source)
    for method in (DBNClassifier(), IBGNClassifier().fit_scores):
        with pytest.raises(DataError, match=r"piece by piece.*X, y = source.read\(\)"):
            (method if callable(method) else method.fit)(source, signs[1])
    with pytest.raises(DataError, match="y is not given with a source"):
        IBGNClassifier().fit(source, signs[1])
    with pytest.raises(DataError, match="y is missing"):
        IBGNClassifier().fit(signs[0])


def test_sources_without_labels(signs):
    X, y = signs
    for labels in (None, np.append(y[1:], None)):
        with pytest.raises(DataError, match="have no label to learn from.*unlabelled='drop'"):
            IBGNClassifier().fit(Stub((X, labels), (X, y)))
    with pytest.raises(DataError, match="there are no instances"):
        IBGNClassifier().fit(Stub())
    model = DBNClassifier().fit(X, y)
    assert np.array_equal(model.predict(Stub((X, None))), model.predict(X))
    with pytest.raises(DataError, match="no labels to compare with"):
        model.score(Stub((X, None)))


def test_what_a_model_does_not_know_is_said_once_about_all_pieces(signs):
    X, y = signs
    model = IBGNClassifier(random_state=0, terms=("durations",)).fit(X[:-2], y[:-2])
    with pytest.warns(DataWarning) as expected:
        model.predict(X)
    with pytest.warns(DataWarning) as said:
        model.predict(Stub((X, None)))
    assert [str(each.message) for each in said] == [str(each.message) for each in expected]
    assert "shrug" in str(said[0].message)
    with pytest.raises(DataError, match="the model knows none of the actions"):
        model.predict(Stub((X[[-1, -1]], None)))


def test_rare_actions_outside_of_the_sample_are_known(signs):
    X, y = signs
    lists = [*X.to_lists()[:-2], *([[("nod", 1, d + 2)] for d in range(9)])]
    labels = [*y[:-2].tolist(), *["rare"] * 9]
    for seed in range(20):  # until the only instance with an action is not in the sample
        rare = [("wink", 0, 1 + seed)]
        X = IntervalSequences.from_lists([*lists, rare])
        y = np.array([*labels, "rare"], object)
        codes = np.unique(y, return_inverse=True)[1]
        if len(X) - 1 not in choose_sample(X, codes):
            break
    model = IBGNClassifier(random_state=0, terms=("durations",)).fit(X, y)
    assert "wink" in model.trained_on_.actions
    model.predict(X)  # without a warning


@pytest.mark.parametrize("suffix", FORMATS)
def test_commands_write_the_same_files(signs, tmp_path, ibgn, suffix):
    path = write_signs(signs, tmp_path / f"signs{suffix}")
    quick = ("--set", 'terms=["length", "durations"]', "--json")
    for scanned in ((), ("--scan",)):
        name = "scanned" if scanned else "read"
        fitted = ibgn("fit", path, "-o", f"{name}.ibgn", *quick, *scanned)
        assert fitted.returncode == 0, fitted.stderr
        assert json.loads(fitted.stdout)["instances"] == len(signs[0])
        done = ibgn("predict", f"{name}.ibgn", path, "-o", f"{name}.csv", *scanned)
        assert done.returncode == 0, done.stderr
        assert f"of {len(signs[0])} labelled instances" in done.stderr
    for suffix in (".ibgn", ".csv"):
        one, two = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("read", "scanned"))
        assert one == two
    printed = ibgn("predict", "read.ibgn", path, "--scan")
    assert printed.stdout == (tmp_path / "read.csv").read_text()


def test_predictions_appear_whole_or_not_at_all(signs, tmp_path, ibgn):
    path = write_signs(signs, tmp_path / "signs.csv")
    ibgn("fit", path, "-o", "model.ibgn", "--set", 'terms=["durations"]')
    with path.open("a") as file:
        file.write(path.read_text().splitlines()[1] + "\n")
    failed = ibgn("predict", "model.ibgn", path, "-o", "out.csv", "--scan")
    assert failed.returncode == 1
    assert "returns, after others" in failed.stderr
    assert not list(tmp_path.glob("out*"))
    refused = ibgn("predict", "model.ibgn", path, "--scan", "--json")
    assert refused.returncode == 2
    assert "--json" in refused.stderr
    assert "--scan" in refused.stderr
    refused = ibgn("fit", path, "-o", "dbn.ibgn", "--scan", "--method", "DBN")
    assert refused.returncode == 2
    assert "--method DBN needs all at once, but --scan reads pieces" in refused.stderr


@pytest.mark.parametrize(
    ("suffix", "times", "needs"),
    [(".parquet", 1, "rows of its values needs about"), (".csv", 1000, "reading it as a whole")],
)
def test_commands_scan_what_memory_does_not_hold(
    signs, tmp_path, ibgn, monkeypatch, suffix, times, needs
):
    """By what the reader finds, and before it by the size of files that are still larger."""
    path = write_signs(signs, tmp_path / f"signs{suffix}")
    monkeypatch.setattr("ibgn.cli.pieces.TIMES", times)
    little = ("--max-memory", "64K" if times == 1 else "1M")
    quick = ("--set", 'terms=["durations"]')
    for name, flags in (("read", ()), ("scanned", little)):
        fitted = ibgn("fit", path, "-o", f"{name}.ibgn", *quick, *flags)
        assert fitted.returncode == 0, fitted.stderr
        done = ibgn("predict", f"{name}.ibgn", path, "-o", f"{name}.csv", *flags)
        assert done.returncode == 0, done.stderr
        for stderr in (fitted.stderr, done.stderr):
            assert ("are allowed; reading it piece by piece\n" in stderr) == bool(flags)
            assert (needs in stderr) == bool(flags)
    for kind in (".ibgn", ".csv"):
        one, two = ((tmp_path / f"{name}{kind}").read_bytes() for name in ("read", "scanned"))
        assert one == two
    evaluated = ibgn("evaluate", path, "--folds", "2", *little)
    assert evaluated.returncode == 0, evaluated.stderr
    assert "evaluating IBGN-T alone, as it learns piece by piece" in evaluated.stderr


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_cannot_be_scanned_is_read_as_a_whole(signs, tmp_path, ibgn, suffix):
    path = write_signs(signs, tmp_path / f"signs{suffix}")
    little = ("--max-memory", f"{path.stat().st_size}")
    refused = ibgn("fit", path, "-o", "m.ibgn", "--no-scan", *little)
    assert refused.returncode == 1
    assert "are allowed; cut it into parts" in refused.stderr
    refused = ibgn("fit", path, "-o", "m.ibgn", "--method", "DBN", *little)
    assert refused.returncode == 1
    assert "; all of it is needed at once because of --method DBN" in refused.stderr


def test_packed_and_other_formats_are_read_as_a_whole(signs, tmp_path, ibgn):
    for name in ("signs.csv.gz", "signs.jsonl"):
        path = tmp_path / name
        write_signs(signs, path)
        refused = ibgn("fit", path, "-o", "m.ibgn", "--max-memory", "20K")
        assert refused.returncode == 1
        assert "piece by piece" not in refused.stderr
        assert "20 KB are allowed" in refused.stderr


def test_a_source_is_evaluated_fold_by_fold(signs, tmp_path, ibgn):
    X, y = signs
    path = write_signs(signs, tmp_path / "signs.parquet")
    source = scan(path)
    groups = deal_groups(source, 3)
    for fold in range(3):
        parts = [take_fold(source, fold, 3, inside, groups).read() for inside in (True, False)]
        names = [{str(group) for group in part.groups} for part, _ in parts]
        assert not names[0] & names[1]
        assert sum(len(part) for part, _ in parts) == len(X)
    methods = {"quick": IBGNClassifier(terms=("durations",), random_state=0)}
    frame = evaluate_source(source, methods, n_splits=3)
    training, test = (take_fold(source, 2, 3, inside, groups).read() for inside in (False, True))
    model = IBGNClassifier(terms=("durations",), random_state=0).fit(*training)
    with unquestioned():
        assert frame["accuracy"][2] == model.score(*test)
    assert frame["instances"].sum() == len(X)
    with pytest.raises(OptionError, match="n_splits=8 is more than the number of groups, 7"):
        evaluate_source(source, methods, n_splits=8)
    plain = Stub((X.with_groups(None), y))
    assert evaluate_source(plain, methods, n_splits=2)["instances"].sum() == len(X)


def test_evaluate_scans(signs, tmp_path, ibgn):
    path = write_signs(signs, tmp_path / "signs.csv")
    done = ibgn("evaluate", path, "--scan", "--folds", "2", "-o", "scores.csv", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["summary"][0]["method"] == "IBGN-T"
    assert report["summary"][0]["instances"] == len(signs[0])
    assert pd.read_csv(tmp_path / "scores.csv")["fold"].tolist() == [0, 1]
    printed = ibgn("evaluate", path, "--scan", "--folds", "2").stdout.split()
    assert printed[:3] == ["method", "instances", "accuracy"]
    assert printed[7:9] == ["IBGN-T", str(len(signs[0]))]
    for wrong in (("--method", "DBN"), ("--report", "page.html"), ("--curve", "1,2")):
        refused = ibgn("evaluate", path, "--scan", *wrong)
        assert refused.returncode == 2
        assert "--scan reads pieces" in refused.stderr


FIT = """
import sys
from ibgn import IBGNClassifier, pieces, scan
from ibgn.io import scanning
scanning.ROWS, pieces.SIZE, pieces.SAMPLE = 2_000, 2_000, 200
source = scan(sys.argv[1])
model = IBGNClassifier(terms=("durations",), random_state=0).fit(source)
assert sum(len(logs) for *_, logs in model.predict_pieces(source)) == int(sys.argv[2])
with open("/proc/self/status") as status:
    print(*(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc says how much is used")
def test_memory_does_not_grow_with_the_file(tmp_path):
    rng = np.random.default_rng(0)
    peaks = []
    for number in (3_000, 30_000):
        owner = np.repeat(np.arange(number), 12)
        start = rng.random(len(owner)).round(3)
        frame = pd.DataFrame(
            {
                "instance": owner.astype(str),
                "label": np.where(owner % 2, "tea", "coffee"),
                "action": np.array(list("abcdef"))[rng.integers(6, size=len(owner))],
                "start": start,
                "end": start + 1,
            }
        )
        path = tmp_path / f"{number}.parquet"
        plain = {"use_dictionary": False, "compression": None}
        frame.to_parquet(path, index=False, row_group_size=5_000, **plain)
        run = subprocess.run(
            [sys.executable, "-c", FIT, path, str(number)], capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        peaks.append(int(run.stdout) * 1024)
    assert (
        peaks[1] - peaks[0] < 8_000_000
    )  # the larger file has 15 megabytes of columns in memory, and much more as objects
