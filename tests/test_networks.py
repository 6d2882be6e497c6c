"""Relations and constraints of instances: golden figures, invariances, memory, jobs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import IntervalSequences, Structure, count_pairs, networks, read_networks
from ibgn.allen import CONSTRAINTS, symbols
from strategies import sequences, structures

NAMES = ["AUSLAN2", "BIMACS", "BLOCKS", "CAD120"]


@pytest.fixture(params=NAMES)
def golden(request, shared, read_shared):
    X, y = read_shared(request.param)
    return X, y, json.loads((shared / "golden" / f"{request.param}.json").read_text())


def test_golden_counts(golden):
    X, y, figures = golden
    assert (len(X), len(set(y)), len(X.actions)) == (
        figures["instances"],
        figures["activities"],
        figures["actions"],
    )
    counted = count_pairs(X)
    assert {name: n for name, n in counted.relations.items() if n} == figures["relations"]
    short = count_pairs(X[X.lengths <= 60])
    assert short.constraints == figures["constraints_full_up_to_60_intervals"]


def test_golden_example(golden):
    X, _, figures = golden
    example = figures["example"]
    one = X[X.ids == example["instance"]]
    found = list(zip(one.start.tolist(), one.end.tolist(), one.action.tolist(), strict=True))
    assert found == [tuple(row) for row in example["intervals"]]
    network = read_networks(one)[0]
    pairs = {(i, j): f"{i + 1},{j + 1}" for i, j, _ in network.links()}
    relations = {pairs[i, j]: held.symbol for i, j, held in network.links()}
    assert relations == example["relations"]
    constraints = {name: symbols(int(network.constraints[p])) for p, name in pairs.items()}
    assert constraints == example["constraints_full"]


@given(sequences(), structures())
def test_constraints_contain_the_relation_and_are_among_the_thirteen(X, structure):
    found = read_networks(X, structure)
    assert ((found.constraint >> found.relation) & 1).all()
    assert set(found.constraint.tolist()) <= set(CONSTRAINTS.values())


@pytest.mark.own_seed(reason="whether a rare constraint occurs is left to chance")
def test_all_thirteen_constraints_occur(rng):
    """On random structures each of the 13 sets is met, so none of them is idle."""
    met = set()
    for largest in [4, 8] * 400:
        start, duration = rng.integers(0, largest, 7), rng.integers(1, largest, 7)
        rows = [("a", s, s + d) for s, d in zip(start, duration, strict=True)]
        links = [(i, j) for j in range(7) for i in range(j) if rng.random() < 0.4]
        met |= set(read_networks([rows], links).constraint.tolist())
    assert met == set(CONSTRAINTS.values())


@given(sequences(), structures(), st.integers(-100, 100), st.integers(1, 16))
def test_shifting_and_scaling_time_changes_nothing(X, structure, shift, scale):
    moved = IntervalSequences(
        X.offsets, X.action, (X.start + shift) * scale, (X.end + shift) * scale, X.actions
    )
    before, after = read_networks(X, structure), read_networks(moved, structure)
    np.testing.assert_array_equal(before.relation, after.relation)
    np.testing.assert_array_equal(before.constraint, after.constraint)


@given(sequences(), structures())
def test_counts_of_parts_add_up_and_agree_with_the_pairs(X, structure):
    whole = count_pairs(X, structure)
    parts = count_pairs(X[: len(X) // 2], structure) + count_pairs(X[len(X) // 2 :], structure)
    np.testing.assert_array_equal(whole.counts, parts.counts)
    found = np.zeros((128, 7), np.int64)
    for network in read_networks(X, structure):
        for i, j, held in network.links():
            found[network.constraints[i, j], held] += 1
    np.testing.assert_array_equal(whole.counts, found)


def test_jobs_and_chunks_change_nothing(rng, monkeypatch):
    X = random_sequences(rng, instances=50, intervals=9)
    for structure in ("full", "chain", [(0, 3), (1, 2), (2, 8)]):
        monkeypatch.setattr(networks, "PAIRS_IN_FLIGHT", 10**9)
        whole = read_networks(X, structure)
        counts = count_pairs(X, structure).counts
        monkeypatch.setattr(networks, "PAIRS_IN_FLIGHT", 100)
        for n_jobs in (1, 2):
            parts = read_networks(X, structure, n_jobs=n_jobs)
            np.testing.assert_array_equal(whole.relation, parts.relation)
            np.testing.assert_array_equal(whole.constraint, parts.constraint)
            np.testing.assert_array_equal(count_pairs(X, structure, n_jobs=n_jobs).counts, counts)


def random_sequences(rng, instances, intervals):
    n = instances * intervals
    start, end = rng.integers(0, 40, n), rng.integers(1, 20, n)
    rows = list(zip(rng.choice(list("abc"), n).tolist(), start, start + end, strict=True))
    return IntervalSequences.from_lists(
        rows[d * intervals : (d + 1) * intervals] for d in range(instances)
    )


LONG = 20_000
STATUS = Path("/proc/self/status")
MEASURE = """
import re, numpy as np
from pathlib import Path
from ibgn import IntervalSequences, count_pairs, read_networks
def peak():  # of this process alone: getrusage also knows of the one that started it
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s*([0-9]+) kB", text)[1]) / 1024
start = np.sort(np.random.default_rng(0).random({k}))
X = IntervalSequences([0, {k}], np.zeros({k}), start, start + 0.1, ["a"])
work = lambda X: {work}
work(IntervalSequences([0, 3], [0] * 3, [0, 1, 2], [1, 2, 3], ["a"]))  # compile
before = peak()
found = work(X)
print(peak() - before, found)
"""


def megabytes_and_result(work):
    """In a process of its own, since kernels allocate where Python's own measure does not look."""
    if not (STATUS.exists() and "VmHWM" in STATUS.read_text()):
        pytest.skip("the system does not tell the peak of a process's memory")
    program = MEASURE.format(k=LONG, work=work)
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    megabytes, found = result.stdout.split()
    return float(megabytes), int(found)


@pytest.mark.parametrize(
    ("structure", "expected"),
    [("full", LONG * (LONG - 1) // 2), ("chain", LONG - 1), ([(0, 1), (5, 9)], 2)],
)
def test_a_very_long_instance_is_counted_without_its_matrix(structure, expected):
    megabytes, found = megabytes_and_result(f"count_pairs(X, {structure!r}).counts.sum()")
    assert found == expected
    assert megabytes < 20  # the upper half of a matrix of bytes would be 200


def test_control_all_pairs_of_a_very_long_instance_do_take_their_room():
    megabytes, found = megabytes_and_result("len(read_networks(X).relation)")
    assert found == LONG * (LONG - 1) // 2
    assert megabytes > 300


def test_matrices_of_one_network():
    found = read_networks([[("a", 0, 2), ("b", 1, 3)], [], [("a", 0, 1)]])
    assert len(found) == 3
    assert found[0].relations.tolist() == [[255, 2], [255, 255]]
    assert found[0].constraints.tolist() == [[0, 127], [0, 0]]
    assert [len(network) for network in found] == [2, 0, 1]
    assert len(found[-1]) == 1
    with pytest.raises(IndexError):
        found[3]


def test_structure_may_be_said_in_several_ways():
    one = [[("a", 0, 2), ("b", 1, 3), ("c", 2, 4)]]
    for structure in ("chain", [(0, 1), (1, 2)], Structure.chain()):
        links = read_networks(one, structure)[0].links()
        assert [(i, j) for i, j, _ in links] == [(0, 1), (1, 2)]
    with pytest.raises(ValueError, match="choose 'chain', 'full'"):
        read_networks(one, "tree")
