"""The simulated composable activities: published numbers, validity, truth, and difficulty."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from chance import binomial_bounds
from ibgn import IBGNClassifier, ITBNClassifier
from ibgn.datasets import make_composable
from ibgn.datasets._themes import ACTIVITIES, THEMES, WAYS, Stage, compose
from ibgn.errors import OptionError
from ibgn.networks import read_networks

PLAIN = {"repeat": 0, "swap": 0, "skip": 0, "brief": 0}
EXACT = {"looseness": 0, "interruption": 0, "jitter": 0, "miss": 0}


def assert_valid(X):
    """Every instance is within bounds, on frames, and starts at 0."""
    assert len(X.actions) == 26
    assert X.lengths.min() >= 3
    assert X.lengths.max() <= 11
    assert (X.start < X.end).all()
    for times in (X.start, X.end):
        assert (np.rint(times * 30) / 30 == times).all()
    assert (X.start[X.offsets[:-1]] == 0).all()


def spelled(stages):
    """Actions of the stages in their order."""
    return [action for stage in stages for action in (stage.action, *stage.others)]


def count_actions(X):
    return np.array([np.bincount(x.action, minlength=26) for x in X])


def count_relations(X):
    """(instances, those of 26 x 26 x 7 that occur) how often two actions have each relation."""
    features = np.zeros((len(X), 26, 26, 7), np.int8)
    for d, (x, network) in enumerate(zip(X, read_networks(X), strict=True)):
        for i, j, relation in network.links():
            features[d, x.action[i], x.action[j], relation] += 1
    flat = features.reshape(len(X), -1)
    return flat[:, flat.any(axis=0)]


def accuracy(features, y):
    """Of a forest that learns every other instance."""
    forest = ExtraTreesClassifier(50, random_state=0).fit(features[::2], y[::2])
    return forest.score(features[1::2], y[1::2])


@pytest.mark.own_seed(reason="whether rare actions occur is left to chance")
def test_numbers_are_the_published_ones(seed):
    X, y, groups = make_composable(random_state=seed)
    assert len(X) == len(y) == len(groups) == 693
    assert len(set(y)) == 16
    assert set(Counter(y).values()) == {43, 44}
    assert set(Counter(groups).values()) <= {49, 50}
    assert len(set(groups)) == 14
    assert set(X.action.tolist()) == set(range(26))
    assert (X.lengths.min(), X.lengths.max()) == (3, 11)
    assert y.dtype == groups.dtype == object
    assert (X.groups == groups).all()
    assert X.ids[0] == "phone and wave, together-000"
    assert_valid(X)


@settings(max_examples=60, deadline=None)
@given(
    instances=st.integers(1, 40),
    n_subjects=st.sampled_from([1, 3, 2**31]),
    jitter=st.sampled_from([0, 0.02, 0.5, 60]),
    chances=st.tuples(*[st.sampled_from([0, 0.5, 1])] * 7),
    random_state=st.integers(0, 1000),
)
def test_valid_whatever_the_noise(instances, n_subjects, jitter, chances, random_state):
    names = ("repeat", "swap", "skip", "brief", "looseness", "interruption", "miss")
    X, y, groups, truth = make_composable(
        instances=instances,
        n_subjects=n_subjects,
        jitter=jitter,
        random_state=random_state,
        return_truth=True,
        **dict(zip(names, chances, strict=True)),
    )
    assert_valid(X)
    assert len(X) == len(y) == len(truth.stages) == instances
    assert len(set(y)) == min(instances, 16)
    assert len(set(groups)) == min(n_subjects, instances)
    for d, stages in enumerate(truth.stages):
        meant = len(spelled(stages)) + 1 + truth.interrupted[d]
        assert X.lengths[d] == meant - len(truth.missed[d])


def test_same_seed_same_data_and_a_generator_moves_on(seed):
    first, again = (make_composable(instances=40, random_state=seed) for _ in range(2))
    assert first[0] == again[0]
    assert (first[2] == again[2]).all()
    rng = np.random.default_rng(seed)
    one, two = (make_composable(instances=40, random_state=rng)[0] for _ in range(2))
    assert one == first[0] != two
    assert make_composable(instances=40)[0] != make_composable(instances=40)[0]


def test_data_without_noise_are_as_composed(seed):
    X, _, _, truth = make_composable(instances=200, random_state=seed, return_truth=True, **EXACT)
    for x, stages, (theme, _) in zip(
        X, truth.stages, (truth.activities[label] for label in labels_of(X)), strict=True
    ):
        rows = x.to_lists()[0]
        assert [action for action, _, _ in rows] == [theme.posture, *spelled(stages)]
        (network,) = read_networks(x)
        relation = {(i, j): "bmoscfe"[r] for i, j, r in network.links()}
        assert {relation[0, j] for j in range(1, len(rows))} == {"c"}
        assert_relations(stages, relation)


def labels_of(X):
    return [name.rsplit("-", 1)[0] for name in X.ids]


def assert_relations(stages, relation):
    """Within a stage as written, between stages one before the other."""
    place, first = 1, {}
    for number, stage in enumerate(stages):
        inside = range(place + 1, place + 1 + len(stage.others))
        assert all(relation[place, j] == stage.how[0] for j in inside)
        assert all(relation[i, j] == "b" for i, j in pairwise(inside))
        first[number] = place
        place += 1 + len(stage.others)
    for one, two in pairwise(first.values()):
        assert all(relation[i, j] == "b" for i in range(one, two) for j in range(two, place))


def test_ways_of_a_theme_are_told_apart_by_more_than_their_actions():
    for name, theme in THEMES.items():
        ways = {way for label, (_, way) in ACTIVITIES.items() if label.startswith(f"{name},")}
        composed = {way: compose(theme, way, 2, False, [True, True]) for way in ways}
        assert len({frozenset(spelled(stages)) for stages in composed.values()}) == 1
        assert len(set(composed.values())) == len(ways)
        assert len({tuple(spelled(stages)[:3]) for stages in composed.values()}) == 1


def test_ways_compose_the_two_actions_as_they_say():
    theme = THEMES["talk and drink"]
    composed = {way: compose(theme, way, 2, False, [False, False]) for way in WAYS}
    alone = (Stage("talk"), Stage("drink"))
    assert {way: stages[:2] for way, stages in composed.items()} == dict.fromkeys(WAYS, alone)
    assert composed["together"][2:] == (Stage("talk", "overlaps", ("drink",)),) * 2
    assert composed["during"][2:] == (Stage("talk", "contains", ("drink", "drink")),)
    assert spelled(composed["in turn"][2:]) == ["sit down", "talk", "sit down", "drink"]


@pytest.mark.statistical(false_alarm=2e-8)
def test_rounds_are_repeated_and_actions_swapped_as_asked(seed, false_alarm):
    def decided(**knobs):
        *_, truth = make_composable(
            instances=1500, random_state=seed, return_truth=True, **PLAIN | EXACT | knobs
        )
        return truth

    assert set(decided().rounds) == {1}
    assert set(decided(repeat=1).rounds) == {3}
    low, high = binomial_bounds(2 * 1500, 0.5, false_alarm / 2)  # two more rounds at the most
    assert low <= (decided(repeat=0.5).rounds - 1).sum() <= high
    assert not decided().swapped.any()
    low, high = binomial_bounds(1500, 0.45, false_alarm / 2)
    assert low <= decided(swap=0.45).swapped.sum() <= high
    assert high < decided(swap=0.6).swapped.sum()  # the control
    half = decided(swap=0.5)
    for stages, swapped in zip(half.stages, half.swapped, strict=True):
        theme = next(t for t in THEMES.values() if t.opening == stages[0].action)
        assert stages[1].action == (theme.second if swapped else theme.first)


@pytest.mark.statistical(false_alarm=1e-8)
def test_openings_are_skipped_and_performances_brief_as_asked(seed, false_alarm):
    def stages(**knobs):
        *_, truth = make_composable(
            instances=1500, random_state=seed, return_truth=True, **PLAIN | EXACT | knobs
        )
        return truth.stages

    openings = {t.opening for t in THEMES.values()}
    low, high = binomial_bounds(1500, 0.7, false_alarm)
    assert low <= sum(s[0].action in openings for s in stages(skip=0.3)) <= high
    assert high < sum(s[0].action in openings for s in stages(skip=0.1))  # the control
    lengths = Counter(map(len, stages(brief=1)))
    assert set(lengths) == {1, 4}
    assert set(map(len, stages())) == {5, 6}


@pytest.mark.statistical(false_alarm=1e-8)
def test_looseness_changes_relations_and_is_told(seed, false_alarm):
    loose = {}
    for looseness in (0, 0.3):
        X, _, _, truth = make_composable(
            instances=400, random_state=seed, return_truth=True, **EXACT | {"looseness": looseness}
        )
        loose[looseness] = [off for of in truth.loose for off in of]
        assert all(
            len(of) == len(spelled(s)) for of, s in zip(truth.loose, truth.stages, strict=True)
        )
        kinds = {"bmoscfe"[r] for network in read_networks(X) for *_, r in network.links()}
        assert (kinds == {"b", "o", "c"}) == (looseness == 0)
    assert not any(loose[0])
    low, high = binomial_bounds(len(loose[0.3]), 1 - 0.7**2, false_alarm)  # a start or an end
    assert low <= sum(loose[0.3]) <= high
    assert binomial_bounds(len(loose[0.3]), 0.3, false_alarm)[1] < low  # the control: one of them


@pytest.mark.statistical(false_alarm=2e-8)
def test_interruptions_and_misses_are_as_often_as_asked(seed, false_alarm):
    X, _, _, truth = make_composable(
        instances=1500, random_state=seed, return_truth=True,
        **PLAIN | EXACT | {"interruption": 0.3, "miss": 0.1},
    )  # fmt: skip
    low, high = binomial_bounds(1500, 0.3, false_alarm / 2)
    assert low <= truth.interrupted.sum() <= high
    lost = sum(map(len, truth.missed))
    # each with its chance; that three remain takes back two misses in a thousand, which is little
    low, high = binomial_bounds(lost + X.lengths.sum(), 0.1, false_alarm / 2)
    assert low <= lost <= high
    *_, none = make_composable(instances=100, random_state=seed, return_truth=True, **EXACT)
    assert not none.interrupted.any()
    assert not any(none.missed)


@pytest.mark.own_seed(reason="whether rare actions occur is left to chance")
def test_many_actions_are_repeated_and_relations_inconsistent(seed):
    X, y, _ = make_composable(random_state=seed)
    repeated = np.array([len(set(x.action.tolist())) < len(x.action) for x in X])
    assert repeated.mean() > 0.9
    seen = Counter()
    for x, label, network in zip(X, y, read_networks(X), strict=True):
        for i, j, r in network.links():
            seen[label, int(x.action[i]), int(x.action[j]), r] += 1
    kinds = Counter(key[:3] for key in seen)
    assert np.mean([number > 1 for number in kinds.values()]) > 0.5


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_difficulty_grows_with_looseness_and_misses(seed):
    def recognised(**knobs):
        X, y, _ = make_composable(random_state=seed, **knobs)
        return accuracy(np.hstack([count_actions(X), count_relations(X)]), y)

    usual = recognised()
    assert usual > 0.85
    assert usual > recognised(miss=0.4, looseness=1) + 0.05


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_themes_are_known_by_their_actions_and_ways_not_by_the_set_of_them(seed):
    X, y, _ = make_composable(random_state=seed)
    present = count_actions(X) > 0
    theme = np.array([label.split(",")[0] for label in y])
    assert accuracy(present, theme) > 0.95
    assert accuracy(present, y) < 0.65
    with_relations = np.hstack([count_actions(X), count_relations(X)])
    assert accuracy(with_relations, y) > accuracy(present, y) + 0.25


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # so short chains say that they are
def test_one_interval_an_action_is_not_enough():
    """As published, ITBN is far behind; the other methods know what it leaves out."""
    X, y, _ = make_composable(random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    first_only, all_of_them = (
        cross_val_score(model, X, y, cv=folds).mean()
        for model in (
            ITBNClassifier(),
            IBGNClassifier("full", draws=60, budget=900, random_state=0),
        )
    )
    assert all_of_them > 0.93
    assert first_only < all_of_them - 0.15


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("instances", 0, "from 1 on"),
        ("n_subjects", 1.0, "whole"),
        ("repeat", 2, "0 to 1"),
        ("swap", -0.1, "0 to 1"),
        ("skip", "often", "0 to 1"),
        ("brief", float("nan"), "0 to 1"),
        ("looseness", 1.5, "0 to 1"),
        ("interruption", None, "0 to 1"),
        ("jitter", 61, "0 to 60"),
        ("miss", [0.1], "0 to 1"),
    ],
)
def test_error_says_what_and_the_range(name, value, bounds):
    with pytest.raises(OptionError) as caught:
        make_composable(**{name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert bounds in str(caught.value)
