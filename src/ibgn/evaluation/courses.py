"""Courses: probabilities of activities while a test instance goes on, of a few that are shown."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import softmax

from ibgn._arrays import Floats, find_runs
from ibgn.intervals import IntervalSequences
from ibgn.live.replay import Moments

__all__ = ["KINDS", "Course", "choose_courses", "keep_courses"]

KINDS = {
    "soonest": (True, max),
    "latest": (True, min),
    "mistaken": (False, min),
}
"""Kinds of courses: whether the true activity is the likeliest in the end, and which of them is
taken by the mean probability of the true activity over the duration."""

DIGITS = 4  # of probabilities


class Course(NamedTuple):
    """What a method said about a test instance while it went on.

    Parameters
    ----------
    kind : "soonest" and "latest" for the instances whose true activity was the likeliest in the
        end and had, over their duration, the highest and the lowest mean probability; "mistaken"
        for the one with the lowest among the others
    method, instance, label : names of the method and of the instance, and its true activity
    mean : probability of the true activity, over the duration
    posterior : one row per moment, by its time, and a column per activity, as `plot_posterior`
        takes it
    moments : how many there were; of many some are kept, evenly from the first to the last
    intervals : of the instance, as (action, start, end)

    Examples
    --------
    >>> posterior = pd.DataFrame({"tea": [0.5, 0.9], "coffee": [0.5, 0.1]}, index=[0.0, 2.0])
    >>> course = Course("soonest", "DBN", "take 1", "tea", 0.5, posterior, 2, [("boil", 0.0, 2.0)])
    >>> course.posterior.idxmax(axis=1).tolist()
    ['tea', 'tea']
    """

    kind: str
    method: str
    instance: str
    label: str
    mean: float
    posterior: pd.DataFrame
    moments: int
    intervals: list[tuple[str, float, float]]


def keep_courses(
    X: IntervalSequences,
    y: npt.NDArray[Any],
    classes: npt.NDArray[Any],
    moments: Moments,
    joint: Floats,
    most: int,
) -> list[dict[str, Any]]:
    """Courses of a few instances of a fold, one of each kind, as plain values.

    Parameters
    ----------
    X, y, classes : test instances, their activities, and the activities that are known
    moments : after each event of each instance
    joint : (moments, activities) scores
    most : moments that are kept of each
    """
    shares = softmax(joint, axis=1).round(DIGITS)  # kinds are those of what is shown
    courses = []
    for begin, stop in pairwise(find_runs(moments.owner).tolist()):
        number = int(moments.owner[begin])
        part, seen = shares[begin:stop], moments.seen[begin:stop]
        true = part[:, classes == y[number]].sum(axis=1)  # none if no other instance has it
        courses.append(
            {
                "number": number,
                "right": bool(classes[part[-1].argmax()] == y[number]),
                "mean": float(true[:-1] @ np.diff(seen)),
                "rows": (begin, stop),
            }
        )
    chosen = [courses[position] for position in _pick(courses).values()]
    return [_as_plain(course, X, classes, moments, shares, most) for course in chosen]


def _pick(courses: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Position of a course of each kind, as far as there is one."""
    found: dict[str, int] = {}
    for kind, (right, best) in KINDS.items():
        free = [n for n, course in enumerate(courses) if course["right"] == right]
        free = [n for n in free if n not in found.values()]
        if free:
            found[kind] = best(free, key=lambda n: courses[n]["mean"])
    return found


def _as_plain(
    course: dict[str, Any],
    X: IntervalSequences,
    classes: npt.NDArray[Any],
    moments: Moments,
    shares: Floats,
    most: int,
) -> dict[str, Any]:
    begin, stop = course.pop("rows")
    # events at the same time are one moment: the last has seen them all
    rows = begin + np.flatnonzero(np.diff(moments.time[begin:stop], append=np.inf))
    kept = rows[np.unique(np.linspace(0, len(rows) - 1, most).astype(int))]
    return course | {
        "activities": classes.tolist(),
        "time": moments.time[kept].tolist(),
        "shares": shares[kept].tolist(),
        "moments": len(rows),
        "intervals": X[course["number"]].to_lists()[0],
    }


def choose_courses(
    method: str, folds: Sequence[tuple[pd.DataFrame, list[dict[str, Any]]]]
) -> list[Course]:
    """Of the courses of all folds, one of each kind.

    Parameters
    ----------
    method : name of the method
    folds : of each fold, the predictions of its test instances and what `keep_courses` gave
    """
    every = [(tested.iloc[kept["number"]], kept) for tested, part in folds for kept in part]
    return [
        Course(
            kind,
            method,
            str(row["instance"]),
            str(row["label"]),
            kept["mean"],
            pd.DataFrame(
                kept["shares"], pd.Index(kept["time"], name="time"), kept["activities"], float
            ),
            kept["moments"],
            [(action, start, end) for action, start, end in kept["intervals"]],
        )
        for kind, n in _pick([kept for _, kept in every]).items()
        for row, kept in [every[n]]
    ]
