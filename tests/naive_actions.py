"""Plain twins of the kernels that look at the intervals of each action of an instance."""

from itertools import pairwise

import numpy as np


def order_by_action(offsets, action):
    order = []
    for begin, stop in pairwise(offsets):
        order += sorted(range(begin, stop), key=lambda i: action[i])
    return np.array(order, np.int64)


def covered_instants(edges, first, last, instants):
    found = []
    for run, (begin, stop) in enumerate(pairwise(edges)):
        covered = {t for i in range(begin, stop) for t in range(first[i], last[i])}
        assert all(t < instants for t in covered)
        found += [(run, t) for t in sorted(covered)]
    return tuple(np.array(found, np.int64).reshape(-1, 2).T)
