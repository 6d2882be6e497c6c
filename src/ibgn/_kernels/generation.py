"""Draw the nodes and the relations of a new instance.

Relations are drawn pair by pair, each among those that the pairs drawn before leave open, linked
or not. They form one upper triangle, relations (k, k), with UNKNOWN elsewhere.
"""

import numpy as np

from ibgn._arrays import Bools, Bytes, Codes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.links import fallback_row, find, pair_key, without_tie
from ibgn._kernels.nodes import draw
from ibgn._kernels.pairs import ALL, is_linked

UNKNOWN = 255


@kernel
def draw_nodes(
    length: int, concentration: float, emission: Floats, rng: np.random.Generator
) -> tuple[Ints, Codes]:
    """Table and action of each node; emission (length, actions), one row per table.

    Uses one random number for the table of each node but the first, and one for its action.
    """
    seat, action = np.zeros(length, np.int64), np.zeros(length, np.int32)
    weights = np.zeros(length + 1)  # nodes at each open table, then that of opening one
    opened = 0
    for n in range(length):
        weights[opened] = concentration
        z = draw(weights[: opened + 1], rng) if n else 0
        if z == opened:
            weights[opened] = 0.0
            opened += 1
        weights[z] += 1.0
        seat[n], action[n] = z, draw(emission[z], rng)
    return seat, action


@kernel
def left_open(relations: Bytes, i: int, j: int, composition: Bytes) -> int:
    """Set of relations of i to j that all intervals between them leave open.

    The relations of i to those between, and of those to j, hold together, so the set is never
    empty; a single relation that is left stays.
    """
    allowed = ALL
    for m in range(i + 1, j):
        allowed &= composition[1 << relations[i, m], 1 << relations[m, j]]
        if allowed & (allowed - 1) == 0:
            break
    return allowed


@kernel
def draw_among(probs: Floats, allowed: int, rng: np.random.Generator) -> int:
    """One of the relations allowed, by their probabilities; probs (7,).

    One random number, and none where a single relation is allowed.
    """
    weights, member = np.zeros(7), np.zeros(7, np.int64)
    size = 0
    for r in range(7):
        if allowed >> r & 1:
            weights[size], member[size] = probs[r], r
            size += 1
    return int(member[draw(weights[:size], rng)]) if size > 1 else int(member[0])


@kernel
def draw_relations(
    action: Codes,
    links: Bools,
    beyond: int,
    actions: int,
    ties: bool,
    keys: Ints,
    known: Floats,
    unknown: Floats,
    composition: Bytes,
    rng: np.random.Generator,
) -> Bytes:
    """Relations of all pairs of an instance with these actions -> (k, k).

    links (size, size), beyond: which pairs are linked. ties: whether `equals` is possible where
    actions descend. keys (rows,), known (rows, 7): sorted keys of pairs and their probabilities;
    unknown (256, 7): of those with any other key, by `fallback_row`.
    """
    k = len(action)
    relations = np.full((k, k), UNKNOWN, np.uint8)
    for j in range(1, k):
        for i in range(j - 1, -1, -1):
            allowed = left_open(relations, i, j, composition)
            if not ties:
                allowed = without_tie(allowed, action[i], action[j], actions)
            linked = is_linked(links, beyond, i, j)
            key = pair_key(action[i], action[j], allowed, linked, actions)
            row = find(keys, key)
            probs = known[row] if row >= 0 else unknown[fallback_row(key, actions)]
            relations[i, j] = draw_among(probs, allowed, rng)
    return relations
