"""Decision trees as arrays, and what they say about instances that they have not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ibgn._arrays import Array, Bools, Floats, Ints
from ibgn._kernels import trees as kernels
from ibgn.declarations import FLOAT, INT, is_finite, stored

__all__ = ["Forest"]

CELLS_AT_ONCE = 1 << 24  # numbers of rows that are made dense together
ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Forest:
    """Decision trees with the activities of their leaves; see `ibgn._kernels.trees.vote`.

    Parameters
    ----------
    roots : (trees,) first node of each tree
    feature, threshold, children : (nodes,), (nodes,), (nodes, 2) what each node asks, -1 for a
        leaf, and where it leads
    offsets, label, share : activities and their shares in each leaf
    """

    roots: Ints = stored(INT, "trees")
    feature: Ints = stored(INT, "nodes", holds=lambda value: (value >= -1).all())
    threshold: Floats = stored(FLOAT, "nodes", holds=is_finite)
    children: Ints = stored(INT, "nodes", 2)
    offsets: Ints = stored(INT, "nodes+1")
    label: Ints = stored(INT, "entries", holds=lambda value: (value >= 0).all())
    share: Floats = stored(FLOAT, "entries", holds=lambda v: ((v >= 0) & (v <= 1)).all())

    @classmethod
    def of(cls, trees: Sequence[Any]) -> "Forest":
        """From fitted trees of scikit-learn that all know the same activities, in their order."""
        parts = [tree.tree_ for tree in trees]
        sizes = np.array([part.node_count for part in parts])
        roots = np.cumsum(sizes) - sizes
        links = [
            np.column_stack([part.children_left, part.children_right]) + root
            for part, root in zip(parts, roots.tolist(), strict=True)
        ]
        feature = np.concatenate([part.feature for part in parts]).astype(np.int64)
        leaf = feature < 0
        node, label, share = [], [], []
        for tree, root in zip(trees, roots.tolist(), strict=True):
            values = tree.tree_.value[:, 0, :]
            values = values / values.sum(axis=1, keepdims=True)
            at, code = np.nonzero(values * (tree.tree_.feature < 0)[:, None])
            node.append(at + root)
            label.append(code)
            share.append(values[at, code])
        return cls(
            roots,
            np.where(leaf, -1, feature),
            np.where(leaf, 0.0, np.concatenate([part.threshold for part in parts])),
            np.where(leaf[:, None], 0, np.concatenate(links)),
            np.searchsorted(np.concatenate(node), np.arange(len(feature) + 1)),
            np.concatenate(label).astype(np.int64),
            np.minimum(np.concatenate(share), 1.0),
        )

    def vote(self, rows: Array, activities: int, asked: Bools | None = None) -> Floats:
        """(n, activities) sum of the votes of the trees that are asked, by default all.

        Parameters
        ----------
        rows : (n, features) an array, or a sparse one
        activities : their number
        asked : (trees, n) which tree is asked about which row
        """
        votes = np.zeros((rows.shape[0], activities))
        at_once = min(ROWS_AT_ONCE, max(1, CELLS_AT_ONCE // max(1, rows.shape[1])))
        for first in range(0, rows.shape[0], at_once):
            chosen = slice(first, first + at_once)
            part = rows[chosen]
            # scikit-learn compares single precision
            part = np.asarray(part.toarray() if hasattr(part, "toarray") else part, np.float32)
            every = np.ones((len(self.roots), len(part)), bool)
            votes[chosen] = kernels.vote(
                part,
                self.roots,
                self.feature,
                self.threshold,
                self.children,
                self.offsets,
                self.label,
                self.share,
                every if asked is None else np.ascontiguousarray(asked[:, chosen]),
                activities,
            )
        return votes

    def agrees(self) -> bool:
        """Whether every path ends in a leaf, as kernels trust it: children come after parents."""
        nodes, inner = np.arange(len(self.feature)), self.feature >= 0
        ordered = (np.diff(self.offsets) >= 0).all() and self.offsets[0] == 0
        below = (self.children > nodes[:, None]) & (self.children < len(nodes))
        rooted = ((self.roots >= 0) & (self.roots < len(nodes))).all()
        whole = len(self.offsets) and self.offsets[-1] == len(self.label)
        if not (ordered and whole and rooted and below[inner].all()):
            return False
        entries = np.repeat(nodes, np.diff(self.offsets))
        voted = np.bincount(entries, self.share, minlength=len(nodes))
        return bool(np.allclose(voted[~inner], 1, atol=1e-6))  # a leaf that says nothing gives NaN
