"""How soon methods recognise instances that go on, and how often their early decisions are wrong.

Every method is asked after every event of the test instances. How much its scores are worth while
an instance goes on, and how sure it must be to decide, it learns within the training set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import betaincinv, softmax

from ibgn._arrays import Floats
from ibgn.checks import check_number
from ibgn.classifiers.decisions import find_records
from ibgn.evaluation.averages import average_folds
from ibgn.evaluation.conditions import Clean
from ibgn.evaluation.courses import Course, choose_courses, keep_courses
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.scores import score_predictions
from ibgn.evaluation.trials import Task, TrialOptions, run_trials
from ibgn.intervals import IntervalSequences
from ibgn.live.decisions import hold_out_decisions
from ibgn.live.recogniser import follows_terms
from ibgn.live.replay import event_moments, log_probabilities, replay, share_moments
from ibgn.networks import Sequences
from ibgn.worlds import likeliest_world

__all__ = ["ERRORS", "SHARES", "EarlyEvaluation", "evaluate_early"]

Labels = npt.NDArray[Any]
Data = tuple[IntervalSequences, Labels]

SHARES = (0.25, 0.5, 0.75, 1.0)
ERRORS = (0.05, 0.1, 0.2)
CURVE = 25  # thresholds of a curve of earliness against accuracy
MOST_MOMENTS = 100  # of a course that is shown
DOUBT = 0.05  # that an interval does not have the true rate of errors


@dataclass(frozen=True)
class _Early:
    """Replays test instances, by what a method learned and how soon it may decide."""

    shares: tuple[float, ...]
    errors: tuple[float, ...]
    moments: int = MOST_MOMENTS

    def __call__(self, model: Any, train: Data, test: Data) -> dict[str, Any]:
        decisions = hold_out_decisions(model, *train)
        (X, y), classes = test, np.asarray(model.classes_)
        X = likeliest_world(X)
        prior = model._log_prior if follows_terms(model) else np.zeros(len(classes))
        moments = event_moments(X)
        joint = decisions.weights @ replay(model, X, moments) + prior
        records = find_records(moments.owner, joint)
        return {
            "shares": [self._look(model, decisions.weights, prior, X, y, s) for s in self.shares],
            "thresholds": [decisions.threshold(error) for error in self.errors],
            "decisions": {
                "owner": records.owner.tolist(),
                "seen": moments.seen[records.event].tolist(),
                "odds": records.odds.tolist(),
                "label": classes[records.likeliest].tolist(),
            },
            "courses": keep_courses(X, y, classes, moments, joint, self.moments),
        }

    def _look(
        self,
        model: Any,
        weights: Floats,
        prior: Floats,
        X: IntervalSequences,
        y: Labels,
        share: float,
    ) -> dict[str, Any]:
        """Recognise each instance when a share of its duration has passed."""
        classes = np.asarray(model.classes_)
        joint = np.tile(prior, (len(X), 1))  # where there are no intervals
        if share == 1:  # all has been seen, and the method is told so
            joint = log_probabilities(model, X)
        else:
            moments = share_moments(X, [share])
            joint[moments.owner] += weights @ replay(model, X, moments)
        probabilities = softmax(joint, axis=1)
        predicted = classes[probabilities.argmax(axis=1)]
        return {
            "scores": score_predictions(y, predicted, probabilities, classes),
            "predicted": predicted.tolist(),
            "confidence": probabilities.max(axis=1).tolist(),
        }


@dataclass(frozen=True)
class EarlyEvaluation:
    """Results, as tidy frames.

    Parameters
    ----------
    whole : results on whole instances, as `evaluate` gives them
    scores : one row for each method, share of the duration that has passed ("seen"), and fold
    predictions : one row for each of these and each test instance
    records : one row for each time that a method was surer than before about a test instance:
        method, repeat, fold, the number of the instance among those of `whole.predictions`, the
        share that has been seen, the log odds, and whether the likeliest activity was right
    thresholds : one row for each method, repeat, fold and error that was asked for: the log odds
        above which it decides
    courses : what each method said about a few test instances while they went on

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> folds = make_folds(X, y, n_splits=2)
    >>> early = evaluate_early(X, y, {"DBN": METHODS["DBN"]}, folds, shares=[0.5], errors=[0.1])
    >>> early.curves()["seen"].tolist(), early.decisions()["error"].tolist()
    ([0.5, 1.0], [0.1])
    """

    whole: Evaluation
    scores: pd.DataFrame
    predictions: pd.DataFrame
    records: pd.DataFrame
    thresholds: pd.DataFrame
    courses: Sequence[Course] = ()

    def curves(self) -> pd.DataFrame:
        """Means over folds for each method and share that has been seen, with standard errors."""
        return average_folds(self.scores, self.predictions, ["method", "seen"])

    def decisions(self) -> pd.DataFrame:
        """What became of the decisions of each method, for each share of errors asked for.

        One row per method and error: the number of instances, the shares that got a label
        ("decided") and of these a wrong one ("wrong"), from "low" to "high" (95 of 100 such
        intervals have the true share), and the mean share of the duration that had been seen.
        """
        rows = []
        for (method, error), part in self.thresholds.groupby(["method", "error"], sort=False):
            keys = ["method", "repeat", "fold"]
            joined = self.records.merge(part, on=keys)
            labelled = _first(joined[joined["odds"] > joined["threshold"]])
            number, wrong = len(labelled), int((~labelled["right"]).sum())
            instances = int(part["test"].sum())
            low, high = share_interval(wrong, number)
            rows.append(
                {
                    "method": method,
                    "error": error,
                    "instances": instances,
                    "decided": number / instances,
                    "wrong": wrong / number if number else np.nan,
                    "low": low,
                    "high": high,
                    "seen": labelled["seen"].mean(),
                }
            )
        return pd.DataFrame(rows)

    def trade_off(self) -> pd.DataFrame:
        """Accuracy against earliness: one row per method and threshold, the strictest last.

        An instance gets a label as soon as log odds exceed the threshold, or at its end.
        "seen" is the mean share of the duration until then.
        """
        rows = []
        for method, last in self.whole.predictions.groupby("method", sort=False):
            records = self.records[self.records["method"] == method]
            for threshold in np.quantile(records["odds"], np.linspace(0, 1, CURVE)).tolist():
                labelled = _first(records[records["odds"] > threshold])
                seen = np.ones(len(last))
                right = (last["label"] == last["predicted"]).to_numpy(bool).copy()
                seen[labelled["number"]] = labelled["seen"]
                right[labelled["number"]] = labelled["right"]
                row = {"method": method, "odds": threshold, "seen": seen.mean()}
                rows.append(row | {"accuracy": right.mean(), "accuracy_error": np.nan})
        return pd.DataFrame(rows)


def _first(records: pd.DataFrame) -> pd.DataFrame:
    """Decisions: of each instance of a method the first of these records."""
    return records.drop_duplicates("number")


def share_interval(number: int, of: int) -> tuple[float, float]:
    """Shares that a number of cases agrees with, all but 5 of 100 times (Clopper and Pearson).

    Examples
    --------
    >>> [round(end, 3) for end in share_interval(0, 60)]
    [0.0, 0.06]
    """
    low = betaincinv(number, of - number + 1, DOUBT / 2) if number else 0.0
    high = betaincinv(number + 1, of - number, 1 - DOUBT / 2) if number < of else 1.0
    return float(low), float(high)


def evaluate_early(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    *,
    shares: Sequence[float] = SHARES,
    errors: Sequence[float] = ERRORS,
    **options: Unpack[TrialOptions],
) -> EarlyEvaluation:
    """Test methods on instances that go on.

    Parameters
    ----------
    X, y, methods, folds : see `evaluate`
    shares : of the duration of an instance, after which it is recognised; the whole is always one
    errors : shares of early decisions that may be wrong
    options : seed, search, n_jobs, journal, on_done; see `TrialOptions`

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> folds = make_folds(X, y, n_splits=2)
    >>> early = evaluate_early(X, y, {"ITBN": METHODS["ITBN"]}, folds)
    >>> early.curves()["seen"].tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    for name, values in (("shares", shares), ("errors", errors)):
        for value in values:
            check_number(name, value, "above 0 and at most 1", lambda share: 0 < share <= 1)
    looks = tuple(sorted({*map(float, shares), 1.0}))
    asked = tuple(sorted(map(float, errors)))
    examined: dict[tuple[str, int, int], dict[str, Any]] = {}
    report = options.get("on_done") or (lambda task, result: None)

    def collect(task: Task, result: dict[str, Any]) -> None:
        examined[task.method, task.fold.repeat, task.fold.number] = result["examined"]
        report(task, result)

    options = options | {"on_done": collect, "examine": _Early(looks, asked)}
    frames = run_trials(X, y, methods, folds, [Clean()], **options)
    conditions = ["error", "rate", "draw"]  # there is only one condition
    whole = Evaluation(*(frame.drop(columns=conditions) for frame in frames))
    return _gather(whole, examined, looks, asked)


