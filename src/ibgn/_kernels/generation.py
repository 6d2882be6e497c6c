"""Draw the actions and the relations of a new instance.

Relations are drawn pair by pair, each among those that the pairs drawn before leave open, linked
or not. They form one upper triangle, relations (k, k), with UNKNOWN elsewhere.
"""

import math
from typing import NamedTuple

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


class Steps(NamedTuple):
    """Probabilities of each action after each: those of some steps, and a rule for all others.

    Parameters
    ----------
    edges : (actions + 2,) where the steps after each action begin, and last after none
    action, log_probs : (steps,) action of each step, ascending after the one before, and its log
        probability
    usual : (actions,) log of how frequent each action is
    left : (actions + 1,) log of a factor for each action before: any other step has the probability
        left * usual
    below : (actions + 1,) sum of how frequent all actions are that come before each
    """

    edges: Ints
    action: Ints
    log_probs: Floats
    usual: Floats
    left: Floats
    below: Floats


@kernel
def log_step(steps: Steps, before: int, action: int) -> float:
    """Log probability of an action after another, or after none."""
    begin, stop = steps.edges[before], steps.edges[before + 1]
    found = begin + find(steps.action[begin:stop], action)
    if found >= begin:
        return float(steps.log_probs[found])
    return float(steps.usual[action] + steps.left[before])


@kernel
def draw_step(steps: Steps, before: int, rng: np.random.Generator) -> int:
    """Draw an action after another, or after none, with one random number.

    The first action at which the sum of the probabilities of all up to it exceeds the number. They
    are summed step by step; between two steps the rule holds, and the action is found by bisection.
    """
    drawn, factor = rng.random(), math.exp(steps.left[before])
    total, usual = 0.0, 0.0  # of the steps passed: their probabilities, and those by the rule
    first, last = 0, len(steps.usual) - 1  # actions between two steps
    for step in range(steps.edges[before], steps.edges[before + 1]):
        action = steps.action[step]
        if drawn < total + factor * (steps.below[action] - usual):
            last = action - 1
            break
        chance = math.exp(steps.log_probs[step])
        if drawn < total + chance + factor * (steps.below[action] - usual):
            return int(action)
        total += chance
        usual += math.exp(steps.usual[action])
        first = action + 1
    sought = (drawn - total) / factor + usual
    found = int(np.searchsorted(steps.below, sought, side="right")) - 1
    return int(min(max(found, first), last))


@kernel
def draw_order(length: int, steps: Steps, rng: np.random.Generator) -> Codes:
    """Actions, each given the one before -> (length,)."""
    before, action = len(steps.usual), np.zeros(length, np.int32)
    for n in range(length):
        before = action[n] = draw_step(steps, before, rng)
    return action


@kernel
def walk_actions(
    action: Codes, steps: Steps, occurrences: Floats, sweeps: int, rng: np.random.Generator
) -> Codes:
    """Actions after a Metropolis walk from these, two moves per interval and sweep -> (k,).

    Their probability is proportional to the product of that of all steps and of
    occurrences[action, number], with the last column for so many or more, which are logarithms.

    The first move draws an action by the one before it and accepts it by all else; the second
    exchanges two actions.
    """
    action, k = action.copy(), len(action)
    actions, most = len(steps.usual), occurrences.shape[1] - 1
    number = np.zeros(actions, np.int64)
    for a in action:
        number[a] += 1
    for _ in range(sweeps * k):
        i = int(rng.random() * k)
        new, old = draw_step(steps, action[i - 1] if i else actions, rng), action[i]
        if new != old:
            change = occurrences[new, min(number[new] + 1, most)]
            change -= occurrences[new, min(number[new], most)]
            change += occurrences[old, min(number[old] - 1, most)]
            change -= occurrences[old, min(number[old], most)]
            if i + 1 < k:
                change += log_step(steps, new, action[i + 1]) - log_step(steps, old, action[i + 1])
            if rng.random() < math.exp(min(change, 0.0)):
                action[i] = new
                number[new] += 1
                number[old] -= 1
        i, j = int(rng.random() * k), int(rng.random() * k)
        i, j = min(i, j), max(i, j)
        if action[i] != action[j]:
            before = log_order(action, steps, i, j)
            action[i], action[j] = action[j], action[i]
            change = log_order(action, steps, i, j) - before
            if rng.random() >= math.exp(min(change, 0.0)):
                action[i], action[j] = action[j], action[i]
    return action


@kernel
def log_order(action: Codes, steps: Steps, i: int, j: int) -> float:
    """Sum over the steps to and from positions i < j."""
    total = 0.0
    for n in range(i, min(j + 2, len(action))):
        if n < i + 2 or n > j - 1:
            total += log_step(steps, action[n - 1] if n else len(steps.usual), action[n])
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
