"""How far each hot path is from what bounds it: memory, random access, arithmetic or decisions.

Run with `python -m benchmarks.bounds`; part of `make bench`. Beside each path, the least that its
work takes on this machine is measured in the same run: to read all of its arrays once, to look up
as many entries of tables of the same size, to compute as many logarithms or exponentials, to decide
as often what no processor foresees. The largest of these bounds the path. One core; a piece of
instances at a time, as in learning and recognition, so that arrays are in its caches.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from unittest.mock import patch

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.growth import simulate
from benchmarks.record import Measured, show
from ibgn._kernels import tallies
from ibgn._kernels.instants import order_intervals
from ibgn.model import weights
from ibgn.model.learning import HeldOut
from ibgn.pieces import cut
from ibgn.structure import Structure
from ibgn.terms.cells import PairRule
from ibgn.terms.durations import log_durations
from ibgn.terms.occupancy import INSTANTS, running_instants
from ibgn.terms.stacked import Cells

LENGTH, ACTIVITIES, TERMS = 12, 10, 10
REPEATS = 9


class Path(NamedTuple):
    """A hot path, and the least that its work takes, by kind."""

    work: Callable[[], Any]
    units: int  # of what it works on
    unit: str
    bounds: Mapping[str, Callable[[], Any]]


@numba.njit
def increase(place: Any, table: Any) -> None:
    """Add to a table at these places."""
    for i in place:
        table[i] += 1.0


@numba.njit
def look_up(place: Any, table: Any) -> Any:
    """Sum of the rows of a table at these places."""
    total = np.zeros(table.shape[1])
    for i in place:
        row = table[i]
        for c in range(len(row)):
            total[c] += row[c]
    return total


@numba.njit(error_model="numpy")
def log_all(values: Any) -> Any:
    """Logarithms of all values."""
    logs = np.empty(len(values))
    for i in range(len(values)):
        logs[i] = tallies.log_from_one(values[i])
    return logs


@numba.njit
def choose(chosen: Any, place: Any) -> int:
    """Places of what is chosen: a decision for each that cannot be foreseen."""
    found = 0
    for i in range(len(chosen)):
        if chosen[i]:
            place[found] = i
            found += 1
    return found


def best(work: Callable[[], Any]) -> float:
    """Least processor time of some calls, after one that compiles."""
    work()
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def reading(*arrays: Any) -> Callable[[], Any]:
    """Sum of as many bytes as the arrays have."""
    values = np.ones(sum(array.nbytes for array in arrays) // 8)
    return values.sum


def make_paths() -> dict[str, Path]:
    """The hot paths on one piece of simulated instances."""
    X, y = simulate(10_000, LENGTH)
    X, y = X[(piece := cut(X)[0])], y[piece]
    actions, once, rng = len(X.actions), np.zeros(len(X), np.int64), np.random.default_rng(0)
    cells = Cells(y, ACTIVITIES, np.ones(len(X)))
    rule = PairRule(Structure.full())
    owner, key, relation = rule.open_pairs(X, actions)
    times = X.offsets, X.action, X.start, X.end
    numbers, running = log_durations(X, actions), running_instants(X, actions, INSTANTS)
    shape = np.abs(rng.normal(size=(1, actions, 4, ACTIVITIES + 2))) + 0.5
    table = rng.normal(size=(1, running.size, ACTIVITIES))
    counts, logs = np.zeros(ACTIVITIES * running.size), 1 + rng.random(len(numbers.value) * 12)
    scores = rng.normal(size=(len(X), TERMS, ACTIVITIES))
    held_out, prior = HeldOut(scores, y, np.ones(len(X))), np.zeros(ACTIVITIES)
    losses, flat, joint = count_losses(held_out, prior), scores.ravel(), scores[:, 0].copy()
    chosen, place = rng.random(len(key)) < 0.5, np.empty(len(key), np.int64)
    counted = cells.cell[running.owner] * running.size + running.code
    return {
        "relations of pairs": Path(
            lambda: rule.open_pairs(X, actions),
            len(key),
            "pair with a choice",
            {
                "memory": reading(*times, owner, key, relation),
                "decisions": lambda: choose(chosen, place),
            },
        ),
        "counts by activity": Path(
            lambda: running.by_cell(cells),
            len(counted),
            "outcome",
            {
                "memory": reading(running.owner, running.code),
                "random access": lambda: increase(counted, counts),
            },
        ),
        "scores of outcomes": Path(
            lambda: tallies.score_outcomes(running.owner, running.code, once, table),
            len(counted),
            "outcome",
            {
                "memory": reading(running.owner, running.code),
                "random access": lambda: look_up(running.code, table[0]),
            },
        ),
        "scores of durations": Path(
            lambda: tallies.score_numbers(*numbers[:3], once, shape),
            len(numbers.value),
            "interval",
            {
                "memory": reading(*numbers[:3]),
                "arithmetic": lambda: log_all(logs),
            },
        ),
        "order of rows": Path(
            lambda: order_intervals(X.offsets, X.owner, X.start, X.end, X.action),
            len(X.action),
            "interval",
            {"memory": reading(X.owner, X.start, X.end, X.action, X.owner)},
        ),
        "weights of terms": Path(
            lambda: weights.fit_weights(held_out, prior, usual=1.0),
            losses * len(X),
            "instance and step",
            {
                "memory": lambda: [flat.sum() for _ in range(2 * losses)],
                "arithmetic": lambda: [np.exp(joint) for _ in range(losses)],
            },
        ),
    }


def count_losses(held_out: HeldOut, prior: Any) -> int:
    """How often weights are tried until the best are found."""
    with patch.object(weights, "_log_sums", wraps=weights._log_sums) as log_sums:
        weights.fit_weights(held_out, prior, usual=1.0)
    return int(log_sums.call_count)


def measure() -> Measured:
    """How much of the time of each path its bound takes."""
    ratios, notes = {}, []
    with threadpool_limits(1):
        for name, path in make_paths().items():
            taken = best(path.work)
            bounds = {kind: best(work) for kind, work in path.bounds.items()}
            kind = max(bounds, key=lambda kind: bounds[kind])
            ratios[f"{name}, against its bound"] = bounds[kind] / taken  # which differs by machine
            each, least = (1e9 * seconds / path.units for seconds in (taken, bounds[kind]))
            notes.append(
                f"{name}: {each:.1f} ns per {path.unit}, bound by {kind}: {least:.1f} ns, "
                f"{taken / bounds[kind]:.1f} times the bound"
            )
    return Measured(ratios, notes=notes)


if __name__ == "__main__":
    print("\n".join(show({"bounds": measure()})))
