"""FingerDetector: from recordings of hand joints to intervals of straight and bent fingers."""

import re
import warnings
from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn.checks import check_number
from ibgn.detection.hysteresis import (
    COVERED,
    Band,
    Signal,
    detect_states,
    find_ends,
    vote_states,
)
from ibgn.detection.soft import trace_states
from ibgn.detection.streams import to_sequences
from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.recordings import SensorRecording, Stretch, as_recordings
from ibgn.text import count, quote

__all__ = ["FingerDetector"]

Recordings = Iterable[SensorRecording]

CHANNEL = re.compile(r"((?:right|left) (?:thumb|index|middle|ring|pinky))(?: (\w+) ([xyz]))?")
POINTS = ("cmc", "mcp", "pip", "ip", "dip", "tip")  # from the palm to the tip
STATES = ("straight", "bent")

SHARES = (0.5 - COVERED / 2, 0.5 + COVERED / 2)  # of the way at which learned thresholds lie
CHANGES = 1.0  # per second, of a finger, as far as nothing was measured
LEAST_RANGE = 20.0  # degrees; with less between them, a finger counts as not moving


USUAL = Band(35.0, 55.0)  # degrees: straight up to the first, bent from the second


class FingerDetector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Detects when fingers are straight and when they are bent.

    Recordings have channels such as "right index", how far a finger is bent in degrees, from 0 for
    straight to 90 and more; or three or more points of each finger, "right index pip x", where the
    most bent joint counts. Points are mcp, pip, dip and tip, for thumbs cmc, mcp, ip and tip. The
    intervals are those of "right index straight" and "right index bent".

    Parameters
    ----------
    bent_above, straight_below : a finger becomes bent at the first angle and straight at the
        second, in degrees; between them it keeps its state, so that noise does not make it
        flicker. With bent_above="learned", `fit` learns both for each finger, from two means of its
        angles, and straight_below is ignored.
    min_duration : seconds; a shorter state counts as noise, and the state before it continues. At
        the start it becomes the state after it; if all are shorter, they become the state that
        lasts longer in total.
    max_gap : seconds for which a finger that the sensor lost keeps its state. A longer gap ends
        the interval, and another begins after it.
    soft : whether ends have an error, see `ibgn.uncertainty.Uncertainty`. A state then changes
        where enough frames speak for it, measured by the noise of the recording; min_duration
        does not apply.

    Attributes
    ----------
    bands_ : thresholds of each finger, if learned

    Examples
    --------
    >>> recording = SensorRecording(
    ...     [0, 0.1, 0.2, 0.3, 0.4], [[5], [40], [70], [50], [8]], ["right index"]
    ... )
    >>> FingerDetector().transform([recording])
    IntervalSequences: 1 instance, 3 intervals, 2 actions
      0: right index straight [0, 0.2), right index bent [0.2, 0.4), right index straight [0.4, 0.5)
    """

    bands_: dict[str, Band]

    def __init__(
        self,
        bent_above: float | Literal["learned"] = USUAL.high,
        straight_below: float = USUAL.low,
        *,
        min_duration: float = 0.1,
        max_gap: float = 0.2,
        soft: bool = False,
    ) -> None:
        self.bent_above = bent_above
        self.straight_below = straight_below
        self.min_duration = min_duration
        self.max_gap = max_gap
        self.soft = soft

    def fit(self, X: Recordings, y: Any = None) -> Self:
        """Learn thresholds, if bent_above="learned"; y is ignored."""
        self._check_options()
        recordings = as_recordings(X)
        if self.bent_above != "learned":
            return self
        measured: dict[str, list[Floats]] = {}
        for recording in recordings:
            for finger, angle in _angles_of_fingers(recording).items():
                measured.setdefault(finger, []).append(angle)
        bands = {finger: learn_band(np.concatenate(angles)) for finger, angles in measured.items()}
        still = [finger for finger, band in bands.items() if band is None]
        if still:
            warnings.warn(
                f"{count(len(still), 'finger')} of {len(bands)} moved too little to learn "
                f"thresholds (first: {still[0]}); the usual ones are used: straight below "
                f"{USUAL.low:g} degrees, bent above {USUAL.high:g}",
                DataWarning,
                stacklevel=2,
            )
        self.bands_ = {finger: band or USUAL for finger, band in bands.items()}
        return self

    def transform(self, X: Recordings) -> IntervalSequences:
        """Detect the intervals, one instance per recording; ids and groups are kept."""
        check_is_fitted(self)
        self._check_options()
        recordings = as_recordings(X)
        streams: list[dict[str, list[Any]]] = [{} for _ in recordings]
        signals: list[Signal] = []
        owners, bands = [], []
        for number, recording in enumerate(recordings):
            until = find_ends(recording.time, self.max_gap)
            for finger, angle in _angles_of_fingers(recording).items():
                band = self._band(finger)
                signals.append(Signal.of(len(signals), recording.time, until, angle, band))
                owners.append((number, finger))
                bands.append(band)
        if self.soft:
            for series, edges, votes in vote_states(signals, bands, self.max_gap):
                number, finger = owners[series]
                cost = -np.log(CHANGES * float(np.median(np.diff(edges))))
                states = [f"{finger} {state}" for state in STATES]
                found = trace_states(votes, edges, states, max(cost, 0.0))
                streams[number].setdefault(finger, []).extend(found)
            return to_sequences(recordings, streams, "value")
        for series, state, start, end in detect_states(signals, self.min_duration, self.max_gap):
            number, finger = owners[series]
            stretch = Stretch(f"{finger} {STATES[state]}", start, end)
            streams[number].setdefault(finger, []).append(stretch)
        return to_sequences(recordings, streams, "value")

    def __sklearn_is_fitted__(self) -> bool:
        return self.bent_above != "learned" or hasattr(self, "bands_")

    def _check_options(self) -> None:
        for name in ("min_duration", "max_gap"):
            check_number(name, getattr(self, name), "0 or more seconds", lambda value: value >= 0)
        if isinstance(self.bent_above, str):
            if self.bent_above != "learned":
                raise OptionError("bent_above", self.bent_above, "must be a number or 'learned'")
            return
        for name in ("bent_above", "straight_below"):
            check_number(
                name,
                getattr(self, name),
                "from -360 to 360 degrees",
                lambda value: abs(value) <= 360,
            )
        if self.straight_below > self.bent_above:
            raise OptionError(
                "straight_below",
                self.straight_below,
                "is larger than ",
                Option("bent_above", self.bent_above),
                "; between them, a finger would be both",
            )

    def _band(self, finger: str) -> Band:
        if not isinstance(self.bent_above, str):
            return Band(self.straight_below, self.bent_above)
        if finger not in self.bands_:
            raise DataError(
                f"no threshold was learned for {quote(finger)}, only for "
                f"{', '.join(self.bands_) or 'no finger at all'}; fit on recordings that have it"
            )
        return self.bands_[finger]


def _angles_of_fingers(recording: SensorRecording) -> dict[str, Floats]:
    """(frames,) degrees of each finger, measured or computed from its points."""
    fingers: dict[str, dict[tuple[str, str] | None, Floats]] = {}
    for name, channel in zip(recording.names, recording.channels.T, strict=True):
        named = CHANNEL.fullmatch(name)
        if not named or named[2] not in (None, *POINTS):
            raise DataError(
                f"{recording.called}: the channel {quote(name)} is no finger; names are like "
                "'right index' or 'right index pip x'; recording.select(...) leaves others out"
            )
        fingers.setdefault(named[1], {})[(named[2], named[3]) if named[2] else None] = channel
    return {finger: _angle(recording, finger, parts) for finger, parts in fingers.items()}


def _angle(
    recording: SensorRecording, finger: str, parts: dict[tuple[str, str] | None, Floats]
) -> Floats:
    if None in parts and len(parts) == 1:
        return parts[None]
    points = [point for point in POINTS if any(key and key[0] == point for key in parts)]
    needed = [(point, axis) for point in points for axis in "xyz"]
    if None in parts or len(points) < 3 or any(key not in parts for key in needed):
        raise DataError(
            f"{recording.called}: {quote(finger)} has {count(len(parts), 'channel')} of the points "
            f"{', '.join(points)}; give an angle, or x, y and z of three or more points"
        )
    stacked = np.stack([parts[key] for key in needed], axis=-1)
    return bend(stacked.reshape(-1, len(points), 3))


def bend(points: Floats) -> Floats:
    """Angle in degrees of the most bent joint; NaN if a point is missing.

    Parameters
    ----------
    points : (..., points, 3) positions, from the palm to the tip

    Examples
    --------
    >>> bend(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]])).tolist()
    90.0
    """
    bones = np.diff(points, axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):  # points may coincide
        bones = bones / np.linalg.norm(bones, axis=-1, keepdims=True)
    cosine = (bones[..., 1:, :] * bones[..., :-1, :]).sum(axis=-1)
    degrees: Floats = np.degrees(np.arccos(np.clip(cosine, -1, 1))).max(axis=-1)
    return degrees


def learn_band(angle: Floats) -> Band | None:
    """Thresholds between the two means of the angles; None if they are too close.

    The angles are split where the squared distances to the two means are smallest.
    """
    ordered = np.sort(angle[~np.isnan(angle)])
    if len(ordered) < 2:
        return None
    number = np.arange(1, len(ordered))
    below = np.cumsum(ordered)
    low, high = below[:-1] / number, (below[-1] - below[:-1]) / number[::-1]
    best = int(np.argmax(number * low**2 + number[::-1] * high**2))
    if high[best] - low[best] < LEAST_RANGE:
        return None
    return Band(*(float(low[best] + share * (high[best] - low[best])) for share in SHARES))
