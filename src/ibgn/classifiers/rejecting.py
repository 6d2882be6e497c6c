"""Recognition that may say "none of these": p-values of instances, and labels of known ones."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats
from ibgn.classifiers.questions import Questioning, log_shares, unquestioned
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.networks import Sequences
from ibgn.sources import InstanceSource

__all__ = ["Rejecting", "Unknown"]

Labels = npt.NDArray[Any]
Unknown = Literal["accept", "reject"]
"""What becomes of instances that may be of none of the activities."""


class Rejecting(Questioning):
    """What all estimators share that may reject instances; most need one that knows the typical."""

    classes_: Labels

    def _predict_known(self, X: Sequences | InstanceSource, false_alarm: float) -> Labels:
        """Labels of instances of known activities, and None for all others."""
        self._typical_model().typicality_.check_rate(false_alarm)
        if isinstance(X, InstanceSource):
            parts = [(logs, p) for _, _, logs, p in self.assess_pieces(X)]
            joint, p = (np.concatenate(part) for part in zip(*parts, strict=True))
        else:
            joint, p = self._assess(self._question(X, refuse=False))
        labels: Labels = self.classes_[joint.argmax(axis=1)].astype(object)
        labels[p <= false_alarm] = None
        return labels

    def p_values(self, X: Sequences | InstanceSource) -> Floats:
        """(n,) p-value of each instance, under the hypothesis that its activity is a known one.

        The share of held-out instances of the known activities that are no more typical of them,
        see `ibgn.model.typicality`. A small one says: none of these. If instances of known
        activities are drawn as those that were learned from, about a share p of them has a p-value
        of p or less; docs/unknown.md says when exactly, and what was measured.

        Examples
        --------
        >>> from ibgn import IBGNClassifier
        >>> from ibgn.datasets import make_relations
        >>> X, y = make_relations(instances_per_activity=30, random_state=0)
        >>> model = IBGNClassifier(random_state=0).fit(X, y)
        >>> strange = [[("stir", 0, 6), ("press", 0.5, 5), ("stir", 7, 13)]]
        >>> float(model.p_values(strange)[0]) < 0.05
        True
        >>> model.predict(strange, unknown="reject").tolist()
        [None]
        """
        if isinstance(X, InstanceSource):
            return np.concatenate([p for *_, p in self.assess_pieces(X)])
        return self._assess(self._question(X, refuse=False))[1]

    def assess(self, X: Sequences) -> tuple[Floats, Floats]:
        """`predict_log_proba` and `p_values` of instances that are scored once for both."""
        joint, p = self._assess(self._question(X, refuse=False))
        return log_shares(joint), p

    def assess_pieces(
        self, source: InstanceSource
    ) -> Iterator[tuple[IntervalSequences, npt.NDArray[Any] | None, Floats, Floats]]:
        """Pieces of a source, their labels, log probabilities, and p-values as by `p_values`."""
        self._typical_model()
        return self._ask_pieces(
            source,
            lambda X, y, said: (X, y, log_shares(said[0]), said[1]),
            lambda scorer, X: scorer._assess(X),
            refuse=False,
        )

    def _assess(self, X: IntervalSequences) -> tuple[Floats, Floats]:
        """(n, activities) score of each activity, and (n,) p-value of all."""
        with unquestioned():
            return self._joint_log_likelihood(X), self._typical_model().p_values(X)

    def _typical_model(self) -> Any:
        """The estimator that knows what is typical of the activities; refuses if none does."""
        raise DataError(
            f"{type(self).__name__} does not know what is typical of its activities, so it cannot "
            "tell others from them; IBGNClassifier does, alone or as a member of IBGNEnsemble"
        )
