"""From sensors to recognised activities: what detection errors cost, on simulations.

Run with `python -m benchmarks.detected`; docs/detection.md has what it prints. People are kept
apart: neither the detector nor the classifier learns from the people that it is tested on. In the
first part a classifier learns from the kind of intervals that it is tested on, true or detected. In
the second (`--soft` alone) it learns from true intervals and is tested on detected ones: hard
labels, the likeliest world of soft ones, and soft ones. Two other averages over worlds are
compared: of the probabilities of activities, and of P(world | activity) whatever the number of
intervals.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import log_softmax, logsumexp
from sklearn.exceptions import ConvergenceWarning

from ibgn import IBGNClassifier, IntervalSequences
from ibgn.datasets import make_daily_living, make_hand_signs
from ibgn.detection import ActionDetector, FingerDetector
from ibgn.errors import DataWarning
from ibgn.metrics import edit_score, interval_scores, overlap_f1
from ibgn.worlds import draw_worlds, likeliest_world

SEEDS = (0, 1, 2)
PARTS = 4  # of signers, each tested once
SOFT_HEAD = (
    "| detector | true | hard | soft, likeliest | soft | gain of soft | of probabilities "
    "| of likelihoods | log loss: hard | soft | of probabilities | of likelihoods |"
)
HEAD = "| detector | interval F1 | F1@10 | F1@50 | edit | accuracy, detected | accuracy, true |"


def recognise(X: Any, y: Any, Z: Any, train: Any, test: Any) -> tuple[float, float]:
    """Accuracy on detected and on true test intervals, each learned from the same kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        detected, true = (
            IBGNClassifier(random_state=0).fit(W[train], y[train]).score(W[test], y[test])
            for W in (Z, X)
        )
    return detected, true


def row(name: str, X: Any, y: Any, Z: Any, train: Any, test: Any) -> str:
    """Scores of the detected test intervals Z, and accuracy of recognition from them."""
    f1 = interval_scores(X[test], Z[test]).f1
    at = overlap_f1(X[test], Z[test])
    edit = edit_score(X[test], Z[test])
    detected, true = recognise(X, y, Z, train, test)
    values = (f1, at[0.1], at[0.5], edit, detected, true)
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def daily_living(classifiers: tuple[str, ...] = ("knn", "svm", "tree")) -> None:
    """Sensors of four people; the last person is only used for testing."""
    X, y, groups, recordings = make_daily_living(sensors=True, random_state=0)
    people = np.unique(groups).tolist()
    print("\nDaily living: sensors of four people, tested on the last of them\n")
    print(HEAD, "|" + "---|" * 7, sep="\n")
    for name in classifiers:
        parts, order = [], []
        for person in people:
            teachers = [other for other in people[:-1] if other != person]
            detector = ActionDetector(
                name, training_step=0.5, action="value", random_state=0, n_jobs=2
            )
            detector.fit([recordings[d] for d in np.flatnonzero(np.isin(groups, teachers))])
            order.append(np.flatnonzero(groups == person))
            parts.append(detector.predict([recordings[d] for d in order[-1]]))
        Z = IntervalSequences.concatenate(parts)[np.argsort(np.concatenate(order))]
        test = np.flatnonzero(groups == people[-1])
        train = np.flatnonzero(groups != people[-1])
        print(row(name, X, y, Z, train, test), flush=True)


def hand_signs() -> None:
    """Joint angles of signers, with noise and lost frames; thresholds need no learning."""
    X, y, groups, angles = make_hand_signs(
        instances_per_style=30, joint_angles=True, random_state=0
    )
    print("\nHand signs: joint angles of 16 signers, tested on four of them\n")
    print(HEAD, "|" + "---|" * 7, sep="\n")
    Z = FingerDetector().fit(angles).transform(angles)
    test = np.flatnonzero(groups >= "signer 12")
    train = np.flatnonzero(groups < "signer 12")
    print(row("fingers", X, y, Z, train, test), flush=True)


