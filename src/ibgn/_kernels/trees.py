"""Votes of decision trees that are stored as arrays."""

import numpy as np

from ibgn._arrays import Array, Bools, Floats, Ints
from ibgn._kernels.compile import kernel


@kernel
def vote(
    rows: Array,
    roots: Ints,
    feature: Ints,
    threshold: Floats,
    children: Ints,
    offsets: Ints,
    label: Ints,
    share: Floats,
    asked: Bools,
    activities: int,
) -> Floats:
    """Sum of the shares of activities in the leaves that each row falls into -> (n, activities).

    Tree t begins at node roots[t]. A node asks whether a feature is at most a threshold, and leads
    to one of its two children (nodes, 2); a leaf has feature -1. Its activities and their shares
    are at offsets[node] to offsets[node + 1] of label and share. asked (trees, n): which trees
    are asked about which row.
    """
    votes = np.zeros((len(rows), activities))
    for d in range(len(rows)):
        for t in range(len(roots)):
            if not asked[t, d]:
                continue
            node = roots[t]
            while feature[node] >= 0:
                node = children[node, 0 if rows[d, feature[node]] <= threshold[node] else 1]
            for entry in range(offsets[node], offsets[node + 1]):
                votes[d, label[entry]] += share[entry]
    return votes
