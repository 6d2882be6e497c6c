"""Allen's interval relations: the seven that hold forward in time, and sets of them.

Intervals of an instance are ordered by (start, end), so of Allen's thirteen relations only seven
can hold from an earlier interval to a later one; the other six are their converses. A set of
relations is a 7-bit mask, bit r for relation r. Every table here is derived from the definition
of the relations, by trying every arrangement of three intervals.
"""

from collections.abc import Iterable
from enum import IntEnum
from itertools import combinations, combinations_with_replacement, product
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

__all__ = [
    "ALL",
    "COMPOSITION",
    "COMPOSITION_OF_ALL",
    "CONSTRAINTS",
    "PROJECTIONS",
    "TRIANGLES",
    "Converse",
    "Relation",
    "compose",
    "members",
    "relation",
    "relation_set",
    "relations_between",
    "symbols",
]


class Relation(IntEnum):
    """The seven relations of an interval i to a later interval j.

    Examples
    --------
    >>> Relation.FINISHED_BY.symbol, Relation.FINISHED_BY.label, Relation.FINISHED_BY.converse
    ('f', 'finished-by', <Converse.FINISHES: 12>)
    >>> Relation.from_symbol("o")
    <Relation.OVERLAPS: 2>
    """

    BEFORE = 0
    MEETS = 1
    OVERLAPS = 2
    STARTS = 3
    CONTAINS = 4
    FINISHED_BY = 5
    EQUALS = 6

    @property
    def symbol(self) -> str:
        """Letter of the relation, one of b m o s c f e."""
        return "bmoscfe"[self]

    @property
    def label(self) -> str:
        """Its name in words."""
        return self.name.lower().replace("_", "-")

    @property
    def mask(self) -> int:
        """The set that holds this relation alone."""
        return 1 << self.value

    @property
    def converse(self) -> "Relation | Converse":
        """Relation of j to i where i has this relation to j."""
        return self if self is Relation.EQUALS else Converse(self.value + 7)

    @classmethod
    def from_symbol(cls, symbol: str) -> "Relation":
        """The relation with this letter, one of b m o s c f e."""
        for member in cls:
            if member.symbol == symbol:
                return member
        raise ValueError(f"no relation has the symbol {symbol!r}; choose among b m o s c f e")


class Converse(IntEnum):
    """The six relations of a later interval to an earlier one.

    Examples
    --------
    >>> Converse.AFTER
    <Converse.AFTER: 7>
    >>> [each.label for each in Converse]
    ['after', 'met-by', 'overlapped-by', 'started-by', 'during', 'finishes']
    """

    AFTER = 7
    MET_BY = 8
    OVERLAPPED_BY = 9
    STARTED_BY = 10
    DURING = 11
    FINISHES = 12

    @property
    def symbol(self) -> str:
        """The letter of its converse, with an i for inverse."""
        return f"{self.converse.symbol}i"

    @property
    def label(self) -> str:
        """Its name in words."""
        return self.name.lower().replace("_", "-")

    @property
    def converse(self) -> Relation:
        """The relation of the earlier interval to the later one."""
        return Relation(self.value - 7)


ALL = 127
"""The set of all seven relations: nothing is known about a pair."""

RelationSet = Relation | int | str | Iterable[Relation]
"""What the functions take as a set: a relation, symbols like "bmo", relations, or a mask.

A bare integer is a mask, never the code of a relation; write `Relation(code)` for that.
"""


def relation(first: tuple[float, float], second: tuple[float, float]) -> Relation | Converse:
    """Relation of the first interval to the second, each a (start, end) with start < end.

    Examples
    --------
    >>> relation((0, 2), (1, 3)).label
    'overlaps'
    >>> relation((1, 3), (0, 2)).label
    'overlapped-by'
    """
    for start, end in (first, second):
        if not start < end:
            raise ValueError(
                f"an interval starts before it ends, got start={start}, end={end}; swap or widen it"
            )
    if second < first:
        return relation(second, first).converse
    (start_i, end_i), (start_j, end_j) = first, second
    if start_i == start_j:
        return Relation.STARTS if end_i < end_j else Relation.EQUALS
    if end_i < start_j:
        return Relation.BEFORE
    if end_i == start_j:
        return Relation.MEETS
    if end_i < end_j:
        return Relation.OVERLAPS
    return Relation.FINISHED_BY if end_i == end_j else Relation.CONTAINS


def relations_between(
    first: tuple[npt.ArrayLike, npt.ArrayLike], second: tuple[npt.ArrayLike, npt.ArrayLike]
) -> npt.NDArray[np.uint8]:
    """Codes of the relations of many intervals to others, 0 to 12, each a pair of start and end.

    Examples
    --------
    >>> relations_between(([0, 1], [2, 3]), ([1, 0], [3, 2])).tolist()
    [2, 9]
    """
    start, end = (np.sign(np.subtract(a, b)) for a, b in zip(second, first, strict=True))
    gap = np.sign(np.subtract(second[0], first[1]))
    gap_back = np.sign(np.subtract(first[0], second[1]))
    reach = (gap >= 0).astype(int) + (gap > 0) - (gap_back >= 0) - (gap_back > 0)
    codes: npt.NDArray[np.uint8] = _CODES[start.astype(int) + 1, end.astype(int) + 1, reach + 2]
    return codes


