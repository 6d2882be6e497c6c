"""Instances on many machines: the same models and predictions as in memory, whatever happens."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from differences import find_differences
from ibgn import (
    DataError,
    DataWarning,
    IBGNClassifier,
    IntervalSequences,
    pieces,
    read,
    scan,
    write,
)
from ibgn.cleaning import Cleaning
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import make_folds
from ibgn.evaluation.scanned import evaluate_source
from ibgn.io import cluster
from ibgn.io.jobs import Recipe
from ibgn.io.leniency import STRICT
from ibgn.io.longframe import LongFrame
from ibgn.io.partitions import take_instance
from ibgn.provenance import Provenance

dask = pytest.importorskip("dask", reason="needs Dask: pip install 'ibgn[dask]'")
cloudpickle = pytest.importorskip("cloudpickle", reason="comes with Dask")
distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'ibgn[dask]'")
dd = pytest.importorskip("dask.dataframe", reason="needs Dask: pip install 'ibgn[dask]'")

SMALL = {"SIZE": 200, "SAMPLE": 60, "LEAST": 3}  # pieces and samples of a few instances


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Partitions that cut instances, pieces that cut partitions, and a sample of less than half."""
    for name, value in SMALL.items():
        monkeypatch.setattr(pieces, name, value)
    monkeypatch.setattr(cluster, "ROWS", 40)
    monkeypatch.setattr(cluster, "PARTITIONS", 2)
    monkeypatch.setattr(cluster, "JOINED", 3)


@pytest.fixture(scope="module")
def signs():
    """Instances with groups; one action occurs once, and one activity is rare."""
    X, y = make_relations(instances_per_activity=25, random_state=0)
    order = np.random.default_rng(0).permutation(len(X))
    lists = [*X[order].to_lists(), [("shrug", 0, 0.25), ("nod", 0.2, 3)], [("nod", 1, 2)]]
    labels = [*y[order].tolist(), "rare", "rare"]
    names = [f"take {d}" for d in range(len(lists))]
    groups = [f"person {d % 7}" for d in range(len(lists))]
    return IntervalSequences.from_lists(lists, names, groups), np.array(labels, object)


def write_parts(signs, folder, number=4, size=23):
    """Files whose row groups cut instances."""
    frame = signs[0].to_frame(signs[1])
    folder.mkdir()
    for part in range(number):
        rows = frame[part * len(frame) // number : (part + 1) * len(frame) // number]
        path = folder / f"{part}.parquet"
        rows.to_parquet(path, index=False, row_group_size=size)
    return folder


def as_dask(frame, *edges):
    """A frame whose partitions begin at these rows."""
    edges = [0, *edges, len(frame)]
    parts = [frame[a:b] for a, b in pairwise(edges)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame[:0])


def check_learned(model, other):
    """Compare what was learned to the bit, but for where it was read from."""
    known, its = (
        vars(each) | {"trained_on_": replace(each.trained_on_, provenance=None)}
        for each in (model, other)
    )
    assert not list(find_differences(known, its))


def check_all(signs, source, **options):
    """Compare what is learned and recognised with that in memory."""
    X, y = signs
    model = IBGNClassifier(random_state=0, **options).fit(X, y)
    other = IBGNClassifier(random_state=0, **options).fit(source)
    check_learned(model, other)
    assert np.array_equal(other.predict(source), model.predict(X))
    assert np.array_equal(other.predict_proba(source), model.predict_proba(X))
    assert other.score(source) == model.score(X, y)


@pytest.mark.parametrize(
    "options", [{}, {"tolerance": 0.3, "class_prior": "empirical"}, {"horizon": 1}]
)
@pytest.mark.filterwarnings("ignore:merging end points")
def test_a_folder_gives_the_model_in_memory_to_the_bit(signs, tmp_path, options):
    source = scan(write_parts(signs, tmp_path / "parts"), engine="dask")
    assert len(source.rows) > 8
    check_all(signs, source, **options)


@pytest.mark.parametrize("number", [1, 9, 70])
def test_a_frame_gives_the_instances_in_memory(signs, number):
    """Also where an instance has more rows than a partition."""
    frame = signs[0].to_frame(signs[1])
    edges = sorted(np.random.default_rng(number).integers(0, len(frame) + 1, number - 1).tolist())
    X, y = scan(as_dask(frame, *edges)).read()
    whole = read(frame)
    assert whole[0] == X
    assert y.tolist() == whole[1].tolist()
    assert X.provenance == whole[0].provenance


def test_a_frame_gives_the_model_in_memory_to_the_bit(signs):
    check_all(signs, scan(as_dask(signs[0].to_frame(signs[1]), 5, 100, 101, 102, 300)))


def rows(*names, **columns):
    """A frame with an interval per name."""
    plain = {"instance": names, "action": "nod", "start": np.arange(len(names))}
    return pd.DataFrame(plain | {"end": np.arange(len(names)) + 2.5} | columns)


@pytest.mark.parametrize(
    ("names", "edges"),
    [
        ("cab", [1]),
        ("abacc", [3]),  # rows of an instance may stand anywhere in a partition
        ("abbb", [2, 3]),
        ("abcaba", [3, 3]),  # control: refused below
        ("acbc", [2]),
        ("acacc", [2, 4]),
        ("aabb", [0, 2, 2, 4]),  # partitions without rows
        ("abbcbdd", [2, 5, 6]),
    ],
)
def test_rows_of_an_instance_are_brought_together(names, edges):
    frame = rows(*names)
    parts = [set(names[a:b]) for a, b in zip([0, *edges], [*edges, len(names)], strict=True)]
    if names in ("abcaba", "acbc", "acacc"):
        with pytest.raises(DataError, match="here instance '.' returns, after others.*shuffle"):
            scan(as_dask(frame, *edges)).read()
        return
    assert len(parts) > 1
    assert scan(as_dask(frame, *edges)).read()[0] == read(frame)[0]


def test_an_instance_that_returns_is_refused_with_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "ROWS", 2)
    path = tmp_path / "takes.parquet"
    rows(*"aabbccabdd").to_parquet(path, row_group_size=2)
    with pytest.raises(DataError, match=r"takes.parquet: row 7: here instance 'a' returns"):
        scan(path, engine="dask").read()
    frame = rows(*"aabbccdeda")
    with pytest.raises(DataError, match=r"partition 3: row 6: here instance 'a' returns"):
        scan(as_dask(frame, 2, 4)).read()


