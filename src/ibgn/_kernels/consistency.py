"""Path consistency of a network of relation sets."""

import numpy as np

from ibgn._arrays import Bytes, Ints
from ibgn._kernels.compile import kernel


@kernel
def close(network: Bytes, changed: Ints, projections: Bytes) -> Bytes:
    """Narrow every pair until each triangle allows each relation left in it, or nothing is left.

    network (k, k): the relation set of i < j at [i, j]. changed (q, 2): the pairs from which to
    spread; the others must be closed already. projections (3, 128, 128): of a triangle i < m < j,
    what (im, mj) leave of ij, what (im, ij) leave of mj, and what (ij, mj) leave of im. Returns
    the closed network, all zeros if it is impossible.
    """
    k = len(network)
    closed = network.copy()
    waiting = np.zeros((k, k), np.bool_)
    queue = np.empty((k * k + 1, 2), np.int64)  # a pair waits at most once, so the ring suffices
    head, tail = 0, 0
    for pair in changed:
        i, j = pair
        if not waiting[i, j]:
            waiting[i, j] = True
            queue[tail] = pair
            tail += 1
    while head != tail:
        i, j = queue[head]
        head = (head + 1) % len(queue)
        waiting[i, j] = False
        for m in range(k):
            if m in (i, j):
                continue
            for p, q, allowed in narrow_triangle(closed, i, j, m, projections):
                if allowed == closed[p, q]:
                    continue
                if allowed == 0:
                    return np.zeros_like(closed)
                closed[p, q] = allowed
                if not waiting[p, q]:
                    waiting[p, q] = True
                    queue[tail] = p, q
                    tail = (tail + 1) % len(queue)
    return closed


@kernel
def narrow_triangle(
    network: Bytes, i: int, j: int, m: int, projections: Bytes
) -> tuple[tuple[int, int, np.int64], tuple[int, int, np.int64]]:
    """The relation sets that pair i < j and a third position m leave for the other two sides."""
    if m < i:
        far = np.int64(network[m, j] & projections[0, network[m, i], network[i, j]])
        near = np.int64(network[m, i] & projections[2, network[m, j], network[i, j]])
        return (m, j, far), (m, i, near)
    if m < j:
        left = np.int64(network[i, m] & projections[2, network[i, j], network[m, j]])
        right = np.int64(network[m, j] & projections[1, network[i, m], network[i, j]])
        return (i, m, left), (m, j, right)
    far = np.int64(network[i, m] & projections[0, network[i, j], network[j, m]])
    near = np.int64(network[j, m] & projections[1, network[i, j], network[i, m]])
    return (i, m, far), (j, m, near)
