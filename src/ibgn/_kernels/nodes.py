"""Tables of the nodes: the joint and its conditionals.

A node is an interval with its action. In each instance nodes are seated one by one at tables,
numbered in the order in which the instance opens them; table z has one distribution over actions
for all instances. seat (intervals,) holds the table of each node. counts (tables, actions) and
totals (tables,) hold the nodes of all instances at each table, by action and in total.
"""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel

Codes = np.ndarray[tuple[int], np.dtype[np.int32]]


@kernel
def count_tables(action: Codes, seat: Ints, tables: int, actions: int) -> tuple[Ints, Ints]:
    """Nodes at each table, by action (tables, actions) and in total (tables,)."""
    counts, totals = np.zeros((tables, actions), np.int64), np.zeros(tables, np.int64)
    add_nodes(action, seat, counts, totals)
    return counts, totals


@kernel
def add_nodes(action: Codes, seat: Ints, counts: Ints, totals: Ints) -> None:
    """Add nodes to the counts of their tables, in place."""
    for n in range(len(seat)):
        counts[seat[n], action[n]] += 1
        totals[seat[n]] += 1


@kernel
def remove_nodes(action: Codes, seat: Ints, counts: Ints, totals: Ints) -> None:
    """Remove nodes from the counts of their tables, in place."""
    for n in range(len(seat)):
        counts[seat[n], action[n]] -= 1
        totals[seat[n]] -= 1


@kernel
def log_joint(
    offsets: Ints, seat: Ints, counts: Ints, totals: Ints, concentration: float, prior: Floats
) -> float:
    """Log P(seats, actions): a Chinese restaurant in each instance, a Dirichlet at each table.

    sum_d log CRP(seats_d) + sum_z log DirichletMultinomial(counts_z; prior).
    """
    value = 0.0
    for d in range(len(offsets) - 1):
        value += log_seating(seat[offsets[d] : offsets[d + 1]], concentration)
    strength = prior.sum()
    for z in range(len(totals)):
        if totals[z]:
            value += math.lgamma(strength) - math.lgamma(strength + totals[z])
            for a in range(len(prior)):
                if counts[z, a]:
                    value += math.lgamma(prior[a] + counts[z, a]) - math.lgamma(prior[a])
    return value


@kernel
def log_seating(seat: Ints, concentration: float) -> float:
    """Log probability of the seats of one instance: the first opens table 0.

    alpha^(tables - 1) times the product of (nodes at it - 1)! over tables, over the product of
    (n - 1 + alpha) for n = 2 .. k; seats are numbered by opening.
    """
    k = len(seat)
    if k == 0:
        return 0.0
    at = np.zeros(k, np.int64)
    opened = 0
    for n in range(k):
        at[seat[n]] += 1
        opened = max(opened, seat[n] + 1)
    value = (opened - 1) * math.log(concentration)
    value -= math.lgamma(k + concentration) - math.lgamma(1 + concentration)
    for z in range(opened):
        value += math.lgamma(at[z])
    return value


@kernel
def move_weights(
    here: Ints,
    opened: int,
    a: int,
    counts: Ints,
    totals: Ints,
    prior: Floats,
    strength: float,
    weights: Floats,
) -> Floats:
    """Weights of the tables opened before a node that opens none itself, without the node.

    here (tables,): nodes of its instance at each table. Moving it among these renumbers nothing.
    Written to the first `opened` entries of weights, as this is done for every node.
    """
    for z in range(opened):
        weights[z] = here[z] * (counts[z, a] + prior[a]) / (totals[z] + strength)
    return weights[:opened]


@kernel
def draw(weights: Floats, rng: np.random.Generator) -> int:
    """A number with probability proportional to its weight."""
    left = rng.random() * weights.sum()
    for z in range(len(weights) - 1):
        left -= weights[z]
        if left < 0:
            return z
    return len(weights) - 1


@kernel
def reseat(seat: Ints, n: int, block: int) -> Ints:
    """Seats of an instance with node n moved to a block of the others, numbered by opening.

    block counts the tables that the other nodes occupy, in the order in which they open them;
    one more is a new table.
    """
    k = len(seat)
    moved = np.empty(k, np.int64)
    number_of = np.full(k + 1, -1)  # block of the others -> new number
    block_of = np.full(k, -1)  # old number -> block of the others
    blocks, opened = 0, 0
    for m in range(k):
        if m != n and block_of[seat[m]] < 0:
            block_of[seat[m]] = blocks
            blocks += 1
    for m in range(k):
        b = block if m == n else block_of[seat[m]]
        if number_of[b] < 0:
            number_of[b] = opened
            opened += 1
        moved[m] = number_of[b]
    return moved


@kernel
def seat_weights(
    action: Codes,
    seat: Ints,
    n: int,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
) -> Floats:
    """Log weights of all ways to seat node n of an instance again, including renumbering.

    action, seat (k,): of the instance; counts, totals: of all other instances. Entry b is for
    reseat(seat, n, b), the last one for a new table.
    """
    k = len(seat)
    size = np.zeros(k, np.int64)
    blocks = 0
    block_of = np.full(k, -1)
    for m in range(k):
        if m != n:
            if block_of[seat[m]] < 0:
                block_of[seat[m]] = blocks
                blocks += 1
            size[block_of[seat[m]]] += 1
    weights = np.empty(blocks + 1)
    for b in range(blocks + 1):
        moved = reseat(seat, n, b)
        weights[b] = math.log(size[b]) if b < blocks else math.log(concentration)
        weights[b] += log_actions(action, moved, counts, totals, prior)
    return weights


@kernel
def log_actions(action: Codes, seat: Ints, counts: Ints, totals: Ints, prior: Floats) -> float:
    """Log probability of the actions of an instance given its seats and all other instances."""
    strength = prior.sum()
    value, product = 0.0, 1.0
    for n in range(len(seat)):
        z, a = seat[n], action[n]
        product *= (counts[z, a] + prior[a]) / (totals[z] + strength)
        if product < 1e-200:  # one logarithm for many factors
            value += math.log(product)
            product = 1.0
        counts[z, a] += 1
        totals[z] += 1
    remove_nodes(action, seat, counts, totals)
    return value + math.log(product)
