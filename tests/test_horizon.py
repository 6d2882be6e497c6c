"""A horizon: each interval is related with so many after it, and with all if it reaches so far."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibgn as library
from ibgn import IBGNClassifier, IBGNEnsemble, IntervalSequences, count_pairs, read_networks
from ibgn import horizon as horizons
from ibgn.allen import Relation
from ibgn.budgets import VARIABLE
from ibgn.classifiers.ensemble import default_members
from ibgn.errors import BudgetError, OptionError
from ibgn.features import IntervalFeatures
from ibgn.flat import Flat
from ibgn.horizon import count_within, pair_offsets, pair_places
from ibgn.networks import read_relations
from ibgn.pieces import SIZE, cut, recut
from ibgn.sources import InstanceSource
from ibgn.terms.base import Context
from ibgn.terms.relations import Relations
from strategies import sequences, structures

ACTIONS = tuple("abcd")
LENGTH = 12
HORIZONS = st.one_of(st.integers(1, 6), st.none())


def draw_takes(rng, instances, length=LENGTH):
    """Instances of so many intervals, of which those of odd number are slower."""
    rows = []
    for d in range(instances):
        start = np.cumsum(rng.integers(1, 4, length)).astype(float)
        end = start + rng.integers(1, 12 + 8 * (d % 2), length)
        names = rng.choice(ACTIONS, length)
        rows.append(list(zip(names.tolist(), start.tolist(), end.tolist(), strict=True)))
    return IntervalSequences.from_lists(rows), np.array(["quick", "slow"])[np.arange(instances) % 2]


def nested(instances, length):
    """Instances in which each interval contains all that follow, so that all pairs are open."""
    start = np.tile(np.arange(length, dtype=float), instances)
    end = np.tile(3.0 * length - np.arange(length), instances)
    offsets = np.arange(instances + 1, dtype=np.int64) * length
    action = np.arange(instances * length, dtype=np.int32) % len(ACTIONS)
    return IntervalSequences.from_flat(Flat(offsets, action, start, end), ACTIONS)


@pytest.fixture(scope="module")
def takes():
    return draw_takes(np.random.default_rng(5), 16)


# which pairs there are


@given(sequences(), HORIZONS)
def test_pairs_within_a_horizon_are_those_of_the_definition(X, horizon):
    places = [
        (i, j)
        for begin, stop in zip(X.offsets[:-1], X.offsets[1:], strict=True)
        for i in range(begin, stop)
        for j in range(i + 1, stop)
        if horizon is None or j - i <= horizon
    ]
    first, second = pair_places(X, horizon)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == places
    number = np.bincount(X.owner[first], minlength=len(X))
    np.testing.assert_array_equal(count_within(X.lengths, horizon), number)
    np.testing.assert_array_equal(np.diff(pair_offsets(X, horizon)), number)


@given(sequences(), structures(), st.integers(1, 6))
def test_networks_within_a_horizon_are_a_band_of_all(X, structure, horizon):
    near, every = read_networks(X, structure, horizon=horizon), read_networks(X, structure)
    within = read_relations(X, horizon)
    np.testing.assert_array_equal(near.relation, within)
    counts = np.zeros((128, 7), np.int64)
    for mine, whole in zip(near, every, strict=True):
        i, j = np.indices(mine.relations.shape)
        band = (j > i) & (j - i <= horizon)
        np.testing.assert_array_equal(mine.relations, np.where(band, whole.relations, 255))
        np.testing.assert_array_equal(mine.constraints, np.where(band, whole.constraints, 0))
        np.testing.assert_array_equal(mine.linked, band & whole.linked)
        np.add.at(counts, (mine.constraints[mine.linked], mine.relations[mine.linked]), 1)
    np.testing.assert_array_equal(count_pairs(X, structure, horizon=horizon).counts, counts)


@given(sequences(least=1), structures(), st.sampled_from(["constrained", "marginal", "ignore"]))
def test_what_is_said_within_a_horizon_is_what_is_said_of_these_pairs_in_all(X, structure, way):
    """The probabilities are those of a model of all pairs, so only the pairs differ."""
    term = Relations(structure, unlinked=way)
    context = Context("tea", X.actions, 0, np.random.default_rng(0))
    every = term.fit(term.count(X), None, context)
    near = type(every)(**vars(every) | {"horizon": 2})
    first, second = pair_places(X)
    said = near.log_terms(X)
    assert said.horizon == 2
    np.testing.assert_array_equal(said.pair, every.log_terms(X).pair[second - first <= 2])
    np.testing.assert_allclose(near.log_likelihood(X), said.by_instance(X), rtol=1e-10, atol=1e-10)
    counts = Relations(structure, unlinked=way, horizon=2).count(X)
    chosen = near.rule.choices(X, len(X.actions)).open
    assert counts.counts.sum() == len(chosen)


@given(sequences(least=1, most=6), st.integers(1, 4))
def test_pieces_are_cut_by_pairs_within_the_horizon(X, horizon):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ibgn.pieces.SIZE", 10)
        runs = cut(X, horizon)
        parts = [(X[d : d + 1], np.array([d])) for d in range(len(X))]
        again = [numbers.tolist() for _, numbers in recut(parts, horizon)]
        assert again == [[*range(run.start, run.stop)] for run in runs]
    assert len(runs) <= 1 + (X.lengths + count_within(X.lengths, horizon)).sum() // 10


def test_a_horizon_makes_pieces_of_long_instances_larger():
    X = nested(20, 1000)
    assert 0.9 * SIZE < 1000 * 999 // 2
    assert len(cut(X)) == 20
    assert len(cut(X, 5)) == 1


# what is learned


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"structure": "chain"},
        {"structure": "learned"},
        {"structure": "shared", "unlinked": "marginal"},
        {"smoothing": "learned", "ties": "published"},
        {"styles": 2},
        {"tolerance": "learned"},
        {"structure": "learned", "criterion": "bic-published"},
    ],
    ids=str,
)
def test_a_horizon_as_far_as_the_longest_instance_changes_no_bit(takes, options):
    X, y = takes
    options = {"terms": ("order", "relations", "durations"), "random_state": 0} | options
    every = IBGNClassifier(**options).fit(X, y)
    same = IBGNClassifier(**options, horizon=LENGTH - 1).fit(X, y)
    np.testing.assert_array_equal(same.scores(X), every.scores(X))
    np.testing.assert_array_equal(same.weights_, every.weights_)
    for mine, its in zip(same.activities_.values(), every.activities_.values(), strict=True):
        for one, other in zip(mine.members, its.members, strict=True):
            np.testing.assert_array_equal(one["relations"].keys, other["relations"].keys)
            np.testing.assert_array_equal(one["relations"].log_probs, other["relations"].log_probs)
    assert same.explain(X[0]).frame().equals(every.explain(X[0]).frame())
    if options.get("unlinked") != "marginal":  # which is no distribution
        drawn = [model.sample(2, "slow", random_state=1).to_lists() for model in (same, every)]
        assert drawn[0] == drawn[1]
    # a control: one interval less does change something
    less = IBGNClassifier(**options, horizon=2).fit(X, y)
    assert (less.scores(X) != every.scores(X)).any()


def test_a_horizon_of_one_leaves_a_chain_without_other_pairs(takes):
    X, y = takes
    options = {"terms": ("actions", "relations"), "random_state": 0}
    near = IBGNClassifier(horizon=1, **options).fit(X, y)
    chain = IBGNClassifier("chain", unlinked="ignore", **options).fit(X, y)
    np.testing.assert_allclose(near.scores(X), chain.scores(X), rtol=1e-12)


def test_pairs_say_what_is_left_out(takes):
    X, y = takes
    model = IBGNClassifier(terms=("relations",), horizon=3, random_state=0).fit(X, y)
    assert model.pairs_ == (16 * (3 * 9 + 2 + 1), 16 * LENGTH * (LENGTH - 1) // 2)
    assert model.set_params(horizon=None).fit(X, y).pairs_[0] == model.pairs_[1]


def test_reasons_speak_of_pairs_within_the_horizon_and_add_up(takes):
    X, y = takes
    model = IBGNClassifier(horizon=2, random_state=0).fit(X, y)
    why = model.explain(X[3])
    joint = model.predict_log_proba(X[3])[0]
    assert why.log_odds == pytest.approx(abs(joint[0] - joint[1]))
    frame = why.frame()
    assert frame["contribution"].sum() == pytest.approx(why.log_odds)
    pairs = frame[frame["level"] == "pair"]
    assert set(pairs["second"] - pairs["first"]) == {1, 2}
    first, second, value = why.links()
    np.testing.assert_allclose(why.pairs[first, second], value)
    assert np.count_nonzero(why.pairs) == len(pairs) == len(value)
    held = pairs.set_index(["first", "second"])["relation"]
    for (i, j), label in held.items():
        assert Relation(int(why.relations[i, j])).label == label
    spoken = [reason for reason in why.reasons(50) if reason.term == "relations"]
    assert sum(reason.contribution for reason in spoken) == pytest.approx(why.sums["relations"])


def test_a_model_file_keeps_the_horizon(takes, tmp_path):
    X, y = takes
    model = IBGNClassifier(terms=("order", "relations"), horizon=2, random_state=0).fit(X, y)
    model.save(tmp_path / "near.ibgn")
    again = library.load(tmp_path / "near.ibgn")
    assert again.horizon == again.activities_["slow"]["relations"].horizon == 2
    assert again.pairs_ == model.pairs_
    np.testing.assert_array_equal(again.scores(X), model.scores(X))


def test_a_source_and_parts_give_the_same_model(takes):
    X, y = takes

    class Source(InstanceSource):
        def parts(self):
            yield X[:7], y[:7]
            yield X[7:], y[7:]

    model = IBGNClassifier(horizon=2, random_state=0).fit(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ibgn.pieces.SAMPLE", 8)
        patch.setattr("ibgn.pieces.LEAST", 2)
        patch.setattr("ibgn.pieces.SIZE", 100)
        scanned = IBGNClassifier(horizon=2, random_state=0).fit(Source())
        sampled = IBGNClassifier(horizon=2, random_state=0).fit(X, y)
        np.testing.assert_array_equal(scanned.scores(X), sampled.scores(X))
        np.testing.assert_array_equal(scanned.predict_proba(Source()), scanned.predict_proba(X))
    parts = IBGNClassifier(horizon=2, random_state=0)
    for part in (slice(0, 7), slice(7, 16)):
        parts.partial_fit(X[part], y[part])
    np.testing.assert_array_equal(parts.scores(X), model.scores(X))


@pytest.mark.parametrize("wrong", [0, -3, 1.5, "10", True, 2**40])
def test_what_is_no_horizon_is_refused(takes, wrong):
    X, y = takes
    for work in (
        lambda: IBGNClassifier(horizon=wrong).fit(X, y),
        lambda: IBGNEnsemble(horizon=wrong).fit(X, y),
        lambda: Relations(horizon=wrong),
        lambda: IntervalFeatures(horizon=wrong).fit(X),
        lambda: read_networks(X, horizon=wrong),
        lambda: count_pairs(X, horizon=wrong),
    ):
        with pytest.raises(OptionError, match="horizon=.* must be a whole number from 1 on"):
            work()


# long instances


def test_too_many_pairs_are_refused_with_a_horizon_that_helps(monkeypatch):
    X, y = nested(4, 1500), ["x", "x", "y", "y"]
    monkeypatch.setattr(horizons, "MANY", 0)
    options = {"terms": ("relations",), "copy_weight": 0, "random_state": 0}
    for structure, allowed in (("full", "80M"), ("chain", "20M")):
        monkeypatch.setenv(VARIABLE, allowed)
        model = IBGNClassifier(structure, **options)
        with pytest.raises(BudgetError, match="or limit the pairs.*by horizon=100, or allow") as e:
            model.fit(X, y)
        proposed = next(part for part in e.value.parts if not isinstance(part, str))
        model.set_params(**{proposed.name: proposed.value}).fit(X, y)
        assert model.pairs_[0] < 0.14 * model.pairs_[1]
        assert len(model.explain(X[0]).terms["relations"].pair) == model.pairs_[0] // 4
    monkeypatch.setenv(VARIABLE, "1M")
    with pytest.raises(BudgetError, match="or take a smaller horizon="):
        model.predict(X)


def test_inspect_proposes_a_horizon(monkeypatch):
    monkeypatch.setattr("ibgn.inspection.mistakes.LONG", 5)
    said = [str(warning) for warning in library.inspect(nested(2, 6), ["x", "y"]).warnings]
    assert any("has 6 intervals" in each and "learning with horizon=100" in each for each in said)
    said = [str(warning) for warning in library.inspect(nested(2, 5), ["x", "y"]).warnings]
    assert not any("horizon" in each for each in said)


# features and members


@given(sequences(longest=12), st.integers(1, 4))
def test_features_count_pairs_within_the_horizon(X, horizon):
    near = IntervalFeatures(["pairs"], horizon=horizon, sparse=False).fit_transform(X)
    first, _ = pair_places(X, horizon)
    np.testing.assert_array_equal(near.sum(axis=1), np.bincount(X.owner[first], minlength=len(X)))


def test_default_members_of_an_ensemble_take_the_horizon(takes):
    X, y = takes
    members = default_members(4)
    assert members["generative"].horizon == 4
    assert members["trees"].features.horizon == members["linear"].features.horizon == 4
    assert default_members()["trees"].features is None
    reason = "is for the default members"
    with pytest.raises(OptionError, match=reason):
        IBGNEnsemble({"mine": IBGNClassifier()}, horizon=4).fit(X, y)


# the command line


def test_commands_take_a_horizon_and_say_what_it_leaves_out(ibgn, takes, tmp_path, monkeypatch):
    X, y = takes
    data, model = tmp_path / "takes.csv", tmp_path / "near.ibgn"
    library.write(X, data, y)
    monkeypatch.setattr(horizons, "LONG", 5)
    terms = ["--set", 'terms=["order", "relations"]']
    fitted = ibgn("fit", data, "-o", model, *terms)
    assert "an instance has 12 intervals; if learning takes long, --horizon 100" in fitted.stderr
    assert "Horizon" not in fitted.stdout
    fitted = ibgn("fit", data, "-o", model, *terms, "--force", "--horizon", "3")
    assert fitted.returncode == 0, fitted.stderr
    assert "if learning takes long" not in fitted.stderr
    line = "Horizon: each interval is related with 3 after it; 576 of 1,056 pairs left out (55%)"
    for said in (fitted.stdout, ibgn("show", model).stdout):
        assert line in " ".join(said.split())
    for words in (("fit", data, "-o", model, *terms, "--force", "--horizon", "3"), ("show", model)):
        found = json.loads(ibgn(*words, "--json").stdout)
        assert found["horizon"] == 3
        assert found["pairs"] == {"within": 480, "all": 1056}
    refused = ibgn("fit", data, "-o", model, "--force", "--method", "DBN", "--horizon", "3")
    assert "--horizon 3 is not an option of --method DBN" in refused.stderr
