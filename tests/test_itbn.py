"""ITBN: sums to one, scores as BIC has it, and finds the best links that hold together in time."""

import importlib
import itertools
import math
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import IntervalSequences, allen
from ibgn.allen import Converse, Relation
from ibgn.classifiers import ITBNClassifier, temporal_network
from ibgn.classifiers.climbing import climb, family_score
from ibgn.classifiers.occurrences import Occurrences, count_relations, find_occurrences
from ibgn.classifiers.temporal_network import Network, relation_score
from ibgn.recoding import recode
from ibgn.terms import Context
from strategies import sequences

SAMPLE = {  # two intervals for each of the 13 relations
    int(allen.relation(i, j)): (i, j)
    for i, j in itertools.product(itertools.combinations(range(4), 2), repeat=2)
}
POSSIBLE = {  # (r_ij, r_jk, r_ik) that three intervals can show
    (int(allen.relation(i, j)), int(allen.relation(j, k)), int(allen.relation(i, k)))
    for i, j, k in itertools.product(itertools.combinations(range(6), 2), repeat=3)
}


def random_rows(rng, instances=80, actions="abc", share=0.7):
    """Actions that come in about their order, some of them absent, some twice."""
    X = []
    for _ in range(instances):
        start = 3 * np.arange(len(actions)) + rng.integers(0, 3, len(actions))
        some = [
            (a, s, s + rng.integers(1, 4)) for a, s in zip(actions, start.tolist(), strict=True)
        ]
        rows = [row for row in some if rng.random() < share]
        again = [(a, s + 20, e + 20 + rng.integers(0, 2)) for a, s, e in rows if rng.random() < 0.2]
        X.append(rows + again)
    return X


def fitted(rows, consistency="frequent", smoothing=1.0, comparison="all-pairs"):
    X = IntervalSequences.from_lists(rows)
    term = Network("first", comparison, consistency, smoothing)
    return term.fit(term.count(X), None, Context("it", X.actions, 0, np.random.default_rng(0)))


def skeleton(links):
    return {frozenset(pair) for pair in np.asarray(links).tolist()}


# probabilities


def occurring(times, actions):
    """Occurrences of one instance, {action: (start, end)}."""
    present, start, end = np.zeros((1, actions), bool), *np.zeros((2, 1, actions))
    for a, (s, e) in times.items():
        present[0, a], start[0, a], end[0, a] = True, s, e
    return Occurrences(present, start, end, np.where(present, 0, -1), 0)


def term_of(network, link, relation):
    """Log probability of a relation of the two ends of a link, by the model itself."""
    times = dict(zip(network.links[link].tolist(), SAMPLE[relation], strict=True))
    return float(network.relation_terms(occurring(times, len(network.actions)))[0, link])


