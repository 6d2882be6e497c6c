"""Early decisions: replays are what live recognisers say, and promised error rates hold."""

import json
from copy import copy

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, log_softmax

from chance import binomial_bounds
from ibgn import (
    DataError,
    IBGNClassifier,
    IBGNEnsemble,
    IntervalRidge,
    IntervalSequences,
    LiveRecogniser,
    load,
    write_csv,
)
from ibgn.classifiers import DBNClassifier
from ibgn.classifiers.decisions import Decisions, Records, enough_decisions, find_records
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.evaluation.early import evaluate_early
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import make_folds
from ibgn.live import learn_decisions
from ibgn.live.replay import cut_at, event_moments, replay, share_moments
from instance_events import as_events, follow

ACTIONS = ["boil", "grind", "pour"]


def draw(rng, number, coarse):
    """Instances of two activities, which differ in what comes first; coarse times coincide."""
    rows, labels = [], []
    for n in range(number):
        start = np.sort(rng.integers(0, 8, 5) if coarse else rng.random(5) * 8)
        length = rng.integers(1, 5, 5) if coarse else 0.1 + rng.gamma(2, 1, 5)
        tea = n % 2 == 0
        names = [ACTIONS[0 if tea else 1], *rng.choice(ACTIONS, 4)]
        ends = start + length
        rows.append([(a, float(s), float(e)) for a, s, e in zip(names, start, ends, strict=True)])
        labels.append("tea" if tea else "coffee")
    return IntervalSequences.from_lists(rows), np.array(labels)


MODELS = {
    "terms": lambda: IBGNClassifier(random_state=0),
    "tolerance": lambda: IBGNClassifier(tolerance=0.2, random_state=0),
    "DBN": lambda: DBNClassifier(),
}


@pytest.fixture(scope="module", params=[True, False], ids=["coarse", "fine"])
def data(request):
    return draw(np.random.default_rng(5), 40, request.param)


@pytest.fixture(scope="module")
def taught():
    """A model that knows when to decide."""
    X, y = draw(np.random.default_rng(6), 60, False)
    model = IBGNClassifier(random_state=0).fit(X, y)
    learn_decisions(model, X, y)
    return model, X, y


@pytest.mark.parametrize("name", MODELS)
def test_replays_say_after_every_event_what_live_recognisers_say(data, name):
    X, y = data
    model = MODELS[name]().fit(X, y)
    few = X[:6]
    scores = replay(model, few, event_moments(few))
    weights, prior = np.ones(1), 0.0
    if name == "terms":
        weights, prior = model._weights, model._log_prior
    found = log_softmax(weights @ scores + prior, axis=1)
    expected = []
    for instance in few.to_lists():
        live = LiveRecogniser(model)
        for event in as_events(instance):
            follow(live, event)
            expected.append(live.log_posterior())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("unquestioned")  # as beginnings of intervals are short
def test_where_nothing_is_open_replays_of_terms_are_those_of_cut_instances(data):
    """Batches of cut instances say the same where all has ended, and elsewhere they do not."""
    X, y = data
    model = IBGNClassifier(random_state=0).fit(X, y)
    moments = event_moments(X)
    cut = cut_at(X, moments.owner, moments.time)
    going_on = np.array(
        [
            ((X[d].start <= t) & (X[d].end >= t)).sum() > (t == X[d].end.max())
            for d, t in zip(moments.owner, moments.time, strict=True)
        ]
    )
    after = np.roll(moments.time, -1) == moments.time  # more happens at the same time
    settled = ~going_on & ~after
    assert settled.any()
    followed = log_softmax(model._weights @ replay(model, X, moments) + model._log_prior, axis=1)
    at_once = model.predict_log_proba(cut)
    np.testing.assert_allclose(followed[settled], at_once[settled], rtol=0, atol=1e-9)
    assert np.abs(followed[going_on] - at_once[going_on]).max() > 1e-3  # the control


def test_moments_of_shares_count_the_events_before_them():
    X = IntervalSequences.from_lists([[("a", 0, 4), ("b", 2, 10)], [], [("a", 5, 6)]])
    moments = share_moments(X, [0.2, 0.5, 1])
    assert moments.owner.tolist() == [0, 0, 0, 2, 2, 2]
    assert moments.time.tolist() == [2, 5, 10, 5.2, 5.5, 6]
    assert moments.events.tolist() == [2, 3, 4, 1, 1, 2]
    assert event_moments(X).events.tolist() == [1, 2, 3, 4, 1, 2]


