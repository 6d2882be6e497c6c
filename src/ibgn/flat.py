"""The arrays of interval sequences without names of instances: chosen, joined, made uncertain."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Codes, Floats, Ints
from ibgn.uncertainty import Uncertainty

__all__ = ["Flat", "add_uncertainty", "join_flat"]


class Flat(NamedTuple):
    """Intervals of many instances: those of d are from offsets[d] to offsets[d+1].

    `uncertainty` is None where all intervals are certain. `track` names the tier, subject or column
    that each interval was recorded on, "" where it is not known; None where none is.
    """

    offsets: Ints
    action: Codes
    start: Floats
    end: Floats
    uncertainty: Uncertainty | None = None
    track: npt.NDArray[np.object_] | None = None

    def take(self, rows: npt.NDArray[np.integer[Any]] | slice, offsets: Ints) -> "Flat":
        """These intervals, in this order, as the instances that offsets say."""
        unsure = None if self.uncertainty is None else self.uncertainty.take(rows)
        track = None if self.track is None else self.track[rows]
        return Flat(offsets, self.action[rows], self.start[rows], self.end[rows], unsure, track)

    def equals(self, other: "Flat") -> bool:
        """Whether all arrays are equal; where intervals were recorded does not matter."""
        mine, its = (flat.uncertainty or () for flat in (self, other))
        columns = zip((*self[:4], *mine), (*other[:4], *its), strict=False)
        return len(mine) == len(its) and all(np.array_equal(one, two) for one, two in columns)


def join_flat(
    parts: Sequence[Flat], vocabularies: Sequence[tuple[str, ...]]
) -> tuple[Flat, tuple[str, ...]]:
    """All instances of the parts, one after the other, with one vocabulary."""
    actions = tuple(sorted({name for names in vocabularies for name in names}))
    code = {name: number for number, name in enumerate(actions)}
    renumber = [np.array([code[name] for name in names], np.int32) for names in vocabularies]
    lengths = _join([np.diff(part.offsets) for part in parts], np.int64)
    flat = Flat(
        np.concatenate([[0], np.cumsum(lengths)]),
        _join([new[part.action] for new, part in zip(renumber, parts, strict=True)], np.int32),
        _join([part.start for part in parts], np.float64),
        _join([part.end for part in parts], np.float64),
    )
    if any(part.uncertainty is not None for part in parts):
        unsure = [
            Uncertainty.none(len(part.action))
            if part.uncertainty is None
            else part.uncertainty.recoded(new)
            for part, new in zip(parts, renumber, strict=True)
        ]
        flat = flat._replace(uncertainty=Uncertainty.join(unsure))
    if any(part.track is not None for part in parts):
        flat = flat._replace(track=_join([_track(part) for part in parts], object))
    # names may sort differently in another vocabulary, and names order equal intervals
    if any((np.diff(new) < 0).any() for new in renumber):
        owner = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((flat.action, flat.end, flat.start, owner))
        flat = flat.take(order, flat.offsets)
    return flat, actions


def add_uncertainty(
    flat: Flat,
    actions: tuple[str, ...],
    confidence: npt.ArrayLike | None,
    alternatives: Sequence[Mapping[str, float] | None] | None,
    start_error: npt.ArrayLike | None,
    end_error: npt.ArrayLike | None,
) -> tuple[Flat, tuple[str, ...]]:
    """The same intervals with these columns, and a vocabulary that has all alternatives."""
    named = {name for each in alternatives or () for name in each or ()}
    known = tuple(sorted({*actions, *named}))
    code = {name: number for number, name in enumerate(known)}
    renumber = np.array([code[name] for name in actions], np.int32)
    action = renumber[flat.action] if len(flat.action) else flat.action
    unsure = Uncertainty.of(len(action), code, confidence, alternatives, start_error, end_error)
    unsure.check(len(action), len(known), lambda row: f"interval {row}")
    return flat._replace(action=action, uncertainty=unsure), known


def _track(flat: Flat) -> npt.NDArray[np.object_]:
    return np.full(len(flat.action), "", object) if flat.track is None else flat.track


def _join(parts: Sequence[npt.NDArray[Any]], dtype: Any) -> npt.NDArray[Any]:
    """One column from those of several sequences, or of none."""
    return np.concatenate([np.zeros(0, dtype), *parts])
