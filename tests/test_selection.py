"""Which links are chosen: golden gains, every structure tried, another library, growing data."""

import functools
import importlib
import itertools
import json
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

import naive
from ibgn import IntervalSequences, Structure
from ibgn.terms import selection
from ibgn.terms.selection import score_links, score_shared_links
from strategies import sequences

DATA_SETS = ("AUSLAN2", "BIMACS", "BLOCKS", "CAD120", "CONTEXT", "SKATING")


@pytest.fixture(scope="module")
def read_activities(read_shared):
    """Instances of each activity of a data set, by name."""

    @functools.cache
    def read(name):
        X, y = read_shared(name)
        y = np.asarray(y).astype(str)
        return {activity: X[y == activity] for activity in np.unique(y).tolist()}

    return read


@pytest.fixture(scope="module")
def golden(shared):
    def read(name):
        return json.loads((shared / "golden" / f"{name}.json").read_text())["bic"]

    return read


def by_positions(scores, values):
    """Values of all candidates by "i,j", positions counted from 1."""
    pairs = itertools.combinations(range(1, scores.size + 1), 2)
    return {f"{i},{j}": value for (i, j), value in zip(pairs, values, strict=True)}


# golden figures


def test_golden_gains(read_activities, golden):
    parts = read_activities("BLOCKS")
    assert parts.keys() == golden("BLOCKS").keys()
    for activity, figures in golden("BLOCKS").items():
        observed = score_links(parts[activity], "bic")
        published = score_links(parts[activity], "bic-published")
        assert len(parts[activity]) == figures["instances"]
        assert observed.size == published.size == figures["positions"]
        found = {
            "gain": by_positions(observed, observed.gain),
            "bic_published": by_positions(published, published.score),
            "bic_observed": by_positions(observed, observed.score),
        }
        assert found["gain"].keys() == figures["gains"].keys()
        for pair, expected in figures["gains"].items():
            for name, value in expected.items():
                assert found[name][pair] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("name", ["BLOCKS", "AUSLAN2"])
def test_golden_numbers_of_links(name, read_activities, golden):
    for activity, figures in golden(name).items():
        part = read_activities(name)[activity]
        assert len(score_links(part, "bic").structure.links) == figures["links_observed"]
        assert len(score_links(part, "bic-published").structure.links) == figures["links_published"]
        assert score_links(part).size == figures["positions"]


@pytest.mark.parametrize("name", DATA_SETS)
def test_the_published_criterion_never_links_anything(name, read_activities):
    for part in read_activities(name).values():
        scores = score_links(part, "bic-published")
        assert not scores.structure.links
        # the most that a gain can be: N log 8, all relations apart
        assert (scores.penalty > len(part) * math.log(8)).all()


# every structure of four positions, scored as a whole


def variables_of(X, size):
    """Actions by position and relations by pair of every instance, None where it has ended."""
    rows = []
    for part in X:
        intervals = list(zip(part.start, part.end, strict=True))
        relation = naive.relations(intervals)
        actions = dict(enumerate(part.action.tolist()))
        row = {i: actions.get(i) for i in range(size)}
        row |= {pair: relation.get(pair) for pair in itertools.combinations(range(size), 2)}
        rows.append(row)
    return rows


def contingency(rows, pair, linked):
    """Counts of relations for each value of the parents: both actions, or none at all."""
    i, j = pair
    counts = {}
    for row in rows:
        parents = (row[i], row[j]) if linked else ()
        counts.setdefault(parents, Counter())[row[pair]] += 1
    return counts


def log_likelihood(counts):
    return sum(
        n * math.log(n / of_parents.total())
        for of_parents in counts.values()
        for n in of_parents.values()
    )


