"""Streams cut into activities: the dynamic programme, learning, and what comes out."""

import naive_segments
import numpy as np
import pytest

from ibgn._kernels import segments as kernels


def make_weights(rng, n, longest, activities):
    """Scores, none and steps of a small stream."""
    scores = rng.normal(size=(n, longest, activities))
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    for begin in range(n):
        scores[begin, n - begin :] = -np.inf
    return scores, rng.normal(size=n), rng.normal(size=(activities + 2, activities + 1))


@pytest.mark.parametrize(
    ("n", "longest", "activities"), [(1, 1, 1), (4, 2, 2), (6, 4, 1), (5, 7, 2)]
)
def test_all_segmentations_are_summed(n, longest, activities, rng):
    weights = make_weights(rng, n, longest, activities)
    entry, ending = kernels.sum_before(*weights)
    twins = naive_segments.sum_before(*weights)
    np.testing.assert_allclose(entry, twins[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ending, twins[1], rtol=1e-12, atol=1e-12)
    after = kernels.sum_after(*weights)
    np.testing.assert_allclose(after, naive_segments.sum_after(*weights), rtol=1e-12, atol=1e-12)
    total = after[0, -1] if n == 0 else np.logaddexp.reduce(ending[n])
    shared = kernels.share_segments(*weights[:2], entry, after, total)
    for mine, plain in zip(
        shared, naive_segments.share_segments(*weights[:2], entry, after, total), strict=True
    ):
        np.testing.assert_allclose(mine, plain, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(shared[1].sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("n", "longest", "activities"), [(1, 1, 1), (4, 2, 2), (6, 4, 1), (5, 7, 2)]
)
def test_the_likeliest_segmentation_is_found(n, longest, activities, rng):
    weights = make_weights(rng, n, longest, activities)
    for mine, plain in zip(
        kernels.best_segments(*weights), naive_segments.best_segments(*weights), strict=True
    ):
        np.testing.assert_array_equal(mine, plain)
