"""Which pairs of positions of an instance are linked, that is, have a relation in the model."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ibgn.checks import check_choice, check_whole
from ibgn.errors import OptionError

__all__ = ["Structure"]

Beyond = Literal["none", "chain", "full"]


@dataclass(frozen=True)
class Structure:
    """Linked pairs of positions, and a rule for later positions.

    Parameters
    ----------
    links : pairs (i, j), i < j, of positions counted from 0, all below size
    size : number of positions that `links` covers
    beyond : which pairs are linked whose later position is size or more: "none", neighbours
        ("chain"), or all ("full")

    Examples
    --------
    >>> Structure.chain().pairs(4)
    [(0, 1), (1, 2), (2, 3)]
    >>> Structure({(0, 2)}, beyond="chain").pairs(5)
    [(0, 2), (2, 3), (3, 4)]
    """

    links: frozenset[tuple[int, int]] = frozenset()
    size: int = 0
    beyond: Beyond = "none"

    def __init__(
        self,
        links: Iterable[tuple[int, int]] = (),
        size: int | None = None,
        beyond: Beyond = "none",
    ) -> None:
        try:
            pairs = frozenset((index(i), index(j)) for i, j in links)
        except (TypeError, ValueError) as error:
            raise OptionError("links", links, "must be pairs of positions (i, j)") from error
        needed = max((j + 1 for _, j in pairs), default=0)
        for i, j in sorted(pairs):
            if not 0 <= i < j:
                raise ValueError(f"a link is two positions i < j from 0 on, got ({i}, {j})")
        if size is not None:
            check_whole("size", size, 0)
        if size is not None and size < needed:
            raise OptionError("size", size, f"is too small: links reach position {needed - 1}")
        check_choice("beyond", beyond, get_args(Beyond))
        object.__setattr__(self, "links", pairs)
        object.__setattr__(self, "size", needed if size is None else int(size))
        object.__setattr__(self, "beyond", beyond)

    @classmethod
    def chain(cls) -> "Structure":
        """Link neighbours only."""
        return cls(beyond="chain")

    @classmethod
    def full(cls) -> "Structure":
        """Link every pair."""
        return cls(beyond="full")

    @classmethod
    def of(cls, structure: "Structure | str | Iterable[tuple[int, int]]") -> "Structure":
        """Make a structure from "chain", "full", pairs of positions, or a structure."""
        if isinstance(structure, Structure):
            return structure
        if isinstance(structure, str):
            if structure in ("chain", "full"):
                return cls.chain() if structure == "chain" else cls.full()
            reason = "is not a choice; choose 'chain', 'full', or give pairs of positions"
            raise OptionError("structure", structure, reason)
        try:
            return cls(structure)
        except OptionError as error:
            raise OptionError("structure", structure, *error.reason) from error

    def is_linked(self, i: int, j: int) -> bool:
        """Whether positions i < j are linked."""
        if j < self.size:
            return (i, j) in self.links
        return self.beyond == "full" or (self.beyond == "chain" and j == i + 1)

    def pairs(self, length: int) -> list[tuple[int, int]]:
        """Linked pairs of an instance of this length, row by row."""
        rows, columns = np.nonzero(self.mask(length))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def mask(self, length: int) -> npt.NDArray[np.bool_]:
        """Links of an instance of this length as a (length, length) upper triangle."""
        linked = np.zeros((length, length), bool)
        if self.beyond == "full":
            linked[:, self.size :] = True
        elif self.beyond == "chain":
            later = np.arange(max(self.size, 1), length)
            linked[later - 1, later] = True
        for i, j in self.links:
            if j < length:
                linked[i, j] = True
        return np.triu(linked, 1)

    def mask_within(self, length: int) -> npt.NDArray[np.bool_]:
        """Links among the positions that both `links` and instances up to this length have.

        Kernels take it with the rule for later positions. Its memory depends on the instances, not
        on `size`, which a file can set as it likes.
        """
        return self.mask(min(self.size, length))

    @property
    def links_all(self) -> bool:
        """Whether every pair of positions is linked."""
        return self.beyond == "full" and len(self.links) == self.size * (self.size - 1) // 2

    @property
    def links_neighbours(self) -> bool:
        """Whether no link skips a position."""
        return self.beyond != "full" and all(j == i + 1 for i, j in self.links)

    def span(self, length: int) -> int:
        """Number of positions that the longest link of an instance of this length spans."""
        longest = max((j - i for i, j in self.links if j < length), default=0)
        if length > self.size and self.beyond != "none":
            longest = max(longest, length - 1 if self.beyond == "full" else min(1, length - 1))
        return longest