def total_score(rows, size, structure, criterion, actions):
    """Of the whole network: log likelihood less parameters, or log marginal likelihood."""
    total = 0.0
    for pair in itertools.combinations(range(size), 2):
        linked = pair in structure
        counts = contingency(rows, pair, linked)
        seen = {relation for of_parents in counts.values() for relation in of_parents}
        if criterion == "bdeu":
            configurations = (actions + 1) ** 2 if linked else 1
            total += log_bdeu(counts, selection.SAMPLE_SIZE / configurations)
        else:
            price = 1.0 if criterion == "aic" else math.log(len(rows)) / 2
            total += log_likelihood(counts) - price * len(counts) * (len(seen) - 1)
    return total


def log_bdeu(counts, strength):
    """Of eight relations, null among them, with an even prior for each value of the parents."""
    value = 0.0
    for of_parents in counts.values():
        value += math.lgamma(strength) - math.lgamma(strength + of_parents.total())
        for n in of_parents.values():
            value += math.lgamma(strength / 8 + n) - math.lgamma(strength / 8)
    return value


def four_positions(rng, instances=25):
    """Instances of two to four intervals, some of whose relations follow their actions."""
    lists = []
    for k in [4, *rng.integers(2, 5, instances - 1).tolist()]:
        actions = rng.integers(0, 3, k)
        start = np.cumsum(rng.integers(0, 3, k))
        end = start + 1 + actions + rng.integers(0, 2, k)
        lists.append(list(zip([f"a{a}" for a in actions], start, end, strict=True)))
    return IntervalSequences.from_lists(lists)


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu"])
def test_the_selected_structure_is_the_best_of_all(criterion, rng):
    X = four_positions(rng)
    scores = score_links(X, criterion)
    rows, pairs = variables_of(X, 4), list(itertools.combinations(range(4), 2))
    subsets = itertools.chain.from_iterable(
        itertools.combinations(pairs, n) for n in range(len(pairs) + 1)
    )
    total = {
        frozenset(subset): total_score(rows, 4, subset, criterion, len(X.actions))
        for subset in subsets
    }
    assert len(total) == 64
    selected = total[scores.structure.links]
    assert selected == pytest.approx(max(total.values()), abs=1e-9)
    gained = scores.score[scores.score > 0].sum()
    assert selected - total[frozenset()] == pytest.approx(gained, abs=1e-9)


