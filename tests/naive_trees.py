"""Plain twin of the kernel of trees: each row goes its way through each tree."""

import numpy as np


def vote(rows, roots, feature, threshold, children, offsets, label, share, asked, activities):
    def leaf(row, node):
        if feature[node] < 0:
            return node
        side = 0 if row[feature[node]] <= threshold[node] else 1
        return leaf(row, children[node, side])

    votes = np.zeros((len(rows), activities))
    for t, root in enumerate(roots):
        for d in np.flatnonzero(asked[t]):
            node = leaf(rows[d], root)
            inside = slice(offsets[node], offsets[node + 1])
            np.add.at(votes[d], label[inside], share[inside])
    return votes
