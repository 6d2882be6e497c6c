"""Plain twins of the kernels in _kernels/reseating.py, straight from the definitions."""

import numpy as np

from naive_nodes import add_nodes, draw, log_actions, log_seating, remove_nodes


def seat_in_turn(action, seat, first, known, counts, totals, concentration, prior, rng):
    """Joint probability of what is seated, over the probability of the choices."""
    log_joint, log_chosen = 0.0, 0.0
    for n in range(first, len(seat)):
        at = np.bincount(seat[:n], minlength=max(seat[:n], default=-1) + 1)
        shares = np.append(at, concentration)
        held = counts[: len(shares)] + prior
        weights = shares * (held / held.sum(axis=1, keepdims=True))[:, action[n]]
        if not known:
            seat[n] = draw(weights, rng)
        log_chosen += np.log(weights[seat[n]] / weights.sum())
        log_joint += log_actions(action[n : n + 1], seat[n : n + 1], counts, totals, prior)
        add_nodes(action[n : n + 1], seat[n : n + 1], counts, totals)
    log_joint += log_seating(seat, concentration) - log_seating(seat[:first], concentration)
    return log_joint - log_chosen


def reseat_rest(action, seat, counts, totals, concentration, prior, rng):
    first = int(rng.random() * len(seat))
    remove_nodes(action[first:], seat[first:], counts, totals)
    log_weights, results = [], []
    for known in (False, True):
        result = seat.copy(), counts.copy(), totals.copy()
        arguments = action, result[0], first, known, *result[1:], concentration, prior, rng
        log_weights.append(seat_in_turn(*arguments))
        results.append(result)
    accepted = np.log(rng.random()) < log_weights[0] - log_weights[1]
    seat[:], counts[:], totals[:] = results[0 if accepted else 1]


def seat_everyone(offsets, action, seat, order, known, counts, totals, concentration, prior, rng):
    value = 0.0
    for d in order:
        part = slice(offsets[d], offsets[d + 1])
        arguments = action[part], seat[part], 0, known, counts, totals, concentration, prior, rng
        value += seat_in_turn(*arguments)
    return value


def restart(offsets, action, seat, counts, totals, concentration, prior, spread, rng):
    order = list(range(len(offsets) - 1))
    for d in reversed(range(1, len(order))):
        other = int(rng.random() * (d + 1))
        order[d], order[other] = order[other], order[d]
    proposed = np.exp(spread * rng.standard_normal()) if spread > 0 else concentration
    chance = rng.random()
    before, after = ((seat.copy(), np.zeros_like(counts), np.zeros_like(totals)) for _ in range(2))
    gain = seat_everyone(
        offsets, action, after[0], order, False, *after[1:], proposed, prior, rng
    ) - seat_everyone(
        offsets, action, before[0], order, True, *before[1:], concentration, prior, rng
    )
    if np.log(chance) < gain:
        seat[:], counts[:], totals[:] = after
        return proposed
    return concentration