def draw_records(rng, instances, most=6):
    """Records of instances of activity 0: the surer, the rarer is the other one likeliest."""
    number = rng.integers(1, most + 1, instances)
    owner = np.repeat(np.arange(instances), number)
    odds = rng.gamma(1, 1.2, len(owner))
    first = np.repeat(np.cumsum(number) - number, number)
    odds = np.cumsum(odds) - np.append(0, np.cumsum(odds))[first]
    wrong = rng.random(len(owner)) < expit(-odds)
    return Records(owner, np.arange(len(owner)), odds, wrong.astype(int))


def test_counts_at_every_threshold_are_those_of_the_decisions_there():
    rng = np.random.default_rng(0)
    records = draw_records(rng, 40)
    records = records._replace(odds=records.odds.round(1))  # with ties
    keep = np.diff(records.odds, prepend=-1) != 0
    records = records.take(keep)
    codes = rng.integers(0, 2, 40)
    decisions = Decisions.of(np.ones(1), records, codes)
    assert decisions.agrees()
    assert decisions.instances == 40
    for threshold, decided, wrong in zip(
        decisions.thresholds, decisions.decided, decisions.wrong, strict=True
    ):
        labels = {}
        for owner, odds, label in zip(records.owner, records.odds, records.likeliest, strict=True):
            if odds > threshold and owner not in labels:
                labels[owner] = label
        assert decided == len(labels)
        assert wrong == sum(label != codes[owner] for owner, label in labels.items())
        first = records.first(threshold)
        assert dict(zip(first.owner, first.likeliest, strict=True)) == labels


def true_error(population, threshold):
    """Share of wrong decisions of very many instances."""
    at = np.searchsorted(-population.thresholds, -threshold)
    return population.wrong[at] / max(population.decided[at], 1)


@pytest.mark.statistical(false_alarm=1e-6)
def test_decisions_are_wrong_no_more_often_than_asked_for(seed):
    """In nine of ten sets of held-out instances, as promised; counting alone fails much oftener."""
    rng, error, trials = np.random.default_rng(seed), 0.1, 400
    everyone = draw_records(rng, 200_000)
    population = Decisions.of(np.ones(1), everyone, np.zeros(200_000, int))
    broken, naive, decided = 0, 0, 0
    for _ in range(trials):
        decisions = Decisions.of(np.ones(1), draw_records(rng, 150), np.zeros(150, int))
        threshold = decisions.threshold(error)
        decided += np.isfinite(threshold)
        broken += true_error(population, threshold) > error
        fine = decisions.wrong <= error * decisions.decided
        counted = decisions.thresholds[np.flatnonzero(fine & (decisions.decided > 0))[-1]]
        naive += true_error(population, counted) > error
    most = binomial_bounds(trials, 0.1, 1e-6)[1]
    assert broken <= most
    assert decided > 0.9 * trials
    assert naive > most  # the control


def test_a_promise_needs_enough_instances():
    assert enough_decisions(0.05, 0.1) == 45
    few = Decisions.of(np.ones(1), draw_records(np.random.default_rng(0), 44), np.zeros(44, int))
    assert few.threshold(0.05) == np.inf
    perfect = Records(np.arange(45), np.arange(45), np.arange(1.0, 46), np.zeros(45, int))
    counted = Decisions.of(np.ones(1), perfect, np.zeros(45, int))
    assert counted.threshold(0.05) == np.inf  # one of them is at the threshold and not above
    assert counted.threshold(0.06) == 1.0
    assert counted.threshold(0.05, confidence=0.8) == 1.0


@pytest.mark.parametrize("error", [0, 1, -0.1, float("nan"), "0.1"])
def test_shares_of_errors_are_checked(taught, error):
    live = LiveRecogniser(taught[0])
    live.start("boil", 0)
    with pytest.raises(OptionError, match="error"):
        live.decide(error=error)


def test_a_recogniser_decides_when_its_odds_exceed_the_threshold(taught):
    model, X, _ = taught
    decisions, few = model.decisions_, X[:10]
    threshold = decisions.threshold(0.2)
    assert np.isfinite(threshold)
    moments = event_moments(few)
    joint = decisions.weights @ replay(model, few, moments) + model._log_prior
    first = find_records(moments.owner, joint).first(threshold)
    expected = dict(zip(first.owner.tolist(), first.event.tolist(), strict=True))
    assert expected
    for d, instance in enumerate(few.to_lists()):
        live, done = LiveRecogniser(model), None
        for n, event in enumerate(as_events(instance)):
            follow(live, event)
            outlook = live.outlook()
            assert sum(outlook.values()) == pytest.approx(1)
            label = live.decide(error=0.2)
            assert label in (None, max(outlook, key=outlook.get))
            if label is not None and done is None:
                done = n + int(np.searchsorted(moments.owner, d))
        assert expected.get(d) == done


