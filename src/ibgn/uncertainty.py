"""What is not certain about intervals: whether they are there, their actions, and their ends."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bools, Codes, Floats, Ints
from ibgn.errors import DataError
from ibgn.text import quote

__all__ = ["COLUMNS", "Uncertainty"]

COLUMNS = ("confidence", "alternatives", "start_error", "end_error")
"""Names of the columns that say it, in files and frames."""

ROUNDING = 1e-6  # by which probabilities of alternatives may miss 1 in sum

Where = Callable[[int], str]
Alternatives = Mapping[str, float] | None


class Uncertainty(NamedTuple):
    """Columns of uncertain intervals, one value per interval; intervals are independent.

    Parameters
    ----------
    confidence : (intervals,) probability that the interval is there
    start_error, end_error : (intervals,) standard deviation of its start and end, 0 where they are
        exact. The end_error of an unknown end is infinite: the interval may end at any time after
        its start, up to `end`.
    offsets : (intervals + 1,) where the alternatives of each interval begin
    alternative, probability : (alternatives,) codes of actions, and their probabilities if the
        interval is there, which add up to 1. An interval without alternatives has its action for
        certain.

    Examples
    --------
    >>> from ibgn.intervals import IntervalSequences
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> unsure = X.with_uncertainty(confidence=[1, 0.75], end_error=[0, 0.2])
    >>> unsure.uncertainty.confidence.tolist(), unsure.uncertainty.end_error.tolist()
    ([1.0, 0.75], [0.0, 0.2])
    """

    confidence: Floats
    start_error: Floats
    end_error: Floats
    offsets: Ints
    alternative: Codes
    probability: Floats

    @classmethod
    def none(cls, intervals: int) -> "Uncertainty":
        """Columns that say that all is certain."""
        nothing = np.zeros(0, np.int32), np.zeros(0)
        errors = np.zeros(intervals), np.zeros(intervals)
        return cls(np.ones(intervals), *errors, np.zeros(intervals + 1, np.int64), *nothing)

    @classmethod
    def of(
        cls,
        intervals: int,
        codes: Mapping[str, int],
        confidence: npt.ArrayLike | None = None,
        alternatives: Sequence[Alternatives] | None = None,
        start_error: npt.ArrayLike | None = None,
        end_error: npt.ArrayLike | None = None,
    ) -> "Uncertainty":
        """Build from columns, where those that are None are certain; `codes` are of all actions."""
        certain = cls.none(intervals)
        columns = [
            default if values is None else np.array(values, np.float64)
            for default, values in zip(
                certain[:3], (confidence, start_error, end_error), strict=True
            )
        ]
        built = cls(columns[0], columns[1], columns[2], *certain[3:])
        if alternatives is None:
            return built
        offsets = np.cumsum([0, *(len(each or ()) for each in alternatives)])
        pairs = [pair for each in alternatives for pair in (each or {}).items()]
        return built._replace(
            offsets=offsets.astype(np.int64),
            alternative=np.array([codes[name] for name, _ in pairs], np.int32),
            probability=np.array([value for _, value in pairs], np.float64),
        )

    def check(self, intervals: int, actions: int, where: Where) -> None:
        """Refuse columns that do not fit together or have invalid values."""
        for name in ("confidence", "start_error", "end_error"):
            shape = getattr(self, name).shape
            if shape != (intervals,):
                raise DataError(f"{name} has one value per interval, got {shape} for {intervals}")
        offsets = self.offsets
        if len(offsets) != intervals + 1 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise DataError("offsets of alternatives start at 0 and never decrease")
        if not (len(self.alternative) == len(self.probability) == offsets[-1]):
            raise DataError(f"there are {offsets[-1]} alternatives, each with one probability")
        codes = self.alternative
        if len(codes) and not (codes.min() >= 0 and codes.max() < actions):
            raise DataError(f"codes of alternatives go from 0 to {actions - 1}, one per action")
        self._check_values(where)

    def _check_values(self, where: Where) -> None:
        within = (self.confidence >= 0) & (self.confidence <= 1)
        _refuse(~within, "confidence", self.confidence, "from 0 to 1", where)
        finite = (self.start_error >= 0) & (self.start_error < np.inf)
        _refuse(~finite, "start_error", self.start_error, "0 or more and finite", where)
        required = "0 or more, or inf where the end is unknown"
        _refuse(~(self.end_error >= 0), "end_error", self.end_error, required, where)
        owner = self.owner
        total = np.bincount(owner, self.probability, len(self.confidence)).astype(np.float64)
        wrong = (np.diff(self.offsets) > 0) & ~(np.abs(total - 1) <= ROUNDING)
        wrong[owner[~(self.probability >= 0)]] = True
        required = "probabilities of 0 or more that add up to 1"
        _refuse(wrong, "sum of the alternatives", total, required, where)

    @property
    def unknown_end(self) -> Bools:
        """(intervals,) whether the end is unknown."""
        unknown: Bools = np.isinf(self.end_error)
        return unknown

    @property
    def uncertain(self) -> Bools:
        """(intervals,) whether anything about the interval is not certain."""
        errors: Bools = (self.start_error > 0) | (self.end_error > 0)
        return errors | (self.confidence < 1) | (np.diff(self.offsets) > 0)

    @property
    def owner(self) -> Ints:
        """(alternatives,) interval of each alternative."""
        return np.repeat(np.arange(len(self.confidence)), np.diff(self.offsets))

    def take(self, rows: npt.NDArray[np.integer[Any]] | slice) -> "Uncertainty":
        """Columns of these intervals, in this order."""
        numbers = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
        chosen = np.repeat(self.offsets[:-1][rows] - offsets[:-1], numbers) + np.arange(offsets[-1])
        return Uncertainty(
            self.confidence[rows],
            self.start_error[rows],
            self.end_error[rows],
            offsets,
            self.alternative[chosen],
            self.probability[chosen],
        )

    def settled(self, decided: Bools) -> "Uncertainty":
        """The same without the alternatives of decided intervals, whose action is certain."""
        kept = ~decided[self.owner]
        lengths = np.where(decided, 0, np.diff(self.offsets))
        return self._replace(
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            alternative=self.alternative[kept],
            probability=self.probability[kept],
        )

    def recoded(self, renumber: Codes) -> "Uncertainty":
        """The same with other codes of actions; alternatives that become one action are added."""
        owner = self.owner
        size = int(renumber.max(initial=0)) + 1
        new = owner * size + renumber[self.alternative] if len(owner) else owner
        distinct, place = np.unique(new, return_inverse=True)
        lengths = np.bincount(distinct // size, minlength=len(self.confidence))
        return self._replace(
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            alternative=(distinct % size).astype(np.int32),
            probability=np.bincount(place, self.probability, len(distinct)).astype(np.float64),
        )

    @staticmethod
    def join(parts: Sequence["Uncertainty"]) -> "Uncertainty":
        """Columns of all parts, in their order."""
        offsets = np.cumsum([0, *(len(part.alternative) for part in parts)])
        shifted = [
            part.offsets[:-1] + begin for part, begin in zip(parts, offsets[:-1], strict=True)
        ]
        joined = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        confidence, start_error, end_error, _, alternative, probability = joined
        together = np.concatenate([*shifted, offsets[-1:]]).astype(np.int64)
        return Uncertainty(confidence, start_error, end_error, together, alternative, probability)

    def alternatives(self, actions: tuple[str, ...]) -> list[dict[str, float] | None]:
        """Alternatives of each interval by name, None where its action is certain."""
        names = [actions[code] for code in self.alternative.tolist()]
        pairs = list(zip(names, self.probability.tolist(), strict=True))
        bounds = self.offsets.tolist()
        return [dict(pairs[a:b]) or None for a, b in pairwise(bounds)]


def _refuse(bad: Bools, name: str, values: Floats, required: str, where: Where) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f"{where(row)}: the {name} is {quote(f'{values[row]:.15g}')}, but must be {required}; "
            "correct it, or give the column another name if it means something else"
        )
