"""Features of recordings, on the scale of the training data."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import joblib
import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bools, Ints
from ibgn.detection.features import STATISTICS, FeatureSet
from ibgn.detection.scale import Scale
from ibgn.detection.windows import Windowing, Windows
from ibgn.errors import DataError, DataWarning, Option
from ibgn.recordings import SensorRecording
from ibgn.text import count, quote

__all__ = ["Extraction", "Training", "encode", "learn_extraction"]

Features = npt.NDArray[np.float32]
Classes = tuple[str | None, ...]

ROWS_AT_ONCE = 2048  # windows whose features are in memory at the same time
FLOAT32 = 1e-6  # rounding error of a feature, as a share of its size


class Extraction(NamedTuple):
    """Channels, windows, features, and the scales that were learned.

    Parameters
    ----------
    names : of the channels
    windowing : how recordings are cut
    chosen : which features
    channels : scale of the channels; features come from scaled channels, so that neither an
        offset nor a unit costs precision
    features : scale of the features
    """

    names: tuple[str, ...]
    windowing: Windowing
    chosen: FeatureSet
    channels: Scale
    features: Scale | None = None

    def cut(self, recording: SensorRecording) -> Windows:
        """Windows over the channels of a recording, scaled."""
        selected = recording.select(self.names)
        scaled = self.channels.apply(selected.channels)
        return self.windowing.cut(replace(selected, channels=scaled))

    def extract(self, windows: Windows) -> Iterator[tuple[slice, Features, Bools]]:
        """Blocks of windows: which ones, their features, and whether anything was measured.

        Features are not scaled yet.
        """
        channels = windows.recording.channels
        missing = slice(*(np.array([-1, 0]) + len(STATISTICS)) * len(self.names))
        for first in range(0, len(windows.starts), ROWS_AT_ONCE):
            rows = slice(first, min(first + ROWS_AT_ONCE, len(windows.starts)))
            features = np.empty((rows.stop - first, self.width), np.float32)
            frames = windows.starts[rows], windows.size, windows.rate
            for block, values in self.chosen.blocks(channels, *frames):
                features[block] = values
            measured = np.asarray((features[:, missing] < 1).any(axis=1))
            yield rows, features, measured

    def scale(self, features: Features) -> Features:
        """Features that varied in training, on its scale; a missing one becomes the mean."""
        if self.features is None:
            return features
        scaled = self.features.apply(features)[:, ~self.features.silent]
        return np.nan_to_num(scaled).astype(np.float32)

    @property
    def width(self) -> int:
        """Number of features of a window."""
        return self.chosen.count(len(self.names), self.windowing.size)


class Training(NamedTuple):
    """What classifiers learn from.

    Parameters
    ----------
    features : (windows, features) scaled
    codes : for each track, (windows,) class of each
    """

    features: Features
    codes: dict[str, Ints]


def learn_extraction(
    recordings: list[SensorRecording],
    windowing: Windowing,
    chosen: FeatureSet,
    classes: Mapping[str, Classes],
    n_jobs: int | None,
) -> tuple[Extraction, Training]:
    """Learn the scales, and extract the training data of classifiers."""
    names = recordings[0].names
    scale = Scale.learn(lambda: (recording.select(names).channels for recording in recordings))
    _check_silent(names, scale.silent)
    extraction = Extraction(names, windowing, chosen, scale)
    bounds = np.cumsum([0, *(windowing.count(recording) for recording in recordings)])
    features = np.empty((bounds[-1], extraction.width), np.float32)
    measured = np.empty(bounds[-1], bool)
    codes = {track: np.empty(bounds[-1], np.int64) for track in classes}

    def fill(number: int) -> None:
        windows = extraction.cut(recordings[number])
        mine = slice(bounds[number], bounds[number + 1])
        for rows, values, some in extraction.extract(windows):
            features[mine][rows], measured[mine][rows] = values, some
        for track, known in classes.items():
            of_frames = encode(windows.recording.labels[track], known)
            codes[track][mine] = windows.majority(of_frames, len(known))

    joblib.Parallel(n_jobs, require="sharedmem")(
        joblib.delayed(fill)(number) for number in range(len(recordings))
    )
    if not measured.any():
        raise DataError(
            "nothing was measured in any window; check the channels and ",
            Option("longest_gap", windowing.longest_gap),
        )
    if not measured.all():
        lost = count(int((~measured).sum()), "window")
        _warn(f"left out {lost} of {len(measured)} in which nothing was measured")
        features = features[measured]
        codes = {track: of_windows[measured] for track, of_windows in codes.items()}
    extraction = extraction._replace(features=Scale.learn(lambda: _rows(features), FLOAT32))
    return extraction, Training(_scale_in_place(extraction, features), codes)


def _scale_in_place(extraction: Extraction, features: Features) -> Features:
    """Scale the largest array in place; rows move up as they get narrower."""
    width = extraction.scale(features[:1]).shape[1]
    scaled = features.reshape(-1)[: len(features) * width].reshape(len(features), width)
    first = 0
    for part in _rows(features):  # no row is overwritten before it was read
        scaled[first : first + len(part)] = extraction.scale(part)
        first += len(part)
    return scaled


def encode(labels: npt.NDArray[np.object_], classes: Classes) -> Ints:
    """Codes of labels; unknown labels get the last code, which means none."""
    code = {label: number for number, label in enumerate(classes)}
    none = len(classes) - 1
    return np.array([code.get(label, none) for label in labels.tolist()], np.int64)


def _rows(features: Features) -> Iterator[Features]:
    for first in range(0, len(features), ROWS_AT_ONCE):
        yield features[first : first + ROWS_AT_ONCE]


def _check_silent(names: tuple[str, ...], silent: Bools) -> None:
    if silent.all():
        raise DataError(
            "no channel varies in training, so actions cannot be told apart; check the channels"
        )
    if silent.any():
        first = quote(names[int(np.argmax(silent))])
        _warn(
            f"{count(int(silent.sum()), 'channel')} of {len(names)} constant or never measured in "
            f"training, and not used (first: {first})"
        )


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=2)