def test_who_did_not_learn_to_decide_says_so():
    X, y = make_relations(instances_per_activity=2, random_state=0)
    live = LiveRecogniser(DBNClassifier().fit(X, y))
    with pytest.raises(DataError, match=r"call ibgn.learn_decisions\(model, X, y\)"):
        live.decide()
    with pytest.raises(DataError, match="has not learned when it may decide"):
        live.outlook()


def test_decisions_are_saved_with_the_model_and_forgotten_by_fit(taught, tmp_path):
    model, X, y = taught
    model.save(tmp_path / "model.ibgn")
    loaded = load(tmp_path / "model.ibgn")
    for name in ("weights", "thresholds", "decided", "wrong"):
        np.testing.assert_array_equal(
            getattr(loaded.decisions_, name), getattr(model.decisions_, name)
        )
    assert loaded.decisions_.threshold(0.1) == model.decisions_.threshold(0.1)
    loaded.fit(X[:8], y[:8])
    assert not hasattr(loaded, "decisions_")
    loaded.save(tmp_path / "other.ibgn")
    assert not hasattr(load(tmp_path / "other.ibgn"), "decisions_")


def alter(model, **changed):
    """A copy of the model whose decisions have other values."""
    names = ("weights", "thresholds", "decided", "wrong", "instances")
    values = {name: getattr(model.decisions_, name) for name in names}
    other = copy(model)
    other.decisions_ = Decisions(**values | changed)
    return other


@pytest.mark.parametrize("name", ["thresholds", "decided", "wrong"])
def test_impossible_decisions_are_not_stored(taught, tmp_path, name):
    altered = alter(taught[0], **{name: getattr(taught[0].decisions_, name)[::-1] + 1})
    with pytest.raises(DataError, match="the parts of decisions do not agree"):
        altered.save(tmp_path / "model.ibgn")  # which makes sure that it could be loaded


def test_decisions_by_other_terms_are_refused(taught, tmp_path):
    alter(taught[0], weights=np.ones(3)).save(tmp_path / "model.ibgn")
    live = LiveRecogniser(load(tmp_path / "model.ibgn"))
    with pytest.raises(DataError, match="has 10 terms, and decides by 3"):
        live.decide()


@pytest.mark.parametrize(("number", "said"), [(1, "one activity only"), (2, "no activity has two")])
def test_there_must_be_something_to_hold_out(number, said):
    X = IntervalSequences.from_lists([[("boil", 0, 1)], [("pour", 0, 2)]])
    y = np.array(["tea", "soup"])[[0, number - 1]]
    model = DBNClassifier().fit(X, y)
    with pytest.raises(DataError, match=said):
        learn_decisions(model, X, y)


def test_labels_must_be_those_of_the_model():
    X, y = make_relations(instances_per_activity=5, random_state=0)
    with pytest.raises(DataError, match="does not know the activity 'zzz'; give what it has"):
        learn_decisions(DBNClassifier().fit(X, y), X, np.array(["zzz", *y[1:].tolist()]))


def test_an_evaluation_of_whole_instances_is_that_of_evaluate(tmp_path):
    X, y = draw(np.random.default_rng(7), 60, False)
    folds = make_folds(X, y, n_splits=2)
    methods = {"DBN": DBNClassifier(), "IBGN-T": IBGNClassifier(random_state=0)}
    done = []
    options = {"journal": tmp_path / "j", "on_done": lambda task, result: done.append(task)}
    early = evaluate_early(X, y, methods, folds, shares=[0.5], errors=[0.2], **options)
    plain = evaluate(X, y, methods, folds)
    curves = early.curves().set_index(["method", "seen"])["accuracy"]
    accuracy = plain.summary().set_index("method")["accuracy"]
    for method in methods:
        assert curves[method, 1.0] == pytest.approx(accuracy[method])
    assert early.whole.predictions.equals(plain.predictions)
    assert len(early.predictions) == 2 * len(plain.predictions)
    trade = early.trade_off()
    assert trade.groupby("method")["accuracy"].last().to_dict() == pytest.approx(
        (plain.predictions["label"] == plain.predictions["predicted"])
        .groupby(plain.predictions["method"])
        .mean()
        .to_dict()
    )  # the strictest threshold leaves everything to the end
    assert (trade.groupby("method")["seen"].last() == 1).all()
    resumed = evaluate_early(X, y, methods, folds, shares=[0.5], errors=[0.2], **options)
    assert len(done) == 8
    for name in ("scores", "predictions", "records", "thresholds"):
        assert getattr(resumed, name).equals(getattr(early, name))
    for again, course in zip(resumed.courses, early.courses, strict=True):
        assert again.posterior.equals(course.posterior)
        assert again._replace(posterior=None) == course._replace(posterior=None)
    assert {course.method for course in early.courses} == set(methods)
    decided = early.decisions()
    assert ((decided["low"] <= decided["wrong"]) & (decided["wrong"] <= decided["high"])).all()


