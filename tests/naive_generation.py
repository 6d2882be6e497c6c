"""Plain twins of the kernels that draw instances, and exact enumeration of what they can draw.

Twins have the names and parameters of the kernels and use the same random numbers. The
enumeration walks all choices of the twins with their probabilities.
"""

import itertools

import numpy as np

import naive
import naive_links
from ibgn.allen import COMPOSITION


def draw(weights, rng):
    total = 0.0
    for weight in weights:  # in order, as rounding depends on it
        total += weight
    left = rng.random() * total
    for choice, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return choice
    return len(weights) - 1


def seat_weights(seats, concentration):
    """Nodes at each open table, and the weight of opening the next; not for the first node."""
    opened = len(set(seats))
    return [float(seats.count(z)) for z in range(opened)] + [concentration]


def draw_nodes(length, concentration, emission, rng):
    seats, actions = [], []
    for n in range(length):
        seats.append(draw(seat_weights(seats, concentration), rng) if n else 0)
        actions.append(draw(emission[seats[n]].tolist(), rng))
    return np.array(seats, np.int64), np.array(actions, np.int32)


def log_step(steps, before, action):
    for step in range(steps.edges[before], steps.edges[before + 1]):
        if steps.action[step] == action:
            return steps.log_probs[step]
    return steps.usual[action] + steps.left[before]


def all_steps(steps):
    """(actions + 1, actions) log probability of each action after each, the last row of the first.

    The table that `Steps` stands for.
    """
    actions = range(len(steps.usual))
    return np.array([[log_step(steps, b, a) for a in actions] for b in [*actions, len(actions)]])


def draw_step(steps, before, rng):
    return draw(np.exp(all_steps(steps)[before]).tolist(), rng)


def draw_order(length, steps, rng):
    action = [len(steps.usual)]
    for _ in range(length):
        action.append(draw_step(steps, action[-1], rng))
    return np.array(action[1:], np.int32)


def log_order(action, steps, i, j):
    order = all_steps(steps)
    changed = {i, i + 1, j, j + 1} & set(range(len(action)))
    return sum(order[action[n - 1] if n else -1, action[n]] for n in sorted(changed))


def log_actions(action, order, occurrences):
    """Log probability of a sequence, up to a constant, as `walk_actions` defines it."""
    total = sum(order[b, a] for b, a in zip([-1, *action[:-1]], action, strict=True))
    for a, row in enumerate(occurrences):
        total += row[min(list(action).count(a), len(row) - 1)]
    return total


def walk_actions(action, steps, occurrences, sweeps, rng):
    action, k, order = action.copy(), len(action), all_steps(steps)

    def accept(other, proposed, replaced):
        change = log_actions(other, order, occurrences) - log_actions(action, order, occurrences)
        return rng.random() < np.exp(min(change + replaced - proposed, 0.0))

    for _ in range(sweeps * k):
        i = int(rng.random() * k)
        row = order[action[i - 1] if i else -1]
        other = action.copy()
        other[i] = draw(np.exp(row).tolist(), rng)
        if other[i] != action[i] and accept(other, row[other[i]], row[action[i]]):
            action = other
        i, j = int(rng.random() * k), int(rng.random() * k)
        other = action.copy()
        other[[i, j]] = action[[j, i]]
        if action[i] != action[j] and accept(other, 0.0, 0.0):
            action = other
    return action


def left_open(relations, i, j, composition):
    allowed = 127
    for m in range(i + 1, j):
        allowed &= int(composition[1 << int(relations[i, m]), 1 << int(relations[m, j])])
    return allowed


def leaving_apart(relation, apart, composition):
    """Relations whose composition with the first may be in the set."""
    return sum(
        1 << r for r in range(7) if int(composition[1 << int(relation), 1 << r]) & int(apart)
    )


def draw_among(probs, allowed, sharpness, rng):
    choices = [r for r in range(7) if allowed >> r & 1]
    if len(choices) == 1:
        return choices[0]
    return choices[draw([float(probs[r]) ** sharpness for r in choices], rng)]


def pair_order(k):
    """All pairs, (i, j) after every pair between i and j."""
    return [(i, j) for j in range(k) for i in reversed(range(j))]


def pair_probs(i, j, allowed, action, links, beyond, actions, ties, keys, known, unknown):
    """What the pair leaves open, and the probabilities of its relations."""
    linked = naive.is_linked(links, beyond, i, j)
    if not ties:
        allowed = naive_links.without_tie(allowed, action[i], action[j], actions)
    key = naive_links.pair_key(action[i], action[j], allowed, linked, actions)
    row = naive_links.find(keys, key)
    probs = known[row] if row >= 0 else unknown[naive_links.fallback_row(key, actions)]
    return allowed, probs


