"""What the terms of a generative model say about instances, as features."""

from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Array, Floats, Objects
from ibgn.checks import check_flag
from ibgn.errors import OptionError
from ibgn.networks import Sequences

__all__ = ["ScoreFeatures"]


class Scorer(Protocol):
    """A classifier that scores instances term by term."""

    classes_: Array

    @property
    def terms_(self) -> tuple[str, ...]:
        """Names of the terms."""

    def fit(self, X: Sequences, y: npt.ArrayLike) -> Any:
        """Learn."""

    def fit_scores(self, X: Sequences, y: npt.ArrayLike) -> Floats:
        """Learn, and return scores of the same instances by what was learned from others."""

    def scores(self, X: Sequences) -> Floats:
        """(n, terms, activities) log probabilities."""


class ScoreFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """How likely an instance is under each activity, by each term of a generative model.

    In training a model knows the instances that it scores, and is surer of them than it will be
    of others; a classifier that learns from such scores relies on them too much. So
    `fit_transform`, which pipelines call, scores each instance by what was learned from others,
    where groups stay together. `transform` scores by what was learned from all of `fit`.

    Parameters
    ----------
    model : a classifier of the library with terms, of which a copy learns
    centred : whether the mean over all activities is subtracted from the scores of a term, which
        leaves what sets activities apart

    Attributes
    ----------
    model_ : the copy that learned

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> features = ScoreFeatures(IBGNClassifier(terms=["order", "relations"]))
    >>> features.fit_transform(X, y).shape
    (80, 8)
    >>> features.get_feature_names_out()[0]
    "order under 'apart, apart'"
    >>> make_pipeline(features, LogisticRegression()).fit(X, y).score(X, y) > 0.7
    True
    """

    model_: Scorer

    def __init__(self, model: Scorer, centred: bool = True) -> None:
        self.model = model
        self.centred = centred

    def fit(self, X: Sequences, y: npt.ArrayLike) -> Self:
        """Learn the model."""
        self.model_ = self._copy()
        self.model_.fit(X, y)
        return self

    def fit_transform(self, X: Sequences, y: npt.ArrayLike) -> Floats:
        """Learn the model, and score each instance by what was learned from others."""
        self.model_ = self._copy()
        return self._flatten(self.model_.fit_scores(X, y))

    def transform(self, X: Sequences) -> Floats:
        """(n, terms * activities) log probabilities, in the order of `get_feature_names_out`."""
        check_is_fitted(self)
        return self._flatten(self.model_.scores(X))

    def get_feature_names_out(self, input_features: Any = None) -> Objects:
        """(features,) the name of each column; labels are quoted, as Python would."""
        check_is_fitted(self)
        labels = self.model_.classes_.tolist()
        return np.array(
            [f"{term} under {label!r}" for term in self.model_.terms_ for label in labels], object
        )

    def _copy(self) -> Scorer:
        if not hasattr(self.model, "fit_scores"):
            reason = "must be a classifier with terms, such as IBGNClassifier()"
            raise OptionError("model", self.model, reason)
        check_flag("centred", self.centred)
        copy: Scorer = clone(self.model)
        return copy

    def _flatten(self, scores: Floats) -> Floats:
        if self.centred:
            scores = scores - scores.mean(axis=2, keepdims=True)
        return scores.reshape(len(scores), -1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
