"""Recordings on a regular grid of time: short gaps filled, long ones left open."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_number
from ibgn.errors import DataError, Option
from ibgn.recordings import SensorRecording
from ibgn.text import count

__all__ = ["resample"]


MOST_VALUES = 2**28  # of a recording on the grid: two gigabytes
SAME = 1e-6  # frames; instants this close differ only by rounding
ROUNDING = 1 + 1e-9


def resample(
    recording: SensorRecording, rate: float = 30.0, longest_gap: float = 0.5
) -> SensorRecording:
    """Put a recording on a regular grid of time by linear interpolation.

    Parameters
    ----------
    recording : frames at any times
    rate : frames per second of the grid, which begins with the first frame
    longest_gap : seconds. Between two values of a channel that are further apart than this, and
        before its first and after its last value, the grid has NaN.

    Returns
    -------
    SensorRecording
        On the grid; the label of a frame is that of the recorded frame at or before it.

    Examples
    --------
    >>> walk = SensorRecording([0, 1, 4], [[0], [2], [8]], ["x"], {"legs": ["step", None, None]})
    >>> slow = resample(walk, rate=2, longest_gap=1)
    >>> slow.channels[:, 0].tolist()
    [0.0, 1.0, 2.0, nan, nan, nan, nan, nan, 8.0]
    >>> slow.labels["legs"].tolist()[:3]
    ['step', 'step', None]
    """
    check_number("rate", rate, "positive and at most 1e6", lambda value: 0 < value <= 1e6)
    check_number("longest_gap", longest_gap, "0 or more", lambda value: value >= 0)
    if len(recording) == 0:
        return recording
    # times that leave nothing but gaps have the wrong unit, such as milliseconds
    step = np.diff(recording.time).min(initial=np.inf)
    if len(recording) > 2 and step > longest_gap * ROUNDING and longest_gap > 0:
        raise DataError(
            f"{recording.called}: frames are {step:g} s apart or more, longer than ",
            Option("longest_gap", longest_gap),
            ", so only gaps would remain; check that time is in seconds (",
            Option("unit", 0.001),
            " reads milliseconds), or allow longer gaps",
        )
    grid = recording.time[0] + np.arange(frames_on_grid(recording, rate)) / rate
    if (np.diff(grid) <= 0).any():
        raise DataError(
            f"{recording.called}: times from {grid[0]:.15g} on are too large to differ at ",
            Option("rate", rate),
            "; subtract a common origin",
        )
    before = np.searchsorted(recording.time, grid + SAME / rate, side="right") - 1
    labels = {track: values[before] for track, values in recording.labels.items()}
    channels = _fill_channels(recording, grid, longest_gap, SAME / rate)
    return replace(recording, time=grid, channels=channels, labels=labels)


def frames_on_grid(recording: SensorRecording, rate: float) -> int:
    """Number of frames of the grid; refuses more than fit into memory."""
    if len(recording) == 0:
        return 0
    frames = int((recording.time[-1] - recording.time[0]) * rate + SAME) + 1
    if frames * len(recording.names) > MOST_VALUES:
        raise DataError(
            f"{recording.called} has {len(recording)} frames and would have {frames:,} of "
            f"{count(len(recording.names), 'channel')} at ",
            Option("rate", rate),
            ", too many; check that time is in seconds, cut it into parts, or choose fewer "
            "channels or a lower rate",
        )
    return frames


class _Places(NamedTuple):
    """Position of instants among times: the frame before, the part to the next, and gaps."""

    left: Ints
    right: Ints
    part: Floats
    gap: npt.NDArray[np.bool_]

    @classmethod
    def find(cls, time: Floats, grid: Floats, longest_gap: float, same: float) -> "_Places":
        left = np.clip(np.searchsorted(time, grid, side="right") - 1, 0, None)
        right = np.minimum(left + 1, len(time) - 1)
        apart = time[right] - time[left]
        part = np.clip((grid - time[left]) / np.where(apart > 0, apart, 1.0), 0.0, 1.0)
        there = np.minimum(np.abs(grid - time[left]), np.abs(time[right] - grid)) <= same
        outside = (grid < time[0]) | (grid > time[-1])
        return cls(left, right, part, ~there & (outside | (apart > longest_gap * ROUNDING)))

    def interpolate(self, values: Floats) -> Floats:
        """(grid, channels) from (time, channels); exact if values do not change."""
        before = values[self.left]
        values_on_grid: Floats = before + self.part[:, None] * (values[self.right] - before)
        values_on_grid[self.gap] = np.nan
        return values_on_grid


def _fill_channels(
    recording: SensorRecording, grid: Floats, longest_gap: float, same: float
) -> Floats:
    """Interpolate channels without missing values together, and the others one by one."""
    missing = np.isnan(recording.channels)
    whole = np.asarray(~missing.any(axis=0))
    filled = np.full((len(grid), len(whole)), np.nan)
    if whole.any():
        places = _Places.find(recording.time, grid, longest_gap, same)
        filled[:, whole] = places.interpolate(recording.channels[:, whole])
    for channel in np.flatnonzero(~whole & ~missing.all(axis=0)):
        there = ~missing[:, channel]
        places = _Places.find(recording.time[there], grid, longest_gap, same)
        filled[:, [channel]] = places.interpolate(recording.channels[there][:, [channel]])
    return filled
