"""The simulated attacks: published numbers, validity under any noise, truth, and difficulty."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from chance import binomial_bounds
from ibgn import IBGNClassifier
from ibgn.datasets import make_basketball
from ibgn.datasets._timeline import deal
from ibgn.errors import OptionError
from ibgn.networks import read_networks

EXACT = {"jitter": 0, "confusion": 0, "miss": 0}
ACTIONS = ("catch", "dribble", "hold", "jump", "pass", "shoot")
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def assert_valid(X):
    """Every instance is within bounds, on frames, and starts at 0."""
    assert X.actions == ACTIONS
    assert X.lengths.min() >= 2
    assert X.lengths.max() <= 5
    assert (X.start < X.end).all()
    for times in (X.start, X.end):
        assert (np.rint(times * 25) / 25 == times).all()
    assert (X.start[X.offsets[:-1]] == 0).all()


def neighbours(X):
    """Symbols of the relations of neighbouring intervals, instance by instance."""
    return [
        "".join("bmoscfe"[relation] for i, j, relation in network.links() if j == i + 1)
        for network in read_networks(X)
    ]


def count_relations(X):
    """(instances, 6 x 6 x 7) how often two actions have each relation."""
    features = np.zeros((len(X), 6, 6, 7))
    for d, (x, network) in enumerate(zip(X, read_networks(X), strict=True)):
        for i, j, relation in network.links():
            features[d, x.action[i], x.action[j], relation] += 1
    return features.reshape(len(X), -1)


def count_actions(X):
    return np.array([np.bincount(x.action, minlength=6) for x in X])


def accuracy(features, y):
    """Of a forest that learns every other instance."""
    forest = ExtraTreesClassifier(50, random_state=0).fit(features[::2], y[::2])
    return forest.score(features[1::2], y[1::2])


@pytest.mark.own_seed(reason="whether rare actions occur is left to chance")
def test_numbers_are_the_published_ones(seed):
    X, y, groups = make_basketball(random_state=seed)
    assert len(X) == len(y) == len(groups) == 72
    assert Counter(y) == {"fast break": 36, "set play": 36}
    assert Counter(groups) == {f"team {n}": 12 for n in range(1, 7)}
    assert set(X.action.tolist()) == set(range(6))
    assert (X.lengths.min(), X.lengths.max()) == (2, 5)
    assert y.dtype == groups.dtype == object
    assert (X.groups == groups).all()
    assert X.ids[y == "set play"][7] == "set play-007"
    assert_valid(X)


@settings(max_examples=60, deadline=None)
@given(
    instances=st.integers(1, 30),
    n_teams=st.sampled_from([1, 4, 2**31]),
    jitter=st.sampled_from([0, 0.02, 0.5, 60]),
    confusion=st.sampled_from([0, 0.5, 1]),
    miss=st.sampled_from([0, 0.5, 1]),
    random_state=st.integers(0, 1000),
)
def test_valid_whatever_the_noise(instances, n_teams, random_state, **noise):
    X, y, groups, truth = make_basketball(
        instances=instances, n_teams=n_teams, random_state=random_state, return_truth=True, **noise
    )
    assert_valid(X)
    assert len(X) == len(y) == len(truth.play) == len(truth.tempo) == instances
    assert len(set(groups)) == min(n_teams, instances)
    assert abs((y == "fast break").sum() - (y == "set play").sum()) <= 1
    left_out = truth.missed >= 0
    assert (X.lengths == np.array([len(play) for play in truth.play]) - left_out).all()


def test_same_seed_same_data_and_a_generator_moves_on(seed):
    first, again = (make_basketball(random_state=seed) for _ in range(2))
    assert first[0] == again[0]
    assert (first[2] == again[2]).all()
    rng = np.random.default_rng(seed)
    one, two = (make_basketball(random_state=rng)[0] for _ in range(2))
    assert one == first[0] != two
    assert make_basketball()[0] != make_basketball()[0]


def test_relations_without_noise_are_those_of_the_script(seed):
    X, y, _, truth = make_basketball(instances=300, random_state=seed, return_truth=True, **EXACT)
    assert not any(map(any, truth.confused))
    assert neighbours(X) == list(truth.relations)
    for attack, play, relations in zip(y, truth.play, truth.relations, strict=True):
        assert [truth.ways[attack][pair] for pair in pairwise(play)] == list(relations)
    assert [tuple(a for a, _, _ in rows) for rows in X.to_lists()] == list(truth.play)


def test_attacks_differ_in_every_pair_of_neighbours():
    *_, truth = make_basketball(instances=1, return_truth=True)
    fast, slow = truth.ways["fast break"], truth.ways["set play"]
    assert set(fast) == set(slow)
    assert all(fast[pair] != slow[pair] for pair in fast)
    # neither attack simply overlaps more: the pair has to be known
    for ways in (fast, slow):
        assert {"b", "o"} <= set(ways.values())


@pytest.mark.statistical(false_alarm=1e-8)
def test_confusion_takes_relations_from_the_other_attack(seed, false_alarm):
    X, y, _, truth = make_basketball(
        instances=2000, random_state=seed, return_truth=True, **EXACT | {"confusion": 0.3}
    )
    other = {"fast break": "set play", "set play": "fast break"}
    for attack, play, relations, confused in zip(
        y, truth.play, truth.relations, truth.confused, strict=True
    ):
        for pair, relation, wrong in zip(pairwise(play), relations, confused, strict=True):
            assert relation == truth.ways[other[attack] if wrong else attack][pair]
    assert neighbours(X) == list(truth.relations)
    wrong = [wrong for of in truth.confused for wrong in of]
    low, high = binomial_bounds(len(wrong), 0.3, false_alarm)
    assert low <= sum(wrong) <= high
    assert binomial_bounds(len(wrong), 0.22, false_alarm)[1] < low  # the control: by default


@pytest.mark.statistical(false_alarm=1e-8)
def test_missed_actions_are_the_ones_not_in_the_data(seed, false_alarm):
    X, _, _, truth = make_basketball(
        instances=2000, random_state=seed, return_truth=True, **EXACT | {"miss": 0.4}
    )
    seen = [tuple(a for a, _, _ in rows) for rows in X.to_lists()]
    for actions, play, missed in zip(seen, truth.play, truth.missed.tolist(), strict=True):
        kept = play if missed < 0 else play[:missed] + play[missed + 1 :]
        assert actions == kept
    long = np.array([len(play) > 2 for play in truth.play])
    assert (truth.missed[~long] == -1).all()
    low, high = binomial_bounds(long.sum(), 0.4, false_alarm)
    assert low <= (truth.missed[long] >= 0).sum() <= high
    assert binomial_bounds(long.sum(), 0.2, false_alarm)[1] < low  # the control: half as often


@pytest.mark.own_seed(reason="rounding and clipping give a spread of no simple form")
def test_jitter_is_the_spread_of_starts_and_ends(seed):
    lasts = []
    for jitter in (0, 0.1):
        X, *_ = make_basketball(
            instances=3000, n_teams=1, random_state=seed, **EXACT | {"jitter": jitter}
        )
        shoot = X.action == X.actions.index("shoot")
        lasts.append(np.var((X.end - X.start)[shoot]))
    assert 0.7 * 0.02 < lasts[1] - lasts[0] < 1.6 * 0.02  # two ends with a variance of 0.01 each


@pytest.mark.own_seed(reason="six tempi may happen to be alike")
def test_teams_have_a_tempo(seed):
    X, _, groups, truth = make_basketball(
        instances=1200, random_state=seed, return_truth=True, **EXACT
    )
    pace = {team: set(truth.tempo[groups == team]) for team in set(groups)}
    assert all(len(tempo) == 1 for tempo in pace.values())
    assert len(set(truth.tempo)) > 1
    lasts = (X.end - X.start)[X.action == X.actions.index("dribble")]
    tempo = truth.tempo[X.owner[X.action == X.actions.index("dribble")]]
    assert np.corrcoef(np.log(lasts), np.log(tempo))[0, 1] > 0.3 * min(1, np.std(tempo) / 0.2)


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_relations_are_needed_to_recognise_attacks(seed):
    X, y, _ = make_basketball(instances=1000, random_state=seed)
    counts = count_actions(X)
    by_counts = accuracy(counts, y)
    by_relations = accuracy(np.hstack([counts, count_relations(X)]), y)
    durations = np.array([np.bincount(x.action, x.end - x.start, minlength=6) for x in X])
    by_durations = accuracy(np.hstack([counts, durations]), y)
    print(f"accuracy by counts {by_counts:.3f}, relations {by_relations:.3f}")
    assert by_counts < 0.66
    assert by_durations < 0.66
    assert by_relations > by_counts + 0.12
    assert 0.7 < by_relations < 0.95


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_more_confusion_is_harder_and_half_of_it_hopeless(seed):
    def recognised(confusion):
        X, y, _ = make_basketball(instances=800, confusion=confusion, random_state=seed)
        return accuracy(count_relations(X), y)

    none, some, half = map(recognised, (0, 0.2, 0.5))
    assert none > 0.93
    assert none > some + 0.05
    assert some > half + 0.1
    assert half < 0.66  # what leanings to plays tell


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_more_jitter_is_harder(seed):
    def recognised(jitter):
        X, y, _ = make_basketball(instances=800, jitter=jitter, random_state=seed)
        return accuracy(count_relations(X), y)

    assert recognised(0) > recognised(1.5) + 0.06


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # so short chains say that they are
def test_difficulty_is_about_the_published_one():
    scores = []
    for random_state in range(4):
        X, y, _ = make_basketball(random_state=random_state)
        model = IBGNClassifier("chain", draws=60, budget=900, random_state=0)
        scores.append(cross_val_score(model, X, y, cv=FOLDS).mean())
    assert 0.7 < np.mean(scores) < 0.9  # published: 0.79


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("instances", 0, "from 1 on"),
        ("instances", 2.5, "whole"),
        ("n_teams", "six", "from 1 on"),
        ("jitter", -1, "0 to 60"),
        ("jitter", float("nan"), "0 to 60"),
        ("confusion", 1.1, "0 to 1"),
        ("miss", None, "0 to 1"),
        ("miss", True, "0 to 1"),
    ],
)
def test_error_says_what_and_the_range(name, value, bounds):
    with pytest.raises(OptionError) as caught:
        make_basketball(**{name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert bounds in str(caught.value)


@given(st.integers(0, 50), st.integers(1, 60), st.integers(0, 9))
def test_dealing_is_even(number, kinds, random_state):
    dealt = Counter(deal(number, kinds, np.random.default_rng(random_state)))
    assert sum(dealt.values()) == number
    assert max(dealt.values(), default=0) - min(dealt[kind] for kind in range(kinds)) <= 1
