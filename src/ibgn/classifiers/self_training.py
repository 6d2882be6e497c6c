"""Learning from instances without a label: the model labels those of which it is sure."""

from typing import Any

import numpy as np
from sklearn.base import clone

from ibgn._arrays import Bools, Floats
from ibgn.classifiers.recogniser import unquestioned
from ibgn.intervals import IntervalSequences
from ibgn.model.unlabelled import choose_sure

__all__ = ["self_train"]

ROUNDS = 3


def self_train(
    model: Any, X: IntervalSequences, known: Bools, labels: list[Any], weight: Floats
) -> None:
    """Change a model that was fitted on labelled instances: it learns from others too.

    In each round, instances whose activity is likelier than not count as if they had its label.
    Terms keep the weights that were learned from true labels, as the model agrees with its own.
    More instances make terms say more, sure or not; if weights were learned, they are lowered until
    activities are no further apart than before.

    Parameters
    ----------
    model : an `IBGNClassifier`
    X : all instances
    known : (n,) which of them have a label
    labels : of these
    weight : (n,) how many instances each counts as
    """
    others, codes = X[~known], np.searchsorted(model.classes_, labels)
    apart = _spread(model, others)
    options = {"weights": dict(zip(model.terms_, model.weights_.tolist(), strict=True))}
    student = model
    for _ in range(ROUNDS):
        with unquestioned():
            probabilities = student.predict_proba(others)
        sure = choose_sure(probabilities, np.bincount(codes))
        rows = np.concatenate([np.flatnonzero(known), np.flatnonzero(~known)[sure]])
        guessed = model.classes_[probabilities[sure].argmax(axis=1)].tolist()
        student = clone(model).set_params(**options).fit(X[rows], labels + guessed, weight[rows])
        student.class_log_prior_ = model.class_log_prior_
        if model.weights == "learned":
            student.weights_ *= apart / max(_spread(student, others), apart, 1e-300)
    fitted = {name: value for name, value in vars(student).items() if name.endswith("_")}
    vars(model).update(fitted)


def _spread(model: Any, X: IntervalSequences) -> float:
    """How far apart the activities of an instance are, in nats."""
    with unquestioned():
        joint: Floats = model.predict_log_proba(X)
    return float(joint.std(axis=1).mean())
