"""Features: each equals a plain twin, window by window; time and memory stay bounded."""

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ibgn.detection import FeatureSet, window_features
from ibgn.detection import features as module
from ibgn.detection.features import octaves
from ibgn.errors import OptionError

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
RATE = 10.0


def plain_of_channel(window):
    """Features of one channel in one window, by their definitions."""
    size = len(window)
    there = [x for x in window if not np.isnan(x)]
    if not there:
        return [np.nan] * 6 + [1.0] + [np.nan] * (2 + len(octaves(size)))
    mean = sum(there) / len(there)
    variance = sum((x - mean) ** 2 for x in there) / len(there)
    if min(there) == max(there):
        variance = 0.0
    low, high = min(there), max(there)
    energy = variance + mean**2
    found = [mean, variance**0.5, low, high, high - low, energy, 1 - len(there) / size]
    return found + plain_spectrum([0.0 if np.isnan(x) else x - mean for x in window])


def plain_spectrum(apart):
    """Dominant frequency, entropy and energies of octaves, from the definition of a spectrum."""
    size = len(apart)
    vary = max(apart) - min(apart) > 1e-12
    power = []
    for f in range(1, size // 2 + 1):
        wave = sum(x * np.exp(-2j * np.pi * f * t / size) for t, x in enumerate(apart))
        sides = 1 if 2 * f == size else 2
        power.append(sides * abs(wave) ** 2 / size**2 if vary else 0.0)
    total = sum(power)
    bands = [0.0] * len(octaves(size))
    for f, p in enumerate(power, 1):
        bands[int(np.log2(f))] += p
    if not vary:
        return [0.0, 0.0, *bands]
    strongest = [f for f, p in enumerate(power, 1) if p >= (1 - 1e-9) * max(power)]
    dominant = strongest[0] * RATE / size
    shares = [p / total for p in power if p > 0]
    entropy = -sum(q * np.log(q) for q in shares) / np.log(len(power)) if len(power) > 1 else 0.0
    return [dominant, entropy, *bands]


def plain_correlation(one, other):
    one, other = np.array(one), np.array(other)
    if np.isnan(one).all() or np.isnan(other).all():
        return np.nan
    parts = []
    for x in (one, other):
        constant = np.nanmin(x) == np.nanmax(x)
        parts.append(np.where(np.isnan(x) | constant, 0.0, x - np.nanmean(x)))
    lengths = [np.sqrt((x**2).sum()) for x in parts]
    return (parts[0] * parts[1]).sum() / np.prod(lengths) if min(lengths) > 0 else 0.0


def plain_features(values, starts, size, pairs):
    rows = []
    for start in starts:
        window = values[start : start + size].T
        kinds = np.array([plain_of_channel(channel.tolist()) for channel in window]).T
        together = [plain_correlation(window[i], window[j]) for i, j in pairs]
        rows.append([*kinds.ravel(), *together])
    return np.array(rows)


def with_gaps(rng, frames, channels, share):
    values = rng.normal(size=(frames, channels)).cumsum(axis=0)
    values[rng.random(values.shape) < share] = np.nan
    return values


@pytest.mark.parametrize("size", [2, 3, 4, 7, 8, 16])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_features_equal_their_twins(rng, size, share):
    values = with_gaps(rng, 30, 3, share)
    starts = np.arange(0, 30 - size + 1, 3)
    found = window_features(values, starts, size, RATE)
    expected = plain_features(values, starts, size, [(0, 1), (0, 2), (1, 2)])
    np.testing.assert_allclose(found, expected, **CLOSE)


@pytest.mark.parametrize("feature", range(16))
def test_twins_would_tell_a_wrong_feature(rng, feature):
    """The control of the test before: a change of any feature by a thousandth is seen."""
    values = with_gaps(rng, 20, 2, 0.1)
    found = window_features(values, np.array([0, 5]), 12, RATE)[:, :16].copy()
    expected = plain_features(values, [0, 5], 12, [(0, 1)])[:, :16]
    found[:, feature] += 1e-3
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(found, expected, **CLOSE)


smooth_values = hnp.arrays(
    np.float64, (12, 2), elements=st.integers(-40, 40).map(float) | st.just(np.nan)
)


@given(smooth_values)
def test_octaves_add_up_to_the_variance_and_correlations_are_bounded(values):
    found = window_features(values, np.array([0, 4]), 8, RATE)
    names = FeatureSet().names(["a", "b"], 8, RATE)
    column = dict(zip(names, found.T, strict=True))
    for channel in "ab":
        energies = sum(column[name] for name in names if f"Hz of {channel}" in name)
        there = 1 - column[f"missing of {channel}"]
        np.testing.assert_allclose(
            energies, column[f"deviation of {channel}"] ** 2 * there, **CLOSE
        )
        entropy = column[f"entropy of {channel}"]
        assert np.isnan(entropy).tolist() == (there == 0).tolist()
        assert ((np.nan_to_num(entropy) >= 0) & (np.nan_to_num(entropy) <= 1 + 1e-12)).all()
    assert (np.abs(np.nan_to_num(column["correlation of a and b"])) <= 1).all()


@pytest.mark.parametrize(("correlations", "channels", "pairs"), [
    ("auto", 16, 120), ("auto", 17, 16), ("all", 17, 136), ("neighbours", 5, 4), ("none", 5, 0),
    ("auto", 1, 0), ("neighbours", 1, 0),
])  # fmt: skip
@pytest.mark.parametrize("spectrum", [True, False])
def test_names_and_numbers_of_features_agree(rng, correlations, channels, pairs, spectrum):
    chosen = FeatureSet(correlations, spectrum)
    values = rng.normal(size=(20, channels))
    found = window_features(values, np.array([0, 3]), 10, RATE, correlations, spectrum)
    names = chosen.names([f"c{c}" for c in range(channels)], 10, RATE)
    assert found.shape == (2, len(names)) == (2, chosen.count(channels, 10))
    assert len(set(names)) == len(names)
    assert len([name for name in names if name.startswith("correlation")]) == pairs
    for number, name in enumerate(names):
        if name.startswith("correlation"):
            i, j = (int(part.split("c")[-1]) for part in name.split(" and "))
            expected = np.corrcoef(values[:10, i], values[:10, j])[0, 1]
            np.testing.assert_allclose(found[0, number], expected, **CLOSE)


def test_frequency_of_an_oscillation_is_found():
    seconds = np.arange(300) / 30
    values = np.sin(2 * np.pi * 4 * seconds)[:, None]
    found = dict(
        zip(FeatureSet().names("x", 30, 30.0), window_features(values, [0], 30)[0], strict=True)
    )
    np.testing.assert_allclose(found["dominant frequency of x"], 4)
    np.testing.assert_allclose(found["energy from 4 Hz of x"], 0.5)
    np.testing.assert_allclose(found["entropy of x"], 0, atol=1e-9)


def test_a_large_offset_costs_no_more_precision_than_the_numbers_themselves(rng):
    values = rng.normal(size=(60, 2))
    offset = 2.0**30  # values are then known to 2^-22
    known = (values + offset) - offset
    starts = np.array([0, 10, 30])
    names = FeatureSet().names("xy", 30, 30.0)
    free = [n for n, name in enumerate(names) if name.split()[0] in ("deviation", "correlation")]
    found = window_features(values + offset, starts, 30)[:, free]
    np.testing.assert_allclose(found, window_features(known, starts, 30)[:, free], rtol=1e-9)
    squares = ((values + offset) ** 2)[:30].mean(axis=0) - (values + offset)[:30].mean(axis=0) ** 2
    assert (np.abs(squares - known[:30].var(axis=0)) > 1e-3).any()  # what is not done


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 / 3, -1e100])
def test_what_does_not_vary_has_no_deviation_frequency_or_correlation(rng, value):
    values = np.stack([np.full(40, value), rng.normal(size=40)], axis=1)
    values[3:9, 0] = np.nan
    names = FeatureSet().names("xy", 20, 30.0)
    found = dict(zip(names, window_features(values, np.array([0, 20]), 20).T, strict=True))
    np.testing.assert_allclose(found["mean of x"], value, rtol=1e-12)
    still = ["deviation", "range", "dominant frequency", "entropy", "energy from 1.5 Hz"]
    for kind in still:
        assert found[f"{kind} of x"].tolist() == [0, 0], kind
    assert found["correlation of x and y"].tolist() == [0, 0]


