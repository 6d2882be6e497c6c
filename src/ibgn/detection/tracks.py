"""One label track: a classifier that gives each window its votes."""

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ibgn._arrays import Floats, Ints
from ibgn.errors import DataError, OptionError
from ibgn.recordings import SensorRecording
from ibgn.text import quote

__all__ = ["Preset", "TrackModel", "find_classes", "new_classifier"]

Features = npt.NDArray[np.float32]
Preset = Literal["knn", "svm", "rbf", "tree"]

NEIGHBOURS = 5
PASSES = 50  # over the data, of a support vector machine
MOST_LABELS = 1000  # of a track; a channel that was named as a track by mistake has more
LEAF = 5  # fewest windows of a leaf; neighbouring windows overlap, so fewer are one event


class TrackModel(NamedTuple):
    """What was learned about one label track.

    Parameters
    ----------
    classes : labels in alphabetical order, and None, which means no label, last
    known : (k,) codes of the classes in training, in the order of the classifier's columns
    classifier : fitted on codes, or None if training has a single class, which all windows get
    """

    classes: tuple[str | None, ...]
    known: Ints
    classifier: Any | None

    @classmethod
    def learn(
        cls, features: Features, codes: Ints, classes: tuple[str | None, ...], classifier: Any
    ) -> "TrackModel":
        """Fit a new classifier."""
        known = np.unique(codes)
        if len(known) > 1 and features.shape[1] == 0:
            raise DataError("all training windows are alike, so labels cannot be distinguished")
        if len(known) > 1:
            classifier.fit(features, codes)
        return cls(classes, known, classifier if len(known) > 1 else None)

    def votes(self, features: Features) -> Floats:
        """(windows, classes) votes of each window, which add up to 1."""
        votes = np.zeros((len(features), len(self.classes)))
        if self.classifier is None:
            votes[:, self.known] = 1.0
        elif len(features):
            votes[:, self.known] = _votes(self.classifier, features)
        return votes


def _votes(classifier: Any, features: Features) -> Floats:
    """Probabilities if a classifier has them; else decision values, used as logits."""
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(features), np.float64)
    if hasattr(classifier, "decision_function"):
        values = np.asarray(classifier.decision_function(features), np.float64)
        values = np.stack([-values, values], axis=1) if values.ndim == 1 else values
        return np.asarray(softmax(values, axis=1))
    answers = np.asarray(classifier.predict(features))
    votes: Floats = (answers[:, None] == classifier.classes_).astype(np.float64)
    return votes


def new_classifier(chosen: Any, windows: int, seed: int) -> Any:
    """Make a classifier by name, or copy one; the seed decides everything random."""
    if isinstance(chosen, str) and chosen in get_args(Preset):
        return _preset(chosen, windows, seed)
    if isinstance(chosen, str | type) or not all(
        hasattr(chosen, name) for name in ("fit", "predict", "get_params")
    ):
        names = ", ".join(map(repr, get_args(Preset)))
        raise OptionError(
            "classifier",
            chosen,
            f"must be one of {names}, or a classifier of scikit-learn, such as SVC()",
        )
    copied = clone(chosen)
    free = {
        name: seed
        for name, value in copied.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    }
    return copied.set_params(**free)


def _preset(name: str, windows: int, seed: int) -> Any:
    if name == "knn":
        return KNeighborsClassifier(min(NEIGHBOURS, windows))
    if name == "svm":
        # votes are smoothed, so a rough solution detects as well, in a fraction of the time
        return LinearSVC(dual=True, tol=0.1, max_iter=PASSES, random_state=seed)
    if name == "rbf":
        return SVC()
    return DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=seed)


def find_classes(recordings: list[SensorRecording], track: str) -> tuple[str | None, ...]:
    """Labels of a track in alphabetical order, and None, which means no label, last."""
    labels = {label for recording in recordings for label in set(recording.track(track).tolist())}
    if len(labels) > MOST_LABELS:
        raise DataError(
            f"the track {quote(track)} has {len(labels):,} different labels, more than "
            f"{MOST_LABELS:,}; if it is a channel, do not name it among the labels"
        )
    return (*sorted(label for label in labels if label is not None), None)
