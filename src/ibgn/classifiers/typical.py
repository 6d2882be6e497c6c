"""Estimators that know what is typical of their activities, and tell other activities from them."""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.checks import check_data
from ibgn.classifiers.recogniser import Recogniser
from ibgn.declarations import Stored
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.model.learning import HeldOut
from ibgn.model.typicality import Typicality, Unusual
from ibgn.networks import Sequences
from ibgn.worlds import likeliest_world, score_worlds

__all__ = ["KnowsTypical"]


class KnowsTypical(Recogniser):
    """Adds p-values of unknown activities to an estimator with held-out scores, or calibrated."""

    typicality_: Typicality | None

    stored_typicality: ClassVar[Stored] = Stored(Typicality, optional=True)

    def __init_subclass__(cls, **options: Any) -> None:
        cls.learned = {**cls.learned, "typicality_": cls.stored_typicality}
        super().__init_subclass__(**options)

    def _learn_typical(self, held_out: HeldOut | None) -> None:
        """Learn what is typical from held-out scores, where there are some."""
        self.typicality_ = None if held_out is None else Typicality.learn(held_out, self._weights)

    def calibrate(self, X: Sequences, y: npt.ArrayLike) -> Self:
        """Learn what is typical of the activities from instances that `fit` has not seen.

        `IBGNClassifier` does it by itself, from held-out scores of what it learns from, where it
        learns weights. With instances of its own, a rate of false alarms is guaranteed for
        further instances that are drawn as these are, see `p_values`.

        Parameters
        ----------
        X : instances that the model has not learned from
        y : (n,) label of each, one of `classes_`

        Examples
        --------
        >>> from ibgn import DBNClassifier
        >>> from ibgn.datasets import make_relations
        >>> X, y = make_relations(instances_per_activity=30, random_state=0)
        >>> model = DBNClassifier().fit(X[::2], y[::2]).calibrate(X[1::2], y[1::2])
        >>> float(model.p_values([[("stir", 0, 6), ("stir", 0.5, 5), ("stir", 1, 7)]])[0]) < 0.05
        True
        """
        check_is_fitted(self)
        X, labels = check_data(X, y)
        for label in np.unique(labels).tolist():
            self._label(label)
        codes = np.searchsorted(self.classes_, labels)
        held_out = HeldOut(self.scores(X), codes, np.ones(len(X)), self._intervals(X))
        familiar = self.trained_on_.knows(X)
        self.typicality_ = Typicality.learn(held_out, self._weights, familiar)
        return self

    def _intervals(self, X: IntervalSequences) -> Ints:
        """(n,) number of intervals of each instance, as the model recognises it."""
        return self._prepare(likeliest_world(X)).lengths

    def _prepare(self, X: IntervalSequences) -> IntervalSequences:
        """X as the model recognises it, prepared as in training."""
        return X

    def _typical_model(self) -> "KnowsTypical":
        check_is_fitted(self)
        if self.typicality_ is None:
            raise DataError(
                "no instances were held out, so it is not known what is typical of the activities; "
                "call calibrate(X, y) with instances that the model has not learned from, or fit "
                "IBGNClassifier with learned weights to more instances of two activities"
            )
        return self

    def _assess(self, X: IntervalSequences) -> tuple[Floats, Floats]:
        known: Any = self._typical_model().typicality_
        scores, joint = self._score_both(X)
        familiar = self.trained_on_.knows(X)
        return joint, known.p_values(scores, self._intervals(X), self._weights, familiar)

    def _score_both(self, X: IntervalSequences) -> tuple[Floats, Floats]:
        """(n, terms, activities) scores by each term, and (n, activities) by all together."""

        def both(certain: IntervalSequences) -> Floats:
            scores = self._scores(certain)
            joint = self._weights @ scores + self._log_prior
            return np.concatenate([scores, joint[:, None]], axis=1)

        said = score_worlds(both, X, self._horizon)
        return said[:, :-1], self._expect_possible(X, said[:, -1])

    def _compare_with_typical(self, X: IntervalSequences, scores: Floats) -> Unusual | None:
        """How one instance compares with those of the activities, where that is known."""
        if self.typicality_ is None:
            return None
        lengths, familiar = self._intervals(X), self.trained_on_.knows(X)
        [deviations] = self.typicality_.deviations(scores, lengths, self._weights)
        nearest = int(deviations.mean(axis=0).argmax())
        terms = dict(zip(self.terms_, deviations[:, nearest].tolist(), strict=True))
        return Unusual(
            float(self.typicality_.p_values(scores, lengths, self._weights, familiar)[0]),
            self.classes_.tolist()[nearest],
            dict(sorted(terms.items(), key=lambda item: item[1])),
        )

    def agrees(self) -> bool:
        """Whether what is typical is known of the terms that the model has."""
        known = self.typicality_
        return known is None or known.mean.shape[1] == len(self.terms_)