def test_a_recording_shorter_than_a_window_is_continued_by_missing_values(rng):
    values = rng.normal(size=(5, 2))
    longer = np.concatenate([values, np.full((3, 2), np.nan)])
    np.testing.assert_array_equal(
        window_features(values, np.array([0]), 8), window_features(longer, np.array([0]), 8)
    )
    assert window_features(np.zeros((0, 2)), np.zeros(0, int), 8).shape[0] == 0


def test_blocks_change_nothing(rng, monkeypatch):
    values = with_gaps(rng, 200, 3, 0.05)
    starts = np.arange(0, 190, 3)
    whole = window_features(values, starts, 10)
    monkeypatch.setattr(module, "VALUES_AT_ONCE", 1)
    np.testing.assert_allclose(window_features(values, starts, 10), whole, rtol=1e-12, atol=1e-12)


def test_unknown_correlations_are_refused():
    with pytest.raises(OptionError, match="correlations='some' is not a choice"):
        FeatureSet("some")


def test_memory_beyond_the_result_is_bounded(rng):
    def more(frames):
        values = rng.normal(size=(frames, 20))
        tracemalloc.start()
        found = window_features(values, np.arange(0, frames - 30, 3), 30)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak - found.nbytes

    assert more(20_000) < 1.2 * more(5_000)
    assert more(20_000) < 60e6


@pytest.mark.slow
def test_a_hundred_thousand_frames_of_a_hundred_channels_take_seconds(rng):
    values = rng.normal(size=(100_000, 100))
    starts = np.arange(0, 100_000 - 29, 3)
    before = time.process_time()
    window_features(values, starts, 30)
    assert time.process_time() - before < 30
