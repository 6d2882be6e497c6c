"""Features of windows: statistics of each channel, and correlations between channels.

For each channel: mean, standard deviation, smallest, largest, range, energy (mean of squares) and
the share of missing values; of its spectrum the dominant frequency, the entropy and the energy in
octaves. For pairs of channels: their correlation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import fft, special

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_choice

__all__ = ["Correlations", "FeatureSet", "window_features"]

Correlations = Literal["auto", "all", "neighbours", "none"]

VALUES_AT_ONCE = 400_000  # of all windows of a block, so that it stays in fast memory
MOST_PAIRED = 16  # channels up to which "auto" correlates all pairs
EQUAL = 1 - 1e-9  # oscillations this near to the strongest are equal: the slowest is dominant
STATISTICS = ("mean", "deviation", "least", "largest", "range", "energy", "missing")


@dataclass(frozen=True)
class FeatureSet:
    """Which features are computed.

    Parameters
    ----------
    correlations : of "all" pairs of channels, of "neighbours" (each channel and the next one), or
        "none"; "auto" is all of up to 16 channels and else neighbours, as pairs grow with the
        square of channels
    spectrum : whether to include features of the spectrum

    Examples
    --------
    >>> FeatureSet(correlations="none", spectrum=False)
    FeatureSet(correlations='none', spectrum=False)
    """

    correlations: Correlations = "auto"
    spectrum: bool = True

    def __post_init__(self) -> None:
        check_choice("correlations", self.correlations, get_args(Correlations))

    def pairs(self, channels: int) -> tuple[Ints, Ints]:
        """Pairs of channels to correlate."""
        chosen = self.correlations
        if chosen == "auto":
            chosen = "all" if channels <= MOST_PAIRED else "neighbours"
        if chosen == "all":
            left, right = np.triu_indices(channels, 1)
            return left, right
        left = np.arange(channels - 1 if chosen == "neighbours" else 0)
        return left, left + 1

    def names(self, channels: Sequence[str], size: int, rate: float) -> list[str]:
        """Names of the features of windows of `size` frames, in order."""
        kinds = [*STATISTICS]
        if self.spectrum:
            kinds += ["dominant frequency", "entropy"]
            kinds += [f"energy from {low * rate / size:.3g} Hz" for low in octaves(size)]
        single = [f"{kind} of {channel}" for kind in kinds for channel in channels]
        pairs = zip(*self.pairs(len(channels)), strict=True)
        return single + [f"correlation of {channels[i]} and {channels[j]}" for i, j in pairs]

    def count(self, channels: int, size: int) -> int:
        """Number of features."""
        kinds = len(STATISTICS) + (2 + len(octaves(size)) if self.spectrum else 0)
        return kinds * channels + len(self.pairs(channels)[0])

    def blocks(
        self, values: Floats, starts: Ints, size: int, rate: float
    ) -> Iterator[tuple[slice, Floats]]:
        """Features of blocks of windows, so that memory stays bounded."""
        if 0 < len(values) < size:
            gap = np.full((size - len(values), values.shape[1]), np.nan)
            values = np.concatenate([values, gap])
        step = max(VALUES_AT_ONCE // (size * values.shape[1]), 1)
        for first in range(0, len(starts), step):
            block = slice(first, first + step)
            frames = starts[block] + np.arange(size)[:, None]
            seen = _Seen.of(values[frames])
            parts = [*seen.statistics(), *(_spectrum(seen, rate) if self.spectrum else ())]
            correlations = _correlate(seen, *self.pairs(values.shape[1]))
            yield block, np.concatenate([*parts, correlations], axis=1)


def window_features(
    values: Floats,
    starts: Ints,
    size: int,
    rate: float = 30.0,
    correlations: Correlations = "auto",
    spectrum: bool = True,
) -> Floats:
    """Features of each window.

    Parameters
    ----------
    values : (frames, channels) on a regular grid; NaN where nothing was measured
    starts : (windows,) first frame of each window
    size : frames of a window
    rate : frames per second
    correlations, spectrum : which features, see `FeatureSet`

    Returns
    -------
    array
        (windows, features), in the order of `FeatureSet.names`. Missing values are left out, and a
        feature is NaN only if a channel has no values in a window. For the spectrum and
        correlations, the mean of the window replaces a missing value. Frequency, entropy and
        correlation of a constant are 0.

    Examples
    --------
    >>> window_features(np.array([[1.0], [3.0], [1.0], [3.0]]), np.array([0]), 4, 4.0).tolist()
    [[2.0, 1.0, 1.0, 3.0, 2.0, 5.0, 0.0, 2.0, 0.0, 0.0, 1.0]]
    >>> FeatureSet().names(["x"], 4, 4.0)[-2:]
    ['energy from 1 Hz of x', 'energy from 2 Hz of x']
    """
    chosen = FeatureSet(correlations, spectrum)
    result = np.empty((len(starts), chosen.count(values.shape[1], size)))
    for block, features in chosen.blocks(values, starts, size, rate):
        result[block] = features
    return result


def octaves(size: int) -> Ints:
    """First frequency of each octave, in oscillations per window: 1, 2, 4, ..."""
    return 2 ** np.arange((size // 2).bit_length())


class _Seen(NamedTuple):
    """Values of windows that are not missing.

    Parameters
    ----------
    apart : (size, windows, channels) values minus the mean of their window, 0 if missing
    number : (windows, channels) number of values, NaN if there are none, as their features then are
    mean, least, largest : (windows, channels) of the values that are not missing
    """

    apart: Floats
    number: Floats
    mean: Floats
    least: Floats
    largest: Floats

    @classmethod
    def of(cls, values: Floats) -> "_Seen":
        absent = np.isnan(values)
        if not absent.any():  # by far the most common case
            number = np.full(values.shape[1:], float(len(values)))
            least, largest = values.min(axis=0), values.max(axis=0)
            mean = values.sum(axis=0) / number
        else:
            there = len(values) - absent.sum(axis=0)
            number = np.where(there > 0, there, np.nan)
            least = np.where(absent, np.inf, values).min(axis=0) + 0 * number
            largest = np.where(absent, -np.inf, values).max(axis=0) + 0 * number
            mean = np.where(absent, 0.0, values).sum(axis=0) / number
        apart = values - mean
        apart[absent] = 0.0
        apart[:, least == largest] = 0.0  # rounding must not make a constant vary
        return cls(apart, number, mean, least, largest)

    def statistics(self) -> list[Floats]:
        """Features in the order of STATISTICS, each (windows, channels)."""
        variance = np.square(self.apart).sum(axis=0) / self.number
        missing = 1 - np.nan_to_num(self.number) / len(self.apart)
        ends = [self.least, self.largest, self.largest - self.least]
        return [self.mean, np.sqrt(variance), *ends, variance + np.square(self.mean), missing]


def _spectrum(seen: _Seen, rate: float) -> list[Floats]:
    """Dominant frequency, entropy, and the energy of each octave; all are (windows, channels).

    Energies of all octaves add up to the variance if nothing is missing.
    """
    size = len(seen.apart)
    waves = fft.rfft(seen.apart, axis=0)[1:]
    power = (np.square(waves.real) + np.square(waves.imag)) * (2 / size**2)
    if size % 2 == 0:
        power[-1] /= 2  # the fastest oscillation has no twin of negative frequency
    total = power.sum(axis=0)
    strongest = np.argmax(power >= EQUAL * power.max(axis=0), axis=0) + 1
    dominant = strongest * (rate / size) * (total > 0)
    energies = np.add.reduceat(power, octaves(size) - 1, axis=0)
    nothing = 0 * seen.number  # NaN where a channel has no values
    return [part + nothing for part in (dominant, _entropy(power, total), *energies)]


def _entropy(power: Floats, total: Floats) -> Floats:
    """(windows, channels) 0 for one pure oscillation, 1 if all are equally strong."""
    if len(power) == 1:
        return np.zeros_like(total)
    share = power / np.where(total > 0, total, 1.0)
    entropy: Floats = special.entr(share).sum(axis=0) / np.log(len(power))
    return entropy


def _correlate(seen: _Seen, left: Ints, right: Ints) -> Floats:
    """(windows, pairs) correlations of channels; 0 if one does not vary."""
    length = np.sqrt(np.square(seen.apart).sum(axis=0))
    unit = seen.apart / np.where(length > 0, length, 1.0)
    if len(left) > unit.shape[2]:  # nearly all pairs: as products of matrices
        product = unit.transpose(1, 2, 0) @ unit.transpose(1, 0, 2)
        products = product[:, left, right]
    else:
        products = np.einsum("swp,swp->wp", unit[:, :, left], unit[:, :, right])
    nothing = 0 * (seen.number[:, left] + seen.number[:, right])
    correlations: Floats = np.clip(products, -1.0, 1.0) + nothing
    return correlations
