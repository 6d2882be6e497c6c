"""Whether relations on some pairs of ordered intervals can hold together, and why not.

A network is a mapping from pairs of positions (i, j), i < j, counted from 0, to sets of
relations, or the square array of masks that `path_consistency` returns. Pairs that are not
named may have any relation; the intervals are ordered by (start, end) in any case.
"""

from collections.abc import Mapping
from graphlib import TopologicalSorter

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ibgn._kernels.consistency import close
from ibgn.allen import ALL, PROJECTIONS, Relation, RelationSet, members, relation_set

__all__ = ["is_possible", "path_consistency", "realise", "smallest_contradiction"]

Pair = tuple[int, int]
Network = Mapping[Pair, RelationSet] | npt.NDArray[np.uint8]
Masks = npt.NDArray[np.uint8]

# What each relation of i to j says about their end points: (left, right) for "left is not after
# right". Points are numbered start i 0, end i 1, start j 2, end j 3.
_NOT_AFTER: dict[Relation, tuple[Pair, ...]] = {
    Relation.BEFORE: ((1, 2),),
    Relation.MEETS: ((1, 2), (2, 1)),
    Relation.OVERLAPS: ((0, 2), (2, 1), (1, 3)),
    Relation.STARTS: ((0, 2), (2, 0), (1, 3)),
    Relation.CONTAINS: ((0, 2), (3, 1)),
    Relation.FINISHED_BY: ((0, 2), (1, 3), (3, 1)),
    Relation.EQUALS: ((0, 2), (2, 0), (1, 3), (3, 1)),
}


def path_consistency(network: Network, size: int | None = None) -> Masks | None:
    """Narrow every pair by all triangles, in both directions of every pair, until nothing changes.

    Parameters
    ----------
    network : mapping from (i, j) to a set of relations, or array of masks of shape (size, size)
    size : number of intervals, by default one more than the last position named

    Returns
    -------
    closed : (size, size) masks at [i, j] for i < j, or None if a pair has no relation left.
        Where each named pair has one relation, None is returned exactly for impossible networks:
        these relations together with the order are ORD-Horn, for which path consistency decides.

    Examples
    --------
    >>> from ibgn.allen import symbols
    >>> closed = path_consistency({(0, 1): "c", (1, 2): "f"})
    >>> symbols(closed[0, 2])
    'c'
    >>> path_consistency({(0, 1): "c", (0, 2): "f", (1, 3): "e"}) is None
    True
    """
    masks = _as_masks(network, size)
    closed = close(masks, _upper(len(masks)), PROJECTIONS)
    return closed if _is_alive(closed) else None


def is_possible(network: Network, size: int | None = None) -> bool:
    """Whether intervals ordered by (start, end) can have these relations.

    Examples
    --------
    >>> is_possible({(0, 1): "b", (1, 2): "b", (0, 2): "o"})
    False
    """
    return _settle_masks(_as_masks(network, size)) is not None


def realise(network: Network, size: int | None = None) -> npt.NDArray[np.int64] | None:
    """Intervals with these relations, as a (size, 2) array of starts and ends.

    They prove that a network is possible; None if it is not. Pairs that are not named get
    no equal end points unless the named ones force them.

    Examples
    --------
    >>> realise({(0, 1): "o", (1, 2): "m"})
    array([[0, 2],
           [1, 3],
           [3, 4]])
    """
    masks = _as_masks(network, size)
    settled = _settle_masks(masks)
    if settled is None:
        return None
    relations = {pair: members(int(settled[pair]))[0] for pair in _named_pairs(masks)}
    return _number_points(relations, len(masks))


def smallest_contradiction(network: Network, size: int | None = None) -> list[Pair] | None:
    """Find the fewest pairs whose relations cannot hold together; None if all can.

    Smallest by number: no contradiction in the network has fewer pairs. Found by implicit hitting
    sets: a contradiction must hit the complement of every set of pairs that holds together.

    Examples
    --------
    >>> smallest_contradiction({(0, 1): "b", (1, 2): "b", (0, 2): "o", (2, 3): "m"})
    [(0, 1), (0, 2)]
    """
    masks = _as_masks(network, size)
    pairs = _named_pairs(masks)
    complements: list[list[int]] = []
    while True:
        chosen = _smallest_hitting_set(complements, len(pairs))
        together = _grow(masks, pairs, chosen)
        if together is None:
            return [pairs[p] for p in chosen]
        if len(together) == len(pairs):
            return None
        complements.append(sorted(set(range(len(pairs))) - together))


def _as_masks(network: Network, size: int | None) -> Masks:
    """A (size, size) array of masks, all seven relations for pairs that are not named."""
    if isinstance(network, np.ndarray):
        if network.ndim != 2 or network.shape[0] != network.shape[1]:
            raise ValueError(f"a network is a square array of masks, got shape {network.shape}")
        if size not in (None, len(network)):
            raise ValueError(f"the network has {len(network)} positions, got size={size}")
        if network.size and not (network.min() >= 0 and network.max() <= ALL):
            raise ValueError("a set of relations is a mask from 0 to 127; the network has others")
        return np.triu(network, 1).astype(np.uint8)
    last = max((j for _, j in network), default=-1)
    if size is None:
        size = last + 1
    masks = np.triu(np.full((size, size), ALL, np.uint8), 1)
    for (i, j), relations in network.items():
        if not 0 <= i < j:
            raise ValueError(f"a pair is two positions i < j from 0 on, got ({i}, {j})")
        if j >= size:
            raise ValueError(f"pair ({i}, {j}) does not fit into size={size}; give a larger size")
        masks[i, j] = relation_set(relations)
    return masks


