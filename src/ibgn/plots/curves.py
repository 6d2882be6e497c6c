"""Bent lines between points, each with a letter away from everything else."""

import numpy as np

from ibgn._arrays import Floats

__all__ = ["bend_apart"]

BENDS = (0.2, -0.2, 0.35, -0.35, 0.1, -0.1, 0.5, -0.5)  # sideways, as a share of the length
LEAST_BEND = 0.14  # inches
POINTS_ALONG = 61
PLACES = (30, 24, 36, 18, 42)  # points at which a letter may stand
FAR_ENOUGH = 0.25  # inches


def bend_apart(ends: Floats, box: Floats) -> tuple[Floats, Floats]:
    """Bend lines so that each letter keeps away from other letters, lines and ends.

    Parameters
    ----------
    ends : (lines, 2, 2) both ends of each line, in inches
    box : (2, 2) lower and upper corner of where lines should stay

    Returns
    -------
    lines : (lines, points, 2) points along each line
    places : (lines, 2) where its letter stands
    """
    lines: list[Floats] = []
    places: list[Floats] = []
    for first, last in ends:
        taken = np.concatenate([*lines, *ends])
        letters = np.reshape(places, (-1, 2))
        choices = [_bent(first, last, bend) for bend in BENDS]
        inside = [line for line in choices if (line > box[0]).all() and (line < box[1]).all()]
        line, place = _clearest(inside or choices, taken, letters)
        lines.append(line)
        places.append(place)
    return np.array(lines), np.array(places)


def _bent(first: Floats, last: Floats, bend: float) -> Floats:
    """Points of a parabola from the first to the last, bent sideways in the middle."""
    along = last - first
    length = float(np.hypot(*along))
    sideways = np.array([-along[1], along[0]]) / length if length else np.array([0.0, 1.0])
    aside = np.sign(bend) * max(abs(bend) * length, LEAST_BEND)
    part = np.linspace(0, 1, POINTS_ALONG)[:, None]
    line: Floats = first + part * along + 4 * aside * part * (1 - part) * sideways
    return line


def _clearest(choices: list[Floats], taken: Floats, letters: Floats) -> tuple[Floats, Floats]:
    """Return the first line, and point on it, that is far enough from all, or the farthest."""
    best, farthest = (choices[0], choices[0][PLACES[0]]), -1.0
    for at in PLACES:
        for line in choices:
            clear = min(_distance(line[at : at + 1], taken), _distance(line, letters))
            if clear > farthest:
                best, farthest = (line, line[at]), clear
            if farthest >= FAR_ENOUGH:
                return best
    return best


def _distance(points: Floats, others: Floats) -> float:
    """Distance of the nearest two."""
    apart = points[:, None] - others[None]
    return float(np.hypot(apart[..., 0], apart[..., 1]).min(initial=np.inf))
