"""Windows that slide over a recording, and the most frequent label in each."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_number
from ibgn.detection.resampling import frames_on_grid, resample
from ibgn.errors import Option, OptionError
from ibgn.recordings import SensorRecording

__all__ = ["Windowing", "Windows", "majority"]


MOST_FRAMES = 100_000  # of one window
UNKNOWN = -1  # code of a frame that does not count for the label of a window


@dataclass(frozen=True)
class Windowing:
    """How recordings are cut into windows.

    Parameters
    ----------
    window, step : seconds that a window lasts, and between the starts of two windows
    rate : frames per second to which recordings are resampled first
    longest_gap : seconds; longer gaps between measured values stay open, see `resample`

    Examples
    --------
    >>> walk = SensorRecording([0, 1, 2, 3], [[0], [1], [2], [3]], ["x"])
    >>> cut = Windowing(window=2, step=1, rate=1, longest_gap=1).cut(walk)
    >>> cut.starts.tolist(), cut.edges.tolist()
    ([0, 1, 2], [0.0, 1.5, 2.5, 4.0])
    """

    window: float = 1.0
    step: float = 0.1
    rate: float = 30.0
    longest_gap: float = 0.5

    def __post_init__(self) -> None:
        check_number("rate", self.rate, "positive and at most 1e6", lambda value: 0 < value <= 1e6)
        check_number("longest_gap", self.longest_gap, "0 or more", lambda value: value >= 0)
        for name in ("window", "step"):
            required = "positive, and at most 1e9"
            check_number(name, getattr(self, name), required, lambda value: 0 < value <= 1e9)
        for name in ("rate", "longest_gap", "window", "step"):  # those of small types overflow
            object.__setattr__(self, name, float(getattr(self, name)))
        if not 2 <= self.size <= MOST_FRAMES:
            raise OptionError(
                "window",
                self.window,
                f"is {self.size:,} frames at ",
                Option("rate", self.rate),
                f", but a window has 2 to {MOST_FRAMES:,}; change one of the two",
            )

    @property
    def size(self) -> int:
        """Frames of a window."""
        return int(min(round(self.window * self.rate), MOST_FRAMES + 1))

    @property
    def hop(self) -> int:
        """Frames between the starts of two windows, at least one."""
        return int(max(round(min(self.step * self.rate, 2.0**40)), 1))

    def count(self, recording: SensorRecording) -> int:
        """Number of windows of a recording."""
        return len(self.starts(frames_on_grid(recording, self.rate)))

    def starts(self, frames: int) -> Ints:
        """First frames of windows; a recording shorter than a window is one window."""
        return np.arange(0, max(frames - self.size, 0) + 1 if frames else 0, self.hop)

    def cut(self, recording: SensorRecording) -> "Windows":
        """Resample a recording and lay windows over it."""
        grid = resample(recording, self.rate, self.longest_gap)
        return Windows(grid, self.starts(len(grid)), self.size, float(self.rate))


class Windows(NamedTuple):
    """Windows over a recording on a regular grid.

    Parameters
    ----------
    recording : on the grid
    starts : (windows,) first frame of each
    size : frames of each; a shorter recording is padded with missing values
    rate : frames per second

    Examples
    --------
    >>> walk = SensorRecording([0, 1, 2, 3], [[0], [1], [2], [3]], ["x"])
    >>> windows = Windowing(window=2, step=1, rate=1, longest_gap=1).cut(walk)
    >>> windows.size, windows.starts.tolist()
    (2, [0, 1, 2])
    """

    recording: SensorRecording
    starts: Ints
    size: int
    rate: float

    @property
    def edges(self) -> Floats:
        """(windows + 1,) instants between which each window decides.

        A window decides for the time around its middle, halfway to the middles of its neighbours;
        the first and the last also for the beginning and the end of the recording.
        """
        frames = len(self.recording)
        if frames == 0:
            return np.zeros(1)
        middles = (self.starts[1:] + self.starts[:-1] + self.size) / 2
        edges: Floats = np.concatenate([[0.0], middles, [frames]]) / self.rate
        edges += self.recording.time[0]
        return edges

    def majority(self, codes: Ints, number: int) -> Ints:
        """(windows,) most frequent code in each window; see `majority`."""
        return majority(codes, self.starts, self.size, number)


def majority(codes: Ints, starts: Ints, size: int, number: int) -> Ints:
    """Most frequent code in each window.

    Parameters
    ----------
    codes : (frames,) from 0 to number - 1; -1 for frames that do not count
    starts : (windows,) first frame of each window
    size : frames of a window; the last windows may have fewer
    number : of codes. Of equally frequent codes, the first counts.

    Examples
    --------
    >>> majority(np.array([0, 1, 1, 2, 2]), np.array([0, 1, 2]), 3, 3).tolist()
    [1, 1, 2]
    """
    stops = np.minimum(starts + size, len(codes))
    best, most = np.full(len(starts), UNKNOWN), np.zeros(len(starts), np.int64)
    for code in range(number):  # one at a time, so that memory does not grow with their number
        seen = np.concatenate([[0], np.cumsum(codes == code)])
        times = seen[stops] - seen[starts]
        best[times > most] = code
        most = np.maximum(most, times)
    return best