def test_measured_decisions_are_those_of_live_recognisers():
    X, y = draw(np.random.default_rng(8), 80, False)
    folds = make_folds(X, y, n_splits=2)
    early = evaluate_early(
        X, y, {"IBGN-T": IBGNClassifier(random_state=0)}, folds, shares=[0.5], errors=[0.2]
    )
    row = early.decisions().iloc[0]
    decided, wrong = 0, 0
    courses = {tuple(course.intervals): course for course in early.courses}
    assert len(courses) > 1
    for fold in folds:
        model = IBGNClassifier(random_state=0).fit(X[fold.train], y[fold.train])
        learn_decisions(model, X[fold.train], y[fold.train])
        for instance, label in zip(X[fold.test].to_lists(), y[fold.test], strict=True):
            if (course := courses.pop(tuple(instance), None)) is not None:
                _check_course(course, LiveRecogniser(model), instance, label)
            live = LiveRecogniser(model)
            for event in as_events(instance):
                follow(live, event)
                said = live.decide(error=0.2)
                if said is not None:
                    decided, wrong = decided + 1, wrong + (said != label)
                    break
    assert row["decided"] == pytest.approx(decided / 80)
    assert row["wrong"] == pytest.approx(wrong / decided)
    assert not courses


def _check_course(course, live, instance, label):
    """A course has what a live recogniser expects after each event."""
    assert course.label == label
    said = {}
    for event in as_events(instance):
        follow(live, event)
        said[event[0]] = live.outlook()
    expected = pd.DataFrame(said).T
    assert course.posterior.index.tolist() == expected.index.tolist()
    assert course.posterior.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-4)
    right = expected.iloc[-1].idxmax() == label
    assert right == (course.kind != "mistaken")


def test_an_ensemble_keeps_its_decisions_in_files(tmp_path):
    X, y = draw(np.random.default_rng(9), 20, False)
    model = IBGNEnsemble({"ridge": IntervalRidge(), "DBN": DBNClassifier()}).fit(X, y)
    model.decisions_ = Decisions(np.ones(1), np.ones(1), np.ones(1, int), np.zeros(1, int), 20)
    model.save(tmp_path / "model.ibgn")
    assert load(tmp_path / "model.ibgn").decisions_.decided.tolist() == [1]


def test_the_command_line_learns_shows_and_measures(ibgn, tmp_path):
    X, y = draw(np.random.default_rng(10), 60, False)
    write_csv(X, tmp_path / "takes.csv", y)
    fitted = ibgn("fit", "takes.csv", "-o", "m.ibgn", "--early")
    assert fitted.returncode == 0, fitted.stderr
    assert "Early decisions, tested on 60 instances held out: 1% errors never" in fitted.stdout
    shown = json.loads(ibgn("show", "m.ibgn", "--json").stdout)["early"]
    assert shown["instances"] == 60
    assert shown["decides_from"].keys() == {"0.01", "0.05", "0.1"}
    assert "Early decisions" in ibgn("show", "m.ibgn").stdout
    options = ["evaluate", "takes.csv", "-m", "DBN", "--folds", "2", "--early"]
    found = json.loads(ibgn(*options, "--json", "--report", "r.html").stdout)
    assert [row["seen"] for row in found["early"]] == [0.25, 0.5, 0.75, 1]
    assert [row["error"] for row in found["early_decisions"]] == [0.05, 0.1, 0.2]
    assert found["early_trade_off"][-1]["seen"] == 1
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "How soon it is known" in page
    assert "errors asked for" in page
    printed = ibgn(*options).stdout
    assert "Decisions before the end of an instance" in printed
    assert "\n25%   0." in printed
    refused = ibgn(*options, "--curve", "1")
    assert refused.returncode == 2
    assert "--early takes whole training sets; leave out --curve" in refused.stderr
    refused = ibgn("fit", "takes.csv", "-o", "n.ibgn", "--early", "--scan")
    assert "--early needs all at once, but --scan reads pieces" in refused.stderr
