"""What errors of detection cost: conditions, what is learned from and tested, curves."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from ibgn import DataError, IntervalSequences, write
from ibgn.datasets import make_hand_signs, make_relations
from ibgn.errors import OptionError
from ibgn.evaluation.conditions import Clean, Detected, Detector, Noisy, noise_conditions
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import make_folds
from ibgn.evaluation.methods import METHODS
from ibgn.evaluation.paired import corrected_error
from ibgn.evaluation.robustness import measure_robustness
from ibgn.recordings import SensorRecording

QUICK = {name: METHODS[name] for name in ("DBN", "ITBN")}
RATES = {"misdetection": [0.2, 0.5], "duration": [0.3]}


@pytest.fixture(scope="module")
def relations():
    return make_relations(instances_per_activity=20, random_state=0)


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=8, random_state=0)
    chosen = np.isin(y, ["bus", "lab", "leg"])
    return X[chosen], y[chosen]


def same(X, Z):
    return X.to_lists() == Z.to_lists()


# conditions


def test_clean_data_stay_as_they_are(signs):
    X, y = signs
    fold = make_folds(X, y)[0]
    train, test = Clean().apply(X, fold)
    assert train is None
    assert same(test, X[fold.test])


@pytest.mark.parametrize("error", ["misdetection", "duration"])
def test_errors_are_on_the_test_set_or_on_both(signs, error):
    X, y = signs
    fold = make_folds(X, y)[0]
    train, test = Noisy(error=error, rate=0.3).apply(X, fold)
    assert train is None
    assert not same(test, X[fold.test])
    train, again = Noisy(error=error, rate=0.3, on="both").apply(X, fold)
    assert same(test, again)
    assert not same(train, X[fold.train])
    assert train.groups.tolist() == X.groups[fold.train].tolist()


def test_draws_and_folds_have_their_own_errors_and_rates_share_them(signs):
    X, y = signs
    fold, other = make_folds(X, y)[:2]

    def lost(draw, rate, fold):
        return Noisy(error="misdetection", rate=rate, draw=draw).apply(X, fold)[1]

    assert same(lost(0, 0.2, fold), lost(0, 0.2, fold))
    assert not same(lost(0, 0.2, fold), lost(1, 0.2, fold))
    assert not same(lost(0, 0.2, fold), lost(0, 0.2, other))
    kept = [set(map(tuple, one)) for one in lost(0, 0.4, fold).to_lists()]
    clean = [set(map(tuple, one)) for one in X[fold.test].to_lists()]
    less = [set(map(tuple, one)) for one in lost(0, 0.2, fold).to_lists()]
    for more_errors, fewer_errors, none in zip(kept, less, clean, strict=True):
        assert more_errors & none <= fewer_errors & none  # what survives much survives little


def test_mistakes_name_no_action_of_the_test_set_alone():
    X = IntervalSequences.from_lists([[("a", 0, 1)], [("b", 0, 1)]] * 20 + [[("only here", 0, 1)]])
    y = np.array(["x", "y"] * 20 + ["x"])
    fold = make_folds(X, y)[0]._replace(train=np.arange(40), test=np.arange(40, 41))
    train, _ = Noisy(error="misdetection", rate=1.0, on="both").apply(X, fold)
    assert {name for one in train.to_lists() for name, _, _ in one} == {"a", "b"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rates": {"misdetection": [0.0]}}, "misdetection=0.0 must be above 0 and at most 1"),
        ({"rates": {"duration": [1.5]}}, "duration=1.5 must be above 0 and at most 1"),
        ({"rates": {"magic": [0.1]}}, "choose among 'misdetection', 'duration'"),
        ({"rates": {}, "on": "train"}, "choose among 'test', 'both'"),
        ({"rates": {}, "draws": 0}, "draws=0 must be a whole number"),
    ],
)
def test_conditions_refuse(options, message):
    with pytest.raises(OptionError, match=message):
        noise_conditions(**options)


# measuring


class Memory(ClassifierMixin, BaseEstimator):
    """Remembers what it learned from and was tested on."""

    seen: list

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Memory.seen.append(("fit", X.to_lists()))
        return self

    def predict_proba(self, X):
        Memory.seen.append(("test", X.to_lists()))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@pytest.mark.parametrize(("on", "fits"), [("test", 1), ("both", 4)])
def test_methods_learn_once_for_all_errors_of_test_sets(relations, on, fits):
    X, y = relations
    folds = make_folds(X, y, n_splits=2)[:1]
    Memory.seen = []
    conditions = noise_conditions(RATES, on=on)
    measure_robustness(X, y, {"memory": lambda seed: Memory()}, folds, conditions)
    learned = [data for kind, data in Memory.seen if kind == "fit"]
    assert len(learned) == fits
    assert len([kind for kind, _ in Memory.seen if kind == "test"]) == 4
    assert learned[0] == X[folds[0].train].to_lists()
    assert all(data != learned[0] for data in learned[1:])


def test_without_errors_it_is_an_evaluation(signs):
    X, y = signs
    folds = make_folds(X, y, n_splits=3)
    found = measure_robustness(X, y, QUICK, folds, noise_conditions(RATES, draws=2))
    plain = evaluate(X, y, QUICK, folds)
    times = ["fit_seconds", "predict_seconds"]
    at_none = found.at("none")
    pd.testing.assert_frame_equal(
        at_none.scores.drop(columns=times), plain.scores.drop(columns=times)
    )
    pd.testing.assert_frame_equal(at_none.predictions, plain.predictions)


def test_errors_cost_accuracy_and_more_errors_cost_more(relations, seed):
    X, y = relations
    folds = make_folds(X, y, n_splits=4, seed=seed)
    conditions = noise_conditions({"misdetection": [0.3, 0.8]}, draws=4, seed=seed)
    table = measure_robustness(X, y, {"ITBN": METHODS["ITBN"]}, folds, conditions).curves()
    clean, some, most = table["accuracy"]
    assert clean > some + 0.05
    assert some > most + 0.05
    blind = measure_robustness(X, y, {"m": lambda seed: Memory()}, folds, conditions).curves()
    assert np.ptp(blind["accuracy"]) < 0.05  # what never looks loses nothing


def test_curves_average_draws_before_folds(relations):
    X, y = relations
    folds = make_folds(X, y, n_splits=3)
    conditions = noise_conditions({"duration": [0.4]}, draws=3)
    found = measure_robustness(X, y, {"DBN": METHODS["DBN"]}, folds, conditions)
    row = found.curves().iloc[1]
    part = found.scores[found.scores["error"] == "duration"]
    by_fold = part.groupby("fold")["accuracy"].mean()
    assert row["draws"] == 3
    assert row["accuracy"] == pytest.approx(by_fold.mean(), abs=1e-12)
    sizes = part.drop_duplicates("fold")
    wanted = corrected_error(by_fold, sizes["train"], sizes["test"])
    assert row["accuracy_error"] == pytest.approx(wanted, abs=1e-12)
    assert row["accuracy_error"] != pytest.approx(
        corrected_error(part["accuracy"], part["train"], part["test"]), abs=1e-6
    )


def test_jobs_do_not_matter(signs):
    X, y = signs
    folds = make_folds(X, y, n_splits=2)
    one, two = (
        measure_robustness(X, y, QUICK, folds, noise_conditions(RATES, on="both"), n_jobs=jobs)
        for jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one.predictions, two.predictions)


def test_what_was_done_is_not_done_again(signs, tmp_path):
    X, y = signs
    folds = make_folds(X, y, n_splits=2)
    conditions = noise_conditions(RATES)
    Memory.seen = []
    method = {"memory": lambda seed: Memory()}
    first = measure_robustness(X, y, method, folds, conditions, journal=tmp_path / "j")
    count = len(Memory.seen)
    again = measure_robustness(X, y, method, folds, conditions, journal=tmp_path / "j")
    assert len(Memory.seen) == count
    pd.testing.assert_frame_equal(first.predictions, again.predictions)
    other = noise_conditions(RATES, seed=1)
    measure_robustness(X, y, method, folds, other, journal=tmp_path / "j")
    assert len(Memory.seen) > count


# detectors


def test_what_was_detected_is_tested_and_learned_from_where_asked(signs):
    X, y = signs
    Z = Noisy(error="duration", rate=0.4)
    found = IntervalSequences.from_lists(
        [[(name, start, end + 1) for name, start, end in one] for one in X.to_lists()]
    )
    fold = make_folds(X, y)[0]
    train, test = Detected(error="camera", intervals=found).apply(X, fold)
    assert train is None
    assert same(test, found[fold.test])
    train, _ = Detected(error="camera", intervals=found, on="both").apply(X, fold)
    assert same(train, found[fold.train])
    with pytest.raises(DataError, match=r"'camera' has 3 instances for \d+"):
        Detected(error="camera", intervals=found[:3]).apply(X, fold)
    assert Z.error == "duration"


class Spy(BaseEstimator):
    """A detector that finds one interval, named by what it learned from."""

    fits: list

    def fit(self, recordings):
        self.known_ = {one.id for one in recordings}
        Spy.fits.append(self.known_)
        return self

    def predict(self, recordings):
        assert not self.known_ & {one.id for one in recordings}  # found in what is new only
        return IntervalSequences.from_lists(
            [[(f"{one.id} by {len(self.known_)}", 0, 1)] for one in recordings],
            ids=[one.id for one in recordings],
        )


@pytest.mark.parametrize("grouped", [True, False])
def test_detectors_learn_from_training_sets_only(signs, grouped):
    X, y = signs
    if not grouped:
        X = IntervalSequences.from_flat(X.flat, X.actions, X.ids, None)
    recordings = [SensorRecording([0.0, 1.0], [[0], [1]], ["x"], id=str(d)) for d in range(len(X))]
    fold = make_folds(X, y, n_splits=3)[0]
    Spy.fits = []
    condition = Detector(error="spy", on="both", detector=Spy(), recordings=recordings)
    train, test = condition.apply(X, fold)
    tested = {str(d) for d in fold.test}
    assert len(Spy.fits) == 4
    assert all(not known & tested for known in Spy.fits)
    assert [one[0][0].split(" ")[0] for one in test.to_lists()] == [str(d) for d in fold.test]
    assert [one[0][0].split(" ")[0] for one in train.to_lists()] == [str(d) for d in fold.train]
    if grouped:
        place = {str(d): X.groups[d] for d in range(len(X))}
        for known in Spy.fits[1:]:
            new = {str(d) for d in fold.train} - known
            assert not {place[d] for d in known} & {place[d] for d in new}
    Spy.fits = []
    Detector(error="spy", detector=Spy(), recordings=recordings).apply(X, fold)
    assert len(Spy.fits) == 1
    with pytest.raises(DataError, match="recordings for"):
        Detector(error="spy", detector=Spy(), recordings=recordings[:2]).apply(X, fold)


def test_detectors_learn_nothing_again_where_all_is_done(signs, tmp_path):
    X, y = signs
    recordings = [SensorRecording([0.0, 1.0], [[0], [1]], ["x"], id=str(d)) for d in range(len(X))]
    folds = make_folds(X, y, n_splits=2)
    conditions = [Clean(), Detector(error="spy", detector=Spy(), recordings=recordings)]
    Spy.fits = []
    found = [
        measure_robustness(X, y, QUICK, folds, conditions, journal=tmp_path / "journal")
        for _ in range(2)
    ]
    assert len(Spy.fits) == len(folds)
    pd.testing.assert_frame_equal(found[0].predictions, found[1].predictions)
    moved = [SensorRecording([0.0, 2.0], [[0], [1]], ["x"], id=r.id) for r in recordings]
    conditions = [Clean(), Detector(error="spy", detector=Spy(), recordings=moved)]
    measure_robustness(X, y, QUICK, folds, conditions, journal=tmp_path / "journal")
    assert len(Spy.fits) == 2 * len(folds)


@pytest.mark.parametrize("journal", [True, False])
def test_recordings_are_hashed_once_and_only_for_a_journal(signs, tmp_path, monkeypatch, journal):
    X, y = signs
    recordings = [SensorRecording([0.0, 1.0], [[0], [1]], ["x"], id=str(d)) for d in range(len(X))]
    calls, original = [], Detector.digest
    monkeypatch.setattr(Detector, "digest", lambda self: calls.append(1) or original(self))
    Spy.fits = []
    conditions = [Detector(error="spy", detector=Spy(), recordings=recordings)]
    path = tmp_path / "journal" if journal else None
    measure_robustness(X, y, QUICK, make_folds(X, y, n_splits=3), conditions, journal=path)
    assert len(calls) == journal
    assert len(Spy.fits) == 3


def test_what_is_found_across_folds_is_for_tests_only(signs):
    X, y = signs
    recordings = [SensorRecording([0.0, 1.0], [[0], [1]], ["x"], id=str(d)) for d in range(len(X))]
    folds = make_folds(X, y, n_splits=3)
    Spy.fits = []
    found = Detector(error="spy", detector=Spy(), recordings=recordings).across(X, folds)
    assert [one[0][0].split(" ")[0] for one in found.intervals.to_lists()] == list(
        map(str, range(len(X)))
    )
    assert found.on == "test"
    with pytest.raises(OptionError, match="on='both' is not for detection across folds"):
        Detector(error="spy", on="both", detector=Spy(), recordings=recordings).across(X, folds)


def test_gains_are_those_of_paired_folds(relations):
    X, y = relations
    folds = make_folds(X, y, n_splits=4)
    found = measure_robustness(X, y, QUICK, folds, noise_conditions({"misdetection": [0.2]}))
    gain = found.gain("ITBN", "DBN")
    row = found.at("none").compare("DBN").iloc[0]
    wanted = tuple(row[name] for name in ("difference", "error", "p", "p_holm"))
    assert gain == pytest.approx(wanted, abs=1e-12)
    assert gain != found.gain("ITBN", "DBN", "misdetection", 0.2)


# the command


@pytest.fixture
def takes(tmp_path, relations):
    X, y = relations
    write(X, tmp_path / "takes.csv", y)
    return "takes.csv"


def test_command_measures_errors_and_detectors(ibgn, takes, tmp_path):
    table = pd.read_csv(tmp_path / takes)
    found = table[table["instance"] != table["instance"][0]].iloc[::-1]
    found.to_csv(tmp_path / "found.csv", index=False)
    options = ["-m", "ITBN", "--misdetection", "0.5", "--duration", "", "--draws", "2"]
    options += ["--folds", "2", "--detected", "camera=found.csv", "-o", "scores.csv"]
    result = ibgn("robustness", takes, *options, "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert [(row["error"], row["rate"]) for row in told["curves"]] == [
        ("none", 0.0),
        ("misdetection", 0.5),
        ("camera", 0.0),
    ]
    by_error = {row["error"]: row["accuracy"] for row in told["curves"]}
    assert by_error["misdetection"] < by_error["none"]
    assert abs(by_error["camera"] - by_error["none"]) < 0.05  # all but one instance are the same
    assert "no intervals of 1 instance" in result.stderr
    assert len(pd.read_csv(tmp_path / "scores.csv")) == 2 * 4
    shown = ibgn("robustness", takes, *options, "--force")
    assert "50%" in shown.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--misdetection", "much"], 2, "must be numbers with commas between"),
        (["--duration", "7"], 2, "7.0 must be above 0 and at most 1"),
        (["--detected", "camera"], 2, "must be written name=file"),
        (["--detected", "camera=nowhere.csv"], 1, "nowhere.csv"),
        (["--detector", "knn"], 2, "as detectors learn from sensors"),
        (["--detector", "magic", "--sensors", ".", "--track", "t"], 2, "choose among 'knn'"),
        (["--report", "page.pdf"], 2, "must be a .html or a .htm file"),
    ],
)
def test_command_refuses(ibgn, takes, options, code, message):
    result = ibgn("robustness", takes, "-m", "ITBN", *options)
    assert result.returncode == code, result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_command_learns_detectors_from_sensors(ibgn, tmp_path):
    time = np.arange(0, 12, 1 / 30)
    rows = []
    (tmp_path / "sensors").mkdir()
    for d in range(12):
        shakes = (time >= 4) & (time < 8) if d % 2 else time >= 4
        x = np.where(shakes, np.sin(20 * time + d), 0.0)
        frames = pd.DataFrame({"time": time, "x": x, "hand": np.where(shakes, "shake", "rest")})
        frames.to_csv(tmp_path / "sensors" / f"take {d}.csv", index=False)
        ends = (
            [("rest", 0, 4), ("shake", 4, 8), ("rest", 8, 12)]
            if d % 2
            else [("rest", 0, 4), ("shake", 4, 12)]
        )
        rows += [(f"take {d}", ["long", "short"][d % 2], *interval) for interval in ends]
    names = ["instance", "label", "action", "start", "end"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "takes.csv", index=False)
    options = ["-m", "DBN", "--misdetection", "", "--duration", "", "--folds", "2", "--json"]
    options += ["--sensors", "sensors", "--track", "hand", "--detector", "tree"]
    result = ibgn("robustness", "takes.csv", *options, "--on", "both")
    assert result.returncode == 0, result.stderr
    curves = json.loads(result.stdout)["curves"]
    assert [(row["error"], row["accuracy"]) for row in curves] == [("none", 1.0), ("tree", 1.0)]
    (tmp_path / "sensors" / "take 3.csv").unlink()
    result = ibgn("robustness", "takes.csv", *options)
    assert "no recording of 1 instance (first: 'take 3')" in result.stderr
