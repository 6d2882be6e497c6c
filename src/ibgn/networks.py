"""Relations and constraints of every instance under a structure.

The constraint of a pair of intervals is the set of relations that the intervals between them
leave open: the intersection, over every interval between, of the composition of the two sides.
A side is the relation that holds where the structure links that pair, and the constraint of that
pair where it does not.

A horizon limits the pairs to those of an interval and so many after it. The constraint of a pair
depends on the intervals between alone, so it is the same under any horizon.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import joblib
import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bytes, Floats
from ibgn._kernels import pairs as kernels
from ibgn.allen import COMPOSITION, Relation, symbols
from ibgn.horizon import PAIR, SHORTER, check_horizon, expect_pairs, pair_offsets, reach_of
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.structure import Structure

__all__ = [
    "Network",
    "Networks",
    "PairCounts",
    "count_pairs",
    "read_networks",
    "read_relations",
    "shared_networks",
    "sum_by_instance",
]

Matrix = npt.NDArray[Any]
Sequences = IntervalSequences | Iterable[Instance]
StructureLike = Structure | str | Iterable[tuple[int, int]]
T = TypeVar("T")

PAIRS_IN_FLIGHT = 1_000_000  # a thread works on instances of about this many pairs at a time
BEYOND = {
    "none": kernels.BEYOND_NONE,
    "chain": kernels.BEYOND_CHAIN,
    "full": kernels.BEYOND_FULL,
}
UNKNOWN = 255  # value on and below the diagonal of a matrix


@dataclass(frozen=True)
class Network:
    """Relations and constraints of one instance, as square matrices.

    Parameters
    ----------
    relations : (k, k) the relation of i < j at [i, j], and 255 elsewhere
    constraints : (k, k) its constraint, a mask, and 0 elsewhere
    linked : (k, k) whether the structure links the pair

    Examples
    --------
    >>> network = read_networks([[("boil", 0, 4), ("pour", 4, 6)]])[0]
    >>> [(i, j, relation.label) for i, j, relation in network.links()]
    [(0, 1, 'meets')]
    """

    relations: Bytes
    constraints: Bytes
    linked: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.relations)

    def links(self) -> Iterator[tuple[int, int, Relation]]:
        """Yield (i, j, relation) of each linked pair, row by row."""
        for i, j in np.argwhere(self.linked):
            yield int(i), int(j), Relation(int(self.relations[i, j]))


@dataclass(frozen=True)
class Networks:
    """Relations and constraints of many instances, pairs row by row in flat arrays.

    Parameters
    ----------
    offsets : (n+1,) where the pairs of each instance begin
    lengths : (n,) number of intervals of each
    relation : (pairs,) 0 to 6, see `ibgn.allen.Relation`
    constraint : (pairs,) masks of relations
    structure : which pairs are linked
    horizon : how many intervals after each it has pairs with; None for all

    Examples
    --------
    >>> networks = read_networks([[("boil", 0, 4), ("pour", 4, 6)]] * 2)
    >>> len(networks), networks.relation.tolist()
    (2, [1, 1])
    """

    offsets: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    relation: Bytes
    constraint: Bytes
    structure: Structure
    horizon: int | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, d: int) -> Network:
        d = range(len(self))[d]
        k, chosen = int(self.lengths[d]), slice(self.offsets[d], self.offsets[d + 1])
        upper = np.triu(~np.tri(k, k, -reach_of(self.horizon) - 1, bool).T, 1)
        relations = np.full((k, k), UNKNOWN, np.uint8)
        constraints = np.zeros((k, k), np.uint8)
        relations[upper], constraints[upper] = self.relation[chosen], self.constraint[chosen]
        return Network(relations, constraints, self.structure.mask(k) & upper)

    def __iter__(self) -> Iterator[Network]:
        return (self[d] for d in range(len(self)))


@dataclass(frozen=True)
class PairCounts:
    """Number of linked pairs with each constraint and relation; counts of parts can be added.

    Parameters
    ----------
    counts : (128, 7) by mask of the constraint, and relation

    Examples
    --------
    >>> counts = count_pairs([[("a", 0, 2), ("b", 1, 3), ("c", 3, 4)]])
    >>> counts.relations
    {'b': 1, 'm': 1, 'o': 1, 's': 0, 'c': 0, 'f': 0, 'e': 0}
    >>> counts.constraints
    {'b': 1, 'bmoscfe': 2}
    """

    counts: npt.NDArray[np.int64]

    def __add__(self, other: "PairCounts") -> "PairCounts":
        return PairCounts(self.counts + other.counts)

    @property
    def relations(self) -> dict[str, int]:
        """Count of each of the seven relations, by symbol."""
        totals = self.counts.sum(axis=0)
        return {member.symbol: int(totals[member]) for member in Relation}

    @property
    def constraints(self) -> dict[str, int]:
        """Count of each constraint that occurs, by its symbols."""
        totals = self.counts.sum(axis=1)
        return {symbols(int(mask)): int(totals[mask]) for mask in np.flatnonzero(totals)}


def read_networks(
    X: Sequences,
    structure: StructureLike = "full",
    n_jobs: int | None = None,
    horizon: int | None = None,
) -> Networks:
    """Find the relation and the constraint of every pair of intervals of every instance.

    Parameters
    ----------
    X : instances
    structure : "full", "chain", pairs of positions, or a `Structure`. Full and chain take
        O(k^2) for an instance of k intervals, others up to O(k^3).
    n_jobs : threads, as in scikit-learn
    horizon : how many intervals after each it is related with; None for all. A number makes all
        this linear in k.

    Examples
    --------
    >>> network = read_networks([[("a", 0, 2), ("b", 1, 3), ("c", 3, 4)]])[0]
    >>> [(i, j, relation.symbol) for i, j, relation in network.links()]
    [(0, 1, 'o'), (0, 2, 'b'), (1, 2, 'm')]
    >>> symbols(int(network.constraints[0, 2]))
    'b'
    """
    X, structure = as_sequences(X), Structure.of(structure)
    check_horizon(horizon)
    expect_pairs(X, PAIR, horizon=horizon, advice=SHORTER)
    offsets, reach = pair_offsets(X, horizon), reach_of(horizon)
    relation, constraint = np.empty((2, offsets[-1]), np.uint8)

    def fill(first: int, last: int) -> None:
        part, chosen = X[first:last], slice(offsets[first], offsets[last])
        relation[chosen] = kernels.relate(part.offsets, part.start, part.end, reach)
        constraint[chosen] = _constrain(part, structure, reach)

    _each_chunk(fill, offsets, n_jobs)
    return Networks(offsets, X.lengths, relation, constraint, structure, horizon)


def read_relations(X: IntervalSequences, horizon: int | None = None) -> Bytes:
    """(pairs,) relations of all pairs, or of those within a horizon, row by row; read once.

    Examples
    --------
    >>> X = as_sequences([[("a", 0, 2), ("b", 1, 3), ("c", 3, 4)]])
    >>> read_relations(X).tolist(), read_relations(X, horizon=1).tolist()
    ([2, 0, 1], [2, 1])
    """
    reach = reach_of(horizon)
    return X.derived(
        ("relations", horizon), lambda: kernels.relate(X.offsets, X.start, X.end, reach)
    )


def count_pairs(
    X: Sequences,
    structure: StructureLike = "full",
    n_jobs: int | None = None,
    horizon: int | None = None,
) -> PairCounts:
    """Count linked pairs by constraint and relation, without keeping the pairs.

    Memory is a row of the longest instance for "full", and the square of the longest link's span
    for any other structure. A horizon limits both, and the pairs to those of an interval and so
    many after it.

    Examples
    --------
    >>> count_pairs([[("boil", 0, 4), ("pour", 4, 6), ("stir", 5, 8)]]).relations
    {'b': 1, 'm': 1, 'o': 1, 's': 0, 'c': 0, 'f': 0, 'e': 0}
    """
    X, structure = as_sequences(X), Structure.of(structure)
    check_horizon(horizon)
    links, reach = structure.mask_within(int(X.lengths.max(initial=0))), reach_of(horizon)
    beyond = BEYOND[structure.beyond]

    def count(first: int, last: int) -> PairCounts:
        part = X[first:last]
        times = part.offsets, part.start, part.end
        if structure == Structure.full():
            return PairCounts(kernels.count_full(*times, reach))
        span = min(structure.span(int(part.lengths.max(initial=0))), reach)
        return PairCounts(kernels.count_linked(*times, links, beyond, span, COMPOSITION))

    parts = _each_chunk(count, pair_offsets(X, horizon), n_jobs)
    return sum(parts, PairCounts(np.zeros((128, 7), np.int64)))


def shared_networks(
    X: IntervalSequences, structure: Structure, horizon: int | None = None
) -> Networks:
    """Read the networks of X under a structure once; later calls return the same object."""
    key = "networks", structure, horizon
    return X.derived(key, lambda: read_networks(X, structure, horizon=horizon))


def _each_chunk(
    work: Callable[[int, int], T], offsets: npt.NDArray[np.int64], n_jobs: int | None
) -> list[T]:
    """Call work(first, last) in threads, on runs of instances with about as many pairs each."""
    edges = np.arange(PAIRS_IN_FLIGHT, offsets[-1], PAIRS_IN_FLIGHT)
    bounds = np.unique(np.concatenate([[0], np.searchsorted(offsets, edges), [len(offsets) - 1]]))
    runs = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    if len(bounds) < 3:  # nothing to do at the same time
        return [work(first, last) for first, last in runs]
    parallel = joblib.Parallel(n_jobs=n_jobs, require="sharedmem")
    done: list[T] = parallel(joblib.delayed(work)(first, last) for first, last in runs)
    return done


def _constrain(X: IntervalSequences, structure: Structure, reach: int) -> Bytes:
    times = X.offsets, X.start, X.end
    if structure == Structure.full():
        return kernels.constrain_full(*times, reach)
    if structure == Structure.chain():
        return kernels.constrain_chain(*times, COMPOSITION, reach)
    links = structure.mask_within(int(X.lengths.max(initial=0)))
    beyond = BEYOND[structure.beyond]
    return kernels.constrain_linked(*times, links, beyond, COMPOSITION, reach)


def sum_by_instance(offsets: npt.NDArray[np.int64], terms: Floats) -> Floats:
    """Sum of the terms of each instance, in order, so that no other instance affects rounding."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(owner, weights=terms, minlength=len(offsets) - 1).astype(np.float64)
