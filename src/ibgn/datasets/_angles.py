"""Angles that a hand tracker would measure of fingers that are straight and bent in turn."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import expit

from ibgn.datasets._timeline import Interval
from ibgn.recordings import SensorRecording

FRAMES_PER_SECOND = 30
STRAIGHT, BENT = 10.0, 80.0  # degrees
MOVES = 0.15  # seconds from 10 % to 90 % of a movement
SCALE = MOVES / (2 * np.log(9))  # of the logistic curve that does so


def measure(
    name: str,
    group: object,
    intervals: Iterable[Interval],
    fingers: Sequence[str],
    noise: float,
    dropout: float,
    rng: np.random.Generator,
) -> SensorRecording:
    """Angles of the fingers of an instance, with noise in degrees and lost values."""
    states = defaultdict(list)
    for action, start, end in sorted(intervals, key=lambda interval: interval[1]):
        finger, state = action.rsplit(" ", 1)
        states[finger].append((state == "bent", start, end))
    used = [finger for finger in fingers if finger in states]
    last = max(end for parts in states.values() for _, _, end in parts)
    # no frame at the end of the last, even if 30 times that time is off by rounding
    time = np.arange(np.ceil(last * FRAMES_PER_SECOND - 1e-9)) / FRAMES_PER_SECOND
    curves = []
    for parts in (states[finger] for finger in used):
        # each change adds a smooth step up or down, halfway at the time of the change
        changes = np.array([start for _, start, _ in parts[1:]])
        steps = np.where([bent for bent, _, _ in parts[1:]], 1.0, -1.0)
        share = parts[0][0] + expit((time[:, None] - changes) / SCALE) @ steps
        curves.append(STRAIGHT + (BENT - STRAIGHT) * share)
    angles = np.stack(curves, axis=1)
    angles += noise * rng.normal(size=angles.shape)
    angles[rng.random(angles.shape) < dropout] = np.nan
    return SensorRecording(time, angles, tuple(used), {}, name, group)
