"""Plain twins of the kernels of convolutions, instant by instant."""

import numpy as np


def respond(picture, dilation, taps, channels):
    """Around each instant: two for each tap, minus one for each other of the nine."""
    found = []
    for t in range(picture.shape[1]):
        total = 0.0
        for c in channels:
            for tap in range(9):
                at = t + (tap - 4) * dilation
                if 0 <= at < picture.shape[1]:
                    total += (2 if tap in taps else -1) * picture[c, at]
        found.append(total)
    return np.array(found)


def find_shares(pictures, dilations, taps, offsets, channels, bounds, levels):
    rows = []
    for picture in pictures:
        row = []
        for p, dilation in enumerate(dilations):
            chosen = channels[offsets[p] : offsets[p + 1]]
            response = respond(picture, dilation, taps[p], chosen)
            row += [np.mean(response > level) for level in levels[bounds[p] : bounds[p + 1]]]
        rows.append(row)
    return np.array(rows).reshape(len(pictures), len(levels))
