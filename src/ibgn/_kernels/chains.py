"""Interleaved chains: which chain each interval belongs to, and how likely the next action is.

A state of the forward pass is the chain of the last action, and the last action of each chain.
Equal states are merged by a hash table, and beyond a beam only the likeliest are kept.
"""

import math

import numpy as np

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels.compile import kernel

Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Memories = np.ndarray[tuple[int, int], np.dtype[np.int32]]


@kernel
def assign_tracks(offsets: Ints, start: Floats, end: Floats, tracks: int) -> Ints:
    """First track that is free when an interval starts, else the one that is free first.

    If tracks is 0, there are as many as intervals need.
    """
    track = np.empty(len(start), np.int64)
    for d in range(len(offsets) - 1):
        begin, stop = offsets[d], offsets[d + 1]
        free_from = np.full(tracks if tracks else stop - begin, -np.inf)
        for n in range(begin, stop):
            chosen = 0
            for h in range(len(free_from)):
                if free_from[h] <= start[n]:
                    chosen = h
                    break
                if free_from[h] < free_from[chosen]:
                    chosen = h
            track[n] = chosen
            free_from[chosen] = end[n]
    return track


@kernel
def find_state(
    slots: Ints, memories: Memories, last: Ints, row: Codes, chain: int
) -> tuple[np.int64, np.int64]:
    """Slot of a state in the hash table, and its number, -1 if it is new."""
    code = np.uint64(chain)
    for value in row:
        code = (code ^ np.uint64(value)) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    mask = np.int64(len(slots) - 1)
    slot = np.int64(code & np.uint64(mask))
    while slots[slot] >= 0:
        number = slots[slot]
        if last[number] == chain:
            same = True
            for h in range(len(row)):
                if memories[number, h] != row[h]:
                    same = False
                    break
            if same:
                return slot, number
        slot = (slot + 1) & mask
    return slot, np.int64(-1)


@kernel
def say(
    memories: Memories, last: Ints, log_prob: Floats, action: int, switch: Table, step: Table
) -> tuple[Memories, Ints, Floats]:
    """States after one more action, each with its log probability, in the order found."""
    count, chains = memories.shape
    size = 2
    while size < 2 * count * chains:
        size *= 2
    slots = np.full(size, -1, np.int64)
    new_memories = np.empty((count * chains, chains), np.int32)
    new_last = np.empty(count * chains, np.int64)
    new_log_prob = np.empty(count * chains)
    found = 0
    row = np.empty(chains, np.int32)
    for s in range(count):
        for h in range(chains):
            value = log_prob[s] + switch[last[s], h] + step[memories[s, h], action]
            row[:] = memories[s]
            row[h] = action
            slot, number = find_state(slots, new_memories, new_last, row, h)
            if number < 0:
                slots[slot] = found
                new_memories[found] = row
                new_last[found] = h
                new_log_prob[found] = value
                found += 1
            else:
                high = max(new_log_prob[number], value)
                low = min(new_log_prob[number], value)
                new_log_prob[number] = high + math.log1p(math.exp(low - high))
    return new_memories[:found], new_last[:found], new_log_prob[:found]


@kernel
def log_sum(values: Floats) -> float:
    """Logarithm of the sum of exponentials."""
    highest = values.max()
    total = 0.0
    for value in values:
        total += math.exp(value - highest)
    return float(highest + math.log(total))


@kernel
def chain_terms(
    offsets: Ints, action: Codes, switch: Table, step: Table, beam: int, most: int
) -> Floats:
    """Log probability of each action given those before it -> (intervals,).

    switch has one row per previous chain and one for none, step one row per previous action of the
    chain and one for none. An action from len(step) - 1 on is unknown: it adds 0 and changes
    nothing. A beam of 0 keeps all states; if there would be more than `most`, terms are NaN.
    """
    chains, actions = switch.shape[1], step.shape[1]
    terms = np.zeros(len(action))
    for d in range(len(offsets) - 1):
        memories = np.full((1, chains), actions, np.int32)
        last = np.full(1, chains, np.int64)
        log_prob = np.zeros(1)
        for n in range(offsets[d], offsets[d + 1]):
            if action[n] >= actions:
                continue
            if len(last) * chains > most:
                terms[n : offsets[d + 1]] = np.nan
                break
            memories, last, log_prob = say(memories, last, log_prob, action[n], switch, step)
            terms[n] = log_sum(log_prob)
            if 0 < beam < len(last):
                kept = np.argsort(-log_prob, kind="mergesort")[:beam]
                memories, last, log_prob = memories[kept], last[kept], log_prob[kept]
            log_prob = log_prob - log_sum(log_prob)  # so that terms are conditional
    return terms
