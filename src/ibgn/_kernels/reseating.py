"""Seating many nodes at once: the rest of an instance, or all instances; see `nodes` for arrays.

Nodes are seated in turn, each by its probability given those seated before it. The product of
the normalising sums is the weight of a seating: joint probability over probability of the
proposal. A proposal is accepted by the ratio of weights (an independence sampler), so the joint
stays invariant.
"""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.nodes import Codes, add_nodes, draw, remove_nodes


@kernel
def seat_in_turn(
    action: Codes,
    seat: Ints,
    first: int,
    known: bool,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    rng: np.random.Generator,
) -> float:
    """Seat nodes first, first + 1, ... of an instance, in place; returns the log weight.

    counts, totals: of all other nodes; those seated here are added. If the seats are known,
    nothing is drawn: it is their weight.
    """
    strength = prior.sum()
    here, weights = np.zeros(len(seat), np.int64), np.empty(len(seat))
    inverse = 1 / (totals[: len(seat)] + strength)  # divisions would take half of the time
    opened, value, product = 0, 0.0, 1.0
    for n in range(len(seat)):
        a = action[n]
        if n >= first:
            total = 0.0
            for z in range(opened + 1):
                share = here[z] if z < opened else concentration
                weights[z] = share * (counts[z, a] + prior[a]) * inverse[z]
                total += weights[z]
            product *= total / (n + concentration)
            if product < 1e-200:  # one logarithm for many factors
                value += math.log(product)
                product = 1.0
            if not known:
                seat[n] = draw(weights[: opened + 1], rng)
            counts[seat[n], a] += 1
            totals[seat[n]] += 1
            inverse[seat[n]] = 1 / (totals[seat[n]] + strength)
        here[seat[n]] += 1
        opened = max(opened, seat[n] + 1)
    return value + math.log(product)


@kernel
def reseat_rest(
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    rng: np.random.Generator,
) -> None:
    """Propose new seats for an instance from a random node on, and accept or reject, in place."""
    first = int(rng.random() * len(seat))
    proposed = seat.copy()
    settings = concentration, prior
    remove_nodes(action[first:], seat[first:], counts, totals)
    gain = seat_in_turn(action, proposed, first, False, counts, totals, *settings, rng)
    remove_nodes(action[first:], proposed[first:], counts, totals)
    gain -= seat_in_turn(action, seat, first, True, counts, totals, *settings, rng)
    if math.log(rng.random()) < gain:
        remove_nodes(action[first:], seat[first:], counts, totals)
        seat[:] = proposed
        add_nodes(action[first:], seat[first:], counts, totals)


@kernel
def seat_everyone(
    offsets: Ints,
    action: Codes,
    seat: Ints,
    order: Ints,
    known: bool,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    rng: np.random.Generator,
) -> float:
    """Seat these instances in this order, in place; returns the log weight.

    counts, totals: of those that sit already; those seated here are added.
    """
    value = 0.0
    for d in order:
        acts, mine = action[offsets[d] : offsets[d + 1]], seat[offsets[d] : offsets[d + 1]]
        value += seat_in_turn(acts, mine, 0, known, counts, totals, concentration, prior, rng)
    return value


@kernel
def restart(
    offsets: Ints,
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    spread: float,
    rng: np.random.Generator,
) -> float:
    """Propose a concentration from its prior and seats for everyone; accept or reject, in place.

    Returns the concentration. Instances are seated in random order. spread: of the logarithm of
    the concentration, a normal around 0; none keeps the concentration as it is.
    """
    order = np.arange(len(offsets) - 1)
    for d in range(len(order) - 1, 0, -1):
        other = int(rng.random() * (d + 1))
        order[d], order[other] = order[other], order[d]
    proposed = math.exp(spread * rng.standard_normal()) if spread > 0 else concentration
    seats, of_tables, of_all = np.empty_like(seat), np.zeros_like(counts), np.zeros_like(totals)
    counts[:] = 0
    totals[:] = 0
    before = offsets, action, seat, order, True, counts, totals, concentration, prior, rng
    after = offsets, action, seats, order, False, of_tables, of_all, proposed, prior, rng
    if math.log(rng.random()) < seat_everyone(*after) - seat_everyone(*before):
        seat[:], counts[:], totals[:] = seats, of_tables, of_all
        return proposed
    return concentration
