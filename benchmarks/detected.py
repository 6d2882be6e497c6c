"""From sensors to recognised activities: what detection errors cost, on simulations.

Run with `python -m benchmarks.detected`; docs/detection.md has what it prints. People are kept
apart: neither the detector nor the classifier learns from the people that it is tested on. A
classifier learns from the kind of intervals that it is tested on, true or detected.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ibgn import IBGNClassifier, IntervalSequences
from ibgn.datasets import make_daily_living, make_hand_signs
from ibgn.detection import ActionDetector, FingerDetector
from ibgn.metrics import edit_score, interval_scores, overlap_f1

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


if __name__ == "__main__":
    hand_signs()
    daily_living()