@pytest.mark.parametrize("smoothing", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("comparison", ["links", "all-pairs"])
def test_probabilities_of_all_states_sum_to_one(rng, smoothing, comparison):
    """Which actions occur, and any relation of each linked pair, or of all pairs, where both do."""
    network = fitted(random_rows(rng), smoothing=smoothing, comparison=comparison)
    assert len(network.links) > 1
    term = {
        (link, r): term_of(network, link, r)
        for link, r in itertools.product(range(len(network.links)), range(13))
    }
    total, states = 0.0, 0
    for present in itertools.product([False, True], repeat=3):
        here = [a for a in range(3) if present[a]]
        seen = occurring(dict.fromkeys(here, (0, 1)), 3)
        instance = IntervalSequences.from_lists([[("abc"[a], 0, 1) for a in here]])
        whole = network.log_likelihood(recode(instance, network.actions))[0]
        base = whole - network.relation_terms(seen).sum()
        linked = [n for n, (i, j) in enumerate(network.links) if present[i] and present[j]]
        free = math.comb(len(here), 2) - len(linked) if comparison == "all-pairs" else 0
        for relations in itertools.product(range(13), repeat=len(linked)):
            terms = sum(term[which] for which in zip(linked, relations, strict=True))
            total += math.exp(base + terms) * 13**free
            states += 13**free
    assert total == pytest.approx(1, rel=1e-10)
    assert states > 8


def plain_log_likelihood(network, train, instance, occurrence, comparison, smoothing):
    """prod P(X_j | parents) prod P(I_ij | X_i, X_j) from counts; links as they were learned."""
    train, seen = [chosen(rows, occurrence) for rows in train], chosen(instance, occurrence)
    links = [tuple(network.actions[a] for a in link) for link in network.links]
    value = 0.0
    for child in network.actions:
        parents = [i for i, j in links if j == child]
        alike = [rows for rows in train if all((p in rows) == (p in seen) for p in parents)]
        same = sum((child in rows) == (child in seen) for rows in alike)
        value += math.log((same + smoothing) / (len(alike) + 2 * smoothing))
    for i, j in links:
        if i in seen and j in seen:
            both = [rows for rows in train if i in rows and j in rows]
            held = Counter(allen.relation(rows[i], rows[j]) for rows in both)
            here = held[allen.relation(seen[i], seen[j])]
            value += math.log((here + smoothing) / (len(both) + 13 * smoothing))
    if comparison == "all-pairs":
        here = set(seen) & set(network.actions)
        linked = sum(i in here and j in here for i, j in links)
        value -= (math.comb(len(here), 2) - linked) * math.log(13)
    return value / max(len(links), 1) if comparison == "per-link" else value


def chosen(rows, occurrence):
    """{action: (start, end)} of the interval that stands for it."""
    if occurrence == "longest":
        ranked = sorted(rows, key=lambda row: (row[1] - row[2], row[1]))
    else:
        ranked = sorted(rows, key=lambda row: row[1:])
    return {a: (s, e) for a, s, e in reversed(ranked)}


@pytest.mark.parametrize("occurrence", ["first", "longest"])
@pytest.mark.parametrize("comparison", ["links", "all-pairs", "per-link"])
def test_likelihood_is_that_of_the_plain_counts(rng, occurrence, comparison):
    X = random_rows(rng, 80, "abcde")
    y = np.arange(80) % 2
    model = ITBNClassifier(occurrence, comparison=comparison, smoothing=0.5).fit(X, y)
    new = [*random_rows(rng, 15, "abcde"), [("a", 0, 9), ("new", 0, 9), ("e", 3, 9)], []]
    found = model._joint_log_likelihood(new) - model.class_log_prior_
    options = occurrence, comparison, 0.5
    for label, activity in model.activities_.items():
        network = activity["network"]
        assert len(network.links) > 1
        train = [rows for rows, of in zip(X, y, strict=True) if of == label]
        expected = [plain_log_likelihood(network, train, x, *options) for x in new]
        np.testing.assert_allclose(found[:, label], expected, rtol=1e-10)


# one interval for each action


@given(sequences(longest=10), st.integers(0, 4), st.sampled_from(["first", "longest"]))
def test_occurrences_are_the_first_or_the_longest(X, known, which):
    """Of equally long ones the earlier; actions from a number on are unknown."""
    found = find_occurrences(X, known, which)
    left_out = 0
    for d, a in itertools.product(range(len(X)), range(known)):
        mine = [n for n in np.flatnonzero(X.owner == d).tolist() if X.action[n] == a]
        assert found.present[d, a] == bool(mine)
        if mine:
            length = {n: X.end[n] - X.start[n] for n in mine}
            chosen = mine[0] if which == "first" else max(mine, key=length.get)
            assert found.interval[d, a] == chosen
            assert (found.start[d, a], found.end[d, a]) == (X.start[chosen], X.end[chosen])
            left_out += len(mine) - 1
        else:
            assert found.interval[d, a] == -1
    assert found.repeated == left_out


def test_first_and_longest_by_hand():
    X = IntervalSequences.from_lists([[("a", 0, 1), ("b", 0, 9), ("a", 2, 5), ("a", 6, 9)]])
    assert find_occurrences(X, 2, "first").interval.tolist() == [[0, 1]]
    assert find_occurrences(X, 2, "longest").interval.tolist() == [[2, 1]]


def test_repeated_actions_are_counted():
    rows = [[("a", 0, 1), ("a", 2, 3), ("a", 5, 6), ("b", 1, 2)], [("a", 0, 1), ("b", 1, 2)]]
    model = ITBNClassifier().fit([*rows, [("a", 0, 1)]], ["x", "x", "y"])
    found = [activity["network"].repeated for activity in model.activities_.values()]
    assert found == [2, 0]
    assert "left out: 2 repeated intervals" in repr(model.activities_["x"])


@given(sequences(least=1))
def test_relations_are_counted(X):
    size = len(X.actions)
    expected = np.zeros((size, size, 13), int)
    for rows in X.to_lists():
        first = {a: (s, e) for a, s, e in reversed(rows)}
        for a, b in itertools.permutations(first, 2):
            held = allen.relation(first[a], first[b])
            expected[X.actions.index(a), X.actions.index(b), held] += 1
    found = count_relations(find_occurrences(X, size, "first"))
    np.testing.assert_array_equal(found, expected)


# scores


def bic_of_pgmpy():
    """Its class has moved and changed its name."""
    for module, name in (
        ("pgmpy.structure_score", "BIC"),
        ("pgmpy.estimators", "BIC"),
        ("pgmpy.estimators", "BicScore"),
    ):
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise AssertionError("pgmpy has neither BIC nor BicScore")


@pytest.mark.filterwarnings("ignore")
def test_scores_equal_those_of_pgmpy(rng):
    pytest.importorskip("pgmpy")
    bic = bic_of_pgmpy()
    values = rng.random((50, 5)) < rng.random(5)
    values[:, 1] ^= values[:, 0]
    names = [f"x{number}" for number in range(5)]
    table = pd.DataFrame(values.astype(int).astype(str), columns=names)
    score = bic(table, state_names={name: ["0", "1"] for name in names})
    for many in (0, 1, 2, 3, 4):
        child, *parents = rng.permutation(5)[: many + 1].tolist()
        expected = score.local_score(names[child], tuple(names[p] for p in parents))
        assert family_score(values, child, tuple(parents)) == pytest.approx(expected, rel=1e-9)

    for n in (1, 2, 30):
        held = rng.integers(0, 13, n)
        table = pd.DataFrame({"relation": held.astype(str)})
        score = bic(table, state_names={"relation": [str(r) for r in range(13)]})
        found = relation_score(np.bincount(held, minlength=13))
        assert found == pytest.approx(score.local_score("relation", ()), rel=1e-9, abs=1e-9)
    assert relation_score(np.zeros(13, np.int64)) == 0


# the search


def plain_score(values, links, gain):
    """BIC of all variables, counted row by row, and the gains of the links."""
    n, total = len(values), 0.0
    for child in range(values.shape[1]):
        parents = [i for i, j in links if j == child]
        rows = Counter(tuple(row[parents]) for row in values)
        both = Counter((tuple(row[parents]), row[child]) for row in values)
        total += sum(many * math.log(many / rows[given]) for (given, _), many in both.items())
        total -= 0.5 * math.log(n) * 2 ** len(parents)
    return total + sum(gain[i, j] for i, j in links)


def is_allowed(links, fits, size):
    """No cycle, and every triangle of links fits."""
    graph = TopologicalSorter({a: [i for i, j in links if j == a] for a in range(size)})
    try:
        graph.prepare()
    except CycleError:
        return False
    pairs = skeleton(links)
    return all(
        fits(*three)
        for three in itertools.combinations(range(size), 3)
        if all(frozenset(pair) in pairs for pair in itertools.combinations(three, 2))
    )


def single_changes(links, size):
    linked = skeleton(links)
    for link in links:
        yield [other for other in links if other != link]
        yield [other for other in links if other != link] + [link[::-1]]
    for i, j in itertools.permutations(range(size), 2):
        if frozenset((i, j)) not in linked:
            yield [*links, (i, j)]


def search_problem(rng, size=6, n=100):
    """Variables that depend on up to two others, gains of links, and triangles that fit."""
    values = rng.random((n, size)) < 0.5
    for j in range(1, size):
        table = rng.random((2, 2)) < 0.5
        one, other = (values[:, rng.integers(j)].astype(int) for _ in range(2))
        if rng.random() < 0.7:
            values[:, j] = table[one, other] ^ (rng.random(n) < 0.1)
    gain = np.triu(rng.normal(1, 3, (size, size)), 1)
    triangles = map(frozenset, itertools.combinations(range(size), 3))
    good = {three for three in triangles if rng.random() < 0.5}
    order = rng.permutation(size)
    return values[:, order], gain + gain.T, lambda *three: frozenset(three) in good


def better_changes(values, gain, fits, found):
    """How many single changes would be better; checks that none of them is allowed."""
    links, size = list(found.links), values.shape[1]
    assert is_allowed(links, fits, size)
    score = plain_score(values, links, gain)
    assert found.score == pytest.approx(score, rel=1e-10)
    better = 0
    for changed in single_changes(links, size):
        if plain_score(values, changed, gain) > score + 1e-8:
            assert not is_allowed(changed, fits, size)
            better += 1
    return better


# seeds of problems in which links are removed again, and in which a link can be made only then
HARD = [24, 115, 175, 280, 313, 514]


def test_no_single_change_that_is_allowed_is_better(rng):
    problems = [search_problem(np.random.default_rng(number)) for number in HARD]
    problems += [search_problem(rng) for _ in range(8)]
    assert sum(better_changes(*one, climb(*one)) for one in problems) > 0  # control


@pytest.mark.own_seed(reason="whether a link is missed is left to chance")
def test_links_that_were_missed_are_told_by_the_reason(rng):
    told = Counter()
    for _ in range(40):
        values, gain, fits = search_problem(rng, size=5, n=40)
        found = climb(values, gain, fits)
        links = list(found.links)
        assert links == sorted(links, key=lambda link: link[::-1])
        score, missed = plain_score(values, links, gain), {}
        for i, j in itertools.combinations(range(5), 2):
            ways = ([*links, (i, j)], [*links, (j, i)])
            pays = any(plain_score(values, way, gain) > score + 1e-8 for way in ways)
            if frozenset((i, j)) not in skeleton(links) and pays:
                pairs = [*skeleton(links), frozenset((i, j))]  # without directions, so no cycles
                missed[i, j] = is_allowed([tuple(sorted(pair)) for pair in pairs], fits, 5)
        assert found.inconsistent == tuple(pair for pair, good in missed.items() if not good)
        assert found.cyclic == tuple(pair for pair, good in missed.items() if good)
        told.update(inconsistent=len(found.inconsistent), cyclic=len(found.cyclic))
    assert told["inconsistent"] > 0
    assert told["cyclic"] > 0


@pytest.mark.statistical(false_alarm=1e-8)
def test_a_planted_structure_is_found_again(rng):
    """A tree of strong links; columns shuffled by themselves have none.

    A link costs 20 more than BIC has it: to gain 23 a pair needs a chi-square of 46, by chance in
    1e-11 of cases, of which there are some hundreds. A link of the tree gains 184.
    """
    n, tree = 500, {1: 0, 2: 1, 3: 0, 5: 3}
    values = rng.random((n, 6)) < 0.5
    for child, parent in tree.items():
        values[:, child] = values[:, parent] ^ (rng.random(n) < 0.1)
    cost = np.full((6, 6), -20.0)
    found = climb(values, cost, lambda *_: True)
    assert skeleton(found.links) == {frozenset(pair) for pair in tree.items()}
    shuffled = rng.permuted(values, axis=0)
    assert not climb(shuffled, cost, lambda *_: True).links


@pytest.mark.own_seed(reason="BIC links two actions by chance in a hundredth of all data")
def test_links_of_a_fitted_network_follow_its_actions(rng):
    """b occurs where a does; how they relate says nothing, since every relation is as frequent."""
    rows = []
    for n in range(260):
        first, second = SAMPLE[n % 13]
        rows.append([("a", *first), ("b", *second)] if n % 2 else [("c", 0, 1)] * (n % 3 == 0))
    network = fitted(rows)
    linked = network.describe()[["parent", "child"]].to_numpy()
    assert frozenset("ab") in {frozenset(pair) for pair in linked}
    alone = rng.random((260, 2)) < 0.5
    apart = [
        [("a", *SAMPLE[n % 13][0])] * bool(x) + [("b", *SAMPLE[n % 13][1])] * bool(y)
        for n, (x, y) in enumerate(alone)
    ]
    assert not len(fitted(apart).links)


def test_a_relation_that_always_holds_makes_a_link():
    """Both always occur, so that only their relation can pay; a control has all thirteen."""
    network = fitted([[("a", 0, 4), ("b", 2, 6)]] * 52)
    (parent, relation, child, probability) = network.describe().iloc[0]
    expected = allen.relation(*(((0, 4), (2, 6)) if parent == "a" else ((2, 6), (0, 4))))
    assert (relation, {parent, child}) == (expected.label, {"a", "b"})
    assert probability == pytest.approx(53 / 65)
    mixed = fitted([[("a", *SAMPLE[n % 13][0]), ("b", *SAMPLE[n % 13][1])] for n in range(52)])
    assert len(mixed.links) == 0
    assert mixed.describe().empty


def test_a_single_instance_does_not_link_everything():
    """BIC asks nothing of one row; then one child would have a row for all 2^15 combinations."""
    network = fitted([[(f"action {n:02}", n, n + 2) for n in range(16)]])
    assert max(len(network.parents(child)) for child in range(16)) < 5
    assert len(network.presence) < 16 * 2**4


# consistency in time

ORDERS = {
    "around": ["abc", "bca", "cab"] * 20,
    "forth": ["abc"] * 60,
    "rarely": [*["abc"] * 58, "bca", "bca"],
}


def in_order(order):
    return [(a, 2 * n, 2 * n + 1) for n, a in enumerate(order)]


@pytest.mark.parametrize(
    ("orders", "consistency", "contradicting"),
    [
        ("around", "frequent", 1),  # a before b before c before a, each in two thirds of all
        ("around", "strict", 1),
        ("forth", "frequent", 0),
        ("forth", "strict", 0),
        ("rarely", "frequent", 0),
        ("rarely", "strict", 1),
    ],
)
def test_a_link_that_contradicts_others_is_left_out(orders, consistency, contradicting):
    network = fitted([in_order(order) for order in ORDERS[orders]], consistency)
    assert network.inconsistent.shape == (contradicting, 2)
    assert len(network.links) == 3 - contradicting
    assert skeleton(network.links).isdisjoint(skeleton(network.inconsistent))
    assert f"{contradicting} inconsistent" in network.brief()


def test_without_the_check_contradictions_are_linked(monkeypatch):
    monkeypatch.setattr(temporal_network, "_agree", lambda *_: True)
    assert len(fitted([in_order(order) for order in ORDERS["around"]]).links) == 3


def relations_of(rows, i, j, consistency):
    """Those that must not contradict others; of equally frequent ones the first."""
    held = Counter()
    for times in rows:
        if i in times and j in times:
            held[int(allen.relation(times[i], times[j]))] += 1
    if consistency == "strict" or not held:
        return set(held)
    return {min(r for r in held if held[r] == max(held.values()))}


@pytest.mark.parametrize("consistency", ["frequent", "strict"])
@pytest.mark.own_seed(reason="whether links contradict is left to chance")
def test_all_triangles_of_links_hold_together(rng, consistency):
    """Actions come in a circle, the first of them by chance, so that many links contradict."""
    triangles, rejected = 0, 0
    for _ in range(6):
        data = []
        for shift in rng.integers(0, 6, 60):
            some = rng.permutation(6)[: rng.integers(4, 7)] if rng.random() < 0.3 else range(6)
            start = (np.arange(6) + (shift if rng.random() < 0.8 else 0)) % 6 + rng.integers(0, 2)
            data.append([("abcdef"[a], start[a], start[a] + rng.integers(1, 3)) for a in some])
        network = fitted(data, consistency)
        linked, rejected = skeleton(network.links), rejected + len(network.inconsistent)
        rows = [{"abcdef".index(a): (s, e) for a, s, e in instance} for instance in data]
        for i, j, k in itertools.combinations(range(6), 3):
            if all(frozenset(pair) in linked for pair in ((i, j), (j, k), (i, k))):
                triangles += 1
                ij, jk, ik = (relations_of(rows, *p, consistency) for p in ((i, j), (j, k), (i, k)))
                assert set(itertools.product(ij, jk, ik)) <= POSSIBLE
    assert rejected > 0
    if consistency == "frequent":
        assert triangles > 0


def test_relations_agree_in_every_order_of_three():
    """Which of three actions comes first in the vocabulary changes nothing."""
    one = np.eye(13, dtype=bool)
    for r, s, t in itertools.product([*Relation, *Converse], repeat=3):
        expected = (int(r), int(s), int(t)) in POSSIBLE
        assert temporal_network._agree(one[r], one[s], one[t]) == expected
        converses = one[s.converse], one[r.converse], one[t.converse]
        assert temporal_network._agree(*converses) == expected
        assert temporal_network._agree(one[t], one[s.converse], one[r]) == expected


def test_equally_frequent_relations_are_taken_from_one_side():
    """What i is to j is the converse of what j is to i, whichever of the two is asked."""
    rows = [in_order("abc"), in_order("cba")] * 5
    counts = count_relations(find_occurrences(IntervalSequences.from_lists(rows), 3, "first"))
    sets = temporal_network._relations_to_agree(counts, "frequent")
    for i, j in itertools.permutations(range(3), 2):
        (there,), (back,) = np.flatnonzero(sets[i, j]), np.flatnonzero(sets[j, i])
        assert temporal_network._either(int(there)).converse == back
