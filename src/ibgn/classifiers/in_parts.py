"""Learning from instances that come in parts, one after the other."""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ibgn.classifiers.checks import check_data
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.networks import Sequences
from ibgn.text import quote
from ibgn.training_data import TrainingData

__all__ = ["LearnsInParts"]


class LearnsInParts:
    """Adds `partial_fit` to an estimator."""

    trained_on_: TrainingData
    _parts: "_Parts"

    def partial_fit(
        self, X: Sequences, y: npt.ArrayLike, classes: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from more instances: the model is that of one `fit` to all that were given so far.

        Parameters
        ----------
        X : more instances
        y : (n,) label of the activity of each
        classes : all labels that may be given; others are refused. Activities are known as soon
            as there is an instance of them, so it is not needed.

        Notes
        -----
        Actions and activities may come later. The instances are kept in memory, 20 bytes for each
        interval, and all of them are counted again each time, so that parts should be as large as
        possible; for data that memory does not hold, see `ibgn.scan`. They are not stored in model
        files: a model that was loaded, or learned by `fit`, cannot go on.

        Examples
        --------
        >>> from ibgn import IBGNClassifier
        >>> model = IBGNClassifier(random_state=0)
        >>> _ = model.partial_fit([[("boil", 0, 4)], [("boil", 0, 3)]], ["tea", "tea"])
        >>> _ = model.partial_fit([[("grind", 0, 2)], [("grind", 0, 3)]], ["coffee", "coffee"])
        >>> model.predict([[("grind", 0, 5)]]).tolist()
        ['coffee']
        """
        before = getattr(self, "_parts", None)
        if hasattr(self, "classes_") and (before is None or before.made is not self.trained_on_):
            raise DataError(
                "the model was learned by fit, or loaded, and has no instances to go on from; give "
                "all parts to partial_fit of a new one"
            )
        X, labels = check_data(X, y)
        if classes is not None:
            unknown = set(labels.tolist()) - set(np.asarray(classes).tolist())
            if unknown:
                label = quote(sorted(unknown, key=str)[0])
                raise DataError(f"y has {label}, which classes does not name; add it there")
        instances = [*(before.instances if before else ()), X]
        every = [*(before.labels if before else ()), labels]
        if len({own.dtype.kind for own in every}) > 1:  # NumPy would write numbers as text
            every = [own.astype(object) for own in every]
        joined = IntervalSequences.concatenate(instances), np.concatenate(every)
        self.fit(*joined)  # type: ignore[attr-defined]
        self._parts = _Parts(instances, every, self.trained_on_)
        return self


class _Parts(NamedTuple):
    """What was given so far, and what the model remembers of it; `fit` replaces that."""

    instances: list[IntervalSequences]
    labels: list[npt.NDArray[Any]]
    made: TrainingData