def _upper(size: int) -> npt.NDArray[np.int64]:
    return np.argwhere(np.triu(np.ones((size, size), bool), 1))


def _named_pairs(masks: Masks) -> list[Pair]:
    return [(int(i), int(j)) for i, j in _upper(len(masks)) if masks[i, j] != ALL]


def _is_alive(closed: Masks) -> bool:
    return len(closed) < 2 or bool(closed[0, 1])  # an impossible network is all zeros


def _settle_masks(masks: Masks) -> Masks | None:
    closed = close(masks, _upper(len(masks)), PROJECTIONS)
    return _settle(closed, _named_pairs(masks)) if _is_alive(closed) else None


def _settle(closed: Masks, pairs: list[Pair]) -> Masks | None:
    """Reduce each of the pairs of a closed network to one relation so that all hold together.

    The relations of a set are tried one by one. Path consistency decides networks of single
    relations, so backtracking is limited to choices within the sets.
    """
    pairs = [pair for pair in pairs if closed[pair] & (closed[pair] - 1)]
    if not pairs:
        return closed
    for member in members(int(closed[pairs[0]])):
        narrowed = _narrow(closed, pairs[0], member.mask)
        settled = None if narrowed is None else _settle(narrowed, pairs[1:])
        if settled is not None:
            return settled
    return None


def _narrow(closed: Masks, pair: Pair, mask: int) -> Masks | None:
    """Intersect one pair of a closed network with a mask, and close the network again."""
    left = closed[pair] & mask
    if left == closed[pair]:
        return closed
    if left == 0:
        return None
    network = closed.copy()
    network[pair] = left
    narrowed = close(network, np.array([pair]), PROJECTIONS)
    return narrowed if _is_alive(narrowed) else None


def _number_points(relations: Mapping[Pair, Relation], size: int) -> npt.NDArray[np.int64]:
    """Number the end points of possible relations in an order that they allow.

    Points that must be equal share a number, all others get their own. Points are the nodes of a
    graph of "not after"; equal ones are its strong components. Equal starts put their ends in
    order, which can make more points equal, so the graph grows until none do.
    """
    edges = [(2 * i, 2 * i + 1) for i in range(size)]
    edges += [(2 * i, 2 * i + 2) for i in range(size - 1)]
    for (i, j), member in relations.items():
        points = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        edges += [(points[left], points[right]) for left, right in _NOT_AFTER[member]]
    while True:
        left, right = np.array(edges, np.int64).reshape(-1, 2).T
        graph = coo_array((np.ones(len(left)), (left, right)), shape=(2 * size, 2 * size))
        component = connected_components(graph, connection="strong")[1].astype(np.int64)
        ties = {
            (2 * i + 1, 2 * i + 3)
            for i in range(size - 1)
            if component[2 * i] == component[2 * i + 2]
        }
        if ties <= set(edges):
            break
        edges += ties
    return _number(component, edges).reshape(size, 2)


def _number(component: npt.NDArray[np.int64], edges: list[Pair]) -> npt.NDArray[np.int64]:
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for point in component:
        sorter.add(int(point))
    for left, right in edges:
        if component[left] != component[right]:
            sorter.add(int(component[right]), int(component[left]))
    number = {node: rank for rank, node in enumerate(sorter.static_order())}
    return np.array([number[int(c)] for c in component], np.int64)


def _grow(masks: Masks, pairs: list[Pair], chosen: list[int]) -> set[int] | None:
    """Add pairs to the chosen ones while all hold together; None if the chosen ones do not."""
    together: list[Pair] = []
    grown = set()
    closed = np.triu(np.full_like(masks, ALL), 1)
    for p in chosen + [p for p in range(len(pairs)) if p not in set(chosen)]:
        narrowed = _narrow(closed, pairs[p], int(masks[pairs[p]]))
        if narrowed is not None and _settle(narrowed, [*together, pairs[p]]) is not None:
            closed = narrowed
            together.append(pairs[p])
            grown.add(p)
        elif p in chosen:
            return None
    return grown


def _smallest_hitting_set(sets: list[list[int]], size: int) -> list[int]:
    """Find the fewest of the numbers below size that meet every set; a small integer programme."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to load, and rarely needed

    if not sets:
        return []
    incidence = np.zeros((len(sets), size))
    for row, hit in enumerate(sets):
        incidence[row, hit] = 1
    solution = milp(
        np.ones(size),
        constraints=LinearConstraint(incidence, lb=1),
        bounds=Bounds(0, 1),
        integrality=np.ones(size, np.int64),
    )
    chosen: list[int] = np.flatnonzero(np.asarray(solution.x) > 0.5).tolist()
    return chosen
