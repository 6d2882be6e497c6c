"""Every experiment of the paper, on simulations with the properties of its data sets."""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt
import pandas as pd

from ibgn.checks import check_choice
from ibgn.datasets import make_basketball, make_composable, make_daily_living, make_hand_signs
from ibgn.detection import ActionDetector, FingerDetector
from ibgn.errors import DataError, DataWarning
from ibgn.evaluation.conditions import Condition, Detected, Detector, On, noise_conditions
from ibgn.evaluation.folds import Fold, make_folds
from ibgn.evaluation.methods import COMPARED, GRIDS, with_short_chains
from ibgn.evaluation.robustness import Robustness, measure_robustness
from ibgn.intervals import IntervalSequences
from ibgn.metrics import interval_scores
from ibgn.reproduction.published import PAPER
from ibgn.reproduction.questions import measure_abilities
from ibgn.text import quote

__all__ = ["BUDGETS", "Budget", "PaperResults", "Study", "run_paper"]

Labels = npt.NDArray[Any]

DETECTORS = ("knn", "svm", "tree")
REAL = "recording "  # prefix of the names of studies of real recordings
ANGLE_NOISE = 45.0  # degrees; a tracker then detects fingers about as well as the paper's


class Budget(NamedTuple):
    """How much of the protocol is run.

    Parameters
    ----------
    draws, sweeps : of the chains of IBGN
    repeats : number of different splits of all instances into five folds
    noise_draws : how often errors are drawn at each rate
    both : rates of errors of hand signs that are in the training data too
    hand_signs : instances of each style; the paper has 145
    detected : instances of daily living that detectors see; the paper has 125
    search : whether the parameters of all methods are chosen within each training set
    """

    draws: int
    sweeps: int
    repeats: int
    noise_draws: int
    both: tuple[float, ...]
    hand_signs: int
    detected: int
    search: bool


FIVE = (0.1, 0.2, 0.3, 0.4, 0.5)
BUDGETS: Mapping[str, Budget] = {
    "quick": Budget(60, 600, 1, 1, (0.3,), 12, 40, False),
    "usual": Budget(100, 1000, 1, 2, FIVE, 145, 125, False),
    "full": Budget(1000, 20_000, 10, 10, FIVE, 145, 125, True),
}


@dataclass(frozen=True)
class Study:
    """One data set under some conditions.

    Parameters
    ----------
    name : of the data
    X, y : the instances
    robustness : the results
    """

    name: str
    X: IntervalSequences
    y: Labels
    robustness: Robustness


@dataclass(frozen=True)
class PaperResults:
    """Results of all experiments.

    Parameters
    ----------
    budget : its name
    seed : of everything
    abilities : what each model can express, see `measure_abilities`
    studies : by name: the four simulations, daily living as detectors see it ("detectors"), hand
        signs with errors in both sets and as a tracker sees them ("fingers"), and real recordings
    interval_f1 : F1 of detected intervals, by the name of the detector
    """

    budget: str
    seed: int
    abilities: pd.DataFrame
    studies: Mapping[str, Study]
    interval_f1: Mapping[str, float]

    @property
    def recordings(self) -> list[str]:
        """Names of the studies of real recordings."""
        return [name for name in self.studies if name.startswith(REAL)]


def run_paper(
    budget: str = "usual",
    recordings: Mapping[str, tuple[IntervalSequences, Labels]] | None = None,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    journals: Path | None = None,
    on_begin: Callable[[str, int], None] | None = None,
    on_done: Callable[[Any, dict[str, Any]], None] | None = None,
) -> PaperResults:
    """Run the paper's experiments.

    Parameters
    ----------
    budget : "quick" takes minutes, "usual" an hour, "full" has the whole protocol, with parameters
        chosen within each training set and ten repetitions
    recordings : real data to compare on as well: instances and labels by name
    seed : of simulations, folds, errors and methods
    n_jobs : folds at the same time, by joblib
    journals : folder of journals, from which an interrupted run resumes
    on_begin : called with the name of a part and the number of its tasks
    on_done : called with each finished task and its result
    """
    check_choice("budget", budget, tuple(BUDGETS))
    chosen = BUDGETS[budget]
    if journals is not None:
        journals.mkdir(parents=True, exist_ok=True)
    _check_recordings(recordings or {})
    begin = on_begin or (lambda name, tasks: None)
    methods = with_short_chains(COMPARED, chosen.draws, chosen.sweeps)
    begin("what each model can express", 0)
    abilities = measure_abilities({name: methods[name] for name in PAPER}, seed, n_jobs)
    studies: dict[str, Study] = {}
    quality: dict[str, float] = {}
    for plan in _plans(chosen, recordings or {}, seed, n_jobs):
        begin(plan.name, len(methods) * len(plan.folds) * plan.learned)
        quality |= plan.interval_f1
        # names of recordings are data, and may be invalid file names
        file_name = f"{hashlib.sha256(plan.name.encode()).hexdigest()[:16]}.journal"
        robustness = measure_robustness(
            plan.X,
            plan.y,
            methods,
            plan.folds,
            plan.conditions,
            seed=seed,
            search=GRIDS if chosen.search else None,
            n_jobs=n_jobs,
            journal=journals and journals / file_name,
            on_done=on_done,
        )
        studies[plan.name] = Study(plan.name, plan.X, plan.y, robustness)
    return PaperResults(budget, seed, abilities, studies, quality)


