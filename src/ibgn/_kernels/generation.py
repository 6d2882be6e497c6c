"""Draw the actions and the relations of a new instance.

Relations are drawn pair by pair, each among those that the pairs drawn before leave open, linked
or not. They form one upper triangle, relations (k, k), with UNKNOWN elsewhere.
"""

import math

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
def draw_order(length: int, order: Floats, rng: np.random.Generator) -> Codes:
    """Actions, each given the one before -> (length,); order as in `walk_actions`."""
    chances, before = np.exp(order), order.shape[1]
    action = np.zeros(length, np.int32)
    for n in range(length):
        before = action[n] = draw(chances[before], rng)
    return action


@kernel
def walk_actions(
    action: Codes, order: Floats, occurrences: Floats, sweeps: int, rng: np.random.Generator
) -> Codes:
    """Actions after a Metropolis walk from these, two moves per interval and sweep -> (k,).

    Their probability is proportional to the product of order[action before, action], with the last
    row for the first, and of occurrences[action, number], with the last column for so many or more.
    Both are logarithms, order (actions + 1, actions) of probabilities that sum to one in each row.

    The first move draws an action by the one before it and accepts it by all else; the second
    exchanges two actions.
    """
    action, k = action.copy(), len(action)
    actions, most = order.shape[1], occurrences.shape[1] - 1
    chances, number = np.exp(order), np.zeros(actions, np.int64)
    for a in action:
        number[a] += 1
    for _ in range(sweeps * k):
        i = int(rng.random() * k)
        new, old = draw(chances[action[i - 1] if i else actions], rng), action[i]
        if new != old:
            change = occurrences[new, min(number[new] + 1, most)]
            change -= occurrences[new, min(number[new], most)]
            change += occurrences[old, min(number[old] - 1, most)]
            change -= occurrences[old, min(number[old], most)]
            if i + 1 < k:
                change += order[new, action[i + 1]] - order[old, action[i + 1]]
            if rng.random() < math.exp(min(change, 0.0)):
                action[i] = new
                number[new] += 1
                number[old] -= 1
        i, j = int(rng.random() * k), int(rng.random() * k)
        i, j = min(i, j), max(i, j)
        if action[i] != action[j]:
            before = log_order(action, order, i, j)
            action[i], action[j] = action[j], action[i]
            change = log_order(action, order, i, j) - before
            if rng.random() >= math.exp(min(change, 0.0)):
                action[i], action[j] = action[j], action[i]
    return action


@kernel
def log_order(action: Codes, order: Floats, i: int, j: int) -> float:
    """Sum over the steps to and from positions i < j; order as in `walk_actions`."""
    total = 0.0
    for n in range(i, min(j + 2, len(action))):
        if n < i + 2 or n > j - 1:
            total += order[action[n - 1] if n else order.shape[1], action[n]]
    return total


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
def leaving_apart(relation: int, apart: int, composition: Bytes) -> int:
    """Set of relations of i to j under which h may have one of the set `apart` to j.

    The relation is that of h to i.
    """
    kept = 0
    for r in range(7):
        if composition[1 << relation, 1 << r] & apart:
            kept |= 1 << r
    return kept


@kernel
def draw_among(probs: Floats, allowed: int, sharpness: float, rng: np.random.Generator) -> int:
    """One of the relations allowed, by powers of their probabilities; probs (7,).

    One random number, and none where a single relation is allowed.
    """
    weights, member = np.zeros(7), np.zeros(7, np.int64)
    size = 0
    for r in range(7):
        if allowed >> r & 1:
            weights[size], member[size] = probs[r] ** sharpness, r
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
    apart: Bytes,
    sharpness: float,
    rng: np.random.Generator,
) -> Bytes:
    """Relations of all pairs of an instance with these actions -> (k, k).

    links (size, size), beyond: which pairs are linked. ties: whether `equals` is possible where
    actions descend. keys (rows,), known (rows, 7): sorted keys of pairs and their probabilities;
    unknown (256, 7): of those with any other key, by `fallback_row`. apart (actions,): set
    of relations that intervals of an action may have to each other: all, before and meets, or
    before. sharpness: power of probabilities.

    Intervals that are kept apart follow each other, so the last one before j ends last. It must end
    before j starts, which pairs of j with intervals after it must leave possible: then a relation
    is always left, as j can start later than all.
    """
    k = len(action)
    relations = np.full((k, k), UNKNOWN, np.uint8)
    last = np.full(actions, -1, np.int64)
    for j in range(k):
        h = last[action[j]] if apart[action[j]] != ALL else -1
        last[action[j]] = j
        for i in range(j - 1, -1, -1):
            constraint = left_open(relations, i, j, composition)
            if not ties:
                constraint = without_tie(constraint, action[i], action[j], actions)
            linked = is_linked(links, beyond, i, j)
            key = pair_key(action[i], action[j], constraint, linked, actions)
            row = find(keys, key)
            probs = known[row] if row >= 0 else unknown[fallback_row(key, actions)]
            allowed = constraint
            if i == h:
                allowed &= apart[action[j]]
            elif i > h >= 0:
                allowed &= leaving_apart(relations[h, i], apart[action[j]], composition)
            relations[i, j] = draw_among(probs, allowed, sharpness, rng)
    return relations
