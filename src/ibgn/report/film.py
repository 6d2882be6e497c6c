"""A course as a film: what bars and intervals of a page show while time passes, without script."""

from typing import Any

import numpy as np
from matplotlib.colors import to_hex

from ibgn._arrays import Floats
from ibgn.evaluation.courses import Course
from ibgn.plots.posterior import likely_activities
from ibgn.plots.style import series_look

__all__ = ["film"]

MOST_LANES = 12  # actions, those that happen first
MOST_INTERVALS = 300


def film(course: Course) -> dict[str, Any]:
    """Bars of activities, and lanes of actions, with the percentage of the duration as time.

    Parameters
    ----------
    course : of an instance with intervals

    Returns
    -------
    dict
        "bars": for each activity that `plot_posterior` draws its name, the colour of its line,
        whether it is the true one, and "steps", pairs of time and probability (in per cent, where
        it changes). "lanes": for each action its name and its intervals as pairs of start and
        duration. "more_activities", "more_actions" and "more_intervals" are how many are left
        out.

    Examples
    --------
    >>> import pandas as pd
    >>> posterior = pd.DataFrame({"tea": [0.5, 0.9], "coffee": [0.5, 0.1]}, index=[0.0, 4.0])
    >>> intervals = [("boil", 0.0, 4.0), ("pour", 2.0, 3.0)]
    >>> shown = film(Course("soonest", "DBN", "take 1", "tea", 0.5, posterior, 2, intervals))
    >>> shown["bars"][0]["steps"], shown["lanes"][1]
    ([(0.0, 50), (100.0, 90)], {'action': 'pour', 'intervals': [(50.0, 25.0)]})
    """
    shares = course.posterior.to_numpy(float)
    times = course.posterior.index.to_numpy(float)
    drawn = likely_activities(shares)
    first, duration = float(times[0]), float(times[-1] - times[0])
    passed = 100 * (times - first) / duration
    names = [str(name) for name in course.posterior.columns]
    bars = [
        {
            "activity": names[column],
            "colour": to_hex(series_look(number)["color"]),
            "true": names[column] == course.label,
            "steps": _steps(passed, shares[:, column]),
        }
        for number, column in enumerate(drawn)
    ]
    lanes: dict[str, list[tuple[float, float]]] = {}
    in_order = sorted(course.intervals, key=lambda interval: interval[1])
    for action, start, end in in_order[:MOST_INTERVALS]:
        place = 100 * (start - first) / duration, 100 * (end - start) / duration
        lanes.setdefault(action, []).append((round(place[0], 2), round(place[1], 2)))
    return {
        "bars": bars,
        "lanes": [
            {"action": action, "intervals": lanes[action]} for action in list(lanes)[:MOST_LANES]
        ],
        "more_activities": len(names) - len(drawn),
        "more_actions": max(len(lanes) - MOST_LANES, 0),
        "more_intervals": max(len(in_order) - MOST_INTERVALS, 0),
    }


def _steps(passed: Floats, shares: Floats) -> list[tuple[float, int]]:
    """Times at which a probability is another one, in per cent, and the last."""
    levels = np.rint(100 * shares).astype(int)
    kept = np.append(True, np.diff(levels) != 0)
    kept[-1] = True
    return [
        (round(t, 2), p) for t, p in zip(passed[kept].tolist(), levels[kept].tolist(), strict=True)
    ]
