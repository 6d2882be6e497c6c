"""Many instances of intervals in one immutable, columnar type: what every estimator takes as X."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from ibgn import _display
from ibgn._arrays import fixed
from ibgn.cleaning import Cleaning, CleaningOptions, Records, records_of_lists
from ibgn.columns import Backend, as_column, as_frame, check_intervals, join_if_all
from ibgn.flat import Flat, add_uncertainty, join_flat
from ibgn.provenance import Provenance, shared_provenance
from ibgn.text import quote
from ibgn.uncertainty import Uncertainty

__all__ = ["Instance", "IntervalSequences", "as_sequences"]

T = TypeVar("T")

Instance = Sequence[tuple[str, float, float]]
"""One instance as a plain list of (action, start, end)."""


class IntervalSequences:
    """Instances, each a sequence of intervals in the order of (start, end, action).

    An interval is half-open, [start, end), with start < end. Indexing with an integer, a slice, a
    mask or an array gives an `IntervalSequences` again, with the same vocabulary, so scikit-learn
    can split it like any other X. A slice shares the memory of the whole.

    Parameters
    ----------
    offsets : (n+1,) where the intervals of each of the n instances begin
    action : (intervals,) codes into actions
    start, end : (intervals,) times
    actions : the vocabulary, names of the actions
    ids : (n,) names of the instances, optional
    groups : (n,) who performed each instance, or whatever splits must keep together; optional
    uncertainty : what is not certain about the intervals, see `ibgn.uncertainty.Uncertainty`;
        None where all is certain. Then `action` is the likeliest action of an interval.

    Notes
    -----
    `track` names the tier, subject or column of each interval; `provenance` says how all were read.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([
    ...     [("pour", 2.0, 4.5), ("hold cup", 0.0, 5.0)],
    ...     [("stir", 1.0, 3.0)],
    ... ])
    >>> X
    IntervalSequences: 2 instances, 3 intervals (1 to 2 each), 3 actions
      0: hold cup [0, 5), pour [2, 4.5)
      1: stir [1, 3)
    >>> len(X[1:]), X[np.array([True, False])].to_lists()
    (1, [[('hold cup', 0.0, 5.0), ('pour', 2.0, 4.5)]])
    """

    __slots__ = (*Flat._fields, "_derived", "actions", "groups", "ids", "provenance")

    offsets: npt.NDArray[np.int64]
    action: npt.NDArray[np.int32]
    start: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    uncertainty: Uncertainty | None
    track: npt.NDArray[np.object_] | None
    actions: tuple[str, ...]
    ids: npt.NDArray[np.object_] | None
    groups: npt.NDArray[Any] | None
    provenance: Provenance | None
    _derived: dict[Hashable, Any]

    def __init__(
        self,
        offsets: npt.ArrayLike,
        action: npt.ArrayLike,
        start: npt.ArrayLike,
        end: npt.ArrayLike,
        actions: Iterable[str],
        ids: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        uncertainty: Uncertainty | None = None,
    ) -> None:
        flat = Flat(
            np.array(offsets, np.int64),
            np.array(action, np.int32),
            np.array(start, np.float64),
            np.array(end, np.float64),
            None if uncertainty is None else Uncertainty(*map(np.array, uncertainty)),
        )
        vocabulary = tuple(str(name) for name in actions)
        check_intervals(flat, vocabulary)
        self._fill(flat, vocabulary, _copied(ids), _copied(groups))

    def _fill(
        self,
        flat: Flat,
        actions: tuple[str, ...],
        ids: npt.ArrayLike | None,
        groups: npt.ArrayLike | None,
        provenance: Provenance | None = None,
    ) -> None:
        n = len(flat.offsets) - 1
        fields = flat._asdict() | {
            "actions": actions,
            "ids": None if ids is None else as_column("ids", ids, n, object),
            "groups": None if groups is None else as_column("groups", groups, n),
            "provenance": provenance,
            "_derived": {},
        }
        for value in (*fields.values(), *(flat.uncertainty or ())):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_flat(
        cls,
        flat: Flat,
        actions: tuple[str, ...],
        ids: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        provenance: Provenance | None = None,
    ) -> "IntervalSequences":
        """Build from arrays that are known to be valid, without copying or checking them."""
        sequences = object.__new__(cls)
        sequences._fill(flat, actions, ids, groups, provenance)
        return sequences

    @classmethod
    def from_records(
        cls, records: Records, provenance: Provenance, groups: npt.ArrayLike | None = None
    ) -> "IntervalSequences":
        """Check, clean and order recorded rows, as they are read."""
        flat = records.flat(provenance.cleaning)
        return cls.from_flat(flat, records.actions, records.ids, _copied(groups), provenance)

    @classmethod
    def from_lists(
        cls,
        instances: Iterable[Instance],
        ids: Sequence[str] | None = None,
        groups: Sequence[Any] | None = None,
        **cleaning: Unpack[CleaningOptions],
    ) -> "IntervalSequences":
        """Build from lists of (action, start, end), one list per instance, in any order.

        Keyword arguments are those of `ibgn.cleaning.Cleaning`: closed, tolerance, zero_length, ...
        """
        records = records_of_lists(instances, ids)
        flat = records.flat(Cleaning(**cleaning))
        names = None if ids is None else records.ids
        read = Provenance(cleaning=Cleaning(**cleaning)) if cleaning else None  # nobody said
        return cls.from_flat(flat, records.actions, names, _copied(groups), read)

    @classmethod
    def concatenate(cls, parts: Iterable["IntervalSequences"]) -> "IntervalSequences":
        """All instances of the parts, with one vocabulary; ids and groups if all have them."""
        parts = list(parts)
        flat, actions = join_flat([part.flat for part in parts], [part.actions for part in parts])
        ids, groups = (join_if_all([getattr(part, n) for part in parts]) for n in ("ids", "groups"))
        read = shared_provenance(part.provenance for part in parts)
        return cls.from_flat(flat, actions, ids, groups, read)

    @property
    def flat(self) -> Flat:
        """The arrays without names, as `from_flat` takes them."""
        columns = (self.action, self.start, self.end, self.uncertainty, self.track)
        return Flat(self.offsets, *columns)

    def with_uncertainty(
        self,
        confidence: npt.ArrayLike | None = None,
        alternatives: Sequence[Mapping[str, float] | None] | None = None,
        start_error: npt.ArrayLike | None = None,
        end_error: npt.ArrayLike | None = None,
    ) -> "IntervalSequences":
        """The same intervals, with what is not certain about them.

        Parameters
        ----------
        confidence, start_error, end_error : (intervals,) see `ibgn.uncertainty.Uncertainty`
        alternatives : for each interval the actions that it may have, with their probabilities;
            None where its action is certain

        Examples
        --------
        >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
        >>> X.with_uncertainty([1, 0.5], [{"pour": 0.75, "shake": 0.25}, None])
        IntervalSequences: 1 instance, 2 intervals, 3 actions, 2 intervals uncertain
          0: pour? [0, 2), stir? [2, 5)
        """
        columns = (confidence, alternatives, start_error, end_error)
        flat, actions = add_uncertainty(self.flat, self.actions, *columns)
        return self.from_flat(flat, actions, self.ids, self.groups, self.provenance)

    def with_groups(self, groups: npt.ArrayLike | None) -> "IntervalSequences":
        """The same instances, with other groups."""
        return self.from_flat(self.flat, self.actions, self.ids, _copied(groups), self.provenance)

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, called once for each key and cached.

        Intervals never change, so neither does what is derived from them. The cache lives as long
        as this object; its parts do not share it.
        """
        if key not in self._derived:
            self._derived[key] = make()
        result: T = self._derived[key]
        return result

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(n,) number of intervals of each instance."""
        return self.derived("lengths", lambda: fixed(np.diff(self.offsets)))

    @property
    def owner(self) -> npt.NDArray[np.int64]:
        """(intervals,) number of the instance that each interval belongs to."""
        return self.derived("owner", lambda: fixed(np.repeat(np.arange(len(self)), self.lengths)))

    @property
    def shape(self) -> tuple[int]:
        """Number of instances; makes scikit-learn index with arrays instead of one by one."""
        return (len(self),)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator["IntervalSequences"]:
        return (self[d] for d in range(len(self)))

    def __getitem__(self, key: Any) -> "IntervalSequences":
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # scikit-learn indexes everything that has a shape with [key, ...]
        if isinstance(key, slice) and key.step in (None, 1):
            return self._slice(*key.indices(len(self))[:2])
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            if not -len(self) <= key < len(self):
                raise IndexError(
                    f"there is no instance {key}; there are {len(self)}, numbered from 0"
                )
            return self._slice(int(key) % len(self), int(key) % len(self) + 1)
        if isinstance(key, str):
            name = quote(key)
            raise IndexError(f"instances have numbers, got {name}; use X[X.ids == {name}]")
        if np.size(key) == 0:
            if np.asarray(key).dtype == bool and len(self):  # NumPy accepts this
                raise IndexError(f"a mask has one value per instance, got 0 for {len(self)}")
            key = np.zeros(0, np.int64)
        return self._take(np.arange(len(self))[key])

    def _slice(self, first: int, last: int) -> "IntervalSequences":
        last = max(first, last)
        begin, stop = self.offsets[first], self.offsets[last]
        flat = self.flat.take(slice(begin, stop), self.offsets[first : last + 1] - begin)
        return self._part(flat, slice(first, last))

    def _take(self, chosen: npt.NDArray[np.int64]) -> "IntervalSequences":
        if chosen.ndim != 1:
            raise IndexError(f"an index of instances has one dimension, got {chosen.ndim}")
        lengths = self.lengths[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return self._part(self.flat.take(rows, offsets), chosen)

    def _part(self, flat: Flat, chosen: slice | npt.NDArray[np.int64]) -> "IntervalSequences":
        """Intervals of the chosen instances, with their ids and groups."""
        ids, groups = (
            None if column is None else column[chosen] for column in (self.ids, self.groups)
        )
        return self.from_flat(flat, self.actions, ids, groups, self.provenance)

    def to_lists(self) -> list[list[tuple[str, float, float]]]:
        """Return one list of (action, start, end) for each instance, without uncertainty."""
        names = [self.actions[code] for code in self.action]
        rows = list(zip(names, self.start.tolist(), self.end.tolist(), strict=True))
        bounds = self.offsets.tolist()
        return [rows[begin:stop] for begin, stop in pairwise(bounds)]

    def to_frame(
        self, y: Sequence[Any] | npt.NDArray[Any] | None = None, backend: Backend = "pandas"
    ) -> Any:
        """Return a frame, one row per interval: instance[, label], action, start, end[, group].

        The track of intervals follows where it is known, and where they are uncertain their
        confidence, alternatives (as JSON), start_error and end_error; see
        `ibgn.uncertainty.Uncertainty`.

        Parameters
        ----------
        y : (n,) labels, optional
        backend : "pandas", "polars" or "pyarrow"

        Notes
        -----
        An instance without intervals has one row without action, start and end.

        Examples
        --------
        >>> X = IntervalSequences.from_lists([[("nod", 0, 1)], []], ids=["a", "b"])
        >>> X.to_frame(y=["yes", "no"]).dropna()
          instance label action  start  end
        0        a   yes    nod    0.0  1.0
        """
        return as_frame(self, y, backend)

    def _names(self) -> list[str]:
        return [str(name) for name in (range(len(self)) if self.ids is None else self.ids)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntervalSequences):
            return NotImplemented
        names = ("ids", "groups")
        return (
            self.actions == other.actions
            and self.flat.equals(other.flat)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
        )

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"IntervalSequences cannot be changed (setting {name!r}); build another"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"IntervalSequences cannot be changed (deleting {name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        columns = self.ids, self.groups, self.provenance
        return IntervalSequences.from_flat, (self.flat, self.actions, *columns)

    def __array__(self, *args: object, **kwargs: object) -> npt.NDArray[Any]:
        raise TypeError(
            "IntervalSequences is not a rectangular array; "
            "use to_frame() or to_lists(), or an estimator that takes interval sequences"
        )

    def __repr__(self) -> str:
        return _display.as_text(self)

    def _repr_html_(self) -> str:
        return _display.as_html(self)


def as_sequences(X: "IntervalSequences | Iterable[Instance]") -> IntervalSequences:
    """Take `IntervalSequences` as it is, and anything else as a list of instances."""
    return X if isinstance(X, IntervalSequences) else IntervalSequences.from_lists(X)


def _copied(values: npt.ArrayLike | None) -> npt.ArrayLike | None:
    """Copy an array, which the caller may change later."""
    return values.copy() if isinstance(values, np.ndarray) else values
