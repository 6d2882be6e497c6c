"""Sensor recordings: channels sampled over time, with labels of what went on, where known."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Objects, find_runs
from ibgn.errors import DataError
from ibgn.names import factorize
from ibgn.text import count, printable, quote

__all__ = ["SensorRecording", "Stretch", "as_recordings"]


LARGEST_TIME = 2.0**43  # beyond it neighbouring milliseconds are the same float
LARGEST_VALUE = 1e100  # squares of larger values would not be finite
SHOWN = 20  # names that a message lists


class Stretch(NamedTuple):
    """A stretch of time [start, end) in which a track has one label."""

    label: str
    start: float
    end: float


@dataclass(frozen=True, eq=False, repr=False)
class SensorRecording:
    """What some sensors measured, frame by frame. Arrays are not copied.

    Parameters
    ----------
    time : (n,) seconds, each later than the one before
    channels : (n, c) measured values; NaN where there are none
    names : (c,) names of the channels, distinct
    labels : for each label track, (n,) what went on in each frame; None, NaN or blank where
        nothing did. Labels are text.
    id : name of the recording
    group : who was recorded, or whatever splits must keep together

    Examples
    --------
    >>> walk = SensorRecording(
    ...     [0.0, 0.1, 0.2], [[1, 2], [3, 4], [5, 6]], ["x", "y"],
    ...     {"legs": ["step", "step", None]}, id="walk",
    ... )
    >>> walk
    SensorRecording 'walk': 3 frames of 2 channels, 0 to 0.2 s, labels of 'legs'
    >>> list(walk.stretches("legs"))
    [Stretch(label='step', start=0.0, end=0.2)]
    """

    time: Floats
    channels: Floats
    names: tuple[str, ...]
    labels: Mapping[str, Objects] = field(default_factory=dict)
    id: str | None = None
    group: Any = None

    def __post_init__(self) -> None:
        fields = {
            "id": None if self.id is None else str(self.id),
            "names": tuple(map(str, self.names)),
        }
        self._set(**fields)
        self._set(time=self._numbers("time"), channels=self._numbers("channels"))
        self._check_shapes()
        self._refuse(
            ~(np.abs(self.time) <= LARGEST_TIME),
            "is missing, infinite or beyond 2^43 seconds; drop the frame, or subtract an origin",
        )
        self._refuse(
            np.diff(self.time, prepend=-np.inf) <= 0,
            "is not later than the one before; sort frames by time and drop repeated ones",
        )
        self._check_values()
        labels = dict(self.labels or {})
        self._set(labels={str(track): self._texts(track, labels[track]) for track in labels})

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def called(self) -> str:
        """How messages name the recording."""
        return "the recording" if self.id is None else f"the recording {quote(self.id)}"

    def _numbers(self, name: str) -> Floats:
        try:
            values = np.asarray(getattr(self, name))
            if values.dtype.kind not in "biufO":
                raise TypeError(f"they are of type {values.dtype}")
            return values.astype(np.float64, copy=False)
        except (TypeError, ValueError) as error:
            reason = printable(error, longest=200)
            raise DataError(
                f"{self.called}: {name} holds numbers ({reason}); make dates seconds and text "
                "numbers first"
            ) from error

    def _check_shapes(self) -> None:
        if self.time.ndim != 1 or self.channels.ndim != 2 or len(self.time) != len(self.channels):
            raise DataError(
                f"{self.called}: time is (n,) and channels (n, c), one row per frame; got shapes "
                f"{self.time.shape} and {self.channels.shape}"
            )
        if self.channels.shape[1] != len(self.names) or not self.names:
            raise DataError(
                f"{self.called}: names has one name per channel, and there is at least one; "
                f"got {count(len(self.names), 'name')} for {self.channels.shape[1]} channels"
            )
        name, times = Counter(self.names).most_common(1)[0]
        if times > 1:
            raise DataError(
                f"{self.called}: {times} channels are called {quote(name)}; make names distinct"
            )

    def _refuse(self, bad: npt.NDArray[np.bool_], why: str) -> None:
        if bad.any():
            frame = int(np.argmax(bad))
            what = f"the time of frame {frame}, {self.time[frame]:.15g}"
            raise DataError(f"{self.called}: {what}, {why} ({count(int(bad.sum()), 'frame')})")

    def _check_values(self) -> None:
        bad = np.abs(self.channels) > LARGEST_VALUE  # false of NaN
        if bad.any():
            frame, channel = np.argwhere(bad)[0]
            raise DataError(
                f"{self.called}: channel {quote(self.names[channel])} is "
                f"{self.channels[frame, channel]:g} in frame {frame} "
                f"({count(int(bad.sum()), 'value')} beyond {LARGEST_VALUE:g}); write NaN where a "
                "sensor fails"
            )

    def _texts(self, track: str, values: Any) -> Objects:
        what = f"{self.called}: labels of {quote(track)}"
        try:
            column = np.asarray(values, object)
            if column.shape != self.time.shape:
                raise DataError(
                    f"{what} have shape {column.shape} for {count(len(self), 'frame')}; "
                    "give one label per frame"
                )
            codes, distinct = factorize(column)
        except (TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{what} are text or numbers ({printable(error)})") from error
        texts = [str(value) if str(value).strip() else None for value in distinct]
        return np.array([*texts, None], object)[codes]  # -1, missing, is the last

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f", {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else ""
        tracks = ", ".join(map(quote, self.labels))
        name = "" if self.id is None else f" {quote(self.id)}"
        return (
            f"SensorRecording{name}: {count(len(self), 'frame')} of "
            f"{count(len(self.names), 'channel')}{span}, "
            + (f"labels of {tracks}" if tracks else "no labels")
        )

    def select(self, names: Sequence[str]) -> "SensorRecording":
        """Keep these channels, in this order."""
        if tuple(names) == self.names:
            return self
        place = {name: number for number, name in enumerate(self.names)}
        missing = [name for name in names if name not in place]
        if missing:
            raise DataError(
                f"{self.called} has no channel {quote(missing[0])}; there are {_listed(self.names)}"
            )
        chosen = self.channels[:, [place[name] for name in names]]
        return replace(self, channels=chosen, names=tuple(names))

    def track(self, name: str) -> Objects:
        """(n,) labels of one track, None where there is none."""
        if name not in self.labels:
            there = _listed(self.labels) or "none at all"
            raise DataError(f"{self.called} has no labels of {quote(name)}; there are {there}")
        return self.labels[name]

    def stretches(self, track: str) -> Iterator[Stretch]:
        """Stretches of time with the same label, each up to the frame with another one.

        The last frame lasts as long as the median one; where it is the only one, a second.
        """
        labels = self.track(track)
        first = find_runs(labels)[:-1]
        end = 0.0
        if len(self):
            frame = float(np.median(np.diff(self.time))) if len(self) > 1 else 1.0
            last = float(self.time[-1])
            end = max(last + frame, float(np.nextafter(last, np.inf)))
        bounds = [*self.time[first].tolist(), end]
        for label, (start, stop) in zip(labels[first], pairwise(bounds), strict=True):
            if label is not None:
                yield Stretch(label, start, stop)


def as_recordings(recordings: "Iterable[SensorRecording]") -> list[SensorRecording]:
    """Check that this is a list of recordings."""
    needed = "a list of SensorRecording is needed"
    if isinstance(recordings, SensorRecording):
        raise DataError(f"{needed}, got a single one; write [recording]")
    try:
        listed: list[Any] = list(recordings)
    except TypeError as error:
        raise DataError(f"{needed}, got {type(recordings).__name__}") from error
    others = [entry for entry in listed if not isinstance(entry, SensorRecording)]
    if others:
        raise DataError(f"{needed}, got one that holds {type(others[0]).__name__}")
    return listed


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(quote, names[:SHOWN])) + more
