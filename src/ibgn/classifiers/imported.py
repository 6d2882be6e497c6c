"""Classifiers of scikit-learn as arrays, so that an ensemble with them can be saved without pickle.

A pipeline that begins with features of this library, may go on with a `StandardScaler`, and ends
with trees or a linear model, is fully described by arrays. Others are refused by name.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.on_features import FeatureClassifier, count_columns, fits_features, to_dense
from ibgn.declarations import FITTED, FLOAT, STORABLE, Stored, is_finite, is_positive, register
from ibgn.errors import DataError
from ibgn.model.forest import Forest
from ibgn.text import quote

__all__ = ["ImportedLinear", "ImportedTrees", "import_classifier"]


class Imported(FeatureClassifier):
    """Base of classifiers that were learned elsewhere: they recognise, and cannot learn."""

    def __init__(self, features: Any = None) -> None:
        self.features = features

    def fit_held_out(
        self, X: Any, y: npt.ArrayLike, sample_weight: Any = None, groups: Any = None
    ) -> Floats:
        """Refuse to learn, before anything changes."""
        nothing = np.zeros(0, np.int64)
        return self._learn(X, nothing, nothing, np.zeros(0))

    def _learn(self, rows: Any, codes: Ints, blocks: Ints, weight: Floats) -> Floats:
        raise DataError(
            f"{type(self).__name__} holds what scikit-learn learned, and cannot learn again; make "
            "the ensemble with the members that it had"
        )

    def _set(self, features: Any, scaler: Any, labels: npt.NDArray[Any]) -> Self:
        """Take over the features, the scale of their columns and the labels."""
        columns = count_columns(features)
        self.features_, self.classes_ = features, labels
        mean, scale = getattr(scaler, "mean_", None), getattr(scaler, "scale_", None)
        self.mean_ = np.zeros(columns) if mean is None else np.asarray(mean, float)
        self.scale_ = np.ones(columns) if scale is None else np.asarray(scale, float)
        return self

    def _scaled(self, rows: Any) -> Floats:
        scaled: Floats = (to_dense(rows) - self.mean_) / self.scale_
        return scaled


class ImportedTrees(Imported):
    """Decision trees that scikit-learn learned, see `import_classifier`."""

    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "mean_": Stored(FLOAT, ("columns",), is_finite),
        "scale_": Stored(FLOAT, ("columns",), is_positive),
        "forest_": Stored(Forest),
    }

    def agrees(self) -> bool:
        """Whether all columns and labels that trees know of are there."""
        columns = count_columns(self.features_) == len(self.mean_)
        return columns and fits_features(self.forest_, self.features_, len(self.classes_))

    def _log_proba(self, rows: Any) -> Floats:
        votes = self.forest_.vote(self._scaled(rows), len(self.classes_))
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(votes / len(self.forest_.roots))
        return logs


class ImportedLinear(Imported):
    """A linear model that scikit-learn learned, see `import_classifier`."""

    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "mean_": Stored(FLOAT, ("columns",), is_finite),
        "scale_": Stored(FLOAT, ("columns",), is_positive),
        "coefficients_": Stored(FLOAT, ("columns", "activities"), is_finite),
        "intercept_": Stored(FLOAT, ("activities",), is_finite),
    }

    def agrees(self) -> bool:
        """Whether there is a coefficient for each column of the features."""
        return count_columns(self.features_) == len(self.coefficients_)

    def _log_proba(self, rows: Any) -> Floats:
        joint = self._scaled(rows) @ self.coefficients_ + self.intercept_
        logs: Floats = log_softmax(joint, axis=1)
        return logs


for imported in (ImportedTrees, ImportedLinear):  # they are read from files, and learn nothing
    register(STORABLE, imported.__name__, imported)


def import_classifier(name: str, model: Any) -> Imported:
    """Turn a fitted pipeline of scikit-learn into arrays.

    Parameters
    ----------
    name : of the member, for messages
    model : features of this library, perhaps a `StandardScaler`, and a decision tree, a random
        forest, extra trees, a logistic regression or a linear discriminant analysis

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from ibgn.features import IntervalFeatures
    >>> X, y = [[("hold", 0, 4)], [("pour", 0, 2)]], ["rest", "tea"]
    >>> model = make_pipeline(IntervalFeatures(), LogisticRegression()).fit(X, y)
    >>> imported = import_classifier("regression", model)
    >>> bool(np.allclose(imported.predict_proba(X), model.predict_proba(X)))
    True
    """
    # slow to load, and not needed to read and use what was imported
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    forests = (ExtraTreesClassifier, RandomForestClassifier)
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    scaler = steps[1] if len(steps) == 3 and isinstance(steps[1], StandardScaler) else None
    last: Any = steps[-1]
    if len(steps) != 2 + (scaler is not None) or not hasattr(steps[0], "learned"):
        raise _refuse(name, type(last).__name__)
    if isinstance(last, (*forests, DecisionTreeClassifier)) and last.n_outputs_ == 1:
        trees = ImportedTrees()._set(steps[0], scaler, last.classes_)
        trees.forest_ = Forest.of(last.estimators_ if isinstance(last, forests) else [last])
        return trees
    several = len(getattr(last, "classes_", ())) > 2
    is_linear = isinstance(last, (LogisticRegression, LinearDiscriminantAnalysis))
    if not is_linear or (several and getattr(last, "solver", "") == "liblinear"):
        raise _refuse(name, type(last).__name__)
    linear = ImportedLinear()._set(steps[0], scaler, last.classes_)
    coefficients, intercept = np.asarray(last.coef_, float).T, np.asarray(last.intercept_, float)
    if not several:  # one column, the log odds of the second label
        coefficients = np.column_stack([np.zeros(len(coefficients)), coefficients[:, 0]])
        intercept = np.append(0.0, intercept)
    linear.coefficients_, linear.intercept_ = np.ascontiguousarray(coefficients), intercept
    return linear


def _refuse(name: str, kind: str) -> DataError:
    return DataError(
        f"the member {quote(name)} ({quote(kind)}) cannot be stored without pickle; what can is a "
        "pipeline of features of ibgn, perhaps a StandardScaler, and a decision tree, random "
        "forest, extra trees, logistic regression or linear discriminant analysis"
    )
