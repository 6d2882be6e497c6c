"""Learning from instances that come in parts, one after the other."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ibgn.classifiers.checks import check_data
from ibgn.classifiers.gathered import CountedParts, KeptParts
from ibgn.classifiers.recogniser import Recogniser
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.networks import Sequences
from ibgn.terms.base import Term
from ibgn.text import quote
from ibgn.training_data import TrainingData

__all__ = ["LearnsInParts"]


class LearnsInParts(Recogniser):
    """Adds `partial_fit` to an estimator."""

    styles: Any
    tolerance: Any
    _parts: CountedParts | KeptParts
    _learned_parts: TrainingData  # what `partial_fit` left; `fit` replaces that

    @abstractmethod
    def _make_terms(self) -> Sequence[Term]:
        """Terms with the options of this estimator."""

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
        Actions and activities may come later. A sample of 20,000 instances stays in memory; all
        others are counted once, when they are given or leave the sample, so that the time of a call
        does not grow with what was given before. Up to that size the model is that of `fit` to the
        last bit, and beyond it up to rounding.

        Where all instances are needed at once, they are kept, and counted again each time: with
        `styles`, a `tolerance` other than 0, learned structures or smoothing, terms that do not
        count piece by piece, such as "tables", and groups, which are held out together.

        Neither the sample nor the counts are stored in model files: a model that was loaded, or
        learned by `fit`, cannot go on.

        Examples
        --------
        >>> from ibgn import IBGNClassifier
        >>> model = IBGNClassifier(random_state=0)
        >>> _ = model.partial_fit([[("boil", 0, 4)], [("boil", 0, 3)]], ["tea", "tea"])
        >>> _ = model.partial_fit([[("grind", 0, 2)], [("grind", 0, 3)]], ["coffee", "coffee"])
        >>> model.predict([[("grind", 0, 5)]]).tolist()
        ['coffee']
        """
        if hasattr(self, "classes_") and getattr(self, "_learned_parts", None) is not getattr(
            self, "trained_on_", None
        ):
            raise DataError(
                "the model was learned by fit, or loaded, and has no counts to go on from; give "
                "all parts to partial_fit of a new one"
            )
        self._check_options()
        X, labels = check_data(X, y)
        if classes is not None:
            unknown = set(labels.tolist()) - set(np.asarray(classes).tolist())
            if unknown:
                label = quote(sorted(unknown, key=str)[0])
                raise DataError(f"y has {label}, which classes does not name; add it there")
        before = self._parts if hasattr(self, "classes_") else self._begin_parts(X)
        if isinstance(before, CountedParts) and not self._goes_on(before):
            raise DataError(
                "options were changed after parts had been counted, which cannot be counted again; "
                "give all parts to partial_fit of a new model with these options"
            )
        parts = before.more(X, labels)
        self.classes_, data = parts.training()
        self._remember(data)
        self._learn(data)
        self._parts, self._learned_parts = parts, self.trained_on_
        return self

    def _begin_parts(self, X: IntervalSequences) -> CountedParts | KeptParts:
        """No parts yet; only a sample of them will be kept if all others can be counted."""
        parts = CountedParts(self._make_terms())
        counts = X.groups is None and self._goes_on(parts) and parts.counted.grows
        return parts if counts else KeptParts()

    def _goes_on(self, parts: CountedParts) -> bool:
        """Whether parts were counted under the present options."""
        return self.styles == 1 and self.tolerance == 0 and parts.terms == self._make_terms()
