"""Plain twins of the kernels in _kernels/chains.py, straight from the definitions."""

import itertools
import math

import numpy as np


def assign_tracks(offsets, start, end, tracks):
    chosen = []
    for begin, stop in itertools.pairwise(offsets):
        until = dict.fromkeys(range(tracks or stop - begin), -math.inf)
        for n in range(begin, stop):
            free = [h for h in until if until[h] <= start[n]]
            chosen.append(free[0] if free else min(until, key=until.get))
            until[chosen[-1]] = end[n]
    return np.array(chosen, np.int64)


def find_state(slots, memories, last, row, chain):
    """Without hashing: any slot of the state, or any empty one."""
    for slot, number in enumerate(slots):
        if number >= 0 and last[number] == chain and list(memories[number]) == list(row):
            return slot, number
    return list(slots).index(-1), -1


def after(states, action, switch, step):
    """What {(last chain, last actions): probability} becomes by one more action."""
    new = {}
    for (chain, said), p in states.items():
        for h in range(len(said)):
            state = h, (*said[:h], int(action), *said[h + 1 :])
            value = p * math.exp(switch[chain, h]) * math.exp(step[said[h], action])
            new[state] = new.get(state, 0.0) + value
    return new


def say(memories, last, log_prob, action, switch, step):
    rows = zip(last.tolist(), memories.tolist(), log_prob.tolist(), strict=True)
    states = {(chain, tuple(said)): math.exp(p) for chain, said, p in rows}
    new = after(states, action, switch, step)
    return (
        np.array([said for _, said in new], np.int32),
        np.array([chain for chain, _ in new]),
        np.log(list(new.values())),
    )


def log_sum(values):
    return math.log(sum(math.exp(value) for value in values))


def chain_terms(offsets, action, switch, step, beam, most):
    chains, actions = switch.shape[1], step.shape[1]
    terms = []
    for begin, stop in itertools.pairwise(offsets):
        states = {(chains, (actions,) * chains): 1.0}
        for n in range(begin, stop):
            if action[n] >= actions:
                terms.append(0.0)
                continue
            if len(states) * chains > most:
                terms += [math.nan] * (stop - n)
                break
            states = after(states, action[n], switch, step)
            terms.append(math.log(sum(states.values())))
            best = sorted(states, key=lambda state: -states[state])[: beam or None]
            total = sum(states[state] for state in best)
            states = {state: states[state] / total for state in best}
    return np.array(terms)
