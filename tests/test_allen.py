"""The algebra: relations, composition and sets of relations."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ibgn import allen
from ibgn.allen import Converse, Relation
from strategies import intervals

SYMBOLS = "bmoscfe"


def brute_force_triangles():
    """All relations of three ordered intervals, by the definitions of the paper."""
    definitions = {
        "b": lambda s, e, t, f: e < t,
        "m": lambda s, e, t, f: e == t,
        "o": lambda s, e, t, f: s < t < e < f,
        "s": lambda s, e, t, f: s == t and e < f,
        "c": lambda s, e, t, f: s < t and f < e,
        "f": lambda s, e, t, f: s < t and e == f,
        "e": lambda s, e, t, f: s == t and e == f,
    }

    def name(i, j):
        (symbol,) = [symbol for symbol, holds in definitions.items() if holds(*i, *j)]
        return symbol

    ordered = sorted(itertools.combinations(range(6), 2))
    triples = itertools.combinations_with_replacement(ordered, 3)
    return {(name(i, j), name(j, k), name(i, k)) for i, j, k in triples}


def test_there_are_75_triangles():
    found = {tuple(r.symbol for r in triangle) for triangle in allen.TRIANGLES}
    assert found == brute_force_triangles()
    assert len(found) == 75


def test_composition_is_that_of_the_golden_file(shared):
    golden = json.loads((shared / "golden" / "composition.json").read_text())
    assert golden == {a: {b: allen.symbols(allen.compose(a, b)) for b in SYMBOLS} for a in SYMBOLS}


def test_composition_of_sets_is_the_union_over_members():
    single = [[allen.compose(a, b) for b in Relation] for a in Relation]
    for x, y in itertools.product(range(128), repeat=2):
        union = 0
        for a, b in itertools.product(allen.members(x), allen.members(y)):
            union |= single[a][b]
        assert allen.COMPOSITION[x, y] == union


def test_composition_is_associative():
    table = allen.COMPOSITION
    x, y, z = np.ogrid[:128, :128, :128]
    np.testing.assert_array_equal(table[table[x, y], z], table[x, table[y, z]])


def test_projections_agree_with_the_triangles():
    """Each table holds a relation exactly if some triangle has it beside the other two."""
    for table, (x, y, z) in enumerate([(0, 1, 2), (0, 2, 1), (2, 1, 0)]):
        for a, b in itertools.product(Relation, repeat=2):
            third = {t[z] for t in allen.TRIANGLES if t[x] == a and t[y] == b}
            assert set(allen.members(int(allen.PROJECTIONS[table, a.mask, b.mask]))) == third


def test_reachable_constraints():
    """Closing the relations under composition and intersection gives ten of the 13 sets.

    R itself is what neighbours have; bm and bmoscf come about where links are missing.
    """
    reached = {r.mask for r in Relation}
    while True:
        pairs = list(itertools.product(reached, repeat=2))
        grown = reached | {allen.compose(x, y) for x, y in pairs} | {x & y for x, y in pairs} - {0}
        if grown == reached:
            break
        reached = grown
    others = {allen.relation_set(name) for name in ("bm", "bmoscf", "bmoscfe")}
    assert reached | others == set(allen.CONSTRAINTS.values())
    assert len(reached) == 10
    assert all(allen.symbols(mask) == name for name, mask in allen.CONSTRAINTS.items())


def test_nothing_of_the_algebra_can_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        allen.PROJECTIONS[0, 0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        allen.COMPOSITION_OF_ALL[0, 0] = 1
    with pytest.raises(TypeError):
        allen.CONSTRAINTS["x"] = 1


@given(intervals(), intervals())
def test_relation_is_unique_and_its_converse_holds_backwards(first, second):
    held = allen.relation(first, second)
    assert allen.relation(second, first) is held.converse
    assert held.converse.converse is held
    assert isinstance(held, Relation) == (first <= second)


@given(st.tuples(intervals(), intervals(), intervals()).map(sorted))
def test_composition_contains_the_third_relation(three):
    i, j, k = three
    allowed = allen.compose(allen.relation(i, j), allen.relation(j, k))
    assert allen.relation(i, k).mask & allowed


@given(intervals(), intervals(), st.integers(-1000, 1000), st.integers(1, 64))
def test_shifting_and_scaling_time_changes_nothing(first, second, shift, scale):
    moved = [((s + shift) * scale, (e + shift) * scale) for s, e in (first, second)]
    assert allen.relation(*moved) is allen.relation(first, second)


ANY = [*Relation, *Converse]


@given(st.lists(st.tuples(intervals(6), intervals(6)), max_size=20))
def test_many_relations_at_once_are_those_of_each_pair(pairs):
    """Times are small, so that end points often coincide."""
    first, second = (np.reshape([pair[side] for pair in pairs], (-1, 2)).T for side in (0, 1))
    found = allen.relations_between(tuple(first), tuple(second))
    assert found.tolist() == [int(allen.relation(*pair)) for pair in pairs]


def test_many_relations_at_once_reach_all_thirteen():
    possible = list(itertools.combinations(np.arange(4.0), 2))
    start, end = np.array(possible).T
    found = allen.relations_between((start[:, None], end[:, None]), (start, end))
    assert found.tolist() == [[int(allen.relation(i, j)) for j in possible] for i in possible]
    assert set(found.ravel().tolist()) == set(range(13))


@given(intervals(), intervals(), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_many_relations_at_once_take_any_numbers(first, second, shift, scale):
    first, second = (tuple((t + shift) * scale for t in pair) for pair in (first, second))
    assume(first[0] < first[1] and second[0] < second[1])
    assert allen.relations_between(first, second) == allen.relation(first, second)


def test_composition_of_all_thirteen_extends_that_of_the_seven():
    """Forwards it says the same of forward relations; 409 triples are known from the literature."""
    table = allen.COMPOSITION_OF_ALL
    for r, s in itertools.product(Relation, repeat=2):
        assert table[r, s] & allen.ALL == table[r, s] == allen.compose(r, s)
    assert sum(int(cell).bit_count() for cell in table.ravel()) == 409


def test_composition_of_all_thirteen_and_its_converse():
    """i is t to k by way of j exactly where k is the converse to i by way of j."""
    table = allen.COMPOSITION_OF_ALL
    for r, s, t in itertools.product(ANY, repeat=3):
        forth, back = table[r, s], table[s.converse, r.converse]
        assert bool(forth >> int(t) & 1) == bool(back >> int(t.converse) & 1)
    assert any(table[r, s] != table[s, r] for r, s in itertools.product(ANY, repeat=2))


def test_equals_composed_with_any_is_that():
    for r in ANY:
        assert allen.COMPOSITION_OF_ALL[r, Relation.EQUALS] == 1 << int(r)
        assert allen.COMPOSITION_OF_ALL[Relation.EQUALS, r] == 1 << int(r)


@given(intervals(), intervals(), intervals())
def test_composition_of_all_thirteen_contains_the_third_relation(i, j, k):
    allowed = allen.COMPOSITION_OF_ALL[allen.relation(i, j), allen.relation(j, k)]
    assert allowed >> int(allen.relation(i, k)) & 1


def test_names():
    assert "".join(r.symbol for r in Relation) == SYMBOLS
    assert [r.label for r in Relation][:3] == ["before", "meets", "overlaps"]
    assert Relation.EQUALS.converse is Relation.EQUALS
    assert {r.converse for r in Relation} == {*Converse, Relation.EQUALS}
    assert [c.symbol for c in Converse] == ["bi", "mi", "oi", "si", "ci", "fi"]


@pytest.mark.parametrize("given_as", ["bmo", 7, np.uint8(7), list(Relation)[:3]])
def test_ways_to_say_a_set(given_as):
    assert allen.relation_set(given_as) == 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: allen.relation_set(128), "from 0 to 127, got 128"),
        (lambda: allen.relation_set(-1), "from 0 to 127, got -1"),
        (lambda: allen.relation_set([1]), r"use Relation\(1\)"),
        (lambda: allen.compose("b", Converse.AFTER), "swap the two intervals and say before"),
        (lambda: allen.relation_set("bx"), "no relation has the symbol 'x'"),
        (lambda: allen.relation((0, 0), (0, 1)), "start=0, end=0"),
        (lambda: allen.relation((0, float("nan")), (0, 1)), "end=nan"),
    ],
)
def test_errors_say_what_was_found(call, message):
    with pytest.raises(ValueError, match=message):
        call()
