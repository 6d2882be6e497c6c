"""Counts of a piece of many instances, by all terms; they add, and may come from other machines."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import add
from typing import Any

from ibgn.model.summary import Summary
from ibgn.terms.tally import Sample

__all__ = ["PieceCounter", "PieceCounts"]


@dataclass(frozen=True)
class PieceCounts:
    """Counts of instances by each term, and what models remember of these instances."""

    of_terms: list[Any]
    summary: Summary

    def __add__(self, other: "PieceCounts") -> "PieceCounts":
        counts = map(add, self.of_terms, other.of_terms)
        return PieceCounts(list(counts), self.summary + other.summary)


@dataclass(frozen=True)
class PieceCounter:
    """Counts instances by each term; it has no instances, and may go to other machines."""

    counters: tuple[Callable[[Sample], Any], ...]

    def __call__(self, piece: Sample) -> PieceCounts:
        """Count the instances of a piece."""
        summary = Summary.of(piece.X, piece.activity, piece.activities)
        return PieceCounts([count(piece) for count in self.counters], summary)
