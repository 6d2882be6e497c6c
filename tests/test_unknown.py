"""Activities that nobody trained: p-values, their validity, and predict that may reject."""

import csv
import io
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_softmax

from chance import binomial_bounds
from ibgn import (
    DataError,
    DataWarning,
    IBGNClassifier,
    IBGNEnsemble,
    IntervalForest,
    IntervalSequences,
    LiveRecogniser,
    load,
    read,
    scan,
    write,
)
from ibgn.classifiers import DBNClassifier
from ibgn.datasets import make_relations, sample_path
from ibgn.errors import OptionError
from ibgn.model.learning import HeldOut
from ibgn.model.typicality import FEWEST, LEAST_SHARE, MOST_INSTANCES, MOST_LEVELS, Typicality
from instance_events import as_events, follow
from model_files import again


@pytest.fixture(scope="module")
def data():
    return make_relations(instances_per_activity=30, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return IBGNClassifier(random_state=0).fit(*data)


def draw(rng, n, activities=3, terms=2):
    """Scores of instances in which the true activity is usually the highest."""
    codes = rng.integers(activities, size=n)
    lengths = rng.integers(3, 9, size=n)
    scores = -rng.gamma(9.0, size=(n, terms, activities)) * lengths[:, None, None] / 9
    scores[np.arange(n), :, codes] *= 0.5
    return HeldOut(scores, codes, np.ones(n), lengths)


def plainly(held_out, weights, scores, length):
    """The p-value of one instance, step by step."""

    def look(scores, length):
        shares = [log_softmax(w * row) for w, row in zip(weights, scores, strict=True)]
        return [[row / length for row in scores], np.maximum(shares, LEAST_SHARE)]

    sides = [look(s, n) for s, n in zip(held_out.scores, held_out.lengths, strict=True)]
    of_own = [np.array(s)[:, :, c] for s, c in zip(sides, held_out.codes, strict=True)]
    usual = np.mean(of_own, axis=0)

    def mean_of(c, without=None):
        own = [
            s
            for i, (s, code) in enumerate(zip(of_own, held_out.codes, strict=True))
            if code == c and i != without
        ]
        return (np.sum([*own, FEWEST * usual], axis=0)) / (len(own) + FEWEST)

    apart = [s - mean_of(c, i) for i, (s, c) in enumerate(zip(of_own, held_out.codes, strict=True))]
    spread = np.sqrt(np.mean(np.square(apart), axis=0))
    activities = range(held_out.scores.shape[2])

    def height(sides, own=None, without=None):
        sides = np.array(sides)
        return max(
            np.mean((sides[:, :, c] - mean_of(c, without if c == own else None)) / spread)
            for c in activities
        )

    known = [height(s, c, i) for i, (s, c) in enumerate(zip(sides, held_out.codes, strict=True))]
    here = height(look(scores, length))
    return (1 + sum(k <= here for k in known)) / (1 + len(known))


def test_p_values_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    held_out, new, weights = draw(rng, 25), draw(rng, 10), np.array([0.3, 1.2])
    found = Typicality.learn(held_out, weights).p_values(new.scores, new.lengths, weights)
    expected = [
        plainly(held_out, weights, scores, length)
        for scores, length in zip(new.scores, new.lengths, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert len(set(expected)) > 3


@pytest.mark.statistical(false_alarm=1e-7)
def test_instances_of_known_activities_are_rejected_at_the_stated_rate(seed, false_alarm):
    """Over many held-out sets the rate is exact, up to what comparing with others changes."""
    rng = np.random.default_rng(seed)
    weights, alarms, unknown, n = np.ones(2), 0, 0, 1500
    for _ in range(n):
        known = Typicality.learn(draw(rng, 39), weights)
        new = draw(rng, 1)
        alarms += (known.p_values(new.scores, new.lengths, weights) <= 0.1).sum()
        strange = new.scores * 2  # a control: what is less likely is rejected more often
        unknown += (known.p_values(strange, new.lengths, weights) <= 0.1).sum()
    least, most = binomial_bounds(n, 0.1, false_alarm)
    assert least <= alarms <= most
    assert unknown > most


def test_copies_and_instances_without_others_of_their_activity_do_not_count():
    rng = np.random.default_rng(1)
    held_out, weights = draw(rng, 30), np.ones(2)
    more = draw(rng, 30)
    with_copies = HeldOut(
        np.concatenate([held_out.scores, more.scores]),
        np.concatenate([held_out.codes, more.codes]),
        np.ones(60),
        held_out.lengths,
    )
    alone, both = (Typicality.learn(each, weights) for each in (held_out, with_copies))
    np.testing.assert_array_equal(alone.levels, both.levels)
    counting = np.where(np.arange(30) < 20, 1.0, 0.0)
    first = HeldOut(held_out.scores[:20], held_out.codes[:20], np.ones(20), held_out.lengths[:20])
    part = Typicality.learn(held_out._replace(weights=counting), weights)
    np.testing.assert_array_equal(part.levels, Typicality.learn(first, weights).levels)
    assert Typicality.learn(held_out._replace(weights=np.zeros(30)), weights) is None


def test_a_weight_counts_as_so_many_instances():
    rng = np.random.default_rng(2)
    held_out, new, weights = draw(rng, 12), draw(rng, 20), np.ones(2)
    twice = Typicality.learn(held_out._replace(weights=np.full(12, 2.0)), weights)
    assert twice.instances == 24
    p = twice.p_values(new.scores, new.lengths, weights)
    np.testing.assert_allclose((p * 25 - 1) % 2, 0, atol=1e-9)


def test_what_is_left_out_of_many_levels_only_raises_p_values(monkeypatch):
    rng = np.random.default_rng(3)
    held_out, new, weights = draw(rng, MOST_INSTANCES), draw(rng, 300), np.ones(2)
    thin = Typicality.learn(held_out, weights)
    assert len(thin.levels) == MOST_LEVELS
    assert thin.instances == MOST_INSTANCES
    monkeypatch.setattr("ibgn.model.typicality.MOST_LEVELS", 10**9)
    exact = Typicality.learn(held_out, weights)
    assert len(exact.levels) == MOST_INSTANCES
    ours, true = (each.p_values(new.scores, new.lengths, weights) for each in (thin, exact))
    assert (ours >= true).all()
    assert (ours <= true + 2 / MOST_LEVELS).all()
    more = draw(rng, MOST_INSTANCES + 1)
    assert Typicality.learn(more, weights).instances == MOST_INSTANCES


def make_drinks(rng, orders, n):
    """Instances of activities, each of which has the same actions in another order."""
    ends = rng.uniform(1, 2, size=(len(orders), n, len(orders[0]))).cumsum(axis=2)
    lists = [
        [(action, end - 0.9, end) for action, end in zip(order, times, strict=True)]
        for order, of_order in zip(orders, ends.tolist(), strict=True)
        for times in of_order
    ]
    return IntervalSequences.from_lists(lists), np.repeat([*map("".join, orders)], n)


def test_an_activity_that_was_left_out_is_rejected_and_others_are_not():
    rng = np.random.default_rng(0)
    X, y = make_drinks(rng, ["abcab", "bcacb", "cabba"], 40)
    strange = y == "cabba"
    train = ~strange & (np.arange(len(X)) % 2 == 0)
    test = ~strange & ~train
    model = IBGNClassifier(random_state=0).fit(X[train], y[train])
    known, unknown = model.p_values(X[test]), model.p_values(X[strange])
    assert np.mean(known[:, None] > unknown) > 0.99  # the area under the curve
    assert np.mean(known <= 0.1) < 0.25
    assert np.mean(known[::2, None] > known[1::2]) < 0.9  # a control: two known activities
    labels = model.predict(X, unknown="reject", false_alarm=0.1)
    p = model.p_values(X)
    np.testing.assert_array_equal([label is None for label in labels], p <= 0.1)
    kept = p > 0.1
    np.testing.assert_array_equal(labels[kept], model.predict(X)[kept])
    np.testing.assert_array_equal(model.predict(X, unknown="accept"), model.predict(X))


def test_a_group_is_held_out_as_a_whole():
    """Where all of a group look alike, its instances are untypical of what others do."""
    slow = [[("boil", 0, 50 + d), ("pour", 60 + d, 90)] for d in range(10)]
    fast = [[("boil", 0, 5 + d / 10), ("pour", 6 + d / 10, 9)] for d in range(10)]
    other = [[("cut", 0, 5 + d / 10), ("spread", 6 + d / 10, 9)] for d in range(20)]
    y = ["tea"] * 20 + ["bread"] * 20
    people = ["ann"] * 10 + ["bo"] * 10 + ["ann"] * 10 + ["bo"] * 10
    X = IntervalSequences.from_lists(slow + fast + other)
    alone = IBGNClassifier(random_state=0).fit(X, y).typicality_
    by_person = IBGNClassifier(random_state=0).fit(X, y, groups=people).typicality_
    durations = IBGNClassifier().terms.index("durations")
    assert by_person.mean[0, durations, 1] < alone.mean[0, durations, 1] - 1


def test_sources_files_and_ensembles_say_the_same(data, model, tmp_path):
    X, y = data
    p = model.p_values(X)
    loaded = again(model, tmp_path)
    np.testing.assert_array_equal(loaded.p_values(X), p)
    write(X, tmp_path / "takes.csv", y)
    source = scan(tmp_path / "takes.csv")
    np.testing.assert_array_equal(model.p_values(source), p)
    rejected = model.predict(source, unknown="reject", false_alarm=0.3)
    np.testing.assert_array_equal(rejected, model.predict(X, unknown="reject", false_alarm=0.3))
    logs, same = model.assess(X)
    np.testing.assert_array_equal(logs, model.predict_log_proba(X))
    np.testing.assert_array_equal(same, p)
    members = {"generative": IBGNClassifier(random_state=0), "trees": IntervalForest(trees=5)}
    ensemble = IBGNEnsemble(members, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ensemble.p_values(X), ensemble.generative[1].p_values(X))
    labels = ensemble.predict(X, unknown="reject", false_alarm=0.3)
    kept = ensemble.p_values(X) > 0.3
    np.testing.assert_array_equal(labels[kept], ensemble.predict(X)[kept])
    assert all(label is None for label in labels[~kept])
    assert not kept.all()


def test_while_it_happens_the_last_p_value_is_that_of_the_instance(data, model):
    X, _ = data
    for instance in X.to_lists()[:5]:
        live = LiveRecogniser(model)
        for event in as_events(instance):
            follow(live, event)
        assert live.p_value() == pytest.approx(model.p_values([instance])[0], abs=1e-9)
    tolerant = IBGNClassifier(tolerance=0.01, random_state=0).fit(*data)  # which has no live terms
    live = LiveRecogniser(tolerant)
    for event in as_events(instance):
        follow(live, event)
    assert live.p_value() == pytest.approx(tolerant.p_values([instance])[0], abs=1e-9)


def test_actions_that_nobody_knows_are_rejected_and_not_refused(model, data):
    lists = data[0].to_lists()[:5]
    for number in (1, len(lists[0])):
        new = [
            [(f"new {i}" if i < number else a, s, e) for i, (a, s, e) in enumerate(rows)]
            for rows in lists
        ]
        with pytest.warns(DataWarning, match="does not know"):
            assert model.predict(new, unknown="reject").tolist() == [None] * 5
    with pytest.raises(DataError, match="knows none of the actions"):
        model.predict(new)
    strict = IBGNClassifier(unknown_actions="error", random_state=0).fit(*data)
    with pytest.raises(DataError, match="does not know"):
        strict.predict(new, unknown="reject")


def test_nothing_but_unknown_actions_is_rejected_however_usual_its_length(model, data):
    X, y = data
    # as long as instances of the activities are, and shorter: its length alone says nothing
    new = [[(f"new {i}", 2 * i, 2 * i + 1) for i in range(n)] for n in (1, 2, *X.lengths[:3])]
    with pytest.warns(DataWarning, match="does not know"):
        p = model.p_values(new)
    assert p.tolist() == [model.typicality_.least] * 5
    calibrated = DBNClassifier().fit(X[::2], y[::2])
    calibrated.calibrate([*X.to_lists()[1::2], new[0]], [*y[1::2], y[0]])
    with pytest.warns(DataWarning, match="does not know"):
        assert calibrated.p_values(new).tolist() == [2 / 62] * 5  # one such is of an activity


@pytest.mark.parametrize("rate", [0, 1, -0.1, 2, "much", None, True, np.nan])
def test_what_is_no_rate_is_refused(model, data, rate):
    with pytest.raises(OptionError, match="between 0 and 1"):
        model.predict(data[0], unknown="reject", false_alarm=rate)


def test_what_cannot_be_done_is_said(model, data):
    X, y = data
    with pytest.raises(OptionError, match="choose among 'accept', 'reject'"):
        model.predict(X, unknown="drop")
    with pytest.warns(DataWarning, match=r"120 instances held out .* set false_alarm=0.009"):
        assert None not in model.predict(X, unknown="reject", false_alarm=0.001)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X, unknown="reject", false_alarm=0.009)
    plain = IBGNClassifier(weights="equal", random_state=0).fit(X, y)
    forest = IntervalForest(trees=5, random_state=0).fit(X, y)
    no_model = IBGNEnsemble({"trees": IntervalForest(trees=5)}, random_state=0).fit(X, y)
    for each, match in (
        (plain, r"call calibrate\(X, y\)"),
        (forest, "IntervalForest does not know what is typical"),
        (no_model, "IBGNEnsemble does not know what is typical"),
    ):
        for ask in (each.p_values, lambda X, each=each: each.predict(X, unknown="reject")):
            with pytest.raises(DataError, match=match):
                ask(X)
        assert each.predict(X[:2]).shape == (2,)


def test_any_model_of_activities_can_be_calibrated(data, tmp_path):
    X, y = data
    half = np.arange(len(X)) % 2 == 0
    for plain in (DBNClassifier(), IBGNClassifier(weights="equal", random_state=0)):
        model = plain.fit(X[half], y[half])
        assert model.typicality_ is None
        again(model, tmp_path)
        model.calibrate(X[~half], y[~half])
        assert model.typicality_.instances == 60
        new = [[("stir", 0, 6), ("stir", 0.5, 5), ("stir", 1, 7)]]
        assert model.predict(new, unknown="reject").tolist() == [None]
        loaded = again(model, tmp_path)
        np.testing.assert_array_equal(loaded.p_values(X), model.p_values(X))
    with pytest.raises(DataError, match="there is no activity 'tea'"):
        model.calibrate(X[:1], ["tea"])


def test_reasons_say_what_is_untypical(model, data):
    X, _ = data
    strange = [("stir", 0, 6), ("press", 0.5, 5), ("stir", 7, 13)]
    why = model.explain(strange)
    assert why.unusual.p_value == model.p_values([strange])[0]
    assert why.unusual.rare
    last = repr(why).splitlines()[-1]
    assert last.startswith("Perhaps none of the activities: only ")
    assert f"It is most like '{why.unusual.nearest}', with untypical " in last
    deviations = list(why.unusual.terms.values())
    assert deviations == sorted(deviations)
    assert f"{next(iter(why.unusual.terms))} ({deviations[0]:.1f} standard deviations)" in last
    assert "Perhaps none of the activities" in why._repr_html_()
    typical = model.explain(X[int(model.p_values(X).argmax())])
    assert not typical.unusual.rare
    assert "Perhaps" not in repr(typical) + typical._repr_html_()


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    """A model that knows no tea, and instances with tea."""
    folder = tmp_path_factory.mktemp("kitchen")
    X, y = read(sample_path("csv"))
    known = y != "tea"
    model = IBGNClassifier(random_state=0, unknown_actions="ignore").fit(X[known], y[known])
    model.save(folder / "kitchen.ibgn")
    write(X, folder / "all.csv", y)
    return folder


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_command_line_rejects(ibgn, kitchen):
    command = "predict", kitchen / "kitchen.ibgn", kitchen / "all.csv"
    plain = ibgn(*command)
    assert "p_value" not in rows(plain.stdout)[0]
    assert "rejected" not in plain.stderr
    for more in ((), ("--scan",)):
        result = ibgn(*command, "--unknown", "reject", "--false-alarm", "0.1", *more)
        assert result.returncode == 0
        table = rows(result.stdout)
        rejected = [row for row in table if float(row["p_value"]) <= 0.1]
        assert rejected
        assert all(row["predicted"] == "" for row in rejected)
        assert all(row["predicted"] for row in table if float(row["p_value"]) > 0.1)
        assert f"rejected {len(rejected)} of 27 instances" in result.stderr
        right = sum(
            row["predicted"] == ("" if row["label"] == "tea" else row["label"]) for row in table
        )
        assert f"accuracy {right / 27:.3f} of 27" in result.stderr
    found = json.loads(ibgn(*command, "--unknown", "reject", "--json").stdout)
    assert found["rows"][0]["p_value"] > 0
    assert "no p-value below 0.053" in " ".join(found["warnings"])
    refused = ibgn(*command, "--unknown", "reject", "--false-alarm", "2")
    assert refused.returncode == 2
    assert "--false-alarm 2.0 must be between 0 and 1" in refused.stderr


def test_a_tier_says_none_of_these(ibgn, kitchen, tmp_path):
    X, y = read(kitchen / "all.csv")
    tea = X[y == "tea"]
    least = int(load(kitchen / "kitchen.ibgn").p_values(tea).argmin())
    write(tea[[least]], tmp_path / "talk.eaf")
    command = "predict", kitchen / "kitchen.ibgn", tmp_path / "talk.eaf", "--into"
    options = "-o", tmp_path / "copy.eaf", "--unknown", "reject", "--false-alarm", "0.06"
    assert ibgn(*command, tmp_path / "talk.eaf", *options).returncode == 0
    X, _ = read(tmp_path / "copy.eaf", tracks=["predicted"])
    assert X.actions == ("none of these",)


def test_a_file_whose_typical_scores_are_of_other_terms_is_refused(model, tmp_path):
    known = model.typicality_
    model.typicality_ = replace(known, mean=known.mean[:, 1:], spread=known.spread[:, 1:])
    try:
        with pytest.raises(DataError, match="do not agree"):
            again(model, tmp_path)
    finally:
        model.typicality_ = known
