"""The simulated hand signs: published numbers, validity under any noise, truth, and difficulty."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from ibgn.allen import Relation
from ibgn.datasets import make_hand_signs
from ibgn.datasets._words import WORDS, count_intervals, read_style, states
from ibgn.networks import count_pairs, read_networks

EXACT = {"jitter": 0, "hesitation": 0, "skip": 0, "repeat": 0}
TWO_STYLES = {"air", "gallon", "ketchup", "lady", "teaspoon"}
PUBLISHED = (
    "air, alphabets, bank, bus, gallon, high school, how much, ketchup, lab, leg, lady, quiz, "
    "refrigerator, several, sink, stepmother, teaspoon, throw, xray"
)


@pytest.fixture(scope="module")
def full():
    return make_hand_signs(random_state=0, return_truth=True)


@pytest.fixture(scope="module")
def exact():
    return make_hand_signs(instances_per_style=16, random_state=1, return_truth=True, **EXACT)


def by_finger(instance):
    """(state, start, end) of each finger, in the order of time."""
    fingers = defaultdict(list)
    for action, start, end in instance:
        finger, state = action.rsplit(" ", 1)
        fingers[finger].append((state, start, end))
    return fingers


def assert_valid(X):
    """Every instance is within bounds, on frames, and tiled by each finger of the hands in use."""
    assert X.lengths.min() >= 5
    assert X.lengths.max() <= 17
    for times in (X.start, X.end):
        assert (np.rint(times * 25) / 25 == times).all()
    for instance in X.to_lists():
        fingers = by_finger(instance)
        assert len(fingers) in (5, 10)
        assert {start for intervals in fingers.values() for _, start, _ in intervals[:1]} == {0}
        assert len({intervals[-1][2] for intervals in fingers.values()}) == 1
        for intervals in fingers.values():
            assert all(start < end for _, start, end in intervals)
            for (state, _, end), (next_state, start, _) in pairwise(intervals):
                assert end == start
                assert {state, next_state} == {"straight", "bent"}


def related(X):
    """For each instance, how often two actions have each relation."""
    networks = read_networks(X)
    return [
        Counter((x.actions[x.action[i]], x.actions[x.action[j]], r) for i, j, r in network.links())
        for x, network in zip(X, networks, strict=True)
    ]


def the_exact(word, exact):
    """Actions, relations and poses of a word without noise, of its first style."""
    X, y, _, truth = exact
    place = np.flatnonzero((y == word) & (truth.style == 0))
    first = X[place[:1]]
    return Counter(first.action.tolist()), related(first)[0], truth.poses[place[0]]


def test_numbers_are_the_published_ones(full):
    X, y, groups, _ = full
    assert len(X) == len(y) == len(groups) == 3480
    assert len(X.actions) == 20
    assert {"right index straight", "left thumb bent"} < set(X.actions)
    assert Counter(y) == {
        word: 290 if word in TWO_STYLES else 145 for word in PUBLISHED.split(", ")
    }
    assert (X.lengths.min(), X.lengths.max()) == (5, 17)
    assert len(set(groups)) == 16
    assert y.dtype == groups.dtype == object
    assert (X.groups == groups).all()
    assert X.ids[y == "ketchup"][17] == "ketchup-017"
    assert_valid(X)


def test_words_have_one_to_four_transitions_between_different_poses():
    styles = [read_style(style) for written in WORDS.values() for style in written]
    assert len(styles) == 24
    assert {len(steps) - 1 for steps in styles} == {1, 2, 3, 4}
    assert all(before.pose != after.pose for steps in styles for before, after in pairwise(steps))
    assert max(map(count_intervals, styles)) == 17
    assert sum(len(states(steps[0].pose)) == 10 for steps in styles) >= 4


@settings(max_examples=40, deadline=None)
@given(
    jitter=st.sampled_from([0, 0.01, 0.2, 3, 60]),
    chances=st.tuples(*[st.sampled_from([0, 0.5, 1])] * 3),
    n_signers=st.integers(1, 30),
    random_state=st.integers(0, 1000),
)
def test_valid_whatever_the_noise(jitter, chances, n_signers, random_state):
    noise = dict(zip(("hesitation", "skip", "repeat"), chances, strict=True))
    X, _, groups = make_hand_signs(
        instances_per_style=1,
        n_signers=n_signers,
        jitter=jitter,
        random_state=random_state,
        **noise,
    )
    assert len(X.actions) == 20
    assert len(set(groups)) == min(n_signers, 24)
    assert_valid(X)


def test_valid_at_full_noise():
    X, _, _, truth = make_hand_signs(
        instances_per_style=30, jitter=60, hesitation=1, skip=1, repeat=1, random_state=0,
        return_truth=True,
    )  # fmt: skip
    assert_valid(X)
    assert truth.hesitated.all()
    assert truth.skipped.any()
    assert truth.repeated.any()


def test_same_seed_same_data():
    again = [make_hand_signs(instances_per_style=3, random_state=7) for _ in range(2)]
    given = make_hand_signs(instances_per_style=3, random_state=np.random.default_rng(7))
    other = make_hand_signs(instances_per_style=3, random_state=8)
    assert again[0][0] == again[1][0] == given[0]
    assert (again[0][2] == again[1][2]).all()
    assert again[0][0] != other[0]
    assert (again[0][1] == other[1]).all()


def test_generator_moves_on():
    rng = np.random.default_rng(0)
    first, second = (make_hand_signs(instances_per_style=1, random_state=rng)[0] for _ in range(2))
    assert first != second


def test_no_seed_gives_other_data():
    first, second = (make_hand_signs(instances_per_style=3)[0] for _ in range(2))
    assert first != second


def test_signers_perform_equally_often_and_at_their_tempo(full):
    _, y, groups, truth = full
    assert max(Counter(groups).values()) - min(Counter(groups).values()) <= 1
    of_word = Counter(zip(y, groups, strict=True))
    assert set(of_word.values()) <= {9, 10, 18, 19}
    tempi = {signer: set(truth.tempo[groups == signer]) for signer in set(groups)}
    assert all(len(tempo) == 1 for tempo in tempi.values())
    assert len(set(truth.tempo)) == 16
    assert 0.1 < np.std(np.log(list(set(truth.tempo)))) < 0.35


def test_tempo_stretches_the_time():
    X, y, _, truth = make_hand_signs(
        instances_per_style=16, random_state=1, return_truth=True, **EXACT
    )
    lasts = np.array([x.end.max() for x in X])
    chosen = y == "throw"
    assert np.allclose(lasts[chosen] / truth.tempo[chosen], 0.96, atol=0.04)


def test_poses_are_reached_and_held_before_the_next_transition(exact):
    *_, truth = exact
    for tempo, transitions in zip(truth.tempo, truth.transitions, strict=True):
        for before, after in pairwise(transitions):
            assert min(after.values()) - max(before.values()) >= 0.48 * tempo - 0.04


def test_styles_are_equally_frequent_and_signers_lean_to_one(full):
    _, y, groups, truth = full
    for word in set(y):
        expected = [145, 145] if word in TWO_STYLES else [145]
        assert np.bincount(truth.style[y == word]).tolist() == expected
    shares = [
        truth.style[(y == word) & (groups == signer)].mean()
        for word in TWO_STYLES
        for signer in set(groups)
    ]
    assert np.std(shares) > 0.25  # without leanings 18 performances would spread by 0.12


def test_truth_is_the_data_where_nothing_jitters():
    X, _, _, truth = make_hand_signs(
        instances_per_style=20, jitter=0, hesitation=0.5, skip=0.5, repeat=0.5, random_state=0,
        return_truth=True,
    )  # fmt: skip
    for instance, poses, transitions in zip(
        X.to_lists(), truth.poses, truth.transitions, strict=True
    ):
        assert len(transitions) == len(poses) - 1
        meant = defaultdict(list)
        for transition in transitions:
            for finger, time in transition.items():
                meant[finger].append(time)
        for finger, intervals in by_finger(instance).items():
            assert [end for _, _, end in intervals[:-1]] == meant[finger]
        assert_poses_are_shown(instance, poses, transitions)


def assert_poses_are_shown(instance, poses, transitions):
    fingers = by_finger(instance)
    last_changes = [0, *(max(transition.values()) for transition in transitions)]
    for pose, time in zip(poses, last_changes, strict=True):
        shown = [
            next(state for state, start, end in fingers[finger] if start <= time < end)
            for finger in (
                f"{hand} {finger}"
                for hand in ("right", "left")
                for finger in ("thumb", "index", "middle", "ring", "pinky")
            )
            if finger in fingers
        ]
        assert "".join("|" if state == "straight" else "." for state in shown) == states(pose)


def test_truth_says_what_was_skipped_and_repeated():
    X, y, _, truth = make_hand_signs(
        instances_per_style=40, skip=0.5, repeat=0.5, random_state=0, return_truth=True
    )
    assert len(truth.style) == len(X)
    for d, word in enumerate(y):
        meant = tuple(step.pose for step in read_style(truth.words[word][truth.style[d]]))
        changed = len(truth.poses[d]) - len(meant)
        if truth.skipped[d] and truth.repeated[d]:
            assert changed in (0, 1)
        elif truth.skipped[d]:
            assert changed in (-1, -2)
        elif truth.repeated[d]:
            assert changed == 2
        else:
            assert truth.poses[d] == meant
    assert ("four", "flat", "four", "flat", "four") in truth.poses  # sink, back and forth
    assert ("four",) in truth.poses  # sink, without what is between
    assert ("fist", "point", "pinky", "fist") in truth.poses  # quiz, without the fist between


def test_probabilities_are_kept(full):
    _, y, _, truth = full
    quiz = np.isin(y, ["quiz", "xray"])  # poses enough to skip, intervals few enough to repeat
    assert 0.02 < truth.skipped[quiz].mean() < 0.09
    assert 0.05 < truth.repeated[quiz].mean() < 0.16
    assert 0.085 < truth.hesitated.mean() < 0.115
    *_, none = make_hand_signs(instances_per_style=20, random_state=0, return_truth=True, **EXACT)
    assert not (none.hesitated | none.skipped | none.repeated).any()


def test_hesitation_holds_one_pose_much_longer():
    X, y, _, truth = make_hand_signs(
        instances_per_style=30, n_signers=1, random_state=0, return_truth=True,
        **EXACT | {"hesitation": 0.5},
    )  # fmt: skip
    lasts = np.array([x.end.max() for x in X])
    for word in ("throw", "quiz", "bus"):
        calm, long = (lasts[(y == word) & (truth.hesitated == h)] for h in (False, True))
        assert np.ptp(calm) == 0
        assert long.min() - calm.max() > 0.9 * truth.tempo[0]


def test_jitter_is_the_spread_of_changes_and_signers_differ_in_it():
    X, y, groups, truth = make_hand_signs(
        instances_per_style=160, random_state=0, return_truth=True, **EXACT | {"jitter": 0.1}
    )
    late = defaultdict(list)
    for d in np.flatnonzero(y == "throw"):
        for finger, intervals in by_finger(X[int(d)].to_lists()[0]).items():
            late[groups[d]].append(intervals[0][2] - truth.transitions[d][0][finger])
    spread = np.array([np.std(times) for times in late.values()])
    assert len(spread) == 16
    assert 0.07 < np.median(spread) < 0.14
    assert spread.max() > 2 * spread.min()  # equal signers, 50 changes each, would be closer


def test_styles_without_noise_always_have_the_same_relations(exact):
    X, y, groups, truth = exact
    assert len(set(groups)) == 16
    relations = related(X)
    for word in WORDS:
        for style in range(len(WORDS[word])):
            chosen = np.flatnonzero((y == word) & (truth.style == style))
            assert len(chosen) == 16
            assert all(relations[d] == relations[chosen[0]] for d in chosen)


def test_words_without_noise_all_differ_in_their_relations(exact):
    X, y, _, truth = exact
    relations = related(X)
    kinds = {(y[d], truth.style[d]): frozenset(relations[d].items()) for d in range(len(X))}
    assert len(kinds) == len(set(kinds.values())) == 24


@pytest.mark.parametrize(
    ("first", "second"), [("quiz", "xray"), ("leg", "lab"), ("bank", "alphabets")]
)
def test_words_that_differ_in_the_order_of_poses(first, second, exact):
    actions, relations, poses = the_exact(first, exact)
    other_actions, other_relations, other_poses = the_exact(second, exact)
    assert actions == other_actions
    assert relations != other_relations
    assert poses[0] == other_poses[0]
    assert poses[-1] == other_poses[-1]
    assert poses != other_poses


def test_order_is_seen_in_before(exact):
    straight = ("right index straight", "right pinky straight", Relation.BEFORE)
    reverse = ("right pinky straight", "right index straight", Relation.BEFORE)
    _, quiz, _ = the_exact("quiz", exact)
    _, xray, _ = the_exact("xray", exact)
    assert (quiz[straight], quiz[reverse]) == (1, 0)
    assert (xray[straight], xray[reverse]) == (0, 1)


def test_words_that_differ_in_how_fingers_follow_each_other(exact):
    (at_once, together, poses), (rolling, out, same), (back, reverse, too) = (
        the_exact(word, exact) for word in ("throw", "several", "how much")
    )
    assert at_once == rolling == back
    assert poses == same == too
    index_before_pinky = ("right pinky bent", "right index straight", Relation.OVERLAPS)
    pinky_before_index = ("right index bent", "right pinky straight", Relation.OVERLAPS)
    assert (together[index_before_pinky], together[pinky_before_index]) == (0, 0)
    assert (out[index_before_pinky], out[pinky_before_index]) == (1, 0)
    assert (reverse[index_before_pinky], reverse[pinky_before_index]) == (0, 1)


def test_words_that_differ_in_whether_hands_move_at_once(exact):
    X, y, _, _ = exact
    at_once, together, poses = the_exact("bus", exact)
    in_turn, turns, same = the_exact("high school", exact)
    assert at_once == in_turn
    assert poses == same
    assert together != turns
    counts = {word: count_pairs(X[y == word]).relations for word in ("bus", "high school")}
    assert counts["bus"]["o"] == 0
    assert counts["high school"]["o"] > 0
    assert together["left index straight", "right index straight", Relation.EQUALS] == 1
    assert turns["right index straight", "left index straight", Relation.STARTS] == 1


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("instances_per_style", 0, "at least 1"),
        ("instances_per_style", 2.5, "whole"),
        ("instances_per_style", "many", "at least 1"),
        ("n_signers", 0, "at least 1"),
        ("jitter", -0.1, "0 to 60"),
        ("jitter", float("inf"), "0 to 60"),
        ("jitter", 61, "0 to 60"),
        ("hesitation", 1.1, "0 to 1"),
        ("skip", -1, "0 to 1"),
        ("repeat", float("nan"), "0 to 1"),
        ("repeat", None, "0 to 1"),
        ("angle_noise", -1, "0 to 90"),
        ("angle_noise", "much", "0 to 90"),
        ("dropout", 1.5, "0 to 1"),
    ],
)
def test_error_says_what_and_the_range(name, value, bounds):
    with pytest.raises(ValueError) as caught:
        make_hand_signs(**{name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert bounds in str(caught.value)


def test_joint_angles_change_nothing_else():
    options = {"instances_per_style": 2, "random_state": 3}
    X, y, groups = make_hand_signs(**options)
    with_angles = make_hand_signs(**options, joint_angles=True)
    assert len(with_angles) == 4
    assert with_angles[0] == X
    assert (with_angles[1] == y).all()
    *_, truth, recordings = make_hand_signs(**options, joint_angles=True, return_truth=True)
    assert len(truth.poses) == len(recordings) == len(X)
    assert [one.id for one in recordings] == X.ids.tolist()
    assert [one.group for one in recordings] == groups.tolist()


def test_joint_angles_are_of_the_hands_in_use_at_thirty_frames_a_second(exact_angles):
    X, recordings = exact_angles
    for instance, one in zip(X.to_lists(), recordings, strict=True):
        assert set(one.names) == set(by_finger(instance))
        assert one.names[:2] == ("right thumb", "right index")
        assert np.allclose(np.diff(one.time), 1 / 30)
        assert one.time[-1] < max(end for *_, end in instance) <= one.time[-1] + 1 / 30 + 1e-9


@pytest.fixture(scope="module")
def exact_angles():
    X, _, _, recordings = make_hand_signs(
        instances_per_style=4, random_state=5, joint_angles=True, angle_noise=0, dropout=0, **EXACT
    )
    return X, recordings


def test_joint_angles_move_smoothly_and_are_half_way_at_a_change(exact_angles):
    for instance, one in zip(exact_angles[0].to_lists(), exact_angles[1], strict=True):
        for finger, intervals in by_finger(instance).items():
            angle = one.channels[:, one.names.index(finger)]
            assert 10 - 1e-6 <= angle.min() <= angle.max() <= 80 + 1e-6
            assert np.abs(np.diff(angle)).max() < 20  # a jump would be of 70 degrees
            for state, start, end in intervals:
                middle = angle[(one.time > start + 0.1) & (one.time < end - 0.1)]
                assert ((middle > 70) if state == "bent" else (middle < 20)).all()
                if start > 0:
                    assert np.interp(start, one.time, angle) == pytest.approx(45, abs=6)


def test_joint_angles_have_the_noise_and_the_gaps_that_were_asked_for(exact_angles):
    _, quiet = exact_angles
    *_, noisy = make_hand_signs(
        instances_per_style=4, random_state=5, joint_angles=True, angle_noise=5, dropout=0.2,
        **EXACT,
    )  # fmt: skip
    pairs = zip(noisy, quiet, strict=True)
    off = np.concatenate([(one.channels - other.channels).ravel() for one, other in pairs])
    assert np.isnan(off).mean() == pytest.approx(0.2, abs=0.01)
    assert np.nanstd(off) == pytest.approx(5, abs=0.2)
    assert abs(np.nanmean(off)) < 0.2


def test_relations_are_needed_to_recognise_words():
    """Counts of finger states tell groups of words apart, relations the words within a group."""
    X, y, _ = make_hand_signs(instances_per_style=30, random_state=0)
    counts = np.array([np.bincount(x.action, minlength=20) for x in X])
    relations = count_relations(X)
    forest = ExtraTreesClassifier(100, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    by_counts, by_both = (
        cross_val_score(forest, features, y, cv=folds).mean()
        for features in (counts, np.hstack([counts, relations]))
    )
    print(f"accuracy by counts {by_counts:.3f}, with relations {by_both:.3f}")
    chance = 60 / len(X)  # of the words that are most frequent
    assert by_counts > 3 * chance
    assert by_both > by_counts + 0.25
    assert by_counts < 0.65  # not recognised by counts
    assert 0.85 < by_both < 0.99  # neither hopeless nor trivial


def count_relations(X):
    """(instances, those of 20 x 20 x 7 that occur) how often two actions have each relation."""
    networks = read_networks(X)
    features = np.zeros((len(X), 20, 20, 7))
    for d, x in enumerate(X):
        i, j = np.triu_indices(len(x.action), 1)
        relation = networks.relation[networks.offsets[d] : networks.offsets[d + 1]]
        np.add.at(features[d], (x.action[i], x.action[j], relation), 1)
    flat = features.reshape(len(X), -1)
    return flat[:, flat.any(axis=0)]