def draw_relations(
    action,
    links,
    beyond,
    actions,
    ties,
    keys,
    known,
    unknown,
    composition,
    apart,
    sharpness,
    rng,
):
    chances = links, beyond, actions, ties, keys, known, unknown
    relations = np.full((len(action), len(action)), 255, np.uint8)
    for i, j in pair_order(len(action)):
        constraint = left_open(relations, i, j, composition)
        constraint, probs = pair_probs(i, j, constraint, action, *chances)
        allowed = kept_apart(relations, i, j, constraint, action, apart, composition)
        assert allowed
        relations[i, j] = draw_among(probs, allowed, sharpness, rng)
    return relations


def kept_apart(relations, i, j, constraint, action, apart, composition):
    """Relations of the constraint that keep j apart from all other intervals of its action."""
    for h in range(j):
        if action[h] == action[j] and h == i:
            constraint &= int(apart[action[j]])
        elif action[h] == action[j] and h < i:
            constraint &= leaving_apart(relations[h, i], apart[action[j]], composition)
    return constraint


def rank_end_points(relations):
    """Compare all end points pairwise, by times that stand for each relation."""
    times = [(0, 1, 2, 3), (0, 1, 1, 2), (0, 2, 1, 3), (0, 1, 0, 2), (0, 3, 1, 2), (0, 2, 1, 2)]
    times += [(0, 1, 0, 1)]
    k = len(relations)
    below = {point: set() for point in itertools.product(range(k), range(2))}
    for i in range(k):
        below[i, 1].add((i, 0))
    for i, j in itertools.combinations(range(k), 2):
        four = dict(zip([(i, 0), (i, 1), (j, 0), (j, 1)], times[relations[i, j]], strict=True))
        for p, q in itertools.permutations(four, 2):
            if four[p] < four[q]:
                below[q].add(p)
    places = sorted({len(points) for points in below.values()})
    ranks = [[places.index(len(below[i, side])) for side in range(2)] for i in range(k)]
    return np.array(ranks, np.int64).reshape(k, 2)


def possible_networks(k):
    """Relations of all pairs, row by row, of k ordered intervals in all ways they can stand."""
    intervals = sorted(itertools.combinations(range(2 * k), 2))
    chosen = itertools.combinations_with_replacement(range(len(intervals)), k)
    table = [[naive.relation_of(*a, *b) if a <= b else None for b in intervals] for a in intervals]
    return {tuple(table[a][b] for a, b in itertools.combinations(some, 2)) for some in chosen}


def enumerate_relations(action, *chances, composition=COMPOSITION, apart=None, sharpness=1.0):
    """Probability of each network, relations row by row, that draw_relations can draw."""
    apart = np.full(int(max(action, default=0)) + 1, 127) if apart is None else apart
    k = len(action)
    relations = np.full((k, k), 255, np.uint8)
    order, upper = pair_order(k), np.triu_indices(k, 1)
    found = {}

    def walk(step, so_far):
        if step == len(order):
            network = tuple(relations[upper].tolist())
            found[network] = found.get(network, 0.0) + so_far
            return
        i, j = order[step]
        constraint = left_open(relations, i, j, composition)
        constraint, probs = pair_probs(i, j, constraint, action, *chances)
        probs = probs**sharpness
        allowed = kept_apart(relations, i, j, constraint, action, apart, composition)
        choices = [r for r in range(7) if allowed >> r & 1]
        total = sum(probs[r] for r in choices)
        for r in choices:
            relations[i, j] = r
            walk(step + 1, so_far * probs[r] / total)

    walk(0, 1.0)
    return found


def enumerate_nodes(length, concentration, emission):
    """Probability of each sequence of actions, summed over all seatings."""
    found = {}
    for seats in itertools.product(range(length), repeat=length):
        chance = 1.0
        for n, seat in enumerate(seats):
            weights = seat_weights(list(seats[:n]), concentration) if n else [1.0]
            chance *= weights[seat] / sum(weights) if seat < len(weights) else 0.0
        for actions in itertools.product(range(emission.shape[1]), repeat=length):
            emitted = np.prod([emission[z, a] for z, a in zip(seats, actions, strict=True)])
            found[actions] = found.get(actions, 0.0) + chance * emitted
    return found


def enumerate_actions(length, steps, occurrences):
    """Probability of each sequence of actions that `walk_actions` keeps."""
    order = all_steps(steps)
    sequences = list(itertools.product(range(order.shape[1]), repeat=length))
    weights = np.exp([log_actions(sequence, order, occurrences) for sequence in sequences])
    return dict(zip(sequences, (weights / weights.sum()).tolist(), strict=True))
