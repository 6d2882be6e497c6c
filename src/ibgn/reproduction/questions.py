"""Questions about what each method can express, and the answers that probes measure.

There is one question for each row of the paper's comparison of methods.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import joblib
import pandas as pd

from ibgn.checks import check_jobs, check_whole
from ibgn.evaluation.methods import METHODS, Method
from ibgn.evaluation.workers import Workers
from ibgn.reproduction.probes import (
    RIGHT,
    count_relations,
    describe_combinations,
    learn_structure,
    overlap,
    recognise,
    recognise_sizes,
    repeat,
    see_intervals,
    touch,
)
from ibgn.reproduction.published import PAPER

__all__ = ["QUESTIONS", "Question", "answer_row", "measure_abilities"]

COLUMNS = ["key", "question", "method", "measured", "answer", "paper", "agrees", "note"]


@dataclass(frozen=True)
class Question:
    """A question about a model, and how it is tested.

    Parameters
    ----------
    key : short name
    question : in plain words
    how : what is simulated, and what is measured
    probe : from a method and a seed to the measured number
    enough : the smallest number for the better answer
    paper : what the paper says, by method; it says nothing about IBGN-C and IBGN-F
    answers : the worse and the better answer; None if the number itself is the answer
    notes : why the answer differs from the paper's, in one sentence
    """

    key: str
    question: str
    how: str
    probe: Callable[[Method, int], float]
    enough: float
    paper: Mapping[str, str]
    answers: tuple[str, str] | None = ("no", "yes")
    notes: Mapping[str, str] = field(default_factory=dict)

    def answer(self, measured: float) -> str:
        """Answer that a measured number stands for.

        Examples
        --------
        >>> QUESTIONS[0].answer(1.0), QUESTIONS[1].answer(13.0), QUESTIONS[2].answer(0.5)
        ('intervals', '13', 'no')
        """
        if self.answers is None:
            return f"{measured:g}"
        return self.answers[measured >= self.enough]


def measure_abilities(
    methods: Mapping[str, Method] | None = None, seed: int = 0, n_jobs: int | None = None
) -> pd.DataFrame:
    """Answer every question of `QUESTIONS` for every method.

    Parameters
    ----------
    methods : from names to functions that make an estimator from a seed; by default the six of
        the paper. The paper's answers are looked up by name
    seed : of the simulations and the methods
    n_jobs : probes at the same time, by joblib

    Returns
    -------
    frame : one row per question and method: key, question, method, measured, answer, paper (its
        answer, if any), agrees (None without an answer), note (why not, if it does not)

    Examples
    --------
    >>> frame = measure_abilities({"ITBN": METHODS["ITBN"]})
    >>> frame.set_index("key").loc["sizes", ["measured", "answer", "paper", "agrees"]].to_dict()
    {'measured': 0.995, 'answer': 'yes', 'paper': 'no', 'agrees': False}
    """
    if methods is None:
        methods = {name: METHODS[name] for name in PAPER}
    check_whole("seed", seed, 0)
    check_jobs("n_jobs", n_jobs)
    cells = list(product(QUESTIONS, methods.items()))
    measured = Workers(n_jobs)(
        joblib.delayed(question.probe)(method, seed) for question, (_, method) in cells
    )
    rows = [
        answer_row(question, name, number)
        for (question, (name, _)), number in zip(cells, measured, strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"agrees": object})


def answer_row(question: Question, method: str, measured: float) -> tuple[Any, ...]:
    """A row of the frame that `measure_abilities` returns, from a measured number."""
    answer, paper = question.answer(measured), question.paper.get(method, "")
    agrees = answer == paper if paper else None
    note = question.notes.get(method, "") if agrees is False else ""
    return question.key, question.question, method, measured, answer, paper, agrees, note


def _says(chains: str, itbn: str, ibgn: str) -> dict[str, str]:
    """What the paper says; its "HMMs & BNs" are IHMM and DBN here."""
    return {"IHMM": chains, "DBN": chains, "ITBN": itbn, "IBGN": ibgn}


_NO_THIRD = (
    "The paper counts the three relations of points; here only which starts first is seen, as "
    "intervals that start together stand in the order of their ends."
)
_NOTHING_KEPT = "Nothing is dropped in training, but there was no relation of intervals to keep."

QUESTIONS: tuple[Question, ...] = (
    Question(
        "intervals",
        "Does it see points in time, or how intervals lie to each other?",
        "Share of the instances whose probabilities do not change when time is stretched "
        "unevenly, and do change when B is moved from after A into A, still starting later. IHMM "
        "passes the first test too, but only because it sees nothing but the order of starts.",
        see_intervals,
        0.9,
        _says("points", "intervals", "intervals"),
        ("points", "intervals"),
    ),
    Question(
        "relations",
        "How many of the thirteen relations of two intervals does it tell from each other?",
        "Thirteen activities, each with A and B in one relation; the size of the largest set of "
        "relations that are all told apart.",
        count_relations,
        13,
        _says("3", "13", "13"),
        None,
        {"IHMM": _NO_THIRD, "DBN": _NO_THIRD},
    ),
    Question(
        "retention",
        "Are all relations of intervals still there after training?",
        "Share recognised of two activities that differ in whether A and C touch, where the most "
        "frequent relations of A, B and C cannot hold together.",
        partial(recognise, [touch(False), touch(True)]),
        RIGHT,
        _says("yes", "no", "yes"),
        notes={"IHMM": _NOTHING_KEPT, "DBN": _NOTHING_KEPT},
    ),
    Question(
        "combinations",
        "Can it describe every combination of relations?",
        "All 75 arrangements of three intervals that start in the same order; the share of pairs "
        "of arrangements that are told apart.",
        describe_combinations,
        0.99,
        _says("no", "yes", "yes"),
    ),
    Question(
        "repetition",
        "Does it see that an action occurs several times?",
        "Share recognised of two activities in which A occurs three times and B once, or the other "
        "way round, one after the other in any order.",
        partial(recognise, [repeat("AAAB"), repeat("ABBB")]),
        RIGHT,
        _says("yes", "no", "yes"),
    ),
    Question(
        "overlap",
        "Does it cope with any number of actions at the same time?",
        "Share recognised of two activities with two to six actions at the same time, in any "
        "order, of which the first ends first, or ends last. IHMM and DBN already fail with two: "
        "they do not see how actions overlap, however many they are. Where only the order of "
        "such actions differs, DBN recognises all.",
        partial(recognise, [overlap(False), overlap(True)]),
        RIGHT,
        _says("no", "yes", "yes"),
    ),
    Question(
        "sizes",
        "Does it recognise instances shorter and longer than any it learned from?",
        "Share recognised of two activities with some of ten actions one after the other, two "
        "of which belong to both: learned from four to six, tested on two and three, and on eight "
        "to ten; the smaller share counts. No action occurs twice, as that is another question.",
        recognise_sizes,
        RIGHT,
        _says("yes", "no", "yes"),
        notes={
            "ITBN": "An action may be absent, so sizes vary up to the number of actions; what is "
            "longer repeats some, and it is repetition that is not seen."
        },
    ),
    Question(
        "structure",
        "Does it learn from the data what depends on what?",
        "Links that differ between an activity in which the first two actions depend on each "
        "other and one in which the last two do, less those that differ by chance.",
        learn_structure,
        1,
        _says("no", "yes", "yes"),
    ),
)
"""The rows of the paper's table, in its order."""