def _check_recordings(recordings: Mapping[str, tuple[IntervalSequences, Labels]]) -> None:
    """Refuse recordings that cannot be split before hours of work, as they come last."""
    for name, (X, y) in recordings.items():
        try:
            make_folds(X, y)
        except DataError as error:
            raise error.within(f"recording {quote(name)}: ") from error


class _Plan(NamedTuple):
    name: str
    X: IntervalSequences
    y: Labels
    folds: list[Fold]
    conditions: Sequence[Condition]
    interval_f1: dict[str, float]

    @property
    def learned(self) -> int:
        """How often a method learns on a fold."""
        apart = sum(condition.on == "both" for condition in self.conditions)
        return apart + (apart < len(self.conditions))


def _plans(
    budget: Budget,
    recordings: Mapping[str, tuple[IntervalSequences, Labels]],
    seed: int,
    n_jobs: int | None,
) -> Iterator[_Plan]:
    """Parts of the experiments, made one at a time, as each holds its data in memory."""

    def folds(X: IntervalSequences, y: Labels, scheme: Any = "stratified") -> list[Fold]:
        return make_folds(X, y, scheme, 5, budget.repeats, seed)

    def noisy(rates: Sequence[float], on: On = "test") -> list[Condition]:
        both = {"misdetection": rates, "duration": rates}
        return noise_conditions(both, on=on, draws=budget.noise_draws, seed=seed)

    X, y, _ = make_basketball(random_state=seed)
    yield _Plan("basketball", X, y, folds(X, y), noise_conditions({}), {})
    X, y, _ = make_composable(random_state=seed)
    yield _Plan("composable", X, y, folds(X, y), noise_conditions({}), {})
    X, y, _ = make_daily_living(random_state=seed)
    yield _Plan("daily living", X, y, folds(X, y), noisy(FIVE[:3]), {})
    yield _detectors(budget, seed, n_jobs)
    X, y, _ = make_hand_signs(instances_per_style=budget.hand_signs, random_state=seed)
    yield _Plan("hand signs", X, y, folds(X, y), noisy(FIVE), {})
    both = [condition for condition in noisy(budget.both, "both") if condition.draw == 0]
    yield _Plan("hand signs, errors in both", X, y, folds(X, y), both, {})
    yield _fingers(budget, seed)
    for name, (X, y) in recordings.items():
        yield _Plan(f"{REAL}{name}", X, y, folds(X, y, "auto"), noisy((0.2,)), {})


def _detectors(budget: Budget, seed: int, n_jobs: int | None) -> _Plan:
    """Daily living with kNN, SVM and tree in the loop, tested on people not in training."""
    X, y, _, sensors = make_daily_living(instances=budget.detected, sensors=True, random_state=seed)
    folds = make_folds(X, y, "leave-one-group-out")
    step = 0.5 if budget.detected >= 100 else 1.0
    conditions = []
    for name in DETECTORS:
        detector = ActionDetector(
            name, training_step=step, action="value", random_state=seed, n_jobs=n_jobs
        )
        in_loop = Detector(error=name, detector=detector, recordings=sensors)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # some labels are too short to detect
            conditions.append(in_loop.across(X, folds))
    quality = {detected.error: interval_scores(X, detected.intervals).f1 for detected in conditions}
    return _Plan("detectors", X, y, folds, [*noise_conditions({}), *conditions], quality)


def _fingers(budget: Budget, seed: int) -> _Plan:
    """Hand signs as a tracker sees them, in training and test data."""
    X, y, _, angles = make_hand_signs(
        instances_per_style=budget.hand_signs,
        joint_angles=True,
        angle_noise=ANGLE_NOISE,
        random_state=seed,
    )
    detected = FingerDetector().fit(angles).transform(angles)
    folds = make_folds(X, y, "stratified", 5, budget.repeats, seed)
    conditions = [*noise_conditions({}), Detected(error="fingers", on="both", intervals=detected)]
    bent = [action for action in X.actions if action.endswith(" bent")]
    quality = {"fingers": interval_scores(_only(X, bent), _only(detected, bent)).f1}
    return _Plan("fingers", X, y, folds, conditions, quality)


def _only(X: IntervalSequences, actions: list[str]) -> IntervalSequences:
    lists = [[row for row in instance if row[0] in actions] for instance in X.to_lists()]
    return IntervalSequences.from_lists(lists)
