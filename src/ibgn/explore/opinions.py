"""What a model says about every instance of a collection."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ibgn._arrays import Bools, Floats, Ints
from ibgn.classifiers.questions import unquestioned
from ibgn.intervals import IntervalSequences

__all__ = ["Opinions", "ask"]

UNSURE = 0.6  # probability below which an answer is uncertain


@dataclass(frozen=True)
class Opinions:
    """Log probabilities of all instances, and a point for each, near to those that look alike.

    Parameters
    ----------
    labels : (activities,) in the order of the columns
    logs : (n, activities) log probabilities
    points : (n, dimensions) what the terms say, standardised
    held_out : (n,) whether the model did not learn from the instance when it said so
    """

    labels: list[Any]
    logs: Floats
    points: Floats
    held_out: Bools

    @property
    def likeliest(self) -> Ints:
        """(n,) number of the likeliest activity."""
        codes: Ints = self.logs.argmax(axis=1)
        return codes

    def losses(self, y: Any) -> Floats:
        """(n,) -log P(label); NaN where there is no label that the model knows."""
        place = {label: number for number, label in enumerate(self.labels)}
        codes = np.array([place.get(label, -1) for label in y], np.int64)
        loss: Floats = -self.logs[np.arange(len(codes)), codes]
        return np.where(codes >= 0, loss, np.nan)

    def nearest(self, point: Floats, n: int, without: int | None = None) -> list[int]:
        """Numbers of the instances that look most alike, the nearest first."""
        distance = ((self.points - point) ** 2).sum(axis=1)
        if without is not None:
            distance[without] = np.inf
        order = np.argsort(distance, kind="stable")[:n]
        return [int(number) for number in order if np.isfinite(distance[number])]

    def suggest(self, candidates: Ints, n: int) -> list[int]:
        """Which of some instances to label next: uncertain ones that differ from each other.

        The first is the most uncertain one. Each further one has the largest product of its
        entropy and the distance from those chosen before.

        Examples
        --------
        >>> logs = np.log([[0.5, 0.5], [0.51, 0.49], [0.6, 0.4], [0.99, 0.01]])
        >>> points = np.array([[0.0], [0.0], [3.0], [9.0]])
        >>> said = Opinions(["tea", "coffee"], logs, points, np.zeros(4, bool))
        >>> said.suggest(np.arange(4), 2)
        [0, 2]
        """
        logs = self.logs[candidates]
        entropy = -(np.exp(logs) * logs).sum(axis=1)
        points = self.points[candidates]
        distance = np.full(len(candidates), np.inf)
        chosen: list[int] = []
        for _ in range(min(n, len(candidates))):
            worth = entropy * np.where(np.isinf(distance), 1.0, distance)
            worth[chosen] = -1.0
            best = int(worth.argmax())
            chosen.append(best)
            distance = np.minimum(distance, np.linalg.norm(points - points[best], axis=1))
        return [int(candidates[place]) for place in chosen]


def ask(model: Any, X: IntervalSequences, held_out: Floats | None = None) -> Opinions:
    """What a model says; where it was held out from some of them, what it said then.

    Parameters
    ----------
    model : a fitted classifier
    X : instances
    held_out : (n, activities) log probabilities, NaN where there are none
    """
    with unquestioned():
        logs: Floats = model.predict_log_proba(X)
        points = locate(model, X)
    spared: Bools = np.zeros(len(X), np.bool_)
    if held_out is not None:
        spared[:] = ~np.isnan(held_out).any(axis=1)
        logs = np.where(spared[:, None], held_out, logs)
    return Opinions(model.classes_.tolist(), np.maximum(logs, -700.0), points, spared)


def locate(model: Any, X: IntervalSequences) -> Floats:
    """(n, dimensions) how instances look to a model: what each term says of each activity."""
    scores: Floats = model.scores(X) * model.describe_weights()["weight"].to_numpy()[:, None]
    centred = scores - scores.mean(axis=2, keepdims=True)  # what all activities share says nothing
    points: Floats = centred.reshape(len(X), centred.shape[1] * centred.shape[2])
    return points
