"""How soon activities are recognised, and how often early decisions are wrong."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ibgn.evaluation.courses import Course
from ibgn.evaluation.plain import rows
from ibgn.plots import plot_earliness, plot_posterior
from ibgn.report.film import film
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, draw_in_column, template_beside
from ibgn.text import printable

__all__ = ["SECTION"]

HEIGHT = 3.4  # inches
WHEN = {0.0: "from the first event on", 1.0: "only after the last event"}
LONGEST = 80  # letters of a name
ALTS = {
    "curves": "Accuracy of each method as instances go on, until all has been seen; the numbers "
    "are in the table.",
    "trade_off": "Accuracy of each method against the mean share of an instance that it has seen "
    "when it decides.",
}


def _data(findings: Findings) -> dict[str, Any]:
    early = findings.early
    if early is None:
        return {}
    frames = {
        "curves": early.curves(),
        "trade_off": early.trade_off(),
        "decisions": early.decisions(),
    }
    courses = [_describe(course) for course in _courses(findings)]
    return {name: rows(findings.ranked(frame)) for name, frame in frames.items()} | {
        "method": findings.method,
        "courses": courses,
    }


def _courses(findings: Findings) -> list[Course]:
    """Those of the method that is examined."""
    early = findings.early
    return [each for each in early.courses if each.method == findings.method] if early else []


def _describe(course: Course) -> dict[str, Any]:
    likeliest = course.posterior.to_numpy().argmax(axis=1)
    names = course.posterior.columns.astype(str).to_numpy()[likeliest]
    times = course.posterior.index.to_numpy(float)
    wrong = np.flatnonzero(names != course.label)
    since = when = None
    if names[-1] == course.label:
        begin = times[wrong[-1] + 1 if len(wrong) else 0]
        since = float((begin - times[0]) / (times[-1] - times[0]))
        when = WHEN.get(since, f"from {since:.0%} of the duration on")
    described = {
        "kind": course.kind,
        "instance": course.instance,
        "label": course.label,
        "likeliest": str(names[-1]),
        "mean": course.mean,
        "since": since,
        "when": when,
        "kept": len(times),
        "moments": course.moments,
        "film": film(course),
    }
    return described | {"alt": _say(described)}


def _say(course: dict[str, Any]) -> str:
    """What the picture of a course shows, in words."""
    label = printable(course["label"], LONGEST)
    if course["when"]:
        end = f"{label}, the true one, is the likeliest {course['when']}"
    else:
        end = f"in the end it is taken for {printable(course['likeliest'], LONGEST)}, not {label}"
    return (
        f"Probabilities of activities over the duration of instance "
        f"{printable(course['instance'], LONGEST)}: {end}."
    )


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    curves = {
        f"early-{name.replace('_', '-')}": Figure(
            partial(draw_in_column, plot_earliness, pd.DataFrame(data[name]), height=HEIGHT), alt
        )
        for name, alt in ALTS.items()
    }
    courses = {
        f"early-course-{number}": Figure(
            partial(draw_in_column, plot_posterior, course.posterior, height=HEIGHT),
            data["courses"][number]["alt"],
        )
        for number, course in enumerate(_courses(findings))
    }
    return curves | courses


def _frames(findings: Findings, data: dict[str, Any]) -> dict[str, pd.DataFrame]:
    frames = {
        f"early-{name.replace('_', '-')}": pd.DataFrame(data[name])
        for name in ("curves", "trade_off", "decisions")
    }
    early = findings.early
    parts = [_tidy(course) for course in (early.courses if early else ())]
    if parts:
        frames["early-courses"] = pd.concat(parts, ignore_index=True)
    return frames


def _tidy(course: Course) -> pd.DataFrame:
    """One row per moment and activity."""
    moments, activities = course.posterior.shape
    columns = {name: getattr(course, name) for name in ("method", "kind", "instance", "label")}
    return pd.DataFrame(
        columns
        | {
            "time": np.repeat(course.posterior.index.to_numpy(float), activities),
            "activity": np.tile(course.posterior.columns.astype(str), moments),
            "probability": course.posterior.to_numpy(float).ravel(),
        }
    )


SECTION = Section(
    "early",
    "How soon it is known",
    "Test instances were also shown to the methods event by event. How much their scores are worth "
    "while an instance goes on, and how sure they must be to decide, they learned within the "
    "training sets.",
    _data,
    template_beside(__file__),
    _figures,
    _frames,
)
