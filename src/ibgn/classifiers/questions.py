"""Questions about new instances before they are recognised, all together or piece by piece."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self, TypeVar

import numpy.typing as npt
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.sources import InstanceSource
from ibgn.training_data import Familiarity, TrainingData, UnknownActions

__all__ = ["Questioning", "log_shares", "unquestioned"]

R = TypeVar("R")

Answer = Callable[[IntervalSequences, npt.NDArray[Any] | None, Any], R]
"""Makes an answer of instances, their labels, and (n, activities) scores or what else is asked."""

_QUESTIONED = ContextVar("_QUESTIONED", default=True)


@contextmanager
def unquestioned() -> Iterator[None]:
    """Recognise instances whatever a model knows about them, without a word.

    For recognition within another one, which asked already, and for evaluations, where a test set
    may well have an action that its training set lacks.
    """
    token = _QUESTIONED.set(False)
    try:
        yield
    finally:
        _QUESTIONED.reset(token)


class Questioning(ABC):
    """What all estimators share that say what they do not know about instances."""

    unknown_actions: UnknownActions = "warn"  # of estimators without this option

    trained_on_: TrainingData

    @abstractmethod
    def _joint_log_likelihood(self, X: Sequences) -> Floats:
        """(n, activities) score of each activity; differences are log odds."""

    def _scorer(self) -> Self:
        """What scores as this model does, and may go to other machines; perhaps it is smaller."""
        return self

    @property
    def _horizon(self) -> int | None:
        """How many intervals after each it is related with; None for all, or if none is."""
        return getattr(self, "horizon", None)

    def familiarity(self, X: Sequences) -> Familiarity:
        """How instances compare with those that the model learned from.

        Which actions it does not know, whether times seem to have another unit, and whether the
        data were read in another way. `predict`, `predict_proba`, `score` and `explain` warn of
        each; if they know no action at all, they refuse, unless `unknown_actions="ignore"`.

        Examples
        --------
        >>> from ibgn import DBNClassifier
        >>> model = DBNClassifier().fit([[("hold", 0, 1)], [("stir", 0, 9)]], ["tea", "dough"])
        >>> model.familiarity([[("hold", 0, 1), ("shake", 0, 3)]]).unknown
        {'shake': 1}
        """
        check_is_fitted(self)
        return self.trained_on_.compare(as_sequences(X))

    def _question(self, X: Sequences, refuse: bool = True) -> IntervalSequences:
        """Say, once per call, what about X a fitted model does not know; see `Familiarity.say`."""
        check_is_fitted(self)
        X = as_sequences(X)
        if _QUESTIONED.get() and hasattr(self, "trained_on_"):
            self.trained_on_.compare(X).say(self.unknown_actions, refuse)
        return X

    def _ask_pieces(
        self,
        source: InstanceSource,
        answer: Answer[R],
        ask: Callable[[Any, IntervalSequences], Any] = lambda scorer, X: (
            scorer._joint_log_likelihood(X)
        ),
        refuse: bool = True,
    ) -> Iterator[R]:
        """What is answered about each piece of a source, some at the same time.

        What a fitted model does not know about them is said in the end. `ask` is what the model is
        asked about instances, by default the score of each activity; `refuse` as in `_question`.
        """
        check_is_fitted(self)
        asks = _QUESTIONED.get() and hasattr(self, "trained_on_")
        scorer = self._scorer()

        def judge(X: IntervalSequences, y: npt.NDArray[Any] | None) -> tuple[Familiarity | None, R]:
            found = scorer.trained_on_.compare(X) if asks else None
            return found, answer(X, y, ask(scorer, X))

        total: Familiarity | None = None
        for found, answered in source.map_pieces(judge, self._horizon):
            total = found if total is None or found is None else total.joined(found)
            yield answered
        if total is not None:
            total.say(self.unknown_actions, refuse)

    def predict_pieces(
        self, source: InstanceSource
    ) -> Iterator[tuple[IntervalSequences, npt.NDArray[Any] | None, Floats]]:
        """Pieces of a source, their labels, and what `predict_log_proba` says about them.

        Only a few pieces are in memory at the same time, see `ibgn.scan`.

        Examples
        --------
        >>> from ibgn import IBGNClassifier, scan
        >>> from ibgn.datasets import sample_path
        >>> source = scan(sample_path("csv"))
        >>> model = IBGNClassifier(random_state=0).fit(source)
        >>> [(len(X), len(y), logs.shape) for X, y, logs in model.predict_pieces(source)]
        [(27, 27, (27, 3))]
        """
        return self._ask_pieces(source, lambda X, y, joint: (X, y, log_shares(joint)))


def log_shares(joint: Floats) -> Floats:
    """(n, activities) log probabilities from scores."""
    result: Floats = joint - logsumexp(joint, axis=1, keepdims=True)
    return result
