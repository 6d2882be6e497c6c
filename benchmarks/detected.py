"""From sensors to recognised activities: what detection errors cost, on simulations.

Run with `python -m benchmarks.detected`; docs/detection.md has what it prints. Detectors learn from
some people and detect in the recordings of others; recognition learns from true or from detected
intervals of the former and is tested on the detected intervals of the latter.
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
    """Accuracy on detected and on true intervals of test, each learned from its like."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        detected, true = (
            IBGNClassifier(draws=300, random_state=0)
            .fit(W[train], y[train])
            .score(W[test], y[test])
            for W in (Z, X)
        )
    return detected, true


def row(name: str, X: Any, y: Any, Z: Any, train: Any, test: Any) -> str:
    """Scores of the detected intervals Z of test, and what is recognised of them."""
    f1 = interval_scores(X[test], Z[test]).f1
    at = overlap_f1(X[test], Z[test])
    edit = edit_score(X[test], Z[test])
    detected, true = recognise(X, y, Z, train, test)
    values = (f1, at[0.1], at[0.5], edit, detected, true)
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def daily_living(classifiers: tuple[str, ...] = ("knn", "svm", "tree")) -> None:
    """Sensors of four people, each detected by what was learned from the other three."""
    X, y, groups, recordings = make_daily_living(sensors=True, random_state=0)
    print("Daily living: four people, each detected by what the other three taught\n")
    print(HEAD, "|" + "---|" * 7, sep="\n")
    for name in classifiers:
        parts, order = [], []
        for group in np.unique(groups):
            test = np.flatnonzero(groups == group)
            train = np.flatnonzero(groups != group)
            detector = ActionDetector(
                name, training_step=0.5, action="value", random_state=0, n_jobs=2
            )
            detector.fit([recordings[d] for d in train])
            parts.append(detector.predict([recordings[d] for d in test]))
            order.append(test)
        back = np.argsort(np.concatenate(order))
        Z = IntervalSequences.concatenate(parts)[back]
        test = np.flatnonzero(groups == groups[-1])
        train = np.flatnonzero(groups != groups[-1])
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