def test_errors_and_warnings_come_from_the_workers(tmp_path):
    frame = rows(*"abcde").assign(end=[2, 3, 4, 5, 3.5])
    why = r"partition 2: row 3 \(instance 'e'\): the interval ends"
    # a thread that goes on after an error would put back the filters of warnings later
    with pytest.raises(DataError, match=why), dask.config.set(scheduler="synchronous"):
        scan(as_dask(frame, 2)).read()
    source = scan(as_dask(frame, 2), bad_rows="drop")
    with pytest.warns(DataWarning, match=r"partition 2: left out 1 row .*first: row 3"):
        X, _ = source.read()
    source.read()  # without a warning
    assert X.ids.tolist() == list("abcd")
    (tmp_path / "mixed").mkdir()
    for number, labels in enumerate(([1, 2], ["tea", "tea"])):
        names = "abcd"[2 * number : 2 * number + 2]
        rows(*names, label=labels).to_parquet(tmp_path / "mixed" / f"{number}.parquet")
    source = scan(tmp_path / "mixed", engine="dask")
    for read_all in (source.read, partial(IBGNClassifier().fit, source)):
        with pytest.raises(DataError, match=r"1.parquet: row 1: from here on each label is text"):
            read_all()
    with pytest.raises(DataError, match="there are no instances"):
        scan(as_dask(rows())).read()
    with pytest.raises(DataError, match="the frame has no column 'end'"):
        scan(as_dask(rows("a").drop(columns="end")))
    path = tmp_path / "takes.parquet"
    rows("a", "b").to_parquet(path)
    source = scan(path, engine="dask")
    source.read()
    rows("a", "b", "c").to_parquet(path)
    with pytest.raises(DataError, match="changed between two readings"):
        source.read()


def test_what_a_model_does_not_know_is_said_once(signs):
    X, y = signs
    model = IBGNClassifier(random_state=0, terms=("durations",)).fit(X[:-2], y[:-2])
    with pytest.warns(DataWarning) as said:
        model.predict(scan(as_dask(X.to_frame(y), 100, 200)))
    unknown = [str(each.message) for each in said if "does not know" in str(each.message)]
    assert len(unknown) == 1
    assert "shrug" in unknown[0]


def test_only_what_dask_reads(signs, tmp_path):
    write(*signs[:1], tmp_path / "signs.csv")
    with pytest.raises(OptionError, match=r"engine='dask' reads Parquet files, got 'csv'"):
        scan(tmp_path / "signs.csv", engine="dask")
    with pytest.raises(OptionError, match="engine='spark' is not a choice"):
        scan(tmp_path / "signs.csv", engine="spark")
    with pytest.raises(DataError, match=r"a frame of pandas is in memory already; read it with"):
        scan(rows("a"))
    with pytest.raises(OptionError, match="bad_files"):
        scan(as_dask(rows("a")), bad_files="drop")


