"""Courses that a report shows: which they are, what is kept of them, and how they become films."""

import json

import numpy as np
import pandas as pd
import pytest

from ibgn.evaluation.courses import Course, choose_courses, keep_courses
from ibgn.intervals import IntervalSequences
from ibgn.live.replay import event_moments
from ibgn.report.film import MOST_INTERVALS, MOST_LANES, film

CLASSES = np.array(["coffee", "tea"])


def replayed(true, labels, lists=None):
    """Courses of instances with two events each, by the probability of their activity."""
    lists = lists or [[("boil", 0, 4)]] * len(labels)
    X = IntervalSequences.from_lists(lists)
    moments = event_moments(X)
    shares = np.empty((len(moments.owner), 2))
    column = np.searchsorted(CLASSES, labels)[moments.owner] % 2
    shares[np.arange(len(shares)), column] = true
    shares[np.arange(len(shares)), 1 - column] = 1 - np.array(true)
    return X, np.array(labels), CLASSES, moments, np.log(shares)


def kept(*data, most=100):
    return json.loads(json.dumps(keep_courses(*data, most)))


def named(*folds):
    tested = [
        pd.DataFrame({"instance": [f"{f}.{n}" for n in range(9)], "label": "tea"})
        for f in range(len(folds))
    ]
    return choose_courses("DBN", list(zip(tested, folds, strict=True)))


def test_the_soonest_the_latest_and_the_mistaken_are_chosen():
    true = [0.6, 0.9, 0.9, 0.6, 0.2, 0.6, 0.3, 0.4, 0.1, 0.4]  # after the start, after the end
    courses = kept(*replayed(true, ["tea"] * 5))
    assert [course["number"] for course in courses] == [1, 2, 4]
    assert [course["mean"] for course in courses] == pytest.approx([0.9, 0.2, 0.1])
    assert [course["right"] for course in courses] == [True, True, False]


def test_no_instance_is_of_two_kinds():
    assert [course["number"] for course in kept(*replayed([0.6, 0.9], ["tea"]))] == [0]
    assert [course["number"] for course in kept(*replayed([0.6, 0.4], ["tea"]))] == [0]
    assert [each.kind for each in named(kept(*replayed([0.6, 0.4], ["tea"])))] == ["mistaken"]


def test_a_course_is_chosen_from_all_folds():
    first = kept(*replayed([0.6, 0.9, 0.7, 0.9, 0.1, 0.2], ["tea"] * 3))
    second = kept(*replayed([0.8, 0.9, 0.2, 0.2], ["tea"] * 2))
    found = named(first, second)
    assert [(each.kind, each.instance) for each in found] == [
        ("soonest", "1.0"),
        ("latest", "0.0"),
        ("mistaken", "0.2"),
    ]
    assert {each.method for each in found} == {"DBN"}
    assert found[0].posterior["tea"].to_dict() == {0.0: 0.8, 4.0: 0.9}
    assert found[0].intervals == [("boil", 0.0, 4.0)]


def test_instances_without_intervals_have_no_course():
    lists = [[], [("boil", 0, 4)], []]
    assert [each["number"] for each in kept(*replayed([0.6, 0.9], ["tea"] * 3, lists))] == [1]
    assert kept(*replayed([], ["tea"], [[]])) == []
    assert named([]) == []


def test_an_activity_that_was_not_learned_has_no_probability():
    (course,) = kept(*replayed([0.6, 0.9], ["water"]))
    assert (course["right"], course["mean"]) == (False, 0)


def test_what_happens_together_is_one_moment_and_of_many_some_are_kept():
    lists = [[("boil", 0, 2), ("pour", 2, 4), ("stir", 3, 4)]]
    data = replayed([0.5, 0.6, 0.7, 0.8, 0.9, 0.95], ["tea"], lists)
    (course,) = kept(*data)
    assert course["time"] == [0, 2, 3, 4]
    assert [row[1] for row in course["shares"]] == [0.5, 0.7, 0.8, 0.95]
    (thin,) = kept(*data, most=3)
    assert (thin["time"], thin["moments"]) == ([0, 2, 4], 4)
    assert thin["mean"] == course["mean"]  # of all moments


def test_a_film_shows_what_lines_show():
    shares = pd.DataFrame(
        {"tea": [0.501, 0.504, 0.9], "coffee": [0.499, 0.496, 0.1], "soup": 0.0},
        index=[10.0, 12.0, 20.0],
    )
    intervals = [(f"action {n % 20}", 10.0 + n / 100, 20.0) for n in range(MOST_INTERVALS + 7)]
    shown = film(Course("latest", "DBN", "take", "soup", 0.0, shares, 3, intervals[::-1]))
    assert [bar["activity"] for bar in shown["bars"]] == ["tea", "coffee"]
    assert shown["bars"][0]["steps"] == [(0, 50), (100, 90)]  # nothing changed between
    assert not any(bar["true"] for bar in shown["bars"])
    assert [lane["action"] for lane in shown["lanes"]] == [f"action {n}" for n in range(MOST_LANES)]
    assert shown["lanes"][1]["intervals"][0] == (0.1, 99.9)
    more = {name: value for name, value in shown.items() if name.startswith("more")}
    assert more == {"more_activities": 1, "more_actions": 20 - MOST_LANES, "more_intervals": 7}
