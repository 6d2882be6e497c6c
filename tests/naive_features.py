"""Plain twins of the kernels of features, interval by interval and pair by pair."""

from collections import Counter
from itertools import pairwise

import numpy as np

from naive import relation_of

RELATIONS = 7


def find_spans(offsets, start, end):
    spans = []
    for first, stop in pairwise(offsets):
        times = start[first:stop].tolist() + end[first:stop].tolist()
        spans.append((min(times), max(times)) if times else (0.0, 1.0))
    return np.array(spans, float).reshape(-1, 2)


def sample_actions(cell, start, end, cells, samples):
    instants = (np.arange(samples) + 0.5) / samples
    running = np.zeros((cells, samples))
    for c, s, e in zip(cell, start, end, strict=True):
        running[c] += (s <= instants) & (instants < e)
    return running


def occupy_bins(cell, start, end, cells, bins):
    going_on = np.zeros((cells, bins))
    for c, s, e in zip(cell, start, end, strict=True):
        for b in range(bins):
            shared = min(e, (b + 1) / bins) - max(s, b / bins)
            going_on[c, b] += bins * max(shared, 0)
    return going_on


def relate_actions(cell, start, end, counts, ended, going_on, horizon):
    for i in range(len(cell)):
        for j in range(i + 1, min(len(cell), i + horizon + 1)):
            counts[cell[i], cell[j], relation_of(start[i], end[i], start[j], end[j])] += 1


def enlarge(values, used, size):
    if size <= len(values):
        return values
    return np.concatenate([values[:used], np.zeros(max(size, 2 * len(values)) - used, int)])


def write_counts(counts, action, actions, keys, numbers, used):
    for place, number in np.ndenumerate(counts):
        if number:
            first, second, relation = place
            keys[used] = np.ravel_multi_index(
                (action[first], action[second], relation), (actions, actions, RELATIONS)
            )
            numbers[used] = number
            used += 1
    return used


def count_relations(offsets, rows, cell, start, end, action, actions, horizon):
    begins, keys, numbers = [0], [], []
    for first, stop in pairwise(offsets):
        counts = Counter(
            (int(action[cell[i]]) * actions + int(action[cell[j]])) * RELATIONS
            + relation_of(start[i], end[i], start[j], end[j])
            for i in range(first, stop)
            for j in range(i + 1, min(stop, i + horizon + 1))
        )
        keys += sorted(counts)
        numbers += [counts[key] for key in sorted(counts)]
        begins.append(len(keys))
    return np.array(begins), np.array(keys, int), np.array(numbers, int)