def tested_on_soft(X: Any, y: Any, parts: Any, detect: Callable[[Any, Any], Any]) -> Any:
    """(6, n) right, and (6, n) log loss, of what `predictions` returns.

    Each part is tested once by what was learned from the true intervals of the others;
    `detect(train, test)` finds the intervals, hard and soft.
    """
    right, loss = np.zeros((6, len(y))), np.zeros((6, len(y)))
    for part in np.unique(parts):
        train, test = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        model = IBGNClassifier(random_state=0).fit(X[train], y[train])
        own = np.searchsorted(model.classes_, y[test].astype(model.classes_.dtype))
        for number, logs in enumerate(predictions(model, X[test], *detect(train, test))):
            right[number, test] = model.classes_[logs.argmax(axis=1)] == y[test]
            loss[number, test] = -logs[np.arange(len(test)), own]
    return right, loss


def predictions(model: Any, true: Any, hard: Any, soft: Any) -> Iterator[Any]:
    """Log probabilities: true, hard, likeliest world, soft; and by two other averages."""
    for Z in (true, hard, likeliest_world(soft), soft):
        yield model.predict_log_proba(Z)
    worlds = draw_worlds(soft)
    joint = model._joint_log_likelihood(worlds.X) + np.log(worlds.probability)[:, None]
    own = joint - logsumexp(joint, axis=1, keepdims=True) + np.log(worlds.probability)[:, None]
    for scores in (own, joint):
        sums = [logsumexp(scores[a:b], axis=0) for a, b in pairwise(worlds.offsets)]
        yield log_softmax(sums, axis=1)


def soft_row(name: str, results: list[Any]) -> str:
    """Means over all instances of all seeds, and the gain of soft over hard with its error."""
    right, loss = (np.concatenate(arrays, axis=1) for arrays in zip(*results, strict=True))
    gain = right[3] - right[1]
    values = [f"{value:.3f}" for value in right.mean(axis=1)]
    values.insert(4, f"{gain.mean():+.3f} ± {gain.std(ddof=1) / np.sqrt(len(gain)):.3f}")
    losses = [f"{value:.2f}" for value in loss.mean(axis=1)[[1, 3, 4, 5]]]
    return f"| {name} | {' | '.join(values + losses)} |"


def soft_daily_living(name: str) -> Iterator[Any]:
    """Sensors of four people, each tested by what was learned from the others."""
    for seed in SEEDS:
        X, y, groups, sensors = make_daily_living(instances=60, sensors=True, random_state=seed)

        def detect(train: Any, test: Any, sensors: Any = sensors) -> Any:
            detector = ActionDetector(
                name, training_step=1.0, action="value", soft=True, random_state=0
            ).fit([sensors[d] for d in train])
            new = [sensors[d] for d in test]
            soft = detector.predict(new)
            return detector.set_params(soft=False).predict(new), soft

        yield tested_on_soft(X, y, groups, detect)


def soft_hand_signs(noise: float) -> Iterator[Any]:
    """Joint angles of 16 signers; noise is in degrees."""
    for seed in SEEDS:
        X, y, groups, angles = make_hand_signs(
            instances_per_style=6, joint_angles=True, angle_noise=noise, random_state=seed
        )

        def detect(train: Any, test: Any, angles: Any = angles) -> Any:
            new = [angles[d] for d in test]
            return [FingerDetector(soft=soft).fit(angles).transform(new) for soft in (False, True)]

        signer = np.unique(groups, return_inverse=True)[1]
        yield tested_on_soft(X, y, signer % PARTS, detect)


def soft_input(classifiers: tuple[str, ...] = ("knn", "svm", "tree")) -> None:
    print("\nLearned from true intervals, tested on detected ones, seeds 0 to 2\n")
    print(SOFT_HEAD, "|" + "---|" * 12, sep="\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        for noise in (4.0, 20.0, 45.0):
            results = list(soft_hand_signs(noise))
            print(soft_row(f"hand signs, fingers, {noise:g}°", results), flush=True)
        for name in classifiers:
            print(soft_row(f"daily living, {name}", list(soft_daily_living(name))), flush=True)


if __name__ == "__main__":
    if "--soft" not in sys.argv:
        hand_signs()
        daily_living()
    soft_input()