def relation_set(relations: RelationSet) -> int:
    """The 7-bit mask of a set of relations.

    Examples
    --------
    >>> relation_set("bmo"), relation_set(Relation.OVERLAPS), relation_set(7)
    (7, 4, 7)
    """
    if isinstance(relations, Relation):
        return relations.mask
    if isinstance(relations, Converse):
        raise ValueError(
            f"{relations.label} goes backwards in time; swap the two intervals and say "
            f"{relations.converse.label}"
        )
    if isinstance(relations, int | np.integer):
        if not 0 <= relations <= ALL:
            raise ValueError(f"a set of relations is a mask from 0 to 127, got {relations}")
        return int(relations)
    if isinstance(relations, str):
        relations = [Relation.from_symbol(symbol) for symbol in relations]
    mask = 0
    for member in relations:
        if not isinstance(member, Relation):
            raise ValueError(
                f"a set is made of relations, got {member!r}; use Relation({member!r})"
            )
        mask |= member.mask
    return mask


def members(relations: RelationSet) -> tuple[Relation, ...]:
    """The relations in a set, in the order b m o s c f e.

    Examples
    --------
    >>> [relation.label for relation in members("bm")]
    ['before', 'meets']
    """
    mask = relation_set(relations)
    return tuple(member for member in Relation if mask & member.mask)


def symbols(relations: RelationSet) -> str:
    """The letters of the relations in a set.

    Examples
    --------
    >>> symbols(7), symbols(ALL)
    ('bmo', 'bmoscfe')
    """
    return "".join(member.symbol for member in members(relations))


def compose(first: RelationSet, second: RelationSet) -> int:
    """Set of relations that i can have to k, given those of i to j and of j to k; i <= j <= k.

    Examples
    --------
    >>> symbols(compose("o", "c")), symbols(compose(Relation.MEETS, "bs"))
    ('bmocf', 'bm')
    """
    return int(COMPOSITION[relation_set(first), relation_set(second)])


def _code_signs() -> npt.NDArray[np.uint8]:
    """Code of a relation by the signs of start and end, and by whether intervals touch."""
    codes = np.full((3, 3, 5), 255, np.uint8)
    for first, second in product(combinations(range(4), 2), repeat=2):
        (a, b), (c, d) = first, second
        reach = 2 * (c > b) + (c == b) - 2 * (a > d) - (a == d)
        codes[np.sign(c - a) + 1, np.sign(d - b) + 1, reach + 2] = relation(first, second)
    return codes


def _compose_all() -> npt.NDArray[np.uint16]:
    intervals = list(combinations(range(6), 2))
    codes = np.array([[relation(i, j) for j in intervals] for i in intervals])
    table = np.zeros((13, 13), np.uint16)
    of_i_to_k = (1 << codes[:, None, :]).astype(np.uint16)
    np.bitwise_or.at(table, (codes[:, :, None], codes[None]), of_i_to_k)
    table.flags.writeable = False
    return table


def _find_triangles() -> frozenset[tuple[Relation, Relation, Relation]]:
    """All (r_ij, r_jk, r_ik) that three ordered intervals show; six end points are enough."""
    intervals = sorted(combinations(range(6), 2))
    triangles = set()
    for i, j, k in combinations_with_replacement(intervals, 3):
        ij, jk, ik = relation(i, j), relation(j, k), relation(i, k)
        triangles.add((Relation(ij), Relation(jk), Relation(ik)))
    return frozenset(triangles)


def _project_triangles() -> npt.NDArray[np.uint8]:
    has = (np.arange(128)[:, None] >> np.arange(7) & 1).astype(float)
    holds = np.zeros((7, 7, 7))
    holds[tuple(np.transpose(list(TRIANGLES)))] = 1  # ij, jk, ik
    projections = np.zeros((3, 128, 128), np.uint8)
    for left, turned in enumerate((holds, holds.swapaxes(1, 2), holds.T)):
        for r in range(7):
            possible = has @ turned[:, :, r] @ has.T > 0
            projections[left] |= possible.astype(np.uint8) << r
    projections.flags.writeable = False
    return projections


TRIANGLES = _find_triangles()
"""The 75 triples (r_ij, r_jk, r_ik) that three ordered intervals can have."""

PROJECTIONS = _project_triangles()
"""(3, 128, 128): the set left for ik by (ij, jk), for jk by (ij, ik), for ij by (ik, jk)."""

COMPOSITION = PROJECTIONS[0]
"""(128, 128): composition of any two sets of relations."""

COMPOSITION_OF_ALL = _compose_all()
"""(13, 13): relations of i to k by those of i to j and of j to k, in any order; 13-bit masks."""

_CODES = _code_signs()

CONSTRAINTS = MappingProxyType(
    {
        name: relation_set(name)
        for name in (*"bmoscfe", "bm", "bmo", "ocf", "bmocf", "bmoscf", "bmoscfe")
    }
)
"""The 13 possible constraints, by name; bm and bmoscf occur only where links are missing."""