@given(sequences(least=1, longest=4), st.sampled_from(["bic", "aic", "bdeu"]))
def test_score_of_each_link_is_what_it_adds_to_the_whole(X, criterion):
    scores = score_links(X, criterion)
    size = int(X.lengths.max())
    rows = variables_of(X, size)
    empty = total_score(rows, size, (), criterion, len(X.actions))
    for pair, score in zip(itertools.combinations(range(size), 2), scores.score, strict=True):
        with_link = total_score(rows, size, (pair,), criterion, len(X.actions))
        assert score == pytest.approx(with_link - empty, abs=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_scores_equal_those_of_pgmpy(rng):
    """With all M + 1 actions and 8 relations named, its BIC is the published one."""
    pytest.importorskip("pgmpy")
    bic_score, bdeu_score = scores_of_pgmpy()
    X = four_positions(rng, 60)
    actions, size = len(X.actions), 4
    published, bdeu = score_links(X, "bic-published"), score_links(X, "bdeu")
    rows = variables_of(X, size)
    for number, (i, j) in enumerate(itertools.combinations(range(size), 2)):
        columns = {"first": i, "second": j, "relation": (i, j)}
        table = pd.DataFrame({name: [str(row[of]) for row in rows] for name, of in columns.items()})
        known = [str(a) for a in range(actions)]
        states = {"first": [*known, "None"], "second": [*known, "None"]}
        states["relation"] = [*(str(r) for r in range(7)), "None"]
        bic = bic_score(table, state_names=states)
        gain = bic.local_score("relation", ("first", "second")) - bic.local_score("relation", ())
        assert published.score[number] == pytest.approx(gain, abs=1e-6)
        even = bdeu_score(table, state_names=states, equivalent_sample_size=selection.SAMPLE_SIZE)
        gain = whole_bdeu(even, table, ["first", "second"]) - whole_bdeu(even, table, [])
        assert bdeu.score[number] == pytest.approx(gain, abs=1e-6)


def whole_bdeu(score, table, parents):
    """Its BDeu, with the terms that it forgets: parents beside relations that never occur."""
    value = score.local_score("relation", tuple(parents))
    if not parents:
        return value
    names = score.state_names
    cells = math.prod(len(names[name]) for name in [*parents, "relation"])
    absent = len(names["relation"]) - table["relation"].nunique()
    forgotten = absent * len(table[parents].drop_duplicates())
    return value + forgotten * gammaln(selection.SAMPLE_SIZE / cells)


def scores_of_pgmpy():
    """Its classes have moved and changed their names."""
    for module, bic, bdeu in (
        ("pgmpy.structure_score", "BIC", "BDeu"),
        ("pgmpy.estimators", "BIC", "BDeu"),
        ("pgmpy.estimators", "BicScore", "BDeuScore"),
    ):
        try:
            found = importlib.import_module(module)
            return getattr(found, bic), getattr(found, bdeu)
        except (ImportError, AttributeError):
            continue
    raise AssertionError("pgmpy has neither BIC and BDeu nor BicScore and BDeuScore")


# one structure for all activities


def log_dirichlet_multinomial(counts):
    """One relation after the other: (seen before + 1) / (all before + 7)."""
    value, seen = 0.0, Counter()
    for relation in Counter(counts).elements():
        value += math.log((seen[relation] + selection.SHARED_PRIOR) / (seen.total() + 7))
        seen[relation] += 1
    return value


@given(st.lists(sequences(longest=5), min_size=1, max_size=3))
def test_shared_links_compare_marginal_likelihoods(parts):
    scores = score_shared_links(parts)
    size = max(int(part.lengths.max(initial=0)) for part in parts)
    assert scores.size == size
    tables = [variables_of(part, size) for part in parts]
    np.testing.assert_allclose(scores.penalty, math.log(selection.STRONG_EVIDENCE), rtol=1e-12)
    for pair, gain in zip(itertools.combinations(range(size), 2), scores.gain, strict=True):
        counts = [Counter(row[pair] for row in rows if row[pair] is not None) for rows in tables]
        apart = sum(log_dirichlet_multinomial(of_one) for of_one in counts)
        together = log_dirichlet_multinomial(sum(counts, Counter()))
        assert gain == pytest.approx(apart - together, abs=1e-9)


def test_shared_links_are_those_whose_relation_tells_activities_apart():
    """The first pair overlaps in one and meets in the other, the last is the same in both."""
    one = [[("a", 0, 3), ("b", 2, 5), ("c", 9, 10), ("d", 11, 12)]] * 20
    other = [[("a", 0, 2), ("b", 2, 5), ("c", 9, 10), ("d", 11, 12)]] * 20
    parts = [IntervalSequences.from_lists(lists) for lists in (one, other)]
    assert score_shared_links(parts).structure == Structure([(0, 1)], 4)
    assert not score_shared_links(parts[:1]).structure.links


# the price of a link


@pytest.mark.parametrize("criterion", ["bic", "aic", "bic-published"])
def test_the_penalty_is_multiplied(criterion, rng):
    X = four_positions(rng)
    one, three = score_links(X, criterion), score_links(X, criterion, penalty=3.0)
    np.testing.assert_allclose(three.penalty, 3 * one.penalty, rtol=1e-12)
    np.testing.assert_array_equal(three.gain, one.gain)
    assert three.structure.links <= one.structure.links


def test_the_evidence_must_exceed_the_penalty(rng):
    X = four_positions(rng)
    one, three = score_links(X, "bdeu"), score_links(X, "bdeu", penalty=3.0)
    np.testing.assert_array_equal(one.penalty, 0)
    np.testing.assert_allclose(three.score, one.score - math.log(3), rtol=1e-12)
    parts = X[:10], X[10:]
    np.testing.assert_allclose(
        score_shared_links(parts, 3.0).score,
        score_shared_links(parts).score - math.log(3),
        rtol=1e-12,
    )


@pytest.mark.parametrize("penalty", [0, -1.0, float("nan"), "high"])
def test_penalty_is_positive(penalty, rng):
    X = four_positions(rng)
    with pytest.raises(ValueError, match="penalty=.* must be (a finite number, )?positive"):
        score_links(X, penalty=penalty)
    with pytest.raises(ValueError, match="penalty=.* must be (a finite number, )?positive"):
        score_shared_links([X], penalty=penalty)


def test_criterion_is_one_of_the_choices(rng):
    with pytest.raises(ValueError, match="'bic', 'bic-published', 'bdeu', 'aic'"):
        score_links(four_positions(rng), "mdl")


def pairs_of_intervals(rng, instances, depends):
    """Two intervals overlap, meet or part: by their actions nine times in ten, or by chance."""
    first, second, chance = rng.integers(0, 3, (3, instances))
    follows = (rng.random(instances) < 0.9) & depends
    gap = np.where(follows, (first + second) % 3, chance) - 1
    return IntervalSequences.from_lists(
        [
            [(f"a{a}", 0, 5), (f"a{b}", 5 + g, 20)]
            for a, b, g in zip(first.tolist(), second.tolist(), gap.tolist(), strict=True)
        ]
    )


@pytest.mark.statistical(false_alarm=1e-9)
@pytest.mark.parametrize("criterion", ["bic", "bdeu"])
def test_dependence_is_found_and_independence_too_as_data_grow(criterion, rng):
    """16 degrees of freedom cost 61 at N = 2000: chance alone gains so much once in 1e17."""
    linked, unlinked = [], []
    for instances in (500, 2000):
        linked.append(score_links(pairs_of_intervals(rng, instances, True), criterion).score[0])
        unlinked.append(score_links(pairs_of_intervals(rng, instances, False), criterion).score[0])
    assert min(linked) > 0 > max(unlinked)
    assert linked[1] > 2 * linked[0]


def test_control_aic_links_by_chance_more_often_than_bic(rng):
    X = pairs_of_intervals(rng, 500, False)
    assert score_links(X, "aic").score[0] > score_links(X, "bic").score[0] + 10


# what is returned


def test_table_of_candidates(rng):
    scores = score_links(four_positions(rng))
    table = scores.frame()
    assert len(table) == 6
    assert table["score"].is_monotonic_decreasing
    np.testing.assert_allclose(table["gain"] - table["penalty"], table["score"], rtol=1e-12)
    chosen = table[table["linked"]]
    links = set(zip(chosen["first"].tolist(), chosen["second"].tolist(), strict=True))
    assert links == scores.structure.links
    assert scores.structure.size == 4


@pytest.mark.parametrize("lists", [[], [[]], [[("a", 0, 1)]], [[], [("a", 0, 1), ("b", 0, 1)]]])
def test_few_data_link_nothing(lists):
    X = IntervalSequences.from_lists(lists)
    for criterion in ("bic", "bic-published", "aic", "bdeu"):
        scores = score_links(X, criterion)
        assert np.isfinite(scores.score).all()
        assert len(scores.gain) == scores.size * (scores.size - 1) // 2
    assert not score_shared_links([X]).structure.links


def test_later_positions_are_never_linked(rng, monkeypatch):
    monkeypatch.setattr(selection, "MOST_POSITIONS", 2)
    X = four_positions(rng)
    assert score_links(X).size == 2
    assert score_links(X).gain[0] == pytest.approx(cut(X, 2).gain[0], abs=1e-9)
    assert score_shared_links([X, X]).size == 2


def cut(X, size):
    return score_links(IntervalSequences.from_lists([rows[:size] for rows in X.to_lists()]))
