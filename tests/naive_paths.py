"""Plain twins of the kernels of paths, see naive.py."""

from itertools import pairwise, product

import numpy as np


def likeliest_path(logits, cost):
    """All paths, one by one."""
    windows, states = logits.shape

    def weight(path):
        changes = sum(one != other for one, other in pairwise(path))
        return sum(logits[t, s] for t, s in enumerate(path)) - cost * changes

    return np.array(max(product(range(states), repeat=windows), key=weight), np.int64)