def _gather(
    whole: Evaluation,
    examined: Mapping[tuple[str, int, int], dict[str, Any]],
    shares: tuple[float, ...],
    errors: tuple[float, ...],
) -> EarlyEvaluation:
    """Frames of all that was examined, in the order of methods and folds."""
    keys = ["method", "repeat", "fold"]
    scores, predictions, records, thresholds = [], [], [], []
    tested = dict(list(whole.predictions.groupby(keys, sort=False)))
    before: dict[str, int] = {}
    courses: dict[str, list[Any]] = {}
    first_repeat = whole.scores["repeat"].min()  # later ones have the same instances again
    for trial in whole.scores.to_dict(orient="records"):
        key = (trial["method"], trial["repeat"], trial["fold"])
        found, task = examined[key], dict(zip(keys, key, strict=True))
        for share, look in zip(shares, found["shares"], strict=True):
            sizes = {"train": trial["train"], "test": trial["test"], "draw": 0}
            scores.append(task | {"seen": share} | sizes | look["scores"])
            columns = {name: look[name] for name in ("predicted", "confidence")}
            predictions.append(tested[key].assign(seen=share, draw=0, **columns))
        for error, threshold in zip(errors, found["thresholds"], strict=True):
            row = {"error": error, "test": trial["test"], "threshold": threshold}
            thresholds.append(task | row)
        first, decisions = before.get(key[0], 0), found["decisions"]
        owner, label = np.array(decisions["owner"], int), tested[key]["label"].to_numpy()
        records.append(
            pd.DataFrame(
                task
                | {
                    "number": first + owner,
                    "seen": decisions["seen"],
                    "odds": decisions["odds"],
                    "right": label[owner] == np.array(decisions["label"], object),
                }
            )
        )
        before[key[0]] = first + trial["test"]
        if trial["repeat"] == first_repeat:
            courses.setdefault(key[0], []).append((tested[key], found["courses"]))
    return EarlyEvaluation(
        whole,
        pd.DataFrame(scores),
        pd.concat(predictions, ignore_index=True).drop(columns="probability"),
        pd.concat(records, ignore_index=True),
        pd.DataFrame(thresholds),
        [course for name, part in courses.items() for course in choose_courses(name, part)],
    )