def test_an_error_names_the_extra(tmp_path):
    rows("a").to_parquet(tmp_path / "takes.parquet")
    code = (
        "import sys; sys.modules['dask'] = None\n"
        "import ibgn\n"
        f"try: ibgn.scan({str(tmp_path / 'takes.parquet')!r}, engine='dask')\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'ibgn[dask]'" in done.stdout


def test_frames_that_workers_make(signs, tmp_path):
    X, y = signs
    model = IBGNClassifier(random_state=0, terms=("durations",)).fit(X, y)
    source = scan(as_dask(X.to_frame(y), 100, 200))

    def predict(X, y):
        return pd.DataFrame({"instance": X.ids, "predicted": model.predict(X)})

    source.make_frame(predict).to_parquet(tmp_path / "predictions")
    frame = pd.read_parquet(tmp_path / "predictions")
    assert frame["instance"].tolist() == X.ids.tolist()
    assert frame["predicted"].tolist() == model.predict(X).tolist()


def test_what_goes_to_the_workers_does_not_grow_with_the_training_data(signs):
    X, y = signs
    few, many = (
        IBGNClassifier(random_state=0, terms=("length",)).fit(
            IntervalSequences.concatenate([X] * times), np.tile(y, times)
        )
        for times in (1, 20)
    )
    assert len(pickle.dumps(many)) > 2 * len(pickle.dumps(few))
    assert len(pickle.dumps(many._scorer())) < 1.1 * len(pickle.dumps(few._scorer()))


def test_what_one_partition_sends_another_has_nothing_else():
    frame = LongFrame(rows(*["a"] * 3, *map(str, range(10_000))), source="takes: ")
    sent = cloudpickle.dumps(take_instance(frame, "a"))
    assert len(sent) < 20_000
    again = pickle.loads(sent)
    assert len(again.series["instance"]) == 3
    assert again.place(2) == "row 3"


def test_dask_knows_how_large_results_are(signs):
    frame = LongFrame(signs[0].to_frame(signs[1]))
    recipe = Recipe(Cleaning(), STRICT, Provenance("frame"))
    assert dask.sizeof.sizeof(frame) > 5 * 8 * len(frame.series["instance"])
    assert dask.sizeof.sizeof(recipe.make(frame)) > 20 * len(frame.series["instance"])


QUIET = {"dashboard_address": "127.0.0.1:0", "threads_per_worker": 1}


def test_a_client_in_this_process(signs, tmp_path):
    """And an evaluation, whose folds the workers choose."""
    with distributed.Client(n_workers=2, processes=False, **QUIET):
        source = scan(write_parts(signs, tmp_path / "parts"), engine="dask")
        check_all(signs, source)
        methods = {"durations": IBGNClassifier(random_state=0, terms=("durations",))}
        frame = evaluate_source(source, methods, 2)
    here = evaluate_source(scan(tmp_path / "parts"), methods, 2)
    assert frame["instances"].tolist() == here["instances"].tolist()
    assert frame["accuracy"].tolist() == here["accuracy"].tolist()
    np.testing.assert_allclose(frame["log_loss"], here["log_loss"], rtol=1e-12)


@pytest.fixture
def address():
    """That of a scheduler with workers in this process, whose pieces are small as well."""
    options = {"processes": False, "protocol": "tcp://", "host": "127.0.0.1", **QUIET}
    with distributed.LocalCluster(n_workers=2, **options) as workers:
        yield workers.scheduler_address


def test_commands_leave_the_work_to_a_cluster(signs, tmp_path, ibgn, address, monkeypatch):
    write_parts(signs, tmp_path / "parts")
    ran, make = [], Recipe.make

    def count(self, *given):
        ran.append(distributed.get_worker().address)
        return make(self, *given)

    monkeypatch.setattr(Recipe, "make", count)
    quick = ("--set", 'terms=["length", "durations"]')
    scores = {}
    for name, flags in (("here", ("--scan",)), ("there", ("--cluster", address))):
        for words in (
            ("fit", "parts", "-o", f"{name}.ibgn", *quick),
            ("predict", f"{name}.ibgn", "parts", "-o", f"{name}.csv"),
            ("evaluate", "parts", "--folds", "2", "-o", f"{name}-scores.csv"),
        ):
            done = ibgn(*words, *flags)
            assert done.returncode == 0, done.stderr
        scores[name] = pd.read_csv(tmp_path / f"{name}-scores.csv")["accuracy"].tolist()
        assert bool(ran) == (name == "there")
    assert len(set(ran)) == 2
    assert scores["here"] == scores["there"]
    for suffix in (".ibgn", ".csv"):
        here, there = (tmp_path / f"{name}{suffix}" for name in ("here", "there"))
        assert here.read_bytes() == there.read_bytes()
    with pytest.raises(ValueError, match="No client"):  # nothing goes there afterwards
        distributed.default_client()


def test_commands_name_what_a_cluster_cannot_do(signs, tmp_path, ibgn):
    write_parts(signs, tmp_path / "parts")
    nobody = ("--cluster", "tcp://127.0.0.1:9")
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        refused = ibgn("fit", "parts", "-o", "m.ibgn", *nobody)
    assert refused.returncode == 2
    assert f"{' '.join(nobody)} is not the address of a scheduler that answers" in refused.stderr
    for odd in ("moon://here", "two\nlines", "tcp://host", "", "http://127.0.0.1:8786"):
        refused = ibgn("fit", "parts", "-o", "m.ibgn", "--cluster", odd)
        assert refused.returncode == 2
        assert "is not the address of a scheduler that answers" in refused.stderr
    assert dask.config.get("scheduler", None) is None  # nothing is left to a client that is none
    for words, wrong in (
        (("fit", "parts", "-o", "m.ibgn", "--method", "DBN"), "--method DBN"),
        (("evaluate", "parts", "--no-scan"), "--no-scan"),
    ):
        refused = ibgn(*words, *nobody)
        assert refused.returncode == 2
        assert f"{wrong} needs all at once, but {' '.join(nobody)} reads pieces" in refused.stderr


def test_a_command_of_a_cluster_refuses_what_is_not_parquet(signs, tmp_path, ibgn, address):
    write(*signs[:1], tmp_path / "signs.csv", signs[1])
    refused = ibgn("fit", "signs.csv", "-o", "m.ibgn", "--cluster", address)
    assert refused.returncode == 2
    assert "reads Parquet files, got 'csv'" in refused.stderr


class SmallPieces(distributed.WorkerPlugin):
    """Makes pieces and samples as small on the workers as here, also on those that come later."""

    def __init__(self, values):
        self.values = values

    def setup(self, worker):
        for name, value in self.values.items():
            setattr(pieces, name, value)


@pytest.fixture(scope="module")
def client():
    """Two worker processes."""
    with (
        distributed.LocalCluster(
            n_workers=2, processes=True, host="127.0.0.1", **QUIET
        ) as processes,
        distributed.Client(processes) as client,
    ):
        client.register_plugin(SmallPieces(SMALL))
        yield client


def take_time(folder, X, y):
    """The same instances, later; and a file that says that they were asked for."""
    time.sleep(0.05)
    (folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
    return X, y


@pytest.mark.slow
def test_a_worker_may_be_killed_half_way(signs, tmp_path, client):
    """Nothing is lost: the model and the predictions are those in memory."""
    source = scan(write_parts(signs, tmp_path / "parts"), engine="dask")
    parts = len(source.rows)
    (tmp_path / "done").mkdir()
    slow = source.changed(partial(take_time, tmp_path / "done"))
    killed = []

    def kill(after):
        while len(list((tmp_path / "done").iterdir())) < after:
            time.sleep(0.01)
        victim = int(next((tmp_path / "done").iterdir()).name.partition("-")[0])
        killed.append(victim)
        os.kill(victim, signal.SIGKILL)

    X, y = signs
    model = IBGNClassifier(random_state=0).fit(X, y)
    killer = threading.Thread(target=kill, args=(parts + parts // 2,))  # while counts are added
    killer.start()
    other = IBGNClassifier(random_state=0).fit(slow)
    killer.join()
    check_learned(model, other)
    for file in (tmp_path / "done").iterdir():
        file.unlink()
    killer = threading.Thread(target=kill, args=(parts // 2,))
    killer.start()
    predicted = other.predict_proba(slow)
    killer.join()
    assert np.array_equal(predicted, model.predict_proba(X))
    assert len(set(killed)) == 2
    assert os.getpid() not in killed


@pytest.mark.slow
def test_cross_validation_and_search_on_the_workers(signs, client):
    X, y = signs
    X, y = X[:-2], y[:-2]
    model = IBGNClassifier(random_state=0, terms=("relations",))
    grid = {"smoothing": [0.3, 3.0]}

    def measure():
        scores = cross_val_score(model, X, y, cv=2)
        search = GridSearchCV(model, grid, cv=2).fit(X, y)
        folds = make_folds(X, y, n_splits=2)
        own = evaluate(X, y, {"mine": model}, folds, search={"mine": grid})
        searched = search.cv_results_["mean_test_score"]
        return scores, searched, own.predictions["probability"].to_numpy()

    here = measure()
    with joblib.parallel_config("dask", n_jobs=-1):
        there = measure()
    for mine, its in zip(here, there, strict=True):
        np.testing.assert_array_equal(mine, its)
