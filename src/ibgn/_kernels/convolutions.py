"""Patterns in pictures of instances: how much of the time a weighted sum lies above a level.

A pattern looks at nine instants, the middle one and four on each side, `dilation` samples apart,
in some channels of a picture. Three of the nine instants, its taps, count twice, the others minus
once, so that all weights add up to nothing; beyond the picture nothing happens. This is how
MiniRocket (Dempster et al., 2021) looks at series.
"""

import numpy as np

from ibgn._arrays import Array, Floats, Ints
from ibgn._kernels.compile import kernel

WIDTH = 9  # instants that a pattern looks at


@kernel
def respond(picture: Array, dilation: int, taps: Ints, channels: Ints) -> Floats:
    """Weighted sum around each instant, (samples,); picture (channels, samples), taps (3,)."""
    samples = picture.shape[1]
    response = np.zeros(samples)
    weight = np.full(WIDTH, -1.0)
    weight[taps] = 2.0
    for c in channels:
        for tap in range(WIDTH):
            shift = (tap - WIDTH // 2) * dilation
            for t in range(max(0, -shift), min(samples, samples - shift)):
                response[t] += weight[tap] * picture[c, t + shift]
    return response


@kernel
def find_shares(
    pictures: Array,
    dilations: Ints,
    taps: Ints,
    offsets: Ints,
    channels: Ints,
    bounds: Ints,
    levels: Floats,
) -> Floats:
    """Share of the instants at which each pattern is above each of its levels -> (n, levels).

    pictures (n, channels, samples); dilations (patterns,), taps (patterns, 3); channels of pattern
    p from offsets[p] to offsets[p + 1], levels from bounds[p] to bounds[p + 1], ascending.
    """
    shares = np.zeros((len(pictures), len(levels)))
    samples = pictures.shape[2]
    for d in range(len(pictures)):
        for p in range(len(dilations)):
            chosen = channels[offsets[p] : offsets[p + 1]]
            response = respond(pictures[d], dilations[p], taps[p], chosen)
            for b in range(bounds[p], bounds[p + 1]):
                above = 0
                for t in range(samples):
                    above += response[t] > levels[b]
                shares[d, b] = above / samples
    return shares
