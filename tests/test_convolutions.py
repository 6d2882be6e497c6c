"""Convolutions: the kernels equal their definition, and features do not depend on the batch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import naive_convolutions
from ibgn._kernels import convolutions as kernels
from ibgn.features import Convolutions, Raster
from strategies import sequences

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 40), st.integers(1, 4))
def test_responses_equal_their_definition(seed, samples, actions):
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 3, (actions, samples)).astype(np.float32)
    taps = np.sort(rng.choice(9, 3, replace=False))
    channels = rng.choice(actions, rng.integers(0, actions + 1), replace=False)
    dilation = int(rng.integers(1, 10))
    np.testing.assert_allclose(
        kernels.respond(picture, dilation, taps, channels),
        naive_convolutions.respond(picture, dilation, taps, channels),
    )


@settings(max_examples=20)
@given(sequences(least=1), SEEDS)
def test_shares_equal_their_definition(X, seed):
    model = Convolutions(patterns=5, levels=2, samples=12, random_state=seed)
    shares = model.fit_transform(X)
    assert model.agrees()
    plain = naive_convolutions.find_shares(
        Raster(12).fit(X).transform(X),
        model.dilations_,
        model.taps_,
        model.offsets_,
        model.channels_,
        model.bounds_,
        model.levels_,
    )
    np.testing.assert_allclose(shares, plain)
    np.testing.assert_array_equal(model.transform(X), shares)
    assert shares.shape[1] == len(model.get_feature_names_out())


@settings(max_examples=20)
@given(sequences(least=2))
def test_an_instance_has_the_same_features_in_any_batch(X):
    model = Convolutions(patterns=5, levels=2, samples=12).fit(X)
    together = model.transform(X)
    for d in range(len(X)):
        np.testing.assert_array_equal(model.transform(X[d]), together[[d]])


def test_the_same_seed_gives_the_same_features():
    X = [[("a", 0, 3), ("b", 1, 5)], [("b", 0, 3), ("a", 2, 4)]]
    one, same, other = (Convolutions(20, random_state=seed).fit_transform(X) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert one.shape != other.shape or (one != other).any()
    assert clone(Convolutions(20)).patterns == 20


def test_options_and_unknown_actions():
    with pytest.raises(ValueError, match="patterns"):
        Convolutions(0).fit([[("a", 0, 1)]])
    model = Convolutions(10, unknown="error").fit([[("a", 0, 1)]])
    with pytest.raises(ValueError, match="did not occur"):
        model.transform([[("b", 0, 1)]])
    assert Convolutions(10).fit([[], []]).transform([[]]).shape[0] == 1
